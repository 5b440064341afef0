//! The row of a format whose messages are edited in place: how its records are told and read, and
//! how a message of it is written.

use crate::reading::format::hidden_messages::HiddenMessages;
use crate::reading::format::openai_records::{MessageListPath, read_openai_records};
use crate::reading::format::prelude::*;
use crate::reading::format::summary_splices::{SummaryBlocks, insert_in, place_in_user_message};

/// A chat format: conversations, or messages one a record.
pub(super) struct ChatRow {
    /// The name for `--format` and reports.
    pub(super) name: &'static str,
    /// One line for `epitome formats`: the records, and how they are recognized.
    pub(super) help: &'static str,
    pub(super) told: ChatEvidence,
    pub(super) reads: ChatReads,
    /// The way a summary joins the message of the user that follows.
    pub(super) joins: SummaryJoins,
    /// What notes a summary beside the list of messages, if the log has such a note.
    pub(super) note: SummaryNoter,
    pub(super) message: MessageForm,
    /// What tells the format where no result stays that does.
    pub(super) mark: SummaryMark,
    /// A block of text, with `$` for the literal.
    pub(super) text_block: &'static str,
    /// The content of a result that is a text, with `$` for the literal.
    pub(super) result: &'static str,
    /// True if the messages are samples of fine-tuning data as they are logged.
    pub(super) is_chat: bool,
}

/// Returns the splices that note a summary with this text, each with its record.
type SummaryNoter = fn(&SummaryPlace<'_>, &str) -> Option<Vec<(usize, Splice)>>;

/// What tells a record of the format from all others.
pub(super) enum ChatEvidence {
    /// The first whose conditions hold.
    Rows(&'static [Evidence]),
    Own(fn(JsonNode<'_>) -> Option<Recognition>),
}

/// The way from records to messages.
pub(super) enum ChatReads {
    /// A list of messages of OpenAI below other keys.
    OpenAi(MessageListPath),
    List(&'static ChatList),
    /// What no other way can read.
    Own(for<'a> fn(Vec<Record<'a>>, Shape) -> Result<Transcript<'a>>),
}

/// The way in which a summary joins the message of the user that follows it. Readers that want user
/// and assistant to alternate reject a second user message in a row.
pub(super) enum SummaryJoins {
    /// It is a message of its own.
    Never,
    /// As the first block of the content under this key.
    Blocks(&'static str),
    /// As the beginning of the text under the key that a function finds.
    Text(fn(&Transcript<'_>) -> &'static str),
}

/// The mark of a summary, without which what is compacted would be read as another format. Calls and
/// results tell some formats, and may all be replaced.
pub(super) enum SummaryMark {
    None,
    /// The first entry of the message, with a comma behind it.
    Entry(&'static str),
    /// A block of text, with `$` for the literal, unless what is around the messages tells the format.
    Block {
        pattern: &'static str,
        is_told_around: fn(&Transcript<'_>) -> bool,
    },
}

/// The JSON of a new message.
pub(super) enum MessageForm {
    /// The thread key, the name of the role and the literal of the text in the place of each `$`.
    Pattern(fn(Role) -> &'static str, &'static str),
    Own(fn(&SummaryPlace<'_>, Role, &str) -> Vec<u8>),
}

/// Appends the messages that one logged message holds.
type MessagesReader = fn(LocatedNode<'_>, &mut Vec<Message>) -> Result<()>;

/// Where the messages of a record are, and what is beside them.
pub(super) struct ChatList {
    /// A key that names the conversation, beside those that all formats share.
    pub(super) thread: Option<&'static str>,
    /// Returns the object in a record that holds all else.
    pub(super) request: fn(JsonNode<'_>) -> JsonNode<'_>,
    pub(super) list: &'static str,
    /// True if a record may also be the list itself, or one message.
    pub(super) is_wide: bool,
    /// A key that some message must have.
    pub(super) needs: Option<&'static str>,
    pub(super) prompt: fn(JsonNode<'_>) -> Option<JsonNode<'_>>,
    pub(super) tools: (At, &'static [JsonKind]),
    pub(super) model: At,
    /// True if readers want user and assistant to alternate.
    pub(super) alternates: bool,
    /// True if messages can be hidden.
    pub(super) hides: bool,
    pub(super) read: MessagesReader,
}

impl ChatRow {
    /// What most rows leave as it is. They say how they are told and read.
    pub(super) const PLAIN: Self = Self {
        name: "",
        help: "",
        told: ChatEvidence::Rows(&[]),
        reads: ChatReads::Own(|_, _| Err(RecordError::new("no reader"))),
        joins: SummaryJoins::Never,
        note: |_, _| None,
        message: MessageForm::Pattern(Role::name, r#"{$"role": "$", "content": $}"#),
        mark: SummaryMark::None,
        text_block: r#"{"type": "text", "text": $}"#,
        result: "$",
        is_chat: false,
    };

    /// Returns the entry that marks a summary, if it must have one.
    fn marking_entry(&self, place: &SummaryPlace<'_>) -> Option<&'static str> {
        match self.mark {
            SummaryMark::Entry(entry) => place.needs_mark().then_some(entry),
            _ => None,
        }
    }

    /// Returns the block that marks a summary, if it must have one.
    fn marking_block(&self, place: &SummaryPlace<'_>) -> Option<&'static str> {
        match self.mark {
            SummaryMark::Block { pattern, is_told_around } => {
                (!is_told_around(place.transcript) && place.needs_mark()).then_some(pattern)
            }
            _ => None,
        }
    }
}

impl ChatList {
    /// What most rows leave as it is.
    pub(super) const PLAIN: Self = Self {
        thread: None,
        request: |record| record,
        list: "messages",
        is_wide: false,
        needs: None,
        prompt: |request| request.get("system"),
        tools: (at("tools"), LIST),
        model: NOWHERE,
        alternates: true,
        hides: false,
        read: |_, _| Ok(()),
    };

    pub(super) fn read<'a>(
        &self,
        records: Vec<Record<'a>>,
        shape: Shape,
    ) -> Result<Transcript<'a>> {
        let shape = match self.is_wide {
            true => shape,
            false => Shape::Conversation,
        };
        read_as_trees(records, shape, self.thread, |transcript, record| {
            transcript.alternates = self.alternates;
            if shape != Shape::Message {
                return self.read_conversation(transcript, record);
            }
            match self.needs.filter(|key| !record.node.has_key(key)) {
                Some(key) => Err(no_messages_error(record.node.bytes(), key)),
                None => (self.read)(record, &mut transcript.messages),
            }
        })
    }

    fn read_conversation(
        &self,
        transcript: &mut Transcript<'_>,
        record: LocatedNode<'_>,
    ) -> Result<()> {
        let root = record.node;
        let request = (self.request)(root);
        let list = match self.is_wide && root.is_kind(JsonKind::Array) {
            true => Some(root),
            false => request.get(self.list),
        };
        let list = list.ok_or_else(|| no_messages_error(root.bytes(), self.list))?;
        let is_lacking = |key: &&str| {
            list.items().next().is_some() && !list.items().any(|item| item.has_key(key))
        };
        if let Some(key) = self.needs.filter(is_lacking) {
            return Err(no_messages_error(root.bytes(), key));
        }
        push_system_prompt(transcript, (self.prompt)(request));
        let (tools, kinds) = self.tools;
        let tools = tools.node(request).filter(|it| kinds.contains(&it.kind()));
        transcript.tools = tools.map(JsonNode::span);
        transcript.model = self.model.text(request);
        let hidden = self.hides.then(|| HiddenMessages::in_list(list));
        if let Some(hidden) = &hidden {
            hidden.note_left_out(transcript, root.record_index());
        }
        let is_hidden =
            |node: JsonNode<'_>| hidden.as_ref().is_some_and(|hidden| hidden.contains(node));
        for_each_element(transcript, list, self.list, |transcript, element| {
            match is_hidden(element.node) {
                true => Ok(()),
                false => (self.read)(element, &mut transcript.messages),
            }
        })
    }
}

impl Format for ChatRow {
    fn name(&self) -> &'static str {
        self.name
    }

    fn help_line(&self) -> &'static str {
        self.help
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        match self.told {
            ChatEvidence::Rows(rows) => recognize_by(rows, record),
            ChatEvidence::Own(recognize) => recognize(record),
        }
    }

    fn read_transcript<'a>(
        &self,
        records: Vec<Record<'a>>,
        shape: Shape,
    ) -> Result<Transcript<'a>> {
        match self.reads {
            ChatReads::OpenAi(path) => read_openai_records(records, Shape::Conversation, path),
            ChatReads::List(list) => list.read(records, shape),
            ChatReads::Own(read) => read(records, shape),
        }
    }

    fn place_summary(&self, place: &SummaryPlace<'_>, text: &str) -> SummaryInsertion {
        if let Some(splices) = (self.note)(place, text) {
            return SummaryInsertion::beside_list(splices);
        }
        let joined = match self.joins {
            SummaryJoins::Never => None,
            SummaryJoins::Blocks(key) => {
                let block = self.marking_block(place).unwrap_or(self.text_block);
                let blocks = SummaryBlocks { summary: block, text: self.text_block };
                place_in_user_message(place, key, text, blocks)
            }
            SummaryJoins::Text(key) => place.user_that_follows().and_then(|message| {
                let mut splices =
                    prepend_text(place.transcript, message, key(place.transcript), text)?;
                if let Some(entry) = self.marking_entry(place) {
                    splices.insert(0, insert_in(message, 1, entry.into()));
                }
                Some(SummaryInsertion::from_splices(splices))
            }),
        };
        joined.unwrap_or_else(|| {
            let message = self.render_message(place, Role::User, text);
            SummaryInsertion::from_message(message)
        })
    }

    fn render_message(&self, place: &SummaryPlace<'_>, role: Role, text: &str) -> Vec<u8> {
        let mut message = match self.message {
            MessageForm::Pattern(name, pattern) => {
                let thread = render_thread_entry(place);
                let mut content = encode_literal(text);
                if let Some(block) = self.marking_block(place) {
                    content = join_blocks(&[fill_json(block, &[&content])]);
                }
                fill_json(pattern, &[&thread, name(role).as_bytes(), &content])
            }
            MessageForm::Own(render) => render(place, role, text),
        };
        if let Some(entry) = self.marking_entry(place) {
            message.splice(1..1, entry.bytes());
        }
        message
    }

    fn is_chat(&self) -> bool {
        self.is_chat
    }

    fn wrap_text(&self, literal: &[u8]) -> Vec<u8> {
        fill_json(self.text_block, &[literal])
    }

    fn render_result(&self, text: &str) -> Vec<u8> {
        fill_json(self.result, &[&encode_literal(text)])
    }
}
