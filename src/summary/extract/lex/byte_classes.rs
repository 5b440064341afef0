//! Classes of bytes, combined over a stretch of text.

/// A set of byte classes, as bits.
pub(crate) type ByteClasses = u16;
pub(crate) const LOWER: ByteClasses = 1;
pub(crate) const UPPER: ByteClasses = 2;
pub(crate) const DIGIT: ByteClasses = 4;
pub(crate) const UNDER: ByteClasses = 8;
pub(crate) const SLASH: ByteClasses = 16;
pub(crate) const AT: ByteClasses = 32;
pub(crate) const DOT: ByteClasses = 64;
pub(crate) const COLON: ByteClasses = 128;
pub(crate) const DASH: ByteClasses = 256;
/// Bytes of a character beyond ASCII.
pub(crate) const WIDE: ByteClasses = 512;
pub(crate) const LETTER: ByteClasses = LOWER | UPPER | WIDE;

const CLASS_OF_BYTE: [ByteClasses; 256] = build_table();

const fn build_table() -> [ByteClasses; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'a'..=b'z' => LOWER,
            b'A'..=b'Z' => UPPER,
            b'0'..=b'9' => DIGIT,
            b'_' => UNDER,
            b'/' => SLASH,
            b'@' => AT,
            b'.' => DOT,
            b':' => COLON,
            b'-' | b'+' | b'~' => DASH,
            128.. => WIDE,
            _ => 0,
        };
        byte += 1;
    }
    table
}

/// Returns the classes of all bytes, combined.
pub(crate) fn classes_of(bytes: &[u8]) -> ByteClasses {
    bytes.iter().fold(0, |classes, &byte| {
        classes | CLASS_OF_BYTE[usize::from(byte)]
    })
}
