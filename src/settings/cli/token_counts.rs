//! Numbers of tokens as people write them: `4000`, `4_000`, `4k`, `1.5M`.

use std::borrow::Cow;

/// Returns a number with its thousands (`k`) or millions (`M`) written out, or the text itself if it
/// is not such a number.
pub(super) fn write_out(text: &str) -> Cow<'_, str> {
    scaled_digits(text).map_or(Cow::Borrowed(text), Cow::Owned)
}

/// Returns true if a text is a number of thousands or millions.
pub(super) fn is_scaled(text: &str) -> bool {
    scaled_digits(text).is_some()
}

/// Returns the digits of a number that ends with `k` or `M`. A fraction of a token is no number.
fn scaled_digits(text: &str) -> Option<String> {
    let zeros = match text.as_bytes().last()? {
        b'k' | b'K' => 3,
        b'm' | b'M' => 6,
        _ => return None,
    };
    let number = &text[..text.len() - 1];
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let are_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !are_digits(whole) || !are_digits(fraction) || fraction.len() > zeros {
        return None;
    }
    let digits = format!("{whole}{fraction:0<zeros$}");
    let digits = digits.trim_start_matches('0');
    Some(if digits.is_empty() { "0" } else { digits }.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_and_millions_are_written_out() {
        for (text, want) in [
            ("4k", "4000"),
            ("4K", "4000"),
            ("1.5M", "1500000"),
            ("0.25k", "250"),
            ("0k", "0"),
            ("4000", "4000"),
            ("k", "k"),
            (".5k", ".5k"),
            ("1.2345k", "1.2345k"),
            ("-4k", "-4k"),
            ("4kk", "4kk"),
            ("4 k", "4 k"),
        ] {
            assert_eq!(write_out(text), want, "{text}");
        }
    }
}
