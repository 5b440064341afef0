//! Messages before the cutoff that stay: the first events, as OpenHands and Cline keep them, and
//! user messages within a budget, as Codex keeps them. See `docs/reference/presets.md`.

use crate::deciding::strategy::evict::has_own_content;
use crate::deciding::strategy::pin::pinned_before;
use crate::deciding::strategy::prelude::*;
use crate::deciding::strategy::tail::first_behind;

/// The beginnings of user messages that Codex writes itself. They stay, and do not count.
const INJECTED: [&str; 5] = [
    "<environment_context>",
    "<user_instructions>",
    "<permissions instructions>",
    "# AGENTS.md instructions for ",
    "<skills_instructions>",
];

/// The messages before the cutoff that stay.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct KeptBefore {
    /// The messages, system messages not among them.
    pub messages: BTreeSet<usize>,
    /// The user message that is cut in its middle.
    pub cut: Option<TextCut>,
}

/// Returns the messages before `first_kept` that the policy keeps.
pub(crate) fn kept_before(
    view: TranscriptView<'_, '_>,
    policy: &Policy,
    first_kept: usize,
) -> KeptBefore {
    let transcript = view.transcript;
    let keep = &policy.summarize;
    let mut kept = KeptBefore::default();
    let keeps_any = keep.keep_first > 0 || keep.keep_users > 0 || !policy.pin.is_empty();
    if !keeps_any || !can_keep(transcript) {
        return kept;
    }
    kept.messages.extend(pinned_before(transcript, &policy.pin, first_kept));
    let head = transcript.system_prefix_len();
    if keep.keep_first > 0 {
        let first = usize::try_from(keep.keep_first).unwrap_or(usize::MAX);
        let start = first_behind(transcript, first, policy.count.system);
        kept.messages.extend(head..start.min(first_kept));
    }
    if keep.keep_users > 0 {
        keep_users(view, keep.keep_users, head..first_kept, &mut kept);
    }
    // An earlier summary may be part of the exchange of a pinned message, too.
    kept.messages.retain(|&index| {
        let message = &transcript.messages[index];
        !message.role.is_system() && !message.earlier_summary
    });
    kept
}

/// Returns true if the format can say that messages before a summary stay.
pub(crate) fn can_keep(transcript: &Transcript<'_>) -> bool {
    match transcript.write_mode {
        WriteMode::Appended { lists, .. } => lists,
        // Kept messages of the user and the summary would be several of one role in a row.
        WriteMode::InPlace | WriteMode::Nowhere => {
            !transcript.alternates && transcript.outside == 0
        }
    }
}

/// Adds the newest user messages in a range, of at most `budget` tokens.
fn keep_users(
    view: TranscriptView<'_, '_>,
    budget: u64,
    range: Range<usize>,
    kept: &mut KeptBefore,
) {
    let mut left = usize::try_from(budget).unwrap_or(usize::MAX);
    for index in range.rev() {
        let message = view.message(index);
        let is_joined = |index: usize| {
            let message = view.transcript.messages.get(index);
            message.is_some_and(|message| message.joined)
        };
        let is_whole = !is_joined(index) && !is_joined(index + 1);
        if message.role != Role::User
            || message.earlier_summary
            || !is_whole
            || kept.messages.contains(&index)
        {
            continue;
        }
        let text = view.joined_text(index, "");
        if INJECTED.iter().any(|begin| text.starts_with(begin)) {
            kept.messages.insert(index);
            continue;
        }
        if left == 0 {
            continue;
        }
        let tokens = byte_tokens(&text);
        if tokens <= left {
            left -= tokens;
            kept.messages.insert(index);
            continue;
        }
        if let Some(text) = cut_middle(&text, left)
            && has_own_content(view.transcript, index)
            && message.content.is_all_text()
        {
            kept.messages.insert(index);
            kept.cut = Some(TextCut { message: index, text });
        }
        left = 0;
    }
}

/// Bytes per token.
const PER_TOKEN: usize = 4;

/// Returns the tokens of a text: four bytes each, rounded up.
fn byte_tokens(text: &str) -> usize {
    text.len().div_ceil(PER_TOKEN)
}

/// Returns a text of at most so many tokens, with a mark in place of its middle. Returns None if it
/// has no more.
fn cut_middle(text: &str, tokens: usize) -> Option<String> {
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
        assert_eq!(cut_middle("éééééé", 2).as_deref(), Some("éé…1 tokens truncated…éé"));
        assert_eq!(cut_middle("aéééb", 1).as_deref(), Some("a…1 tokens truncated…b"));
    }
}
