//! The classes of characters that the encodings' patterns distinguish. The build script makes the
//! table.

/// Uppercase and titlecase letters (Lu, Lt).
pub(crate) const UPPER: u8 = 1;
/// Lowercase letters (Ll).
pub(crate) const LOWER: u8 = 1 << 1;
/// Letters without case (Lm, Lo).
pub(crate) const CASELESS: u8 = 1 << 2;
/// Marks (M).
pub(crate) const MARK: u8 = 1 << 3;
/// Numbers (N).
pub(crate) const NUMBER: u8 = 1 << 4;
/// White space (`\s`).
pub(crate) const SPACE: u8 = 1 << 5;
/// `\r` and `\n`, which are also white space.
pub(crate) const LINE_END: u8 = 1 << 6;

/// Code points in a block of the table, as a power of two. Most blocks are equal and stored once.
pub(crate) const BLOCK_BITS: usize = 8;
