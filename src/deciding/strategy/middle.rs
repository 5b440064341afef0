//! A text without its middle, as Codex cuts it: by bytes, at the boundaries of characters. See
//! `docs/reference/presets.md`.

/// Bytes per token.
const PER_TOKEN: usize = 4;

/// Returns the tokens of a text: four bytes each, rounded up.
pub(crate) fn byte_tokens(text: &str) -> usize {
    text.len().div_ceil(PER_TOKEN)
}

/// Returns a text of at most so many tokens, with a mark in place of its middle. Returns None if it
/// has no more.
pub(crate) fn cut_middle(text: &str, tokens: usize) -> Option<String> {
    let most = tokens.saturating_mul(PER_TOKEN);
    let removed = text.len().checked_sub(most).filter(|bytes| *bytes > 0)?;
    let left = most / 2;
    let begin = text.floor_char_boundary(left);
    let end = text.ceil_char_boundary(text.len() - (most - left));
    let mark = format!("…{} tokens truncated…", removed.div_ceil(PER_TOKEN));
    Some(format!("{}{mark}{}", &text[..begin], &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_bytes_stay_on_each_side() {
        // Measured with Codex 0.169.0.
        let cut = cut_middle(&"x".repeat(40_010), 9_997).unwrap();
        let side = "x".repeat(19_994);
        assert_eq!(cut, format!("{side}…6 tokens truncated…{side}"));
        assert_eq!(cut_middle("12345678", 2), None);
        assert_eq!(
            cut_middle("éééééé", 2).as_deref(),
            Some("éé…1 tokens truncated…éé")
        );
        assert_eq!(
            cut_middle("aéééb", 1).as_deref(),
            Some("a…1 tokens truncated…b")
        );
    }
}
