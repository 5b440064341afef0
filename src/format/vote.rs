//! Which format a file is of: its first records vote.

use crate::format::tree::{JsonNode, JsonTree};
use crate::format::{FORMATS, Format, Recognition, Shape};
use crate::json::JsonKind;
use crate::json::decode_literal;
use std::cmp::Reverse;

/// How many keys of an unknown record are named, and how much of each.
const KEYS_NAMED: usize = 10;
const KEY_CHARS: usize = 40;

/// How many records of a file vote on its format.
const VOTERS: usize = 20;

/// How many records of no known format are described.
const STRANGERS: usize = 3;

/// What the first records of a file say.
#[derive(Debug, Clone, Default)]
pub struct FormatVerdict {
    /// The surest format of each record.
    pub votes: Vec<FormatVote>,
    /// Other formats that records fit as well.
    pub also: Vec<FormatVote>,
    /// How many records were looked at.
    pub records: usize,
    /// What the first records of no known format hold.
    pub strangers: Vec<String>,
}

/// Records that fit a format.
#[derive(Debug, Clone, Copy)]
pub struct FormatVote {
    /// The format's place in the table.
    pub format: usize,
    /// What was seen in the surest of them.
    pub hit: Recognition,
    /// How many there are.
    pub records: usize,
}

impl FormatVerdict {
    /// Lets further records vote, until there are enough.
    pub fn observe_records<'r>(&mut self, records: impl IntoIterator<Item = &'r [u8]>) {
        for record in records {
            if self.votes.iter().map(|vote| vote.records).sum::<usize>() >= VOTERS {
                break;
            }
            self.observe_record(record);
        }
    }

    /// Lets a record vote, and says whether it is JSON. What is no object and no list has no vote.
    pub fn observe_record(&mut self, record: &[u8]) -> bool {
        let Ok(tree) = JsonTree::new(record) else {
            return false;
        };
        if matches!(tree.root().kind(), JsonKind::Object | JsonKind::Array) {
            self.records += 1;
            let mut hits = hits(tree.root(), FORMATS);
            match hits.next() {
                None if self.strangers.len() < STRANGERS => {
                    self.strangers.push(describe_record(record))
                }
                None => {}
                Some((format, hit)) => {
                    count(&mut self.votes, format, hit);
                    hits.for_each(|(format, hit)| count(&mut self.also, format, hit));
                }
            }
        }
        true
    }

    /// The format with the surest vote; of equally sure ones that with more of them, of these the first of the table.
    #[must_use]
    pub fn winner(&self) -> Option<(&'static dyn Format, Recognition)> {
        let best = self
            .votes
            .iter()
            .min_by_key(|vote| (Reverse((vote.hit.certainty, vote.records)), vote.format));
        best.map(|vote| (FORMATS[vote.format], vote.hit))
    }
}

fn count(votes: &mut Vec<FormatVote>, format: usize, hit: Recognition) {
    match votes.iter_mut().find(|vote| vote.format == format) {
        Some(vote) => {
            vote.records += 1;
            if hit.certainty > vote.hit.certainty {
                vote.hit = hit;
            }
        }
        None => votes.push(FormatVote {
            format,
            hit,
            records: 1,
        }),
    }
}

/// The formats that a record fits: the surest first, of equally sure ones the first of the table.
fn hits(
    record: JsonNode<'_>,
    formats: &[&dyn Format],
) -> impl Iterator<Item = (usize, Recognition)> {
    let mut hits: Vec<(usize, Recognition)> = formats
        .iter()
        .enumerate()
        .filter_map(|(at, format)| Some((at, format.recognize_record(record)?)))
        .collect();
    hits.sort_by_key(|(at, hit)| (Reverse(hit.certainty), *at));
    hits.into_iter()
}

/// What a record is as one of a format that was named.
#[must_use]
pub fn shape_in_format(format: &'static dyn Format, record: &[u8]) -> Option<Shape> {
    Some(
        format
            .recognize_record(JsonTree::new(record).ok()?.root())?
            .shape,
    )
}

/// The format of the first records of a file, and their shape.
#[must_use]
pub fn detect_format<'r>(
    records: impl IntoIterator<Item = &'r [u8]>,
) -> Option<(&'static dyn Format, Shape)> {
    let mut verdict = FormatVerdict::default();
    verdict.observe_records(records);
    verdict.winner().map(|(format, hit)| (format, hit.shape))
}

/// What a record holds, for the message that no format knows it: its keys, or those of a list's first object.
#[must_use]
pub fn describe_record(record: &[u8]) -> String {
    let Ok(tree) = JsonTree::new(record) else {
        return "it is no JSON".to_owned();
    };
    let root = tree.root();
    let (node, whose) = match root.items().next() {
        Some(first) => (first, "a list whose first element has the keys"),
        None => (root, "its keys"),
    };
    let mut keys: Vec<String> = node
        .entries()
        .map(|(key, _)| {
            decode_literal(key.slice(record))
                .escape_debug()
                .take(KEY_CHARS)
                .collect()
        })
        .collect();
    if keys.len() > KEYS_NAMED {
        keys.truncate(KEYS_NAMED);
        keys.push("…".to_owned());
    }
    match root.kind() {
        JsonKind::Object if keys.is_empty() => "it has no keys".to_owned(),
        JsonKind::Object | JsonKind::Array if !keys.is_empty() => {
            format!("{whose}: {}", keys.join(", "))
        }
        JsonKind::Array => "it is a list without objects".to_owned(),
        kind => format!("it is {}, no object with keys", kind.noun()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chat(bytes: usize) -> Vec<u8> {
        format!(
            r#"{{"messages": [{{"role": "user", "content": "{}"}}]}}"#,
            "x".repeat(bytes)
        )
        .into_bytes()
    }

    fn heard(records: &[Vec<u8>]) -> FormatVerdict {
        let mut verdict = FormatVerdict::default();
        verdict.observe_records(records.iter().map(Vec::as_slice));
        verdict
    }

    #[test]
    fn so_many_vote_and_strangers_take_nobodys_place() {
        let stranger = br#"{"event": "started"}"#.to_vec();
        let verdict = heard(&[vec![stranger; 50], vec![chat(1); 50]].concat());
        assert_eq!(
            (verdict.records, verdict.winner().unwrap().0.name()),
            (50 + VOTERS, "openai")
        );
    }

    #[test]
    fn the_surest_of_them_decides_however_large_the_others_are() {
        let sure = br#"{"messages": [{"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]}]}"#.to_vec();
        for bytes in [1, 100_000] {
            let verdict = heard(&[vec![chat(bytes); VOTERS - 1], vec![sure.clone()]].concat());
            assert_eq!(verdict.winner().unwrap().0.name(), "anthropic");
        }
    }
}
