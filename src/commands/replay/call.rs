//! One model call as a line of `replay.jsonl`. There is one for each answer in
//! a log, so the lines are written as they are: where a thread's lines begin
//! alike, that is said once, and keys and numbers need no escapes.

use crate::commands::replay::cache::Cached;
use crate::plan::Reason;
use serde::Serialize;

/// A call, beside the thread that makes it.
pub(super) struct Call<'c> {
    /// Which call of the thread, from 0.
    pub(super) call: usize,
    /// The message that it brings forth, in the log's own list.
    pub(super) at: usize,
    /// Messages sent, a leading system message not counted.
    pub(super) n_sent: usize,
    pub(super) tokens_logged: usize,
    pub(super) made: &'c Made,
    /// The archive as a summary names it.
    pub(super) archive: &'c str,
    pub(super) evicted: &'c [String],
    pub(super) cache: Cached,
    pub(super) cached_tokens: usize,
    pub(super) refused: bool,
}

/// What came of one call.
#[derive(Default)]
pub(super) struct Made {
    pub(super) total_tokens: usize,
    pub(super) tokens_sent: usize,
    pub(super) truncated_args: usize,
    /// First kept message of the log, a leading system message not counted; where there is one, it was summarised.
    pub(super) cutoff: Option<usize>,
    /// How many messages the summary stands for.
    pub(super) summarized: Option<usize>,
    /// How many of them the summarizer was shown.
    pub(super) window: Option<usize>,
    /// Results that are pruned in it.
    pub(super) pruned_results: usize,
    pub(super) reasons: Vec<Reason>,
    pub(super) error: Option<String>,
}

/// A line has rarely more than so many bytes behind its place.
pub(super) const USUAL_BYTES: usize = 320;

/// How the lines of a thread begin.
pub(super) fn place(thread_id: &str, file: &str, line: u64) -> Vec<u8> {
    let mut out = Vec::new();
    json(&mut out, "{\"thread_id\":", &thread_id);
    json(&mut out, ",\"file\":", &file);
    json(&mut out, ",\"line\":", &line);
    out
}

impl Call<'_> {
    /// Adds the line, which begins with `place`.
    pub(super) fn write(&self, place: &[u8], out: &mut Vec<u8>) {
        let made = self.made;
        out.reserve(place.len() + USUAL_BYTES);
        out.extend_from_slice(place);
        number(out, ",\"call\":", self.call);
        number(out, ",\"at\":", self.at);
        number(out, ",\"n_sent\":", self.n_sent);
        // Mostly they are one number.
        let mut digits = itoa::Buffer::new();
        let total = digits.format(made.total_tokens);
        let mut tokens = |key: &str, value: usize| match value == made.total_tokens {
            true => text(out, key, total),
            false => number(out, key, value),
        };
        tokens(",\"total_tokens\":", made.total_tokens);
        tokens(",\"tokens_sent\":", made.tokens_sent);
        tokens(",\"tokens_logged\":", self.tokens_logged);
        match made.cutoff {
            Some(index) => number(out, ",\"summarized\":true,\"cutoff_index\":", index),
            None => out.extend_from_slice(b",\"summarized\":false,\"cutoff_index\":null"),
        }
        if let Some(count) = made.summarized {
            number(out, ",\"summarized_messages\":", count);
        }
        if let Some(count) = made.window {
            number(out, ",\"messages_in_summary\":", count);
        }
        if made.cutoff.is_some() {
            json(out, ",\"archive\":", &self.archive);
        }
        number(out, ",\"truncated_args\":", made.truncated_args);
        if made.pruned_results > 0 {
            number(out, ",\"pruned_results\":", made.pruned_results);
        }
        if !self.evicted.is_empty() {
            json(out, ",\"evicted\":", &self.evicted);
        }
        out.extend_from_slice(b",\"cache\":\"");
        out.extend_from_slice(self.cache.name().as_bytes());
        number(out, "\",\"cached_tokens\":", self.cached_tokens);
        flag(out, ",\"refused\":", self.refused);
        if !made.reasons.is_empty() {
            json(out, ",\"reasons\":", &made.reasons);
        }
        if let Some(error) = &made.error {
            json(out, ",\"error\":", error);
        }
        out.extend_from_slice(b"}\n");
    }
}

/// Keys are constants: where they are written in line they are a move or two.
#[inline(always)]
fn number(out: &mut Vec<u8>, key: &str, value: usize) {
    text(out, key, itoa::Buffer::new().format(value));
}

#[inline(always)]
fn text(out: &mut Vec<u8>, key: &str, value: &str) {
    out.extend_from_slice(key.as_bytes());
    out.extend_from_slice(value.as_bytes());
}

#[inline(always)]
fn flag(out: &mut Vec<u8>, key: &str, value: bool) {
    out.extend_from_slice(key.as_bytes());
    if value {
        out.extend_from_slice(b"true");
    } else {
        out.extend_from_slice(b"false");
    }
}

fn json(out: &mut Vec<u8>, key: &str, value: &impl Serialize) {
    out.extend_from_slice(key.as_bytes());
    // Memory takes all there is to write, and all of these have a form.
    let _ = serde_json::to_writer(out, value);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_json_whatever_is_in_it() {
        let evicted = ["a\"b".to_owned()];
        let made = Made {
            total_tokens: 3,
            tokens_sent: 4,
            truncated_args: 9,
            cutoff: Some(6),
            summarized: Some(7),
            window: Some(8),
            pruned_results: 11,
            error: Some("no\nroom".to_owned()),
            ..Made::default()
        };
        let call = Call {
            call: 0,
            at: 1,
            n_sent: 2,
            tokens_logged: 5,
            made: &made,
            archive: "/a\\b",
            evicted: &evicted,
            cache: Cached::Hit,
            cached_tokens: 10,
            refused: false,
        };
        let place = place("t\n1", "in\".jsonl", 12);
        let mut out = Vec::new();
        call.write(&place, &mut out);
        Call { made: &Made::default(), evicted: &[], ..call }.write(&place, &mut out);
        let lines: Vec<serde_json::Value> =
            out.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(|line| serde_json::from_slice(line).unwrap()).collect();
        assert_eq!(lines[0]["thread_id"], "t\n1");
        assert_eq!((&lines[0]["file"], &lines[0]["line"], &lines[0]["cutoff_index"]), (&"in\".jsonl".into(), &12.into(), &6.into()));
        assert_eq!((&lines[0]["evicted"][0], &lines[0]["error"], &lines[0]["archive"]), (&"a\"b".into(), &"no\nroom".into(), &"/a\\b".into()));
        assert_eq!((lines[0].as_object().unwrap().len(), lines[1].as_object().unwrap().len()), (21, 15));
        assert!(lines[1]["cutoff_index"].is_null());
    }
}
