//! Converts between tokens and bytes, and clips text to a budget of tokens.

use crate::summary::extract::lex::clip::{CLIP_MARK, clip_line};
use crate::summary::extract::lex::fold::fold_line;

/// Returns the tokens of a text by the policy's counter.
pub(crate) type TokenCount<'c> = &'c dyn Fn(&str) -> usize;

/// Length in bytes of a sample that a rate is measured by.
pub(crate) const SAMPLE_LENGTH: usize = 400;
/// Minimum length of a sample in bytes.
const LEAST_SAMPLE: usize = 16;
/// Maximum number of cuts until a line fits.
const MOST_CUTS: usize = 12;

/// The number of bytes in a token, in hundredths.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TokenRate(usize);

impl TokenRate {
    /// The rate of text without a sample.
    pub(crate) const UNKNOWN: Self = Self(400);

    /// Measures the rate of a sample. Returns `fallback` if the sample is too short.
    pub(crate) fn measure(sample: &str, fallback: Self, count: TokenCount<'_>) -> Self {
        let sample = fold_line(sample, SAMPLE_LENGTH);
        if sample.len() < LEAST_SAMPLE {
            fallback
        } else {
            Self((sample.len() * 100 / count(&sample).max(1)).clamp(25, 3200))
        }
    }

    /// Returns the number of tokens in `bytes` bytes.
    pub(crate) fn tokens_of(self, bytes: usize) -> usize {
        bytes.saturating_mul(100) / self.0
    }

    /// Returns the number of bytes in `tokens` tokens.
    pub(crate) fn bytes_for(self, tokens: usize) -> usize {
        tokens.saturating_mul(self.0) / 100
    }
}

/// Returns the longest prefix of a line that costs at most `tokens`. Returns `None` if no word
/// fits.
pub(crate) fn clip_to_tokens(line: &str, tokens: usize, count: TokenCount<'_>) -> Option<String> {
    let mut cost = count(line);
    if cost <= tokens {
        return (!line.is_empty()).then(|| line.to_owned());
    }
    // Each cut is in proportion to the excess, so that a handful of counts is enough.
    let mut room = line.len();
    for _ in 0..MOST_CUTS {
        room = (room * tokens / cost.max(1) + CLIP_MARK.len()).min(room - 1);
        let kept = clip_line(line, room)?;
        cost = count(&kept);
        if cost <= tokens {
            return Some(kept.into_owned());
        }
        room = kept.len();
    }
    None
}

/// Returns the lines that cost at most `tokens` together, the last of them clipped. Returns `None`
/// if nothing fits.
pub(crate) fn clip_lines_to_tokens(
    mut text: String,
    tokens: usize,
    count: TokenCount<'_>,
) -> Option<String> {
    while count(&text) > tokens {
        let Some((rest, last)) = text.rsplit_once('\n') else {
            return clip_to_tokens(&text, tokens, count);
        };
        let rest = rest.trim_end();
        let excess = count(&text).saturating_sub(tokens);
        let room = count(last).saturating_sub(excess + 1);
        let kept = clip_to_tokens(last, room, count)
            .filter(|kept| kept.len() > CLIP_MARK.len() && !last.starts_with('#'))
            .filter(|kept| kept.len() < last.len());
        text = match kept {
            Some(kept) => format!("{rest}\n{kept}"),
            None => rest.to_owned(),
        };
    }
    (!text.trim().is_empty()).then_some(text)
}
