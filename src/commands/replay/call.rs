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
    pub(super) total_tokens: usize,
    pub(super) tokens_sent: usize,
    pub(super) tokens_logged: usize,
    pub(super) summarized: bool,
    pub(super) cutoff_index: Option<usize>,
    pub(super) summarized_messages: Option<usize>,
    pub(super) messages_in_summary: Option<usize>,
    pub(super) archive: Option<&'c str>,
    pub(super) truncated_args: usize,
    pub(super) evicted: &'c [String],
    pub(super) cache: Cached,
    pub(super) cached_tokens: usize,
    pub(super) refused: bool,
    pub(super) reasons: &'c [Reason],
    pub(super) error: Option<&'c str>,
}

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
        out.extend_from_slice(place);
        number(out, ",\"call\":", self.call);
        number(out, ",\"at\":", self.at);
        number(out, ",\"n_sent\":", self.n_sent);
        number(out, ",\"total_tokens\":", self.total_tokens);
        number(out, ",\"tokens_sent\":", self.tokens_sent);
        number(out, ",\"tokens_logged\":", self.tokens_logged);
        flag(out, ",\"summarized\":", self.summarized);
        match self.cutoff_index {
            Some(index) => number(out, ",\"cutoff_index\":", index),
            None => out.extend_from_slice(b",\"cutoff_index\":null"),
        }
        if let Some(count) = self.summarized_messages {
            number(out, ",\"summarized_messages\":", count);
        }
        if let Some(count) = self.messages_in_summary {
            number(out, ",\"messages_in_summary\":", count);
        }
        if let Some(path) = self.archive {
            json(out, ",\"archive\":", &path);
        }
        number(out, ",\"truncated_args\":", self.truncated_args);
        if !self.evicted.is_empty() {
            json(out, ",\"evicted\":", &self.evicted);
        }
        json(out, ",\"cache\":", &self.cache);
        number(out, ",\"cached_tokens\":", self.cached_tokens);
        flag(out, ",\"refused\":", self.refused);
        if !self.reasons.is_empty() {
            json(out, ",\"reasons\":", &self.reasons);
        }
        if let Some(error) = self.error {
            json(out, ",\"error\":", &error);
        }
        out.extend_from_slice(b"}\n");
    }
}

fn number(out: &mut Vec<u8>, key: &str, value: usize) {
    out.extend_from_slice(key.as_bytes());
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

fn flag(out: &mut Vec<u8>, key: &str, value: bool) {
    out.extend_from_slice(key.as_bytes());
    out.extend_from_slice(if value { b"true" } else { b"false" });
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
        let mut call = Call {
            call: 0,
            at: 1,
            n_sent: 2,
            total_tokens: 3,
            tokens_sent: 4,
            tokens_logged: 5,
            summarized: true,
            cutoff_index: Some(6),
            summarized_messages: Some(7),
            messages_in_summary: Some(8),
            archive: Some("/a\\b"),
            truncated_args: 9,
            evicted: &evicted,
            cache: Cached::Hit,
            cached_tokens: 10,
            refused: false,
            reasons: &[],
            error: Some("no\nroom"),
        };
        let place = place("t\n1", "in\".jsonl", 12);
        let mut out = Vec::new();
        call.write(&place, &mut out);
        (call.cutoff_index, call.summarized_messages, call.messages_in_summary, call.archive, call.evicted, call.error) = (None, None, None, None, &[], None);
        call.write(&place, &mut out);
        let lines: Vec<serde_json::Value> =
            out.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(|line| serde_json::from_slice(line).unwrap()).collect();
        assert_eq!(lines[0]["thread_id"], "t\n1");
        assert_eq!((&lines[0]["file"], &lines[0]["line"], &lines[0]["cutoff_index"]), (&"in\".jsonl".into(), &12.into(), &6.into()));
        assert_eq!((&lines[0]["evicted"][0], &lines[0]["error"], &lines[0]["archive"]), (&"a\"b".into(), &"no\nroom".into(), &"/a\\b".into()));
        assert_eq!((lines[0].as_object().unwrap().len(), lines[1].as_object().unwrap().len()), (20, 15));
        assert!(lines[1]["cutoff_index"].is_null());
    }
}
