//! The row of a log that is only read: how it is told, and what its records become.

use crate::reading::format::prelude::*;
use crate::reading::format::row::condition::{AskedNode, If, hold};
use crate::reading::format::row::conversation::ConversationRow;
use crate::reading::format::row::conversation_reader::{
    ConversationBuilder, ConversationReader, RecordReader, ThreadBuilder,
};
use crate::reading::format::row::lines::{LineReader, LinesRow};
use crate::reading::format::row::message_reader::{MessageListReader, message_list};
use crate::reading::format::row::step::MessageRow;
use crate::reading::format::row::unread::NamedKeys;
use std::collections::BTreeSet;

/// A log of another program. Nothing is ever written into it.
pub(in crate::reading::format) struct LogRow {
    /// The name for `--format` and reports.
    pub(in crate::reading::format) name: &'static str,
    /// One line for `epitome formats`: the files, and how they are recognized.
    pub(in crate::reading::format) help: &'static str,
    /// What tells a record of the log from all others. The first whose conditions hold counts.
    pub(in crate::reading::format) evidence: &'static [Evidence],
    pub(in crate::reading::format) reads: Reads,
}

/// The way from records to conversations.
pub(in crate::reading::format) enum Reads {
    /// A record is a conversation, or a list of conversations.
    Conversations(&'static ConversationRow),
    /// The same, where a conversation takes code of its own. Its list may stand below a key.
    Built(Option<&'static str>, ConversationBuilder),
    /// Messages that need no context: one a record, a list, or a list under `messages`.
    Messages(&'static MessageRow),
    /// A record is a message or a note; all records together are one conversation.
    Lines(&'static LinesRow),
    /// Each record is a conversation, which is all that it holds, and takes code of its own.
    Records(ConversationBuilder),
    /// What no other way can read.
    Own(fn() -> Box<dyn JournalReader>),
}

/// Conditions on a record, and what they are evidence of.
pub(in crate::reading::format) struct Evidence {
    recognition: Recognition,
    conditions: &'static [If],
    /// True if all messages of a list, or of a record that holds one, must fulfil them.
    of_list: bool,
}

const fn evidence(
    shape: Shape,
    certainty: Certainty,
    why: &'static str,
    conditions: &'static [If],
) -> Evidence {
    Evidence {
        recognition: Recognition {
            shape,
            certainty,
            why,
        },
        conditions,
        of_list: false,
    }
}

/// The keys of a conversation. `why` is the evidence in words.
pub(in crate::reading::format) const fn conversation(
    why: &'static str,
    conditions: &'static [If],
) -> Evidence {
    evidence(Shape::Conversation, Certainty::Envelope, why, conditions)
}

/// The keys of a record that only this log has.
pub(in crate::reading::format) const fn event(
    why: &'static str,
    conditions: &'static [If],
) -> Evidence {
    evidence(Shape::Journal, Certainty::Envelope, why, conditions)
}

/// A message in a record that only this log has.
pub(in crate::reading::format) const fn own_message(
    why: &'static str,
    conditions: &'static [If],
) -> Evidence {
    evidence(Shape::Journal, Certainty::Message, why, conditions)
}

/// A record that others have as well.
pub(in crate::reading::format) const fn fits(
    why: &'static str,
    conditions: &'static [If],
) -> Evidence {
    evidence(Shape::Journal, Certainty::Fits, why, conditions)
}

/// A list of messages, or a record that holds one.
pub(in crate::reading::format) const fn list(
    why: &'static str,
    conditions: &'static [If],
) -> Evidence {
    Evidence {
        of_list: true,
        ..conversation(why, conditions)
    }
}

impl Evidence {
    fn holds(&self, asked: &mut AskedNode<'_>, record: JsonNode<'_>) -> bool {
        if !self.of_list {
            return asked.fulfils(self.conditions);
        }
        message_list(record).is_some_and(|list| {
            let mut messages = list.items().peekable();
            messages.peek().is_some() && messages.all(|message| hold(self.conditions, message))
        })
    }
}

impl Journal for LogRow {
    fn name(&self) -> &'static str {
        self.name
    }

    fn help_line(&self) -> &'static str {
        self.help
    }

    fn write_mode(&self) -> WriteMode {
        WriteMode::Nowhere
    }

    fn unread_places(&self, record: JsonNode<'_>) -> Option<BTreeSet<String>> {
        unread_places(self, record)
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        let (mut evidence, mut asked) = (self.evidence.iter(), AskedNode::new(record));
        let found = evidence.find(|evidence| evidence.holds(&mut asked, record))?;
        Some(found.recognition)
    }

    fn new_reader(&self) -> Box<dyn JournalReader> {
        match self.reads {
            Reads::Conversations(row) => {
                ConversationReader::boxed(row.below, ThreadBuilder::Row(row))
            }
            Reads::Built(below, build) => {
                ConversationReader::boxed(below, ThreadBuilder::Own(build))
            }
            Reads::Messages(row) => Box::new(MessageListReader::new(row)),
            Reads::Lines(row) => Box::new(LineReader::new(row)),
            Reads::Records(build) => Box::new(RecordReader::new(build)),
            Reads::Own(new_reader) => new_reader(),
        }
    }
}

/// Returns the places in a record that hold something which a row doesn't name, or `None` if code of
/// its own reads the record.
fn unread_places(row: &LogRow, record: JsonNode<'_>) -> Option<BTreeSet<String>> {
    let mut names = NamedKeys::default();
    for evidence in row.evidence {
        names.add_conditions(evidence.conditions);
    }
    match row.reads {
        Reads::Conversations(row) => {
            let lists = row.below.into_iter();
            lists.for_each(|key| names.below(key).add_conversation(row));
            names.add_conversation(row);
        }
        Reads::Messages(row) if record.has_key("messages") => {
            names.below("messages").add_message(row);
        }
        Reads::Messages(row) => names.add_message(row),
        Reads::Lines(row) => names.add_lines(row, record),
        Reads::Built(..) | Reads::Records(_) | Reads::Own(_) => return None,
    }
    let mut places = BTreeSet::new();
    names.find_unread(record, "", &mut places);
    Some(places)
}
