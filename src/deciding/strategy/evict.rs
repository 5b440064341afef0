//! Stage evict: a tool result that is too large is moved into a file, and a notice with a preview
//! takes its place. The rules are Deep Agents', see `docs/reference/deepagents.md`.

use crate::deciding::plan::Eviction;
use crate::deciding::policy::Evict;
use crate::deciding::strategy::notice;
use crate::deciding::strategy::pin::is_pinned;
use crate::deciding::strategy::prelude::*;
use crate::reading::json::count_literal_points;

/// Code points per token of the threshold. The counter's own ratio has no effect on it.
const CHARS_PER_TOKEN: u64 = 4;

/// The usual length of a notice, in code points. Shorter results are not worth one.
const NOTICE_CHARS: u64 = 800;

/// A tool result, or a user message, that may be evicted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EvictionCandidate {
    /// The index of the message.
    pub message: usize,
    /// The id of the call that it answers; empty for a user message.
    pub call_id: String,
    /// The name of the tool, if it is known.
    pub tool: Option<String>,
    /// The length of the result, in code points.
    pub chars: usize,
    /// True if the result is above the threshold, or the user message is the last of the call.
    /// Other results are evicted only if the transcript would not fit otherwise, and other user
    /// messages never.
    pub large: bool,
    /// True for a user message.
    pub human: bool,
}

/// Finds the results above the threshold. With `all`, the results that are worth a notice follow
/// them.
///
/// The files of the candidates must be named before an eviction can be planned. The names of
/// results above the threshold do not depend on `all`.
pub(crate) fn find_candidates(
    transcript: &Transcript<'_>,
    policy: &Evict,
    pin: &Pin,
    all: bool,
) -> Vec<EvictionCandidate> {
    if policy.tokens == 0 && policy.human_tokens == 0 {
        return Vec::new();
    }
    let threshold = threshold_chars(policy.tokens);
    let min_chars = if all { threshold.min(NOTICE_CHARS) } else { threshold };
    let candidates =
        (0..transcript.messages.len()).filter_map(|index| match transcript.messages[index].role {
            Role::Tool if policy.tokens > 0 => candidate_at(transcript, policy, index, min_chars),
            Role::User if policy.human_tokens > 0 => {
                human_candidate_at(transcript, policy.human_tokens, index)
            }
            _ => None,
        });
    let candidates = candidates.filter(|candidate| !is_pinned(transcript, candidate.message, pin));
    let (mut large, small): (Vec<EvictionCandidate>, Vec<EvictionCandidate>) =
        candidates.partition(|candidate| candidate.large);
    large.extend(small);
    large
}

/// Returns the length above which a text of more than these tokens is too large, in code points.
pub(crate) fn threshold_chars(tokens: u64) -> u64 {
    tokens.saturating_mul(CHARS_PER_TOKEN)
}

/// Returns the user message at `index` if it is too large and its text can be replaced.
fn human_candidate_at(
    transcript: &Transcript<'_>,
    tokens: u64,
    index: usize,
) -> Option<EvictionCandidate> {
    let message = &transcript.messages[index];
    let record = transcript.record_of(index);
    let limit = threshold_chars(tokens);
    if !may_exceed(message.content_span?.slice(record), limit) || message.earlier_summary {
        return None;
    }
    let view = TranscriptView::logged(transcript);
    let pieces = view.content_pieces(index);
    // A part of a string, or text beside results in one list, can't be replaced by itself.
    let next_joined = transcript.messages.get(index + 1).is_some_and(|next| next.joined);
    if !has_own_content(transcript, index) || message.joined || next_joined {
        return None;
    }
    if let Some(ContentPiece::Literal(literal)) = pieces.first()
        && notice::is_human_notice(literal)
    {
        return None;
    }
    let chars = result_chars(view, index);
    (chars as u64 > limit).then(|| EvictionCandidate {
        message: index,
        call_id: String::new(),
        tool: None,
        chars,
        large: index + 1 == transcript.messages.len(),
        human: true,
    })
}

/// Returns true if the content of a message is a value of its own, which can be replaced.
pub(crate) fn has_own_content(transcript: &Transcript<'_>, index: usize) -> bool {
    let message = &transcript.messages[index];
    let record = transcript.record_of(index);
    match &message.content {
        Content::Text(span) => span.slice(record).starts_with(b"\""),
        Content::Blocks(_) => {
            message.content_span.is_some_and(|span| span.slice(record).starts_with(b"["))
        }
        Content::Absent => false,
    }
}

/// Returns the result at message `index` if it has more than `min_chars` code points and may be
/// evicted.
fn candidate_at(
    transcript: &Transcript<'_>,
    policy: &Evict,
    index: usize,
    min_chars: u64,
) -> Option<EvictionCandidate> {
    let message = &transcript.messages[index];
    if !may_exceed(message.content_span?.slice(transcript.record_of(index)), min_chars) {
        return None;
    }
    let view = TranscriptView::logged(transcript);
    if view.content_pieces(index).first().is_some_and(
        |piece| matches!(piece, ContentPiece::Literal(literal) if notice::is_notice(literal)),
    ) {
        return None;
    }
    let chars = result_chars(view, index);
    if chars as u64 <= min_chars {
        return None;
    }
    let tool = transcript.tool_name_of(index).map(Cow::into_owned);
    if tool.as_ref().is_some_and(|tool| policy.exclude.contains(tool)) {
        return None;
    }
    let call_id = transcript.answered_id(message).unwrap_or_default().into_owned();
    Some(EvictionCandidate {
        message: index,
        call_id,
        tool,
        chars,
        large: chars as u64 > threshold_chars(policy.tokens),
        human: false,
    })
}

/// Returns false if a JSON value can't have more than `limit` code points. A value has at most as
/// many code points as bytes, so the length in bytes decides for most results.
fn may_exceed(value: &[u8], limit: u64) -> bool {
    value.len() as u64 > limit
}

/// Returns the code points of a result. Text blocks are joined by one line break each.
fn result_chars(view: TranscriptView<'_, '_>, index: usize) -> usize {
    let texts = view.content_pieces(index).into_iter().filter_map(|piece| match piece {
        ContentPiece::Literal(literal) => Some(count_literal_points(literal)),
        _ => None,
    });
    let (count, chars) = texts.fold((0, 0), |(count, sum), chars| (count + 1, sum + chars));
    match view.message(index).content {
        Content::Blocks(_) => chars + usize::max(count, 1) - 1,
        Content::Text(_) | Content::Absent => chars,
    }
}

/// Returns the text of a result, as it is measured, written into its file and previewed.
pub(crate) fn result_text(transcript: &Transcript<'_>, index: usize) -> String {
    TranscriptView::logged(transcript).joined_text(index, "\n").into_owned()
}

/// Plans the eviction of a candidate into `file`, which the model sees at `path`.
pub(crate) fn plan_eviction(
    transcript: &Transcript<'_>,
    candidate: &EvictionCandidate,
    policy: &Evict,
    file: &str,
    path: &str,
) -> Eviction {
    let text = result_text(transcript, candidate.message);
    let notice = if candidate.human {
        notice::render_human_notice(policy.notice, path, &text)
    } else {
        notice::render_notice(policy.notice, &candidate.call_id, path, &text)
    };
    Eviction {
        message: candidate.message,
        call_id: candidate.call_id.clone(),
        tool: candidate.tool.clone(),
        file: file.to_owned(),
        notice,
        human: candidate.human,
        chars: candidate.chars,
    }
}
