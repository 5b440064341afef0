//! The parts of a conversation around a compaction: what went, what stayed, what replaced it, and
//! what followed.

use crate::reading::transcript::Role;
use crate::reading::transcript::view::TranscriptView;
use crate::reporting::retention::{Passage, SessionCut};
use crate::running::conversation::{AgentCompaction, Conversation, message_position};

/// A place where an identifier stands.
pub(super) struct LastMention {
    /// The index of the message before the compaction.
    pub message: usize,
    /// The identifier as it is spelled there.
    pub spelled: String,
    /// What stands around it on its line.
    pub context: String,
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
    before: Vec<Passage>,
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
            before: read_passages(&compaction.before),
            after: read_passages(&compaction.after),
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
        let positions: Vec<_> = (0..self.before.len())
            .map(|index| message_position(&compaction.before, index))
            .collect();
        let mut new = Vec::new();
        for (index, passage) in self.after.iter().enumerate() {
            let Some(at) = message_position(&compaction.after, index) else {
                continue;
            };
            if at >= compaction.end {
                new.push(index);
            } else if at < compaction.start {
                for (stays, position) in stays.iter_mut().zip(&positions) {
                    *stays |= *position == Some(at);
                }
            } else if let Some(same) = find_same(&self.before, passage, stays) {
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
        let repeated = (1..=new.len().min(self.before.len()))
            .rev()
            .find(|&count| {
                let last = &self.before[self.before.len() - count..];
                let pairs = new.iter().zip(last);
                pairs
                    .clone()
                    .all(|(&index, passage)| is_same(&self.after[index], passage))
            })
            .unwrap_or(0);
        let first_repeated = stays.len() - repeated;
        stays[first_repeated..].fill(true);
        let new = &new[repeated..];
        let answer = new
            .iter()
            .position(|&index| self.after[index].role == Role::Assistant);
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

    /// Returns the last message that the summary replaced and that names an identifier, and the
    /// identifier as it is spelled there.
    pub(super) fn last_mention(&self, identifier: &str) -> Option<LastMention> {
        let mut evicted = self.evicted.iter().rev();
        evicted.find_map(|&message| {
            let passage = &self.before[message];
            let spelled = passage.spelling_of(identifier)?;
            Some(LastMention {
                message,
                context: passage.line_around(&spelled),
                spelled,
            })
        })
    }

    /// Returns the first future message of the assistant that names an identifier.
    pub(super) fn first_use(&self, identifier: &str) -> Option<usize> {
        let mut answers = self
            .future
            .iter()
            .filter(|index| self.after[**index].role == Role::Assistant);
        answers
            .find(|index| self.after[**index].spelling_of(identifier).is_some())
            .copied()
    }

    /// Returns the role of a message before the compaction.
    pub(super) fn role_before(&self, index: usize) -> Role {
        self.before[index].role
    }
}

fn read_passages(conversation: &Conversation<'_>) -> Vec<Passage> {
    let view = TranscriptView::logged(&conversation.transcript);
    let messages = 0..conversation.transcript.messages.len();
    messages
        .map(|index| Passage::from_message(view, index))
        .collect()
}

fn is_same(left: &Passage, right: &Passage) -> bool {
    left.role == right.role && left.lower == right.lower
}

/// Returns the last message that equals `passage` and is not marked yet.
fn find_same(before: &[Passage], passage: &Passage, stays: &[bool]) -> Option<usize> {
    (0..before.len())
        .rev()
        .find(|&index| !stays[index] && is_same(&before[index], passage))
}
