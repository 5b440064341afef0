//! The parts of a conversation around a compaction: what went, what stayed, what replaced it, and
//! what followed.

use crate::reading::format::journal::JournalPosition;
use crate::reading::transcript::Role;
use crate::reporting::retention::{
    Passage, SessionCut, SpelledMention, find_mentions, spell_mention,
};
use crate::running::conversation::{AgentCompaction, message_position};
use std::collections::HashMap;

/// The last message that the summary replaced and that names an identifier, and how.
pub(super) struct LastMention {
    /// The index of the message before the compaction.
    pub message: usize,
    pub mention: SpelledMention,
}

/// The messages around a compaction.
pub(super) struct CompactionParts {
    /// Indices of the system messages before the compaction.
    pub system: Vec<usize>,
    /// Indices of the messages that the summary replaced.
    pub evicted: Vec<usize>,
    /// Indices of the messages that were kept.
    pub kept: Vec<usize>,
    /// The texts that replaced what went.
    pub summary: Vec<String>,
    /// Indices, in the conversation behind the compaction, of the messages that came before the
    /// model's first answer.
    pub arrived: Vec<usize>,
    /// Indices, in the same conversation, of the messages from that answer on.
    pub future: Vec<usize>,
    pub(super) before: Vec<Passage>,
    after: Vec<Passage>,
}

impl CompactionParts {
    /// Tells the parts of a compaction apart.
    pub(super) fn new(compaction: &AgentCompaction<'_>) -> Self {
        let mut parts = Self {
            system: Vec::new(),
            evicted: Vec::new(),
            kept: Vec::new(),
            summary: Vec::new(),
            arrived: Vec::new(),
            future: Vec::new(),
            before: Passage::all_logged(&compaction.before.transcript),
            after: Passage::all_logged(&compaction.after.transcript),
        };
        let mut stays = vec![false; parts.before.len()];
        let new = parts.split_after(compaction, &mut stays);
        parts.split_new(&new, &mut stays);
        for (index, passage) in parts.before.iter().enumerate() {
            let list = match stays[index] {
                _ if passage.role.is_system() => &mut parts.system,
                true => &mut parts.kept,
                false => &mut parts.evicted,
            };
            list.push(index);
        }
        parts
    }

    /// Marks the messages that stay, and collects the summary. Returns the messages behind the
    /// compaction.
    fn split_after(&mut self, compaction: &AgentCompaction<'_>, stays: &mut [bool]) -> Vec<usize> {
        let mut at_position: HashMap<JournalPosition, Vec<usize>> = HashMap::new();
        for index in 0..self.before.len() {
            if let Some(at) = message_position(&compaction.before, index) {
                at_position.entry(at).or_default().push(index);
            }
        }
        let mut same = SameMessages::new(&self.before);
        let mut new = Vec::new();
        for (index, passage) in self.after.iter().enumerate() {
            let Some(at) = message_position(&compaction.after, index) else {
                continue;
            };
            if at >= compaction.end {
                new.push(index);
            } else if at < compaction.start {
                for &kept in at_position.get(&at).into_iter().flatten() {
                    stays[kept] = true;
                }
            } else if let Some(same) = same.find_last(passage, stays) {
                // The record of the compaction repeats what it keeps.
                stays[same] = true;
            } else if !passage.role.is_system() {
                self.summary.push(passage.full_text());
            }
        }
        new
    }

    /// Splits the messages behind the compaction at the first answer of the model. Kept messages
    /// that were written again directly behind it are marked.
    fn split_new(&mut self, new: &[usize], stays: &mut [bool]) {
        let before: Vec<Said<'_>> = self.before.iter().map(said).collect();
        let written: Vec<Said<'_>> = new.iter().map(|&index| said(&self.after[index])).collect();
        let repeated = overlap(&before, &written);
        let first_repeated = stays.len() - repeated;
        stays[first_repeated..].fill(true);
        let new = &new[repeated..];
        let answer = new.iter().position(|&index| self.after[index].role == Role::Assistant);
        let (arrived, future) = new.split_at(answer.unwrap_or(new.len()));
        self.arrived = arrived.to_vec();
        self.future = future.to_vec();
    }

    /// Returns all messages in the order of a cut: system messages, those that went, those that
    /// the model saw at its next answer, and the future. Returns `None` if the summary replaced
    /// nothing, or no answer follows.
    pub(super) fn session(&self) -> Option<(Vec<Passage>, SessionCut)> {
        if self.evicted.is_empty() || self.future.is_empty() {
            return None;
        }
        let before = [&self.system, &self.evicted, &self.kept];
        let before = before.into_iter().flatten();
        let after = self.arrived.iter().chain(&self.future);
        let passages: Vec<Passage> = before
            .map(|&index| self.before[index].clone())
            .chain(after.map(|&index| self.after[index].clone()))
            .collect();
        let tail = self.system.len() + self.evicted.len();
        let cut = SessionCut {
            head: self.system.len(),
            tail,
            end: tail + self.kept.len() + self.arrived.len(),
        };
        Some((passages, cut))
    }

    /// Returns where each identifier is named last in what the summary replaced.
    pub(super) fn last_mentions(&self, identifiers: &[&str]) -> Vec<Option<LastMention>> {
        let evicted = self.evicted.iter().map(|&message| &self.before[message]);
        let evicted: Vec<&Passage> = evicted.collect();
        let mut full_texts: HashMap<usize, String> = HashMap::new();
        let found = find_mentions(identifiers, &evicted).into_iter();
        let mentions = found.zip(identifiers).map(|(mentions, identifier)| {
            let last = mentions?.last;
            let full =
                full_texts.entry(last.place).or_insert_with(|| evicted[last.place].full_text());
            Some(LastMention {
                message: self.evicted[last.place],
                mention: spell_mention(full, identifier, last),
            })
        });
        mentions.collect()
    }

    /// Returns the first future message of the assistant that names each identifier.
    pub(super) fn first_uses(&self, identifiers: &[&str]) -> Vec<Option<usize>> {
        let answers = self.future.iter().copied();
        let answers: Vec<usize> =
            answers.filter(|index| self.after[*index].role == Role::Assistant).collect();
        let passages: Vec<&Passage> = answers.iter().map(|&index| &self.after[index]).collect();
        let found = find_mentions(identifiers, &passages).into_iter();
        found.map(|mentions| Some(answers[mentions?.first.place])).collect()
    }
}

/// What tells a message from others.
type Said<'p> = (Role, &'p str);

fn said(passage: &Passage) -> Said<'_> {
    (passage.role, &passage.lower)
}

/// Returns the largest number of elements that `before` ends with and `written` begins with.
fn overlap<T: PartialEq>(before: &[T], written: &[T]) -> usize {
    // For each beginning of `written`, the longest shorter one that it ends with (Knuth, Morris, Pratt).
    let mut shorter = vec![0; written.len()];
    let grow = |mut matched: usize, shorter: &[usize], next: &T| {
        while matched > 0 && written.get(matched) != Some(next) {
            matched = shorter[matched - 1];
        }
        matched + usize::from(written.get(matched) == Some(next))
    };
    for at in 1..written.len() {
        shorter[at] = grow(shorter[at - 1], &shorter, &written[at]);
    }
    let before = before.iter();
    before.fold(0, |matched, next| grow(matched, &shorter, next))
}

/// The messages before a compaction, by what they say.
struct SameMessages<'p>(HashMap<Said<'p>, Vec<usize>>);

impl<'p> SameMessages<'p> {
    fn new(before: &'p [Passage]) -> Self {
        let mut same: HashMap<_, Vec<usize>> = HashMap::new();
        for (index, passage) in before.iter().enumerate() {
            same.entry(said(passage)).or_default().push(index);
        }
        Self(same)
    }

    /// Returns the last message that equals `passage` and is not marked yet.
    fn find_last(&mut self, passage: &'p Passage, stays: &[bool]) -> Option<usize> {
        let same = self.0.get_mut(&said(passage))?;
        while same.pop_if(|index| stays[*index]).is_some() {}
        same.last().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_messages_that_are_written_again_are_counted() {
        for (before, written, count) in [
            ("abc", "bcd", 2),
            ("abc", "d", 0),
            ("aaa", "aaaa", 3),
            ("baba", "ababa", 3),
            ("ab", "ab", 2),
            ("abab", "ab", 2),
            ("", "a", 0),
            ("a", "", 0),
        ] {
            assert_eq!(overlap(before.as_bytes(), written.as_bytes()), count);
        }
    }
}
