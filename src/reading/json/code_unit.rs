//! UTF-16 code units, as `\uXXXX` spells them in JSON strings.

/// Returns the code unit of the `\uXXXX` at the start of `rest`.
pub(super) fn parse_unicode_escape(rest: &[u8]) -> Option<u16> {
    parse_hex4(rest.strip_prefix(b"\\u")?.first_chunk()?)
}

/// Returns the number that four hexadecimal digits spell.
pub(super) fn parse_hex4(digits: &[u8; 4]) -> Option<u16> {
    digits
        .iter()
        .try_fold(0, |unit, &digit| Some(unit << 4 | char::from(digit).to_digit(16)? as u16))
}

/// Returns true if the unit is the first half of a surrogate pair.
pub(super) fn is_high_surrogate(unit: u16) -> bool {
    (0xD800..0xDC00).contains(&unit)
}

/// Returns true if the unit is the second half of a surrogate pair.
pub(super) fn is_low_surrogate(unit: u16) -> bool {
    (0xDC00..0xE000).contains(&unit)
}
