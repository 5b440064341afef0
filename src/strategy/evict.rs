//! Stage evict: a tool result that is too large is moved into a file, and a
//! notice with a preview takes its place. The rules are Deep Agents', see
//! `docs/reference/deepagents.md`.

use crate::json::count_literal_points;
use crate::plan::Eviction;
use crate::policy::Evict;
use crate::strategy::notice;
use crate::transcript::overlay::Overlay;
use crate::transcript::view::{ContentPiece, TranscriptView};
use crate::transcript::{Content, Role, Transcript};
use std::borrow::Cow;

/// Code points per token of the threshold. The counter's own ratio has no effect on it.
const CHARS_PER_TOKEN: u64 = 4;

/// The usual length of a notice, in code points. Shorter results are not worth one.
const NOTICE_CHARS: u64 = 800;

/// A tool result that may be evicted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EvictionCandidate {
    /// The index of the tool message.
    pub message: usize,
    /// The id of the call that it answers.
    pub call_id: String,
    /// The name of the tool, if it is known.
    pub tool: Option<String>,
    /// The length of the result, in code points.
    pub chars: usize,
    /// True if the result is above the threshold. Others are evicted only if the transcript would
    /// not fit otherwise.
    pub large: bool,
}

/// Finds the results above the threshold. With `all`, the results that are worth a notice follow
/// them.
///
/// The files of the candidates must be named before an eviction can be planned. The names of
/// results above the threshold do not depend on `all`.
#[must_use]
pub(crate) fn find_candidates(
    transcript: &Transcript<'_>,
    policy: &Evict,
    all: bool,
) -> Vec<EvictionCandidate> {
    if policy.tokens == 0 {
        return Vec::new();
    }
    let threshold = threshold_chars(policy);
    let min_chars = if all {
        threshold.min(NOTICE_CHARS)
    } else {
        threshold
    };
    let candidates = (0..transcript.messages.len())
        .filter_map(|index| candidate_at(transcript, policy, index, min_chars));
    let (mut large, small): (Vec<EvictionCandidate>, Vec<EvictionCandidate>) =
        candidates.partition(|candidate| candidate.large);
    large.extend(small);
    large
}

/// Returns the length above which a result is too large, in code points.
#[must_use]
pub(crate) fn threshold_chars(policy: &Evict) -> u64 {
    policy.tokens.saturating_mul(CHARS_PER_TOKEN)
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
    if message.role != Role::Tool
        || !may_exceed(
            message.content_span?.slice(transcript.record_of(index)),
            min_chars,
        )
    {
        return None;
    }
    let none = Overlay::default();
    let view = TranscriptView {
        transcript,
        overlay: &none,
    };
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
    if tool
        .as_ref()
        .is_some_and(|tool| policy.exclude.contains(tool))
    {
        return None;
    }
    let call_id = transcript
        .answered_id(message)
        .unwrap_or_default()
        .into_owned();
    Some(EvictionCandidate {
        message: index,
        call_id,
        tool,
        chars,
        large: chars as u64 > threshold_chars(policy),
    })
}

/// Returns false if a JSON value can't have more than `limit` code points. A value has at most as
/// many code points as bytes, so the length in bytes decides for most results.
fn may_exceed(value: &[u8], limit: u64) -> bool {
    value.len() as u64 > limit
}

/// Returns the code points of a result. Text blocks are joined by one line break each.
fn result_chars(view: TranscriptView<'_, '_>, index: usize) -> usize {
    let texts = view
        .content_pieces(index)
        .into_iter()
        .filter_map(|piece| match piece {
            ContentPiece::Literal(literal) => Some(count_literal_points(literal)),
            ContentPiece::Text(_) | ContentPiece::Image | ContentPiece::Other(_) => None,
        });
    let (count, chars) = texts.fold((0, 0), |(count, sum), chars| (count + 1, sum + chars));
    match view.message(index).content {
        Content::Blocks(_) => chars + usize::max(count, 1) - 1,
        Content::Text(_) | Content::Absent => chars,
    }
}

/// Returns the text of a result, as it is measured, written into its file and previewed.
#[must_use]
pub(crate) fn result_text(transcript: &Transcript<'_>, index: usize) -> String {
    let none = Overlay::default();
    TranscriptView {
        transcript,
        overlay: &none,
    }
    .joined_text(index, "\n")
    .into_owned()
}

/// Plans the eviction of a candidate into `file`, which the model sees at `path`.
#[must_use]
pub(crate) fn plan_eviction(
    transcript: &Transcript<'_>,
    candidate: &EvictionCandidate,
    file: &str,
    path: &str,
) -> Eviction {
    let text = result_text(transcript, candidate.message);
    Eviction {
        message: candidate.message,
        call_id: candidate.call_id.clone(),
        tool: candidate.tool.clone(),
        file: file.to_owned(),
        notice: notice::render_notice(&candidate.call_id, path, &text),
        chars: candidate.chars,
    }
}
