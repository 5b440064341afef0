//! One model call as a line of `replay.jsonl`. How the lines of a thread begin
//! is said once, and keys and numbers need no escapes.

use crate::plan::Reason;
use crate::replay::cache::Cached;
use crate::replay::lines::{Lines, Number};

/// A call, beside the thread that makes it.
pub(crate) struct Call<'c> {
    /// Which call of the thread, from 0.
    pub(crate) call: usize,
    /// The message that it brings forth, in the log's own list.
    pub(crate) at: usize,
    /// Messages sent, a leading system message not counted.
    pub(crate) n_sent: usize,
    pub(crate) tokens_logged: usize,
    pub(crate) made: &'c Made,
    /// The archive as a summary names it.
    pub(crate) archive: &'c str,
    pub(crate) evicted: &'c [String],
    pub(crate) cache: Cached,
    pub(crate) cached_tokens: usize,
    pub(crate) refused: bool,
}

/// What came of one call.
#[derive(Default)]
pub(crate) struct Made {
    pub(crate) total_tokens: usize,
    pub(crate) tokens_sent: usize,
    pub(crate) truncated_args: usize,
    /// First kept message of the log, a leading system message not counted; where there is one, it was summarised.
    pub(crate) cutoff: Option<usize>,
    /// How many messages the summary stands for.
    pub(crate) summarized: Option<usize>,
    /// How many of them the summarizer was shown.
    pub(crate) window: Option<usize>,
    /// Results that are pruned in it.
    pub(crate) pruned_results: usize,
    pub(crate) reasons: Vec<Reason>,
    pub(crate) error: Option<String>,
}

/// A line has rarely more than so many bytes behind its place.
pub(crate) const USUAL_BYTES: usize = 320;

/// How the lines of a thread begin.
pub(crate) fn place(thread_id: &str, file: &str, line: u64) -> Vec<u8> {
    let mut place = Lines::with_capacity(0);
    place.json(b"{\"thread_id\":", &thread_id);
    place.json(b",\"file\":", &file);
    place.json(b",\"line\":", &line);
    place.finish()
}

impl Call<'_> {
    /// Adds the line, which begins with `place`.
    pub(crate) fn write(&self, place: &[u8], lines: &mut Lines) {
        let made = self.made;
        lines.text(place);
        lines.number(b",\"call\":", self.call);
        // Mostly these are one number each.
        let (at, total) = (Number::from(self.at), Number::from(made.total_tokens));
        let sent = total.or(made.tokens_sent);
        // The cache holds what the call before sent.
        let cached = lines.keep(sent).or(self.cached_tokens);
        lines.number(b",\"at\":", at);
        lines.number(b",\"n_sent\":", at.or(self.n_sent));
        lines.number(b",\"total_tokens\":", total);
        lines.number(b",\"tokens_sent\":", sent);
        lines.number(b",\"tokens_logged\":", total.or(self.tokens_logged));
        match made.cutoff {
            Some(index) => lines.number(b",\"summarized\":true,\"cutoff_index\":", index),
            None => lines.put(b",\"summarized\":false,\"cutoff_index\":null"),
        }
        if let Some(count) = made.summarized {
            lines.number(b",\"summarized_messages\":", count);
        }
        if let Some(count) = made.window {
            lines.number(b",\"messages_in_summary\":", count);
        }
        if made.cutoff.is_some() {
            lines.json(b",\"archive\":", &self.archive);
        }
        lines.number(
            b",\"truncated_args\":",
            Number::ZERO.or(made.truncated_args),
        );
        if made.pruned_results > 0 {
            lines.number(b",\"pruned_results\":", made.pruned_results);
        }
        if !self.evicted.is_empty() {
            lines.json(b",\"evicted\":", &self.evicted);
        }
        match self.cache {
            Cached::First => lines.number(b",\"cache\":\"first\",\"cached_tokens\":", cached),
            Cached::Hit => lines.number(b",\"cache\":\"hit\",\"cached_tokens\":", cached),
            Cached::Broken => lines.number(b",\"cache\":\"broken\",\"cached_tokens\":", cached),
            Cached::Expired => lines.number(b",\"cache\":\"expired\",\"cached_tokens\":", cached),
        }
        match self.refused {
            true => lines.put(b",\"refused\":true"),
            false => lines.put(b",\"refused\":false"),
        }
        if !made.reasons.is_empty() {
            lines.json(b",\"reasons\":", &made.reasons);
        }
        if let Some(error) = &made.error {
            lines.json(b",\"error\":", error);
        }
        lines.end();
    }
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
        let mut lines = Lines::with_capacity(0);
        call.write(&place, &mut lines);
        Call {
            made: &Made::default(),
            evicted: &[],
            ..call
        }
        .write(&place, &mut lines);
        let lines: Vec<serde_json::Value> = lines
            .finish()
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
            .map(|line| serde_json::from_slice(line).unwrap())
            .collect();
        assert_eq!(lines[0]["thread_id"], "t\n1");
        assert_eq!(
            (
                &lines[0]["file"],
                &lines[0]["line"],
                &lines[0]["cutoff_index"]
            ),
            (&"in\".jsonl".into(), &12.into(), &6.into())
        );
        assert_eq!(
            (
                &lines[0]["evicted"][0],
                &lines[0]["error"],
                &lines[0]["archive"]
            ),
            (&"a\"b".into(), &"no\nroom".into(), &"/a\\b".into())
        );
        assert_eq!(
            (
                lines[0].as_object().unwrap().len(),
                lines[1].as_object().unwrap().len()
            ),
            (21, 15)
        );
        assert!(lines[1]["cutoff_index"].is_null());
    }
}
