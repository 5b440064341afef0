//! Stage evict: a tool result that is too large goes into a file, and a notice
//! with a preview takes its place (spec: deepagents, section 10).

use crate::json::count_literal_points;
use crate::plan::Eviction;
use crate::policy::Evict;
use crate::strategy::notice;
use crate::transcript::overlay::Overlay;
use crate::transcript::view::{ContentPiece, TranscriptView};
use crate::transcript::{Content, Role, Transcript};

/// Code points per token of the threshold, whatever the counter's constant is.
const CHARS_PER_TOKEN: u64 = 4;

/// A tool result that is too large.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The tool message.
    pub message: usize,
    /// The id of the call that it answers.
    pub call_id: String,
    /// The tool, where it is known.
    pub tool: Option<String>,
    /// Code points of the result.
    pub chars: usize,
    /// Whether it is too large; else it is evicted only where the transcript would not fit otherwise.
    pub large: bool,
}

/// A notice alone has so many code points: what is shorter is not worth one.
const NOTICE_CHARS: u64 = 800;

/// The results that are too large; with `all`, then those that are worth a notice where the transcript would not
/// fit otherwise. Their files must be named before they can be planned.
#[must_use]
pub fn candidates(transcript: &Transcript<'_>, policy: &Evict, all: bool) -> Vec<Candidate> {
    if policy.tokens == 0 {
        return Vec::new();
    }
    let threshold = policy.tokens.saturating_mul(CHARS_PER_TOKEN);
    let limit = if all {
        threshold.min(NOTICE_CHARS)
    } else {
        threshold
    };
    let none = Overlay::default();
    let view = TranscriptView {
        transcript,
        overlay: &none,
    };
    let found = (0..transcript.messages.len()).filter_map(|index| {
        let message = &transcript.messages[index];
        if message.role != Role::Tool
            || !may_exceed(
                message.content_span?.slice(transcript.record_of(index)),
                limit,
            )
        {
            return None;
        }
        if view.content_pieces(index).first().is_some_and(
            |piece| matches!(piece, ContentPiece::Literal(literal) if notice::is_notice(literal)),
        ) {
            return None;
        }
        let chars = result_chars(view, index);
        if chars as u64 <= limit {
            return None;
        }
        let tool = transcript
            .tool_name_of(index)
            .map(std::borrow::Cow::into_owned);
        let excluded = tool
            .as_ref()
            .is_some_and(|tool| policy.exclude.contains(tool));
        let call_id = transcript
            .answered_id(message)
            .unwrap_or_default()
            .into_owned();
        (!excluded).then_some(Candidate {
            message: index,
            call_id,
            tool,
            chars,
            large: chars as u64 > threshold,
        })
    });
    // The names of large results do not depend on what else may be evicted.
    let (mut large, small): (Vec<Candidate>, Vec<Candidate>) =
        found.partition(|candidate| candidate.large);
    large.extend(small);
    large
}

/// A value has no more code points than bytes: most results are told by their length alone.
fn may_exceed(value: &[u8], limit: u64) -> bool {
    value.len() as u64 > limit
}

/// Code points of a result: text blocks are joined by one line break each.
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

/// The text of a result as it is measured, written and previewed.
#[must_use]
pub fn result_text(transcript: &Transcript<'_>, index: usize) -> String {
    let none = Overlay::default();
    TranscriptView {
        transcript,
        overlay: &none,
    }
    .joined_text(index, "\n")
    .into_owned()
}

/// Plans the eviction of a candidate into a file, which the model sees at `path`.
#[must_use]
pub fn evict(
    transcript: &Transcript<'_>,
    candidate: &Candidate,
    file: &str,
    path: &str,
) -> Eviction {
    let text = result_text(transcript, candidate.message);
    Eviction {
        message: candidate.message,
        call_id: candidate.call_id.clone(),
        tool: candidate.tool.clone(),
        file: file.to_owned(),
        notice: notice::notice(&candidate.call_id, path, &text),
        chars: candidate.chars,
    }
}
