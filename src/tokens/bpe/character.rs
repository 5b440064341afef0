//! The classes of characters that the encodings' patterns tell apart. The build script makes the table.

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
/// `\r` and `\n`, which are white space as well.
pub(crate) const LINE_END: u8 = 1 << 6;

/// The table is of blocks of so many code points, as a power of two: most of them are alike.
pub(crate) const BLOCK_BITS: usize = 8;
