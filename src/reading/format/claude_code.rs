//! Claude Code sessions: a graph of lines, which `claude_session` reads.
//!
//! A compaction is appended as the agent itself does it: a boundary line, a summary that follows
//! it, and in the boundary a list of the lines that are kept word for word. See
//! `docs/reference/formats.md`.

use crate::reading::format::claude_session::ClaudeSession;
use crate::reading::format::row::prelude::*;

/// Session files of Claude Code.
#[rustfmt::skip]
pub(super) const CLAUDE_CODE: LogRow = LogRow {
    name: "claude-code",
    help: "Claude Code sessions (~/.claude/projects/*.jsonl): the live path over parentUuid, sub-agents as threads of their own",
    evidence: &[
        event("parentUuid or leafUuid", &[has("parentUuid|leafUuid")]),
        event("a type that only Claude Code writes", &[is("type", "file-history-snapshot|queue-operation")]),
        event("sessionId beside a type user, assistant or system", &[is("type", "user|assistant|system"), has("sessionId")]),
    ],
    reads: Reads::Written(&WrittenRow {
        known_types: KNOWN_TYPES,
        new_finder: || Box::new(ClaudeCompactionFinder::default()),
        ..WrittenRow::new(|| Box::new(ClaudeSession::new(WriteMode::APPENDED)), append_summary)
    }),
};

/// From `api-request` to `history-suppression` they are copies of what was sent, which the lines
/// hold, too.
const KNOWN_TYPES: &str = "user|assistant|system|attachment|summary|progress|file-history-snapshot|file-history-delta\
    |queue-operation|last-prompt|ai-title|custom-title|agent-name|agent-color|agent-setting|pr-link\
    |frame-link|permission-mode|mode|tag|bridge-session|worktree-state|atis-latch|api-request\
    |api-request-shape|api-request-blob|history-suppression|cost-state|content-replacement\
    |attribution-snapshot|speculation-accept|task-summary|result|started";
/// Keys whose values new lines copy from the last line of the thread.
const COMMON: [&str; 8] =
    ["isSidechain", "userType", "cwd", "sessionId", "version", "gitBranch", "agentId", "slug"];

fn append_summary(place: &SummaryPlace<'_>, text: &str) -> Vec<(usize, Splice)> {
    let transcript = place.transcript;
    // The boundary follows the last line of the thread.
    let leaf = (0..transcript.messages.len())
        .rev()
        .find_map(|index| transcript.source_records(index).last());
    let Some(tree) = leaf.and_then(|line| JsonTree::new(line).ok()) else {
        return Vec::new();
    };
    let leaf = tree.root();
    let (leaf_uuid, timestamp) = (leaf.bytes_or_null("uuid"), leaf.bytes_or_null("timestamp"));
    let common = COMMON.iter().filter_map(|key| {
        Some(fill_json(r#""$": $, "#, &[key.as_bytes(), leaf.get(key)?.bytes()]))
    });
    let common: Vec<u8> = common.flatten().collect();
    let [boundary, summary] = ["boundary", "summary"]
        .map(|name| encode_literal(&uuid_like_id(&[name.as_bytes(), leaf_uuid, text.as_bytes()])));
    let metadata = render_metadata(place, &summary);
    let boundary_line = fill_json(
        r#"{"parentUuid": null, "logicalParentUuid": $, $"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted", "isMeta": false, "level": "info", "uuid": $, "timestamp": $, "compactMetadata": {$}}"#,
        &[leaf_uuid, &common, &boundary, timestamp, &metadata],
    );
    let summary_line = fill_json(
        r#"{"parentUuid": $, $"type": "user", "message": {"role": "user", "content": $}, "isCompactSummary": true, "isVisibleInTranscriptOnly": true, "uuid": $, "timestamp": $}"#,
        &[&boundary, &common, &encode_literal(text), &summary, timestamp],
    );
    append_lines(transcript, &[boundary_line, summary_line])
}

/// Renders the metadata of the boundary: the reason, and the lines that are kept. `summary` is the
/// uuid of the summary.
fn render_metadata(place: &SummaryPlace<'_>, summary: &[u8]) -> Vec<u8> {
    let tokens = place.tokens_before.to_string();
    let pattern = r#""trigger": "manual", "preTokens": $"#;
    let mut metadata = fill_json(pattern, &[tokens.as_bytes()]);
    let kept = kept_lines(place);
    let kept: Vec<Vec<u8>> = kept.filter_map(|line| at("uuid").bytes_in(line)).collect();
    let (Some(head), Some(tail)) = (kept.first(), kept.last()) else {
        return metadata;
    };
    if is_single_path(place) {
        let pattern = r#", "preservedSegment": {"headUuid": $, "anchorUuid": $, "tailUuid": $}"#;
        push_json(&mut metadata, pattern, &[head, summary, tail]);
    }
    let pattern = r#", "preservedMessages": {"anchorUuid": $, "uuids": [$]}"#;
    let kept = kept.join(b", ".as_slice());
    push_json(&mut metadata, pattern, &[summary, &kept]);
    metadata
}

/// Returns the lines from which the kept messages were built, in order. Messages that share an
/// element, such as the results of one line, are visited once.
fn kept_lines<'p>(place: &SummaryPlace<'p>) -> impl Iterator<Item = &'p [u8]> + use<'p> {
    let (transcript, first_kept) = (place.transcript, place.first_kept);
    let messages = &transcript.messages;
    (first_kept..messages.len())
        .filter(move |&index| {
            index == first_kept || messages[index].span != messages[index - 1].span
        })
        .flat_map(move |index| transcript.source_records(index))
}

/// Returns true if each kept line is the child of the line before it, so that the first and the
/// last line identify them all.
fn is_single_path(place: &SummaryPlace<'_>) -> bool {
    let mut last: Option<Vec<u8>> = None;
    for line in kept_lines(place) {
        let Ok(tree) = JsonTree::new(line) else {
            return false;
        };
        let parent = tree.root().get("parentUuid").map(JsonNode::bytes);
        if last.as_deref().is_some_and(|last| parent != Some(last)) {
            return false;
        }
        last = tree.root().get("uuid").map(|uuid| uuid.bytes().to_vec());
    }
    true
}

/// The lines between a boundary and its summary that may belong to other threads or to hooks.
const MAX_BETWEEN: usize = 20;

/// The search for the compactions that the agent made itself: a boundary line, and the summary that
/// follows it. Old versions wrote no boundary.
#[derive(Default)]
pub(super) struct ClaudeCompactionFinder {
    /// The boundary whose summary is not seen yet.
    boundary: Option<usize>,
}

impl CompactionFinder for ClaudeCompactionFinder {
    fn observe_record(&mut self, record: JsonNode<'_>, spans: &mut Vec<CompactionSpan>) {
        let at = record.record_index();
        if record.has_text("subtype", "compact_boundary") {
            self.boundary = Some(at);
        } else if record.has_true("isCompactSummary") {
            let boundary = self.boundary.take();
            let first = boundary.filter(|first| at - first <= MAX_BETWEEN);
            spans.push(CompactionSpan::of_records(first.unwrap_or(at), at));
        }
    }
}
