//! Transcripts of any format as chat transcripts of another. A target is one
//! file and one line in [`TARGETS`]; it sees turns, and knows no source format.
//!
//! What a target can't express is listed, never dropped in silence: what it is
//! asked for and refuses, and whatever of a record nobody asked for (`rest.rs`).

mod anthropic;
pub mod block;
pub mod chat;
mod langchain;
pub mod literal;
pub mod notes;
mod openai;
mod pairs;
mod rest;
mod shape;
mod sharegpt;
mod tags;
pub mod tools;

use crate::format::tree::{JsonNode, JsonTree};
use crate::json::{JsonKind as Json, Span};
use crate::json::{encode_literal, write_literal};
use crate::plan::Summary;
use crate::transcript::view::TranscriptView;
use crate::transcript::{Role, Transcript};
use block::ContentBlock;
use chat::{ChatCall, ChatPart, ChatTurn, TurnReader};
use literal::{EscapedText, embedded};
use notes::{ConversionNote, ConversionNotes, ConversionOutcome};
use rest::Accounts;
use tools::ToolSchema;

/// All targets, in the order in which help names them.
pub static TARGETS: &[&dyn ConversionTarget] = &[
    &openai::OpenAiTarget,
    &anthropic::AnthropicTarget,
    &sharegpt::ShareGptTarget,
    &langchain::LangChainTarget,
];

/// The target of that name.
#[must_use]
pub fn target_by_name(name: &str) -> Option<&'static dyn ConversionTarget> {
    TARGETS.iter().copied().find(|target| target.name() == name)
}

/// Which consecutive turns a target joins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MergeRule {
    /// None.
    Not,
    /// Those of the user.
    Users,
    /// All of one side; and the user must speak first.
    Both,
}

/// Which call ids a target takes.
#[derive(Debug, Clone, Copy)]
pub struct IdRule {
    /// Bytes at most.
    pub longest: usize,
    /// Characters.
    pub takes: fn(char) -> bool,
}

/// What a target demands.
#[derive(Debug, Clone, Copy)]
pub struct TargetRules {
    /// Which turns are joined.
    pub merge: MergeRule,
    /// Whether the system prompt stands outside the list.
    pub system_apart: bool,
    /// Whether texts of blanks alone are refused.
    pub no_blanks: bool,
    /// Which call ids are taken; none where there are no ids.
    pub ids: Option<IdRule>,
    /// Whether a key names the model.
    pub has_model: bool,
    /// Whether a result says that its call failed.
    pub tells_failure: bool,
    /// Whether an answer says what the provider reported.
    pub tells_usage: bool,
    /// The formats whose messages are spelled as the target spells them: from these everything comes along.
    pub same: &'static [&'static str],
    /// The keys of a message that the target writes itself.
    pub message_keys: &'static [&'static str],
    /// The keys of a record that the target writes itself.
    pub record_keys: &'static [&'static str],
}

/// A chat transcript, ready to be written.
pub struct ChatTranscript<'c> {
    thread_id: &'c str,
    model: Option<&'c str>,
    system: Vec<ChatTurn>,
    groups: Vec<Vec<ChatTurn>>,
    tools: Vec<ToolSchema>,
    /// What stood beside the messages, from a log that speaks the target's dialect: keys and values.
    beside: Vec<(EscapedText, Vec<u8>)>,
}

/// One dialect that transcripts can be converted to.
pub trait ConversionTarget: Sync {
    /// The name for `--to`.
    fn name(&self) -> &'static str;

    /// One line for help: what is written.
    fn about(&self) -> &'static str;

    /// What it demands.
    fn rules(&self) -> TargetRules;

    /// A block as it is written where this role speaks, and whether all of it is; none if it has no place there.
    /// `same` says that the log speaks the target's dialect.
    fn block(&self, role: Role, block: &ContentBlock<'_>, same: bool) -> Option<(ChatPart, bool)>;

    /// The object of a message that holds its fields.
    fn fields<'n>(&self, message: JsonNode<'n>) -> JsonNode<'n> {
        message
    }

    /// Tools that it takes as they are logged.
    fn takes_tool(&self, _: JsonNode<'_>) -> bool {
        false
    }

    /// Writes the record, without its line end; gives the number of messages in it.
    fn write(
        &self,
        chat: &ChatTranscript<'_>,
        out: &mut Vec<u8>,
        changed: &mut ConversionNotes,
    ) -> usize;
}

/// What is converted: a transcript as some edits leave it.
#[derive(Clone, Copy)]
pub struct ConversionSource<'t, 'a> {
    /// The transcript, and the texts that edits put there.
    pub view: TranscriptView<'t, 'a>,
    /// The name of its format.
    pub format: &'static str,
    /// Its id.
    pub thread_id: &'t str,
    /// A summary and its text, for the messages that it stands for.
    pub summary: Option<(&'t Summary, &'t str)>,
}

/// How to convert.
#[derive(Clone, Copy)]
pub struct Conversion {
    /// To what.
    pub target: &'static dyn ConversionTarget,
    /// Whether consecutive turns of the user are joined also where the target does not demand it.
    pub merge_users: bool,
}

impl Conversion {
    /// Appends the transcript as one line, with its line end, and says what could not be expressed.
    #[must_use]
    pub fn convert_transcript(
        self,
        source: &ConversionSource<'_, '_>,
        out: &mut Vec<u8>,
    ) -> ConversionOutcome {
        let (transcript, target) = (source.view.transcript, self.target);
        let (mut left, mut changed) = (ConversionNotes::default(), ConversionNotes::default());
        let (chat, accounts) = self.read(source, (&mut left, &mut changed), &mut |_| ());
        for value in rest::rest(transcript, accounts) {
            let record = transcript.records[value.record];
            let what = if value.path.is_empty() {
                whole_record(record.bytes)
            } else {
                value.path
            };
            left.add(
                what,
                format!("{} has no place for it", target.name()),
                (record.line, value.message),
            );
        }
        for beside in &transcript.omitted {
            left.add_times(
                &beside.what,
                "it is no part of the live conversation",
                beside.line,
                beside.times,
            );
        }
        let messages = target.write(&chat, out, &mut changed);
        out.push(b'\n');
        ConversionOutcome {
            to: target.name(),
            messages,
            left_out: left.placed(transcript),
            changed: changed.placed(transcript),
        }
    }

    /// Appends the messages as one line, with its line end, to be trained on; `mark` sees each turn before it is written.
    /// What a record holds beside its messages and tools is no part of a sample.
    #[must_use]
    pub fn write_sample(
        self,
        source: &ConversionSource<'_, '_>,
        mark: &mut dyn FnMut(&mut ChatTurn),
        out: &mut Vec<u8>,
    ) -> SampledChat {
        let (mut left, mut changed) = (ConversionNotes::default(), ConversionNotes::default());
        let (chat, _) = self.read(source, (&mut left, &mut changed), mark);
        self.target.write(&chat, out, &mut changed);
        out.push(b'\n');
        let turns = chat
            .system
            .iter()
            .chain(chat.groups.iter().filter_map(|group| group.first()));
        SampledChat {
            roles: turns.map(|turn| turn.role).collect(),
            left_out: left.placed(source.view.transcript),
        }
    }

    /// The turns, shaped for the target, and what was read of the records for them.
    fn read<'s>(
        self,
        source: &ConversionSource<'s, '_>,
        (left, changed): (&mut ConversionNotes, &mut ConversionNotes),
        mark: &mut dyn FnMut(&mut ChatTurn),
    ) -> (ChatTranscript<'s>, Accounts) {
        let (transcript, target) = (source.view.transcript, self.target);
        let mut rules = target.rules();
        if self.merge_users && rules.merge == MergeRule::Not {
            rules.merge = MergeRule::Users;
        }
        let mut reader = TurnReader::new(source, target, left);
        let turns = reader.turns();
        let mut accounts = std::mem::take(&mut reader.accounts);
        if rules.ids.is_none() {
            for call in turns
                .iter()
                .flat_map(|turn| &turn.calls)
                .filter(|call| call.id.is_some())
            {
                left.add(
                    "call id",
                    format!(
                        "{} has none: a result stands behind its call",
                        target.name()
                    ),
                    (0, Some(call.origin.0)),
                );
            }
        }
        shape::note_roles(&turns, source.view, changed);
        (accounts.tells_failure, accounts.tells_usage) = (rules.tells_failure, rules.tells_usage);
        let mut turns = pairs::Pairing {
            view: source.view,
            rules,
            notes: changed,
        }
        .pair(turns);
        accounts.add_everywhere(&encode_literal(source.thread_id));
        let model = transcript.model.as_deref().filter(|_| rules.has_model);
        model
            .iter()
            .for_each(|model| accounts.add_everywhere(&encode_literal(model)));
        let tools = take_tools(transcript, target, &mut accounts, left);
        let beside = beside(source, rules, &mut accounts);
        turns.iter_mut().for_each(mark);
        let shape::Shaped { system, groups } = shape::shape(turns, rules, changed);
        (
            ChatTranscript {
                thread_id: source.thread_id,
                model,
                system,
                groups,
                tools,
                beside,
            },
            accounts,
        )
    }
}

/// What came of a sample.
pub struct SampledChat {
    /// Who speaks, in order.
    pub roles: Vec<Role>,
    /// What the messages hold and the sample does not.
    pub left_out: Vec<ConversionNote>,
}

/// How a record is named of which nothing was converted.
fn whole_record(record: &[u8]) -> String {
    let tree = JsonTree::new(record).ok();
    let kind = tree
        .as_ref()
        .and_then(|tree| tree.root().get("type")?.as_text());
    kind.map_or_else(
        || "a whole record".to_owned(),
        |kind| format!("records of type {kind}"),
    )
}

/// The tool schemas; what of them has no place in the target is left.
fn take_tools(
    transcript: &Transcript<'_>,
    target: &dyn ConversionTarget,
    accounts: &mut Accounts,
    left: &mut ConversionNotes,
) -> Vec<ToolSchema> {
    let (Some(span), Some(schemas)) = (transcript.tools, transcript.tool_schemas()) else {
        return Vec::new();
    };
    accounts.add(0, span);
    let line = transcript.records.first().map_or(0, |record| record.line);
    if schemas.trim_ascii().is_empty() {
        return Vec::new();
    }
    let (tools, missing) = tools::read(&schemas, |tool| target.takes_tool(tool));
    for what in missing {
        left.add(
            what,
            format!("{} has no place for it", target.name()),
            (line, None),
        );
    }
    tools
}

/// What stands beside the messages of a record of the target's own dialect.
fn beside(
    source: &ConversionSource<'_, '_>,
    rules: TargetRules,
    accounts: &mut Accounts,
) -> Vec<(EscapedText, Vec<u8>)> {
    let transcript = source.view.transcript;
    let [record] = transcript.records.as_slice() else {
        return Vec::new();
    };
    // Another envelope of the same messages has keys of its own.
    if rules.same.first() != Some(&source.format) || transcript.message_per_record {
        return Vec::new();
    }
    let Ok(tree) = JsonTree::new(record.bytes) else {
        return Vec::new();
    };
    let mut beside = Vec::new();
    for (key, value) in tree.root().entries() {
        let key = EscapedText::of_literal(key.slice(record.bytes));
        let Span { start, end } = value.span();
        let holds_messages = transcript
            .messages
            .iter()
            .any(|message| start <= message.span.start && message.span.end <= end);
        let is_said = value.is_kind(Json::String) && accounts.is_everywhere(value.bytes());
        if !holds_messages && !is_said && !rules.record_keys.contains(&key.decoded().as_ref()) {
            accounts.add(0, value.span());
            beside.push((key, embedded(value.bytes())));
        }
    }
    beside
}

impl ChatTranscript<'_> {
    /// Appends `{"thread_id", "model"`, under these keys.
    fn open(&self, thread_key: &str, out: &mut Vec<u8>) {
        out.extend_from_slice(format!("{{\"{thread_key}\": ").as_bytes());
        write_literal(self.thread_id, out);
        if let Some(model) = self.model {
            out.extend_from_slice(b", \"model\": ");
            write_literal(model, out);
        }
    }

    /// Appends what stood beside the messages, and the end.
    fn close(&self, out: &mut Vec<u8>) {
        write_extras(&self.beside, out);
        out.push(b'}');
    }

    /// Appends the list of tools under a key.
    fn write_tools(&self, key: &str, out: &mut Vec<u8>, one: impl Fn(&ToolSchema, &mut Vec<u8>)) {
        if self.tools.is_empty() {
            return;
        }
        out.extend_from_slice(format!(", \"{key}\": ").as_bytes());
        write_list(&self.tools, out, one);
    }
}

/// Appends further keys and values.
fn write_extras(extras: &[(EscapedText, Vec<u8>)], out: &mut Vec<u8>) {
    for (key, value) in extras {
        out.extend_from_slice(b", ");
        key.write(out);
        out.extend_from_slice(b": ");
        out.extend_from_slice(value);
    }
}

/// Appends `[…, …]`.
fn write_list<T>(items: &[T], out: &mut Vec<u8>, mut one: impl FnMut(&T, &mut Vec<u8>)) {
    out.push(b'[');
    for (place, item) in items.iter().enumerate() {
        out.extend_from_slice(if place > 0 { b", " } else { b"" });
        one(item, out);
    }
    out.push(b']');
}

/// Writes a call that stands in a content.
type WriteCall = fn(&ChatCall, &mut Vec<u8>);

/// Appends a content: one text as it is, else a list of blocks; `call` writes calls that stand among them.
fn write_content(turn: &ChatTurn, out: &mut Vec<u8>, call: Option<WriteCall>) {
    let said: Vec<&ChatPart> = turn
        .parts
        .iter()
        .filter(|part| call.is_some() || !matches!(part, ChatPart::Call(_)))
        .collect();
    match said.as_slice() {
        [] if turn.role == Role::Assistant => out.extend_from_slice(b"null"),
        [] => out.extend_from_slice(b"\"\""),
        [ChatPart::Text(text)] => text.write(out),
        said => write_list(said, out, |part, out| match part {
            ChatPart::Text(text) => write_text_block(text, out),
            ChatPart::Block(block) => out.extend_from_slice(block),
            ChatPart::Call(number) => call.iter().for_each(|call| call(&turn.calls[*number], out)),
        }),
    }
}

/// Appends a block of text, as three of the targets spell it.
fn write_text_block(text: &EscapedText, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"type\": \"text\", \"text\": ");
    text.write(out);
    out.push(b'}');
}
