//! Detection of a file's format: its first records vote.

use crate::reading::format::foreign_log::{describe_record, recognize_foreign_log};
use crate::reading::format::prelude::*;
use std::cmp::Reverse;

/// One of so many records must fit, where each is a single message.
const MESSAGE_SHARE: usize = 8;
/// The most records of a file that vote.
const MAX_VOTERS: usize = 20;

/// The most records of no known format that are described.
const MAX_UNKNOWN: usize = 3;

/// The votes of the first records of a file.
#[derive(Clone, Default)]
pub(crate) struct FormatVerdict {
    formats: &'static [&'static dyn Format],
    /// The most certain format of each record, counted by format.
    pub votes: Vec<FormatVote>,
    /// Further formats that records fit as well.
    pub also: Vec<FormatVote>,
    /// The number of records that were examined.
    pub records: usize,
    /// Descriptions of the first records of no known format.
    pub strangers: Vec<String>,
    /// True if a record is of a program whose logs are not read.
    holds_foreign: bool,
}

/// The records that fit a format.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FormatVote {
    /// Index of the format in the table.
    pub format: usize,
    /// The evidence in the most certain of the records.
    pub hit: Recognition,
    pub records: usize,
    /// The number of these that hold something that only this format has.
    pub certain: usize,
}

impl FormatVerdict {
    /// A verdict on no records yet; they vote for these formats.
    pub(crate) fn new(formats: &'static [&'static dyn Format]) -> Self {
        Self { formats, ..Self::default() }
    }

    /// Lets further records vote until enough have voted.
    pub(crate) fn observe_records<'r>(&mut self, records: impl IntoIterator<Item = &'r [u8]>) {
        for record in records {
            if self.votes.iter().map(|vote| vote.records).sum::<usize>() >= MAX_VOTERS {
                break;
            }
            self.observe_record(record);
        }
    }

    /// Lets a record vote. Returns true if it is JSON; only objects and lists have a vote.
    pub(crate) fn observe_record(&mut self, record: &[u8]) -> bool {
        let Ok(tree) = JsonTree::new(record) else {
            return false;
        };
        if !matches!(tree.root().kind(), JsonKind::Object | JsonKind::Array) {
            return true;
        }
        self.records += 1;
        let is_foreign = recognize_foreign_log(tree.root()).is_some();
        self.holds_foreign |= is_foreign;
        let formats = if is_foreign { &[] } else { self.formats };
        let mut hits = rank_formats(tree.root(), formats).into_iter();
        match hits.next() {
            None if self.strangers.len() < MAX_UNKNOWN => {
                self.strangers.push(describe_record(record));
            }
            None => {}
            Some((format, hit)) => {
                count_vote(&mut self.votes, format, hit);
                for (format, hit) in hits {
                    count_vote(&mut self.also, format, hit);
                }
            }
        }
        true
    }

    /// Returns the format with the most certain vote among those that fit at least half of the
    /// records. Of equally certain formats the one wins that has more records which only it reads,
    /// then the one with more votes, then the first in the table. Returns `None` if no format fits
    /// half of the records: each record is then looked at by itself. Of records of single messages
    /// fewer are enough, because compaction leaves fewer of them and its result must be read as its
    /// input was.
    ///
    /// Records that only together make a conversation are of no format if one of them is of another
    /// program. Events that fit a journal make none without one that only it has.
    pub(crate) fn winner(&self) -> Option<(&'static dyn Format, Recognition)> {
        let holds_messages = self.votes.iter().all(|vote| vote.hit.shape == Shape::Message);
        let best = self
            .votes
            .iter()
            .filter(|vote| !self.holds_foreign || vote.hit.shape == Shape::Conversation)
            .filter(|vote| vote.hit.shape != Shape::Journal || vote.certain > 0)
            .filter(|vote| {
                let needed = if holds_messages { MESSAGE_SHARE } else { 2 };
                needed * self.fitting_records(vote) >= self.records
            })
            .min_by_key(|vote| {
                (Reverse((vote.hit.certainty, vote.certain, vote.records)), vote.format)
            });
        best.map(|vote| (self.formats[vote.format], vote.hit))
    }

    /// Returns true if a record can be read as one of a known format.
    pub(crate) fn has_known_records(&self) -> bool {
        let mut votes = self.votes.iter();
        votes.any(|vote| match vote.hit.shape {
            Shape::Conversation => true,
            Shape::Journal => !self.holds_foreign && vote.certain > 0,
            Shape::Message => !self.holds_foreign,
        })
    }

    /// Returns the number of records that fit the format of a vote, including those that vote for a
    /// more certain format, and those of plain messages, which fit every format of messages.
    fn fitting_records(&self, vote: &FormatVote) -> usize {
        let others = self.votes.iter().filter(|other| other.format != vote.format);
        let plain: usize = others
            .filter(|other| other.hit.shape == vote.hit.shape)
            .map(|other| other.records - other.certain)
            .sum();
        let is_same =
            |other: &&FormatVote| other.format == vote.format && other.hit.shape == vote.hit.shape;
        let also = self.also.iter().filter(is_same);
        let also: usize = also.map(|other| other.records).sum();
        (vote.records + plain + also).min(self.records)
    }
}

fn count_vote(votes: &mut Vec<FormatVote>, format: usize, hit: Recognition) {
    let certain = usize::from(hit.certainty > Certainty::Fits);
    // A message and a conversation of one format are two answers: the first line must not decide.
    let is_same = |vote: &&mut FormatVote| vote.format == format && vote.hit.shape == hit.shape;
    match votes.iter_mut().find(is_same) {
        Some(vote) => {
            vote.records += 1;
            vote.certain += certain;
            if hit.certainty > vote.hit.certainty {
                vote.hit = hit;
            }
        }
        None => votes.push(FormatVote { format, hit, records: 1, certain }),
    }
}

/// Returns the formats (indices in the table) that a record fits, the most certain first and of
/// equally certain ones the first in the table first.
fn rank_formats(record: JsonNode<'_>, formats: &[&dyn Format]) -> Vec<(usize, Recognition)> {
    let mut hits: Vec<(usize, Recognition)> = formats
        .iter()
        .enumerate()
        .filter_map(|(at, format)| Some((at, format.recognize_record(record)?)))
        .collect();
    hits.sort_by_key(|(at, hit)| (Reverse(hit.certainty), *at));
    hits
}

/// Returns the shape of a record as one of a format that the user named.
pub(crate) fn shape_in_format(format: &'static dyn Format, record: &[u8]) -> Option<Shape> {
    let tree = JsonTree::new(record).ok()?;
    Some(format.recognize_record(tree.root())?.shape)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::format::FORMATS;

    fn chat_record(bytes: usize) -> Vec<u8> {
        format!(r#"{{"messages": [{{"role": "user", "content": "{}"}}]}}"#, "x".repeat(bytes))
            .into_bytes()
    }

    fn verdict_on(records: &[Vec<u8>]) -> FormatVerdict {
        let mut verdict = FormatVerdict::new(FORMATS);
        verdict.observe_records(records.iter().map(Vec::as_slice));
        verdict
    }

    #[test]
    fn records_of_no_known_format_do_not_fill_up_the_vote() {
        let unknown = br#"{"event": "started"}"#.to_vec();
        let verdict = verdict_on(&[vec![unknown; 50], vec![chat_record(1); 50]].concat());
        assert_eq!(verdict.records, 50 + MAX_VOTERS);
    }

    #[test]
    fn a_format_needs_half_of_the_records_or_some_of_the_messages() {
        let event = r#"{"type": "turn.started"}"#;
        let message = r#"{"role": "user", "content": "x"}"#;
        for (record, known, others, winner) in [
            (event, 1, 10, None),
            (event, 9, 10, None),
            (event, 10, 10, Some("codex-exec")),
            (message, 1, 7, Some("openai")),
            (message, 1, 40, None),
        ] {
            let unknown = br#"{"event": "started"}"#.to_vec();
            let known = vec![record.as_bytes().to_vec(); known];
            let verdict = verdict_on(&[known, vec![unknown; others]].concat());
            assert_eq!(verdict.winner().map(|(format, _)| format.name()), winner, "{record}");
        }
    }

    #[test]
    fn a_changed_key_of_a_call_leaves_another_mark_of_its_dialect() {
        for part in [
            r#"{"typ": "tool-call", "toolCallId": "a", "toolName": "f", "input": {}}"#,
            r#"{"type": "tool-call", "callId": "a", "toolName": "f", "input": {}}"#,
        ] {
            let message = format!(r#"{{"role": "assistant", "content": [{part}]}}"#);
            let verdict = verdict_on(&[message.into_bytes()]);
            assert_eq!(verdict.winner().unwrap().0.name(), "ai-sdk", "{part}");
        }
    }

    #[test]
    fn the_most_certain_record_decides_whatever_its_size() {
        let certain = br#"{"messages": [{"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]}]}"#.to_vec();
        for bytes in [1, 100_000] {
            let verdict = verdict_on(
                &[vec![chat_record(bytes); MAX_VOTERS - 1], vec![certain.clone()]].concat(),
            );
            assert_eq!(verdict.winner().unwrap().0.name(), "anthropic");
        }
    }
}
