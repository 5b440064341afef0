//! One model call, as a line of `replay.jsonl`.

use crate::deciding::plan::Reason;
use crate::measuring::replay::json_lines::{JsonLines, SpelledNumber};
use crate::measuring::replay::prompt_cache::CacheLookup;

/// A model call of a thread, under the policy and as logged.
pub(crate) struct ReplayedCall<'c> {
    /// The number of the call within its thread, from 0.
    pub(crate) number: usize,
    /// The index of the message that the call produces, in the log's own list.
    pub(crate) at: usize,
    /// The number of messages sent, without a leading system message.
    pub(crate) messages_sent: usize,
    pub(crate) tokens_logged: usize,
    pub(crate) outcome: &'c CallOutcome,
    /// The archive's path as a summary names it.
    pub(crate) archive: &'c str,
    /// The call ids of the results evicted since the previous call.
    pub(crate) evicted: &'c [String],
    pub(crate) cache: CacheLookup,
    /// Tokens read from the prompt cache.
    pub(crate) cached_tokens: usize,
    /// True if the call exceeds the model's limit.
    pub(crate) is_refused: bool,
}

/// The effect of the policy on one call.
#[derive(Default)]
pub(crate) struct CallOutcome {
    /// The tokens that the trigger compared, before a summary.
    pub(crate) total_tokens: usize,
    pub(crate) tokens_before_summary: usize,
    pub(crate) tokens_sent: usize,
    /// The number of arguments truncated.
    pub(crate) truncated_args: usize,
    /// The index of the first kept message in the log, not counting a leading system message. None
    /// if the call was not summarized.
    pub(crate) cutoff_index: Option<usize>,
    /// The number of messages that the planned summary replaces.
    pub(crate) summarized_messages: Option<usize>,
    /// The number of messages that the summarizer reads.
    pub(crate) messages_in_summary: Option<usize>,
    /// The number of pruned results.
    pub(crate) pruned_results: usize,
    /// The number of results that became a reference to a later one.
    pub(crate) deduplicated: usize,
    /// The number of results that were shortened.
    pub(crate) shortened_results: usize,
    /// The decision of each stage, where the planner was asked.
    pub(crate) reasons: Vec<Reason>,
    /// The reason why a summary failed.
    pub(crate) error: Option<String>,
}

/// The usual length of a line behind the beginning that names thread and place, in bytes.
pub(crate) const USUAL_BYTES: usize = 320;

/// Returns the beginning of every line of a thread: the thread and its place.
pub(crate) fn render_line_start(thread_id: &str, file: &str, line: u64) -> Vec<u8> {
    let mut start = JsonLines::with_capacity(0);
    start.push_value(b"{\"thread_id\":", &thread_id);
    start.push_value(b",\"file\":", &file);
    start.push_value(b",\"line\":", &line);
    start.into_bytes()
}

impl ReplayedCall<'_> {
    /// Appends the call as a line that begins with `line_start`.
    pub(crate) fn append_line(&self, line_start: &[u8], lines: &mut JsonLines) {
        let outcome = self.outcome;
        lines.push_json(line_start);
        lines.push_number(b",\"call\":", self.number);
        // These pairs are usually equal, and the cache usually holds what the previous call sent.
        let at = SpelledNumber::from(self.at);
        let total = SpelledNumber::from(outcome.total_tokens);
        let sent = total.respell(outcome.tokens_sent);
        let cached = lines.carry_number(sent).respell(self.cached_tokens);
        lines.push_number(b",\"at\":", at);
        lines.push_number(b",\"n_sent\":", at.respell(self.messages_sent));
        lines.push_number(b",\"total_tokens\":", total);
        lines.push_number(b",\"tokens_sent\":", sent);
        lines.push_number(b",\"tokens_logged\":", total.respell(self.tokens_logged));
        match outcome.cutoff_index {
            Some(index) => lines.push_number(b",\"summarized\":true,\"cutoff_index\":", index),
            None => lines.push_key(b",\"summarized\":false,\"cutoff_index\":null"),
        }
        if let Some(count) = outcome.summarized_messages {
            lines.push_number(b",\"summarized_messages\":", count);
        }
        if let Some(count) = outcome.messages_in_summary {
            lines.push_number(b",\"messages_in_summary\":", count);
        }
        if outcome.cutoff_index.is_some() {
            lines.push_value(b",\"archive\":", &self.archive);
        }
        let truncated = SpelledNumber::ZERO.respell(outcome.truncated_args);
        lines.push_number(b",\"truncated_args\":", truncated);
        if outcome.pruned_results > 0 {
            lines.push_number(b",\"pruned_results\":", outcome.pruned_results);
        }
        if outcome.deduplicated > 0 {
            lines.push_number(b",\"deduplicated\":", outcome.deduplicated);
        }
        if outcome.shortened_results > 0 {
            lines.push_number(b",\"shortened_results\":", outcome.shortened_results);
        }
        if !self.evicted.is_empty() {
            lines.push_value(b",\"evicted\":", &self.evicted);
        }
        // Each arm is a copy of constant length.
        match self.cache {
            CacheLookup::First => {
                lines.push_number(b",\"cache\":\"first\",\"cached_tokens\":", cached);
            }
            CacheLookup::Hit => lines.push_number(b",\"cache\":\"hit\",\"cached_tokens\":", cached),
            CacheLookup::Broken => {
                lines.push_number(b",\"cache\":\"broken\",\"cached_tokens\":", cached);
            }
            CacheLookup::Expired => {
                lines.push_number(b",\"cache\":\"expired\",\"cached_tokens\":", cached);
            }
        }
        if self.is_refused {
            lines.push_key(b",\"refused\":true");
        } else {
            lines.push_key(b",\"refused\":false");
        }
        if !outcome.reasons.is_empty() {
            lines.push_value(b",\"reasons\":", &outcome.reasons);
        }
        if let Some(error) = &outcome.error {
            lines.push_value(b",\"error\":", error);
        }
        lines.end_line();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_json_for_any_values() {
        let evicted = ["a\"b".to_owned()];
        let outcome = CallOutcome {
            total_tokens: 3,
            tokens_sent: 4,
            truncated_args: 9,
            cutoff_index: Some(6),
            summarized_messages: Some(7),
            messages_in_summary: Some(8),
            pruned_results: 11,
            deduplicated: 12,
            shortened_results: 13,
            error: Some("no\nroom".to_owned()),
            ..CallOutcome::default()
        };
        let call = ReplayedCall {
            number: 0,
            at: 1,
            messages_sent: 2,
            tokens_logged: 5,
            outcome: &outcome,
            archive: "/a\\b",
            evicted: &evicted,
            cache: CacheLookup::Hit,
            cached_tokens: 10,
            is_refused: false,
        };
        let start = render_line_start("t\n1", "in\".jsonl", 12);
        let mut lines = JsonLines::with_capacity(0);
        call.append_line(&start, &mut lines);
        ReplayedCall { outcome: &CallOutcome::default(), evicted: &[], ..call }
            .append_line(&start, &mut lines);
        let lines = String::from_utf8(lines.into_bytes()).unwrap();
        let lines = lines.lines().map(|line| serde_json::from_str(line).unwrap());
        let lines: Vec<serde_json::Value> = lines.collect();
        let [thread, file, line, cutoff, evicted, error, archive] =
            ["thread_id", "file", "line", "cutoff_index", "evicted", "error", "archive"]
                .map(|key| &lines[0][key]);
        assert_eq!([thread, file, error, archive], ["t\n1", "in\".jsonl", "no\nroom", "/a\\b"]);
        assert_eq!((line, cutoff, &evicted[0]), (&12.into(), &6.into(), &"a\"b".into()));
        assert_eq!([0, 1].map(|at| lines[at].as_object().unwrap().len()), [23, 15]);
        assert!(lines[1]["cutoff_index"].is_null());
    }
}
