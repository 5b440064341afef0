//! Transcript formats. Each is one file and one line in [`FORMATS`]; nothing
//! outside this folder knows any of them.

mod anthropic;
mod bedrock;
mod claude_code;
mod claude_stream;
mod claude_turns;
mod codex;
mod codex_exec;
mod codex_history;
mod codex_items;
mod gemini;
mod gemini_cli;
mod gemini_stream;
mod hermes;
pub mod journal;
mod langchain;
mod langsmith;
mod llamafactory;
mod openai;
mod openai_batch;
mod openai_dpo;
mod opencode;
mod openhands;
mod pi;
mod reading;
mod responses;
mod sharegpt;
mod swe_agent;
mod tau_bench;
pub mod tree;
mod usage;

use crate::error::RecordError;
use crate::transcript::journal::Writes;
use crate::transcript::json::{Kind, Scanner, Span};
use crate::transcript::splice::Splice;
use crate::transcript::view::only_text;
use crate::transcript::{BlockKind, Content, Message, Record, Role, Transcript, text};
use journal::{Journal, Kept};
use std::borrow::Cow;
use std::cmp::Reverse;
use tree::{Node, Tree};

/// All formats, the most specific first: the first that knows a record reads its file.
pub static FORMATS: &[&dyn Format] = &[
    &Kept(claude_code::ClaudeCode),
    &Kept(codex::Codex),
    &Kept(codex_items::CodexItems),
    &Kept(codex_exec::CodexExec),
    &Kept(pi::Pi),
    &Kept(opencode::OpenCode),
    &Kept(openhands::OpenHands),
    &Kept(gemini_cli::GeminiCli),
    &Kept(gemini_stream::GeminiStream),
    &Kept(claude_stream::ClaudeStream),
    &Kept(langsmith::LangSmith),
    &openai_batch::OpenAiBatch,
    &openai_dpo::OpenAiDpo,
    &swe_agent::SweAgent,
    &tau_bench::TauBench,
    &hermes::Hermes,
    &sharegpt::ShareGpt,
    &llamafactory::LlamaFactory,
    &gemini::Gemini,
    &bedrock::Bedrock,
    &anthropic::Anthropic,
    &langchain::LangChain,
    &responses::Responses,
    &openai::OpenAi,
];

/// Keys that name the conversation of a record, the first non-empty one wins.
const THREAD_KEYS: [&str; 4] = ["thread_id", "session_id", "conversation_id", "id"];
/// Keys that name the conversation of a single message; its `id` is its own.
const MESSAGE_THREAD_KEYS: [&str; 7] = ["thread_id", "session_id", "sessionId", "conversation_id", "chat_id", "trace_id", "run_id"];

/// How many keys of an unknown record are named, and how much of each.
const KEYS_NAMED: usize = 10;
const KEY_CHARS: usize = 40;

/// What one record of a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A whole conversation.
    Conversation,
    /// One message; the conversation goes on in other records.
    Message,
    /// One event of a journal: all records of the file together are one or more conversations.
    Journal,
}

/// How much a record says about its format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// It fits, as a plain message also fits other formats.
    Fits,
    /// A message holds what only this format has.
    Message,
    /// What stands around the messages is this format's own.
    Envelope,
}

/// Why a record is of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    /// What the record is.
    pub shape: Shape,
    /// How sure that is.
    pub certainty: Certainty,
    /// What was seen.
    pub why: &'static str,
}

/// Where a summary goes: what it stands for, and what follows it.
#[derive(Debug, Clone, Copy)]
pub struct Place<'p> {
    /// The messages that go, in order.
    pub removed: &'p [usize],
    /// The first message that stays behind it; the number of messages where none does.
    pub first_kept: usize,
    /// In a file of one message a record: the thread key and its value in the first removed record.
    pub thread: Option<(&'static str, Span)>,
    /// Tokens of the transcript as logged.
    pub tokens_before: usize,
}

impl<'p> Place<'p> {
    /// The thread key and its value as logged.
    #[must_use]
    pub fn thread<'a>(&self, transcript: &Transcript<'a>) -> Option<(&'static str, &'a [u8])> {
        let record = transcript.record_of(*self.removed.first()?);
        self.thread.map(|(key, value)| (key, value.of(record)))
    }

    /// The first message that stays, if a user speaks in it: where roles must alternate the summary goes into it.
    #[must_use]
    pub fn user_that_follows(&self, transcript: &'p Transcript<'_>) -> Option<&'p Message> {
        transcript.messages.get(self.first_kept).filter(|message| message.role == Role::User)
    }
}

/// How a summary enters a transcript.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Entry {
    /// A message of its own, in the place of what went.
    pub message: Option<Vec<u8>>,
    /// What changes elsewhere, by record: the message that takes it in.
    pub splices: Vec<(usize, Splice)>,
    /// The list stays as it is: the format notes beside it what the summary stands for.
    pub leaves_list: bool,
}

impl Entry {
    /// A message of its own.
    #[must_use]
    pub fn message(json: Vec<u8>) -> Self {
        Self { message: Some(json), ..Self::default() }
    }
}

/// One transcript format: reads records, and writes edits in its own shape.
pub trait Format: Sync {
    /// The name for `--format` and reports.
    fn name(&self) -> &'static str;

    /// One line for `epitome formats`: what it is and how it is recognised.
    fn about(&self) -> &'static str;

    /// Whether a record is of this format, and what it is then.
    fn recognise(&self, record: Node<'_>) -> Option<Hit>;

    /// It as a journal, which is rebuilt before it is read.
    fn journal(&self) -> Option<&dyn Journal> {
        None
    }

    /// How it takes a compaction in.
    fn writes(&self) -> Writes {
        Writes::InPlace
    }

    /// Reads a conversation from its one record, or from one record a message.
    ///
    /// # Errors
    /// What is wrong with the record, naming the field.
    fn read<'a>(&self, records: Vec<Record<'a>>, shape: Shape) -> Result<Transcript<'a>, RecordError>;

    /// How a summary with this text enters the transcript: as a message of its own, or inside the one that follows
    /// where the format's readers want roles to alternate. In a file of one message a record it carries the thread key.
    fn place_summary(&self, transcript: &Transcript<'_>, place: &Place<'_>, text: &str) -> Entry;

    /// The JSON of a message of its own, of a summary that is told in several. It carries the thread key, too.
    fn message(&self, transcript: &Transcript<'_>, place: &Place<'_>, role: Role, text: &str) -> Vec<u8>;

    /// How a summary that is told in several messages enters the transcript; `separator` stands between two.
    fn place_messages(&self, transcript: &Transcript<'_>, place: &Place<'_>, messages: &[(Role, String)], separator: &[u8]) -> Entry {
        let messages: Vec<Vec<u8>> = messages.iter().map(|(role, text)| self.message(transcript, place, *role, text)).collect();
        Entry::message(messages.join(separator))
    }

    /// Whether its messages are OpenAI chat messages as they stand: then they can be samples of fine-tuning data.
    fn is_chat(&self) -> bool {
        false
    }

    /// A content block with this text.
    fn text_block(&self, text: &str) -> Vec<u8> {
        [b"{\"type\": \"text\", \"text\": ".as_slice(), &text::literal(text), b"}"].concat()
    }

    /// A tool result that is this text alone.
    fn result(&self, text: &str) -> Vec<u8> {
        text::literal(text)
    }

    /// The splices that put `text` in the place of a tool result's text, by record. Blocks that are no text stay.
    fn replace_result(&self, transcript: &Transcript<'_>, index: usize, text: &str) -> Vec<(usize, Splice)> {
        let message = &transcript.messages[index];
        let Some(span) = message.content_span else { return Vec::new() };
        let bytes = match &message.content {
            Content::Blocks(blocks) if !only_text(blocks) => {
                let mut list = [b"[", self.text_block(text).as_slice()].concat();
                for block in blocks.iter().filter(|block| !matches!(block.kind, BlockKind::Text(_))) {
                    list.extend_from_slice(b", ");
                    list.extend_from_slice(transcript.bytes(index, block.span));
                }
                list.push(b']');
                list
            }
            Content::Absent | Content::Text(_) | Content::Blocks(_) => self.result(text),
        };
        vec![(message.record, Splice { span, bytes })]
    }

    /// The splices that put `text` in the place of all that a tool result holds, by record.
    fn clear_result(&self, transcript: &Transcript<'_>, index: usize, text: &str) -> Vec<(usize, Splice)> {
        let Message { record, content_span, .. } = transcript.messages[index];
        content_span.map(|span| (record, Splice { span, bytes: self.result(text) })).into_iter().collect()
    }
}

/// The format of that name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static dyn Format> {
    FORMATS.iter().copied().find(|format| format.name() == name)
}

/// How many records of a file vote on its format.
const VOTERS: usize = 20;

/// How many records of no known format are described.
const STRANGERS: usize = 3;

/// What the first records of a file say.
#[derive(Debug, Clone, Default)]
pub struct Verdict {
    /// The surest format of each record.
    pub votes: Vec<Vote>,
    /// Other formats that records fit as well.
    pub also: Vec<Vote>,
    /// How many records were looked at.
    pub records: usize,
    /// What the first records of no known format hold.
    pub strangers: Vec<String>,
}

/// Records that fit a format.
#[derive(Debug, Clone, Copy)]
pub struct Vote {
    /// The format's place in the table.
    pub format: usize,
    /// What was seen in the surest of them.
    pub hit: Hit,
    /// How many there are.
    pub records: usize,
}

impl Verdict {
    /// Lets further records vote, until there are enough.
    pub fn hear_all<'r>(&mut self, records: impl IntoIterator<Item = &'r [u8]>) {
        for record in records {
            if self.votes.iter().map(|vote| vote.records).sum::<usize>() >= VOTERS {
                break;
            }
            self.hear(record);
        }
    }

    /// Lets a record vote, and says whether it is JSON. What is no object and no list has no vote.
    pub fn hear(&mut self, record: &[u8]) -> bool {
        let Ok(tree) = Tree::new(record) else { return false };
        if matches!(tree.root().kind(), Kind::Object | Kind::Array) {
            self.records += 1;
            let mut hits = hits(tree.root(), FORMATS);
            match hits.next() {
                None if self.strangers.len() < STRANGERS => self.strangers.push(what_it_holds(record)),
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
    pub fn winner(&self) -> Option<(&'static dyn Format, Hit)> {
        let best = self.votes.iter().min_by_key(|vote| (Reverse((vote.hit.certainty, vote.records)), vote.format));
        best.map(|vote| (FORMATS[vote.format], vote.hit))
    }
}

fn count(votes: &mut Vec<Vote>, format: usize, hit: Hit) {
    match votes.iter_mut().find(|vote| vote.format == format) {
        Some(vote) => {
            vote.records += 1;
            if hit.certainty > vote.hit.certainty {
                vote.hit = hit;
            }
        }
        None => votes.push(Vote { format, hit, records: 1 }),
    }
}

/// Lets the first records vote that some format knows.
#[must_use]
pub fn vote<'r>(records: impl IntoIterator<Item = &'r [u8]>) -> Verdict {
    let mut verdict = Verdict::default();
    verdict.hear_all(records);
    verdict
}

/// The formats that a record fits: the surest first, of equally sure ones the first of the table.
fn hits(record: Node<'_>, formats: &[&dyn Format]) -> impl Iterator<Item = (usize, Hit)> {
    let mut hits: Vec<(usize, Hit)> = formats.iter().enumerate().filter_map(|(at, format)| Some((at, format.recognise(record)?))).collect();
    hits.sort_by_key(|(at, hit)| (Reverse(hit.certainty), *at));
    hits.into_iter()
}

/// What a record is as one of a format that was named.
#[must_use]
pub fn shape_as(format: &'static dyn Format, record: &[u8]) -> Option<Shape> {
    Some(format.recognise(Tree::new(record).ok()?.root())?.shape)
}

/// The format of the first records of a file, and their shape.
#[must_use]
pub fn detect<'r>(records: impl IntoIterator<Item = &'r [u8]>) -> Option<(&'static dyn Format, Shape)> {
    vote(records).winner().map(|(format, hit)| (format, hit.shape))
}

/// What a record holds, for the message that no format knows it: its keys, or those of a list's first object.
#[must_use]
pub fn what_it_holds(record: &[u8]) -> String {
    let Ok(tree) = Tree::new(record) else { return "it is no JSON".to_owned() };
    let root = tree.root();
    let (node, whose) = match root.items().next() {
        Some(first) => (first, "a list whose first element has the keys"),
        None => (root, "its keys"),
    };
    let mut keys: Vec<String> = node.entries().map(|(key, _)| text::decode(key.of(record)).escape_debug().take(KEY_CHARS).collect()).collect();
    if keys.len() > KEYS_NAMED {
        keys.truncate(KEYS_NAMED);
        keys.push("…".to_owned());
    }
    match root.kind() {
        Kind::Object if keys.is_empty() => "it has no keys".to_owned(),
        Kind::Object | Kind::Array if !keys.is_empty() => format!("{whose}: {}", keys.join(", ")),
        Kind::Array => "it is a list without objects".to_owned(),
        kind => format!("it is {}, no object with keys", kind.noun()),
    }
}

/// The key and value that group a message with its thread, if it has one.
#[must_use]
pub fn message_thread(record: &[u8]) -> Option<(&'static str, Span)> {
    let mut found: Option<(usize, Span)> = None;
    let mut scanner = Scanner::new(record);
    scanner
        .object(|s, key| {
            let kind = s.peek()?;
            let span = s.skip()?;
            if let Some(rank) = MESSAGE_THREAD_KEYS.iter().position(|name| name.as_bytes() == key) {
                let named = identifier(record, span, kind).is_some();
                if named && found.is_none_or(|(best, _)| rank <= best) {
                    found = Some((rank, span));
                }
            }
            Ok(())
        })
        .ok()?;
    found.map(|(rank, span)| (MESSAGE_THREAD_KEYS[rank], span))
}

/// What two messages of one thread have in common: the name of their thread key, and its value however it is spelled.
#[must_use]
pub fn thread_key(record: &[u8]) -> Option<Vec<u8>> {
    let (key, value) = message_thread(record)?;
    let value = match value.of(record) {
        literal @ [b'"', ..] => [b"text:", text::decode_wtf8(literal).as_ref()].concat(),
        number => number.to_vec(),
    };
    Some([key.as_bytes(), b"\0", &value].concat())
}

/// The text of an identifier: a non-empty string, or a number as it is spelled.
fn identifier(record: &[u8], span: Span, kind: Kind) -> Option<Cow<'_, str>> {
    match kind {
        Kind::String if !text::is_empty(span.of(record)) => Some(text::decode(span.of(record))),
        Kind::Number => Some(String::from_utf8_lossy(span.of(record))),
        _ => None,
    }
}

/// Collects the thread id of a record while its keys go by.
#[derive(Default)]
struct ThreadId {
    /// A key of the format's own; it wins.
    own: Option<&'static str>,
    best: Option<(usize, String)>,
}

impl ThreadId {
    /// Looks for a key of a format, too.
    fn of(own: Option<&'static str>) -> Self {
        Self { own, best: None }
    }

    /// Looks at one key and its value.
    fn see(&mut self, record: &[u8], key: &[u8], span: Span, kind: Kind) {
        let Some(rank) = self.own.iter().chain(&THREAD_KEYS).position(|name| name.as_bytes() == key) else { return };
        if self.best.as_ref().is_none_or(|(best, _)| rank <= *best)
            && let Some(id) = identifier(record, span, kind)
        {
            self.best = Some((rank, id.into_owned()));
        }
    }

    fn take(self) -> Option<String> {
        self.best.map(|(_, id)| id)
    }
}
