//! Transcripts as raw JSON text, in their own spelling, and policies as TOML.
//!
//! The structure comes from proptest and shrinks; the spelling (blanks, key
//! order, escapes, odd keys) follows from one seed, and is plain for seed 0.
//! What a transcript means is known from its making, not from reading it again:
//! so no property leans on the parser that it tests.

use crate::catalog::PRESETS;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

/// Stands for a lone surrogate in a text: spelled as half an escape pair, read as U+FFFD.
const LONE: char = '\u{f8ff}';
const BOM: &str = "\u{feff}";
/// The key that tells a message in the output from others: it is the tests' own, no format knows
/// it.
pub(crate) const TAG: &str = "x_tag";
/// How the key of a thread is called in files of one message a line.
pub(crate) const THREAD_KEY: &str = "session_id";

const ARCHIVED_FRAME: [&str; 2] = [
    "You are in the middle of a conversation that has been summarized.\n\nThe full conversation history has been saved to /conversation_history/t.md should \
     you need to refer back to it for details.\n\nA condensed summary follows:\n\n<summary>\n",
    "\n</summary>",
];
const PLAIN_FRAME: [&str; 2] = ["Here is a summary of the conversation to date:\n\n", ""];
/// What the user asks before a summary of OpenCode's shape.
const QUESTION: &str = "What did we do so far?";

/// What the tests know of one message.
#[derive(Debug, Clone)]
pub(crate) struct Message {
    pub(crate) tag: u64,
    pub(crate) raw: String,
    pub(crate) role: &'static str,
    /// Its text, blocks joined by nothing, as archives show it.
    pub(crate) text: String,
    /// Its text, blocks joined by line breaks, as evicted files hold it.
    pub(crate) lines: String,
    /// Ids of its calls; a call without one is not listed.
    pub(crate) calls: Vec<String>,
    pub(crate) legacy_call: bool,
    pub(crate) answers: Option<String>,
    pub(crate) earlier_summary: bool,
    /// Stands at the end of its text and nowhere else.
    pub(crate) mark: Option<String>,
}

/// One conversation of a file.
#[derive(Debug, Clone)]
pub(crate) struct Thread {
    pub(crate) messages: Vec<Message>,
    /// The line where its first record begins, in files of lines.
    pub(crate) line: u64,
    /// The key value that its lines share, as spelled, in files of one message a line.
    pub(crate) key: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// One conversation a line.
    Lines,
    /// A JSON array of conversations.
    Array,
    /// A JSON array of messages.
    Messages,
    /// One message a line, of one thread or of several.
    MessageLines,
}

/// A record that can't be read.
#[derive(Debug, Clone)]
pub(crate) struct Bad {
    pub(crate) bytes: Vec<u8>,
}

/// One input file and what is in it.
#[derive(Clone)]
pub(crate) struct Sample {
    pub(crate) shape: Shape,
    pub(crate) bytes: Vec<u8>,
    /// The bytes that leave where nothing is changed: without byte order mark and without the `\r`
    /// of line ends.
    pub(crate) untouched: Vec<u8>,
    pub(crate) threads: Vec<Thread>,
    pub(crate) bad: Vec<Bad>,
}

impl std::fmt::Debug for Sample {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{:?}, {} threads, {} bad:\n{}",
            self.shape,
            self.threads.len(),
            self.bad.len(),
            String::from_utf8_lossy(&self.bytes)
        )
    }
}

/// A policy as TOML.
#[derive(Clone)]
pub(crate) struct Policy {
    pub(crate) toml: String,
}

impl std::fmt::Debug for Policy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.toml)
    }
}

/// The policy under which nothing changes.
pub(crate) const ALL_OFF: &str =
    "[evict]\ntokens = 0\n[truncate]\ntrigger = []\n[summarize]\ntrigger = []\n";

// ---------------------------------------------------------------- structure

#[derive(Debug, Clone)]
enum Text {
    Short(&'static str),
    Long { word: &'static str, count: usize },
}

#[derive(Debug, Clone)]
enum Content {
    Text(Text),
    Null,
    Missing,
    Empty,
    Blocks(Vec<Block>),
}

#[derive(Debug, Clone)]
enum Block {
    Text(Text),
    Bare(Text),
    Image,
    Other,
}

#[derive(Debug, Clone)]
enum Arguments {
    /// JSON in a string.
    Literal(Vec<(&'static str, Text)>),
    /// JSON as it is.
    Object(Vec<(&'static str, Text)>),
    Invalid(&'static str),
    Missing,
}

#[derive(Debug, Clone)]
struct Call {
    id: Option<&'static str>,
    tool: &'static str,
    arguments: Arguments,
}

#[derive(Debug, Clone)]
enum Turn {
    Say {
        role: &'static str,
        content: Content,
    },
    Exchange {
        content: Content,
        calls: Vec<Call>,
        results: Vec<(usize, Content)>,
    },
    Legacy {
        tool: &'static str,
        arguments: Arguments,
        results: Vec<Content>,
    },
    Orphan {
        id: Option<&'static str>,
        content: Content,
    },
    OrphanFunction {
        content: Content,
    },
    Summary {
        shape: SummaryShape,
        text: Text,
    },
}

#[derive(Debug, Clone, Copy)]
enum SummaryShape {
    Archived,
    Plain,
    OpenCode,
}

#[derive(Debug, Clone)]
struct Conversation {
    head: Option<Content>,
    turns: Vec<Turn>,
    id: Option<(&'static str, &'static str)>,
    model: Option<&'static str>,
    tools: bool,
    bare: bool,
}

/// Ids that real logs hold, and ids that would leave their directory.
pub(crate) const IDS: &[&str] = &[
    "c1",
    "c2",
    "c3",
    "",
    "../../escaped",
    "/absolute",
    "..",
    ".",
    "a/b",
    "a\\b",
    "a.b",
    "nul\0l",
    "two\nlines",
    "c1~2",
    "é",
    "e\u{301}",
    "\u{202e}rtl",
    "half\u{f8ff}",
    "%2E%2E",
    " ",
    LONG_ID,
    "unknown",
    "conversation_history",
];
const LONG_ID: &str = "an-id-that-is-longer-than-one-hundred-and-twenty-eight-bytes-0123456789-0123456789-0123456789-0123456789-0123456789-0123456789-0123456789-\
     0123456789-0123456789-0123456789-0123456789-0123456789-0123456789-0123456789-0123456789-0123456789-0123456789-0123456789";

const WORDS: &[&str] = &[
    "word ",
    "src/main.rs:12 ",
    "line of text\n",
    "crlf\r\n",
    "é日本 ",
    "😀",
    "\"quoted\" \\ ",
    "\u{2028}",
    "{\"a\": 1} ",
    "ERROR: x failed\n",
];
const SHORTS: &[&str] = &[
    "hello",
    "",
    " ",
    "Human: not a role",
    "tab\tnul\0bell\u{7}",
    "half \u{f8ff} pair",
    "</summary>",
    "ünï 😀 \u{200b}",
    "slash / back \\ quote \"",
    "1",
];

fn text(most: usize) -> impl Strategy<Value = Text> {
    prop_oneof![
        2 => select(SHORTS).prop_map(Text::Short),
        3 => (select(WORDS), 1..most).prop_map(|(word, count)| Text::Long { word, count }),
    ]
}

fn content(most: usize) -> impl Strategy<Value = Content> {
    let block = prop_oneof![
        4 => text(most).prop_map(Block::Text),
        1 => text(20).prop_map(Block::Bare),
        1 => Just(Block::Image),
        1 => Just(Block::Other),
    ];
    prop_oneof![
        10 => text(most).prop_map(Content::Text),
        1 => Just(Content::Null),
        1 => Just(Content::Missing),
        1 => Just(Content::Empty),
        3 => vec(block, 1..4).prop_map(Content::Blocks),
    ]
}

fn arguments() -> impl Strategy<Value = Arguments> {
    let entries = || {
        vec(
            (
                select(vec![
                    "path",
                    "content",
                    "old_string",
                    "new_string",
                    "clé",
                    "nested",
                ]),
                text(60),
            ),
            0..4,
        )
    };
    prop_oneof![
        6 => entries().prop_map(Arguments::Literal),
        2 => entries().prop_map(Arguments::Object),
        1 => select(vec!["{\"path\": ", "", "[1]", "not json", "{\"a\": 1}}"]).prop_map(Arguments::Invalid),
        1 => Just(Arguments::Missing),
    ]
}

fn id() -> impl Strategy<Value = Option<&'static str>> {
    prop_oneof![5 => select(&IDS[..3]).prop_map(Some), 3 => select(IDS).prop_map(Some), 1 => Just(None)]
}

fn call() -> impl Strategy<Value = Call> {
    let tool = select(vec![
        "write_file",
        "edit_file",
        "execute",
        "grep",
        "read_file",
        "search",
    ]);
    (id(), tool, arguments()).prop_map(|(id, tool, arguments)| Call {
        id,
        tool,
        arguments,
    })
}

fn turn() -> impl Strategy<Value = Turn> {
    let say = |roles: &'static [&'static str], most| {
        (select(roles), content(most)).prop_map(|(role, content)| Turn::Say { role, content })
    };
    prop_oneof![
        4 => say(&["user", "assistant"], 120),
        1 => say(&["system", "developer"], 30),
        7 => (content(30), vec(call(), 1..4), vec((0..4usize, content(500)), 0..4))
            .prop_map(|(content, calls, results)| Turn::Exchange { content, calls, results }),
        1 => (select(vec!["lookup", "write_file"]), arguments(), vec(content(200), 0..3))
            .prop_map(|(tool, arguments, results)| Turn::Legacy { tool, arguments, results }),
        1 => (id(), content(300)).prop_map(|(id, content)| Turn::Orphan { id, content }),
        1 => content(50).prop_map(|content| Turn::OrphanFunction { content }),
        1 => (select(vec![SummaryShape::Archived, SummaryShape::Plain, SummaryShape::OpenCode]), text(80)).prop_map(|(shape, text)| Turn::Summary { shape, text }),
    ]
}

fn conversation(turns: usize) -> impl Strategy<Value = Conversation> {
    let key = || select(vec!["thread_id", "session_id", "conversation_id", "id"]);
    let model = select(vec![
        "gpt-4o",
        "openai:gpt-5.2",
        "anthropic:claude-sonnet-4-5",
        "nobody:knows",
        "",
    ]);
    (
        option::of(content(20)),
        vec(turn(), 1..turns),
        option::weighted(0.7, (key(), select(IDS))),
        option::weighted(0.3, model),
        any::<bool>(),
        0..6u8,
    )
        .prop_map(|(head, turns, id, model, tools, bare)| Conversation {
            head,
            turns,
            id,
            model,
            tools,
            bare: bare == 5,
        })
}

// ---------------------------------------------------------------- spelling

/// Writes JSON in ever other ways.
struct Pen {
    /// 0: plain.
    state: u64,
    /// Whether blanks may be line breaks.
    breaks: bool,
    tag: u64,
}

impl Pen {
    fn new(seed: u64, breaks: bool) -> Self {
        Self {
            state: seed,
            breaks: breaks && seed != 0,
            tag: 0,
        }
    }

    /// A number below `sides`; always 0 where the spelling is plain.
    fn roll(&mut self, sides: u64) -> u64 {
        if self.state == 0 {
            return 0;
        }
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407)
            | 1;
        let mixed = (self.state ^ (self.state >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        (mixed >> 33) % sides
    }

    fn one_of<'s>(&mut self, choices: &[&'s str]) -> &'s str {
        choices[self.roll(choices.len() as u64) as usize]
    }

    fn blank(&mut self) -> &'static str {
        let blank = self.one_of(&["", "", " ", " ", "  ", "\t", "\n", "\r\n  "]);
        if self.breaks || !blank.contains('\n') {
            blank
        } else {
            ""
        }
    }

    fn string(&mut self, text: &str) -> String {
        let mut out = String::from("\"");
        let mut half = false;
        for c in text.chars() {
            let was_half = std::mem::replace(&mut half, c == LONE);
            match c {
                LONE => out.push_str(if !was_half && self.roll(2) == 1 {
                    "\\uDE00"
                } else {
                    "\\ud83d"
                }),
                '"' => out.push_str("\\\""),
                '\\' => out.push_str(self.one_of(&["\\\\", "\\u005c"])),
                '\n' => out.push_str(self.one_of(&["\\n", "\\n", "\\u000a"])),
                '\t' => out.push_str("\\t"),
                '\0'..'\u{20}' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
                '/' => out.push_str(self.one_of(&["/", "\\/"])),
                _ if self.roll(24) == 1 => {
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        out.push_str(&if unit.is_multiple_of(2) {
                            format!("\\u{unit:04x}")
                        } else {
                            format!("\\u{unit:04X}")
                        });
                    }
                }
                _ => out.push(c),
            }
        }
        out.push('"');
        out
    }

    fn list(&mut self, items: &[String]) -> String {
        let mut out = String::from("[");
        out.push_str(self.blank());
        for (place, item) in items.iter().enumerate() {
            if place > 0 {
                out.push_str(self.blank());
                out.push(',');
                out.push_str(self.blank());
            }
            out.push_str(item);
        }
        out.push_str(self.blank());
        out.push(']');
        out
    }

    /// An object with these entries, in any order, and perhaps with some that nobody knows.
    fn object(&mut self, entries: Vec<(&str, String)>) -> String {
        const NOISE: &[&str] = &[
            "1.0",
            "1e5",
            "-0",
            "123456789012345678901234567890",
            "1E400",
            "0.1234567890123456789",
            "null",
            "true",
            "\"\\ud83d\"",
            "\"\\u00e9\\/ ]}\"",
            "[ ]",
            "{ \"a\" : 1 , \"a\":2}",
            "[[{\"role\": \"user\"}]]",
        ];
        let mut entries = entries;
        for _ in 0..self.roll(8).saturating_sub(5) {
            entries.push((
                self.one_of(&["x_odd", "x_odd", "x_other", "metadata"]),
                self.one_of(NOISE).to_owned(),
            ));
        }
        for place in 0..entries.len() {
            let other = self.roll(entries.len() as u64) as usize;
            if self.state != 0 && self.roll(3) == 0 {
                entries.swap(place, other);
            }
        }
        let mut out = String::from("{");
        out.push_str(self.blank());
        for (place, (key, value)) in entries.iter().enumerate() {
            if place > 0 {
                out.push_str(self.blank());
                out.push(',');
                out.push_str(self.blank());
            }
            out.push_str(&self.string(key));
            out.push_str(self.blank());
            out.push(':');
            out.push_str(if self.state == 0 { " " } else { self.blank() });
            out.push_str(value);
        }
        out.push_str(self.blank());
        out.push('}');
        out
    }
}

/// A text as it reads: half a pair is U+FFFD.
fn read(text: &str) -> String {
    text.replace(LONE, "\u{fffd}")
}

impl Text {
    fn write(&self) -> String {
        match self {
            Self::Short(text) => (*text).to_owned(),
            Self::Long { word, count } => word.repeat(*count),
        }
    }
}

/// One message while it is made.
struct Draft {
    role: &'static str,
    content: Content,
    calls: Vec<Call>,
    legacy: Option<(&'static str, Arguments)>,
    answers: Option<&'static str>,
    earlier_summary: bool,
}

impl Draft {
    fn new(role: &'static str, content: Content) -> Self {
        Self {
            role,
            content,
            calls: Vec::new(),
            legacy: None,
            answers: None,
            earlier_summary: false,
        }
    }
}

impl Pen {
    fn arguments(&mut self, arguments: &Arguments) -> Option<String> {
        let object = |pen: &mut Self, entries: &[(&'static str, Text)]| {
            let entries = entries.iter().map(|(key, text)| {
                let value = pen.string(&text.write());
                (
                    *key,
                    if *key == "nested" {
                        format!("[{value}]")
                    } else {
                        value
                    },
                )
            });
            let entries = entries.collect::<Vec<_>>();
            pen.object(entries)
        };
        match arguments {
            Arguments::Literal(entries) => {
                let json = object(self, entries);
                Some(self.string(&json))
            }
            Arguments::Object(entries) => Some(object(self, entries)),
            Arguments::Invalid(text) => Some(self.string(text)),
            Arguments::Missing => None,
        }
    }

    fn function(&mut self, tool: &str, arguments: &Arguments) -> String {
        let mut entries = vec![("name", self.string(tool))];
        entries.extend(
            self.arguments(arguments)
                .map(|arguments| ("arguments", arguments)),
        );
        self.object(entries)
    }

    fn block(&mut self, block: &Block, texts: &mut Vec<String>) -> String {
        match block {
            Block::Text(text) => {
                let text = text.write();
                texts.push(text.clone());
                let entries = vec![("type", self.string("text")), ("text", self.string(&text))];
                self.object(entries)
            }
            Block::Bare(text) => {
                let text = text.write();
                texts.push(text.clone());
                self.string(&text)
            }
            Block::Image => self.object(vec![
                ("type", "\"image_url\"".to_owned()),
                (
                    "image_url",
                    "{\"url\": \"data:image/png;base64,iVBORw0KGgo=\"}".to_owned(),
                ),
            ]),
            Block::Other => self.object(vec![
                ("type", "\"input_audio\"".to_owned()),
                (
                    "input_audio",
                    "{\"data\": \"UklGRg==\", \"text\": \"no\"}".to_owned(),
                ),
            ]),
        }
    }

    fn message(&mut self, draft: &Draft, thread: Option<&str>) -> Message {
        self.tag += 1;
        let tag = self.tag;
        let mark = format!("«{tag}»");
        let mut texts = Vec::new();
        let mut marked = false;
        let content = match &draft.content {
            Content::Text(text) => {
                let mut text = text.write();
                if !draft.earlier_summary {
                    text.push_str(&mark);
                    marked = true;
                }
                texts.push(text.clone());
                // A summary is known by its frame, which nobody spells in odd ways.
                let state = if draft.earlier_summary {
                    std::mem::take(&mut self.state)
                } else {
                    self.state
                };
                let literal = self.string(&text);
                self.state = state;
                Some(literal)
            }
            Content::Null => Some("null".to_owned()),
            Content::Missing => None,
            Content::Empty => Some(self.list(&[])),
            Content::Blocks(blocks) => {
                let blocks: Vec<String> = blocks
                    .iter()
                    .map(|block| self.block(block, &mut texts))
                    .collect();
                Some(self.list(&blocks))
            }
        };
        let mut entries = vec![("role", self.string(draft.role))];
        entries.extend(content.map(|content| ("content", content)));
        if !draft.calls.is_empty() {
            let calls: Vec<String> = draft.calls.iter().map(|call| self.call(call)).collect();
            entries.push(("tool_calls", self.list(&calls)));
        }
        if let Some((tool, arguments)) = &draft.legacy {
            entries.push(("function_call", self.function(tool, arguments)));
        }
        if let Some(id) = draft.answers {
            entries.push(("tool_call_id", self.string(id)));
        }
        if draft.role == "function" {
            entries.push(("name", "\"lookup\"".to_owned()));
        }
        // Some answers report their usage, some results that they are none.
        if draft.role == "assistant" && tag.is_multiple_of(5) {
            entries.push((
                "usage",
                format!(
                    "{{\"prompt_tokens\": {}, \"completion_tokens\": 50}}",
                    tag * 40
                ),
            ));
        }
        if draft.role == "tool" && tag.is_multiple_of(7) {
            entries.push(("status", "\"error\"".to_owned()));
        }
        entries.extend(thread.map(|thread| (THREAD_KEY, thread.to_owned())));
        entries.push((TAG, tag.to_string()));
        Message {
            tag,
            raw: self.object(entries),
            role: draft.role,
            text: read(&texts.concat()),
            lines: read(&texts.join("\n")),
            calls: draft
                .calls
                .iter()
                .filter_map(|call| call.id)
                .map(read)
                .collect(),
            legacy_call: draft.legacy.is_some(),
            answers: draft.answers.map(read),
            earlier_summary: draft.earlier_summary,
            mark: marked.then_some(mark),
        }
    }

    fn call(&mut self, call: &Call) -> String {
        let mut entries = vec![
            ("type", "\"function\"".to_owned()),
            ("function", self.function(call.tool, &call.arguments)),
        ];
        entries.extend(call.id.map(|id| ("id", self.string(id))));
        self.object(entries)
    }

    fn messages(&mut self, conversation: &Conversation, thread: Option<&str>) -> Vec<Message> {
        let head = conversation
            .head
            .iter()
            .map(|content| Draft::new("system", content.clone()));
        let drafts: Vec<Draft> = head
            .chain(conversation.turns.iter().flat_map(drafts))
            .collect();
        drafts
            .iter()
            .map(|draft| self.message(draft, thread))
            .collect()
    }

    /// A conversation as one record.
    fn record(&mut self, conversation: &Conversation) -> (String, Vec<Message>) {
        let messages = self.messages(conversation, None);
        let raws: Vec<String> = messages.iter().map(|message| message.raw.clone()).collect();
        let list = self.list(&raws);
        if conversation.bare {
            return (list, messages);
        }
        let mut entries = vec![("messages", list)];
        if let Some((key, id)) = conversation.id {
            entries.push((key, self.string(id)));
        }
        entries.extend(
            conversation
                .model
                .map(|model| ("model", self.string(model))),
        );
        if conversation.tools {
            entries.push(("tools", "[{\"type\": \"function\", \"function\": {\"name\": \"grep\", \"description\": \"é\", \"parameters\": {}}}]".to_owned()));
        }
        (self.object(entries), messages)
    }
}

fn drafts(turn: &Turn) -> Vec<Draft> {
    match turn {
        Turn::Say { role, content } => vec![Draft::new(role, content.clone())],
        Turn::Exchange {
            content,
            calls,
            results,
        } => {
            let first = Draft {
                calls: calls.clone(),
                ..Draft::new("assistant", content.clone())
            };
            let result = |(which, content): &(usize, Content)| Draft {
                answers: calls[which % calls.len()].id,
                ..Draft::new("tool", content.clone())
            };
            std::iter::once(first)
                .chain(results.iter().map(result))
                .collect()
        }
        Turn::Legacy {
            tool,
            arguments,
            results,
        } => {
            let first = Draft {
                legacy: Some((tool, arguments.clone())),
                ..Draft::new("assistant", Content::Null)
            };
            std::iter::once(first)
                .chain(
                    results
                        .iter()
                        .map(|content| Draft::new("function", content.clone())),
                )
                .collect()
        }
        Turn::Orphan { id, content } => vec![Draft {
            answers: *id,
            ..Draft::new("tool", content.clone())
        }],
        Turn::OrphanFunction { content } => vec![Draft::new("function", content.clone())],
        Turn::Summary { shape, text } => {
            let summary = |role, text: String| {
                let text: &'static str = Box::leak(text.into_boxed_str());
                Draft {
                    earlier_summary: true,
                    ..Draft::new(role, Content::Text(Text::Short(text)))
                }
            };
            let framed = |[before, after]: [&str; 2]| {
                vec![summary("user", format!("{before}{}{after}", text.write()))]
            };
            match shape {
                SummaryShape::Archived => framed(ARCHIVED_FRAME),
                SummaryShape::Plain => framed(PLAIN_FRAME),
                SummaryShape::OpenCode => vec![
                    summary("user", QUESTION.to_owned()),
                    summary("assistant", format!("Done before: {}", text.write())),
                ],
            }
        }
    }
}

/// Only before all but system messages a summary is one: later it is somebody's words.
fn settled(mut messages: Vec<Message>) -> Vec<Message> {
    let mut conversation = messages
        .iter_mut()
        .filter(|message| !matches!(message.role, "system" | "developer"));
    // OpenCode's shape is a question and its answer.
    let asked = conversation
        .next()
        .is_some_and(|message| message.earlier_summary && message.text == QUESTION);
    conversation
        .skip(usize::from(asked))
        .for_each(|message| message.earlier_summary = false);
    messages
}

// ---------------------------------------------------------------- files

/// Lines and what they become where nothing is changed.
struct File<'p> {
    pen: &'p mut Pen,
    bytes: Vec<u8>,
    untouched: Vec<u8>,
    line: u64,
}

impl File<'_> {
    fn line(&mut self, line: &[u8], crlf: bool) -> u64 {
        self.bytes.extend_from_slice(line);
        self.untouched.extend_from_slice(line);
        self.bytes
            .extend_from_slice(if crlf { b"\r\n" } else { b"\n" });
        self.untouched.push(b'\n');
        self.line += 1;
        self.line - 1
    }

    fn blank_lines(&mut self) {
        while self.pen.roll(8) == 1 {
            let crlf = self.pen.roll(2) == 1;
            let blank = self.pen.one_of(&["", " ", "\t "]);
            self.line(blank.as_bytes(), crlf);
        }
    }

    /// A record, with blanks around it that belong to it.
    fn record(&mut self, record: &str, crlf: bool) -> u64 {
        let (before, after) = (
            self.pen.one_of(&["", "", " "]),
            self.pen.one_of(&["", "", "  "]),
        );
        let line = self.line(format!("{before}{record}{after}").as_bytes(), crlf);
        self.blank_lines();
        line
    }
}

/// A record that can't be read, as a line of its own; `number` makes it the only one of its kind.
pub(crate) fn bad_line(kind: usize, number: usize, shape: Shape) -> Vec<u8> {
    let nested = format!("{}\"bad{number}\"{}", "[".repeat(150), "]".repeat(150));
    let text = match (shape, kind % 8) {
        (_, 0) => format!("\"bad{number}\""),
        (_, 1) => format!("[{number}, \"bad{number}\"]"),
        (_, 2) => format!("{{\"nothing\": \"bad{number}\"}}"),
        (_, 3) => nested,
        (Shape::MessageLines, 4) => format!("{{\"role\": \"user\", \"content\": \"bad{number}"),
        (Shape::MessageLines, 5) => {
            format!("{{\"role\": \"critic\", \"content\": \"bad{number}\"}}")
        }
        (Shape::MessageLines, 6) => {
            format!("{{\"role\": \"user\", \"content\": \"bad{number}\u{1}\"}}")
        }
        (Shape::MessageLines, _) => {
            format!("{{\"role\": \"user\", \"content\": \"bad{number}\u{fffd}\"}}")
        }
        (_, 4) => format!("{{\"messages\": [{{\"role\": \"user\", \"content\": \"bad{number}"),
        (_, 5) => {
            format!("{{\"messages\": [{{\"role\": \"critic\", \"content\": \"bad{number}\"}}]}}")
        }
        (_, 6) => format!("{{\"messages\": [], \"x\": \"bad{number}\u{1}\"}}"),
        (_, _) => format!("{{\"messages\": [], \"x\": \"bad{number}\u{fffd}\"}}"),
    };
    match kind % 8 {
        // Invalid UTF-8.
        7 => {
            let at = text.find('\u{fffd}').unwrap_or(text.len());
            [&text.as_bytes()[..at], b"\xff", &text.as_bytes()[at + 3..]].concat()
        }
        _ => text.into_bytes(),
    }
}

/// An element of an array that is no conversation.
fn bad_element(kind: usize) -> &'static str {
    [
        "5",
        "\"bad, ]\"",
        "{\"messages\": \"bad\"}",
        "{\"role\": \"user\"}",
        "{\"messages\": [{\"role\": \"critic\"}]}",
    ][kind % 5]
}

struct Layout {
    seed: u64,
    bom: bool,
    crlf: bool,
    bad: Vec<(usize, usize)>,
    cut_end: bool,
}

fn layout() -> impl Strategy<Value = Layout> {
    (
        prop_oneof![1 => Just(0), 4 => any::<u64>()],
        any::<bool>(),
        any::<bool>(),
        vec((0..100usize, 0..8usize), 0..3),
        any::<bool>(),
    )
        .prop_map(|(seed, bom, crlf, bad, cut_end)| Layout {
            seed,
            bom,
            crlf,
            bad,
            cut_end,
        })
}

impl std::fmt::Debug for Layout {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "seed {}", self.seed)
    }
}

/// One file of a shape, with at most so many turns a conversation.
pub(crate) fn sample_of(shape: Shape, turns: usize) -> impl Strategy<Value = Sample> {
    let most = if shape == Shape::Messages { 2 } else { 5 };
    (vec(conversation(turns), 1..most), layout())
        .prop_map(move |(conversations, layout)| build(shape, &conversations, &layout))
}

/// One file of any shape.
pub(crate) fn sample() -> impl Strategy<Value = Sample> {
    prop_oneof![
        3 => sample_of(Shape::Lines, 14),
        1 => sample_of(Shape::Array, 14),
        1 => sample_of(Shape::Messages, 20),
        2 => sample_of(Shape::MessageLines, 14),
    ]
}

/// One file of lines.
pub(crate) fn sample_of_lines() -> impl Strategy<Value = Sample> {
    prop_oneof![2 => sample_of(Shape::Lines, 12), 1 => sample_of(Shape::MessageLines, 12)]
}

fn build(shape: Shape, conversations: &[Conversation], layout: &Layout) -> Sample {
    let mut pen = Pen::new(layout.seed, matches!(shape, Shape::Array | Shape::Messages));
    let mut sample = match shape {
        Shape::Lines => build_lines(conversations, layout, &mut pen),
        Shape::MessageLines => build_message_lines(conversations, layout, &mut pen),
        Shape::Array => build_array(conversations, layout, &mut pen),
        Shape::Messages => build_messages(&conversations[0], layout, &mut pen),
    };
    if layout.bom {
        sample.bytes.splice(0..0, BOM.bytes());
    }
    sample
}

/// Where bad records go: before the record of that number.
fn bad_before(
    layout: &Layout,
    place: usize,
    records: usize,
) -> impl Iterator<Item = (usize, usize)> {
    layout
        .bad
        .iter()
        .enumerate()
        .filter(move |(_, (at, _))| at % (records + 1) == place)
        .map(|(number, (_, kind))| (number, *kind))
}

fn push_bad(
    file: &mut File<'_>,
    layout: &Layout,
    place: usize,
    records: usize,
    shape: Shape,
    bad: &mut Vec<Bad>,
) {
    for (number, kind) in bad_before(layout, place, records) {
        let bytes = bad_line(kind, number, shape);
        file.line(&bytes, layout.crlf);
        bad.push(Bad { bytes });
    }
}

fn finish(file: File<'_>, layout: &Layout, sample: Sample) -> Sample {
    let File {
        mut bytes,
        mut untouched,
        ..
    } = file;
    if layout.cut_end {
        bytes.truncate(bytes.len() - if bytes.ends_with(b"\r\n") { 2 } else { 1 });
        untouched.pop();
    }
    Sample {
        bytes,
        untouched,
        ..sample
    }
}

fn empty(shape: Shape) -> Sample {
    Sample {
        shape,
        bytes: Vec::new(),
        untouched: Vec::new(),
        threads: Vec::new(),
        bad: Vec::new(),
    }
}

fn build_lines(conversations: &[Conversation], layout: &Layout, pen: &mut Pen) -> Sample {
    let mut sample = empty(Shape::Lines);
    let records: Vec<(String, Vec<Message>)> = conversations
        .iter()
        .map(|conversation| pen.record(conversation))
        .collect();
    let mut file = File {
        pen,
        bytes: Vec::new(),
        untouched: Vec::new(),
        line: 1,
    };
    file.blank_lines();
    // A file of one bare array on one line is another shape only where it stands alone; it reads
    // the same.
    for (place, (record, messages)) in records.iter().enumerate() {
        push_bad(
            &mut file,
            layout,
            place,
            records.len(),
            Shape::Lines,
            &mut sample.bad,
        );
        let crlf = layout.crlf && file.pen.roll(4) != 1;
        let line = file.record(record, crlf);
        sample.threads.push(Thread {
            messages: settled(messages.clone()),
            line,
            key: None,
        });
    }
    push_bad(
        &mut file,
        layout,
        records.len(),
        records.len(),
        Shape::Lines,
        &mut sample.bad,
    );
    finish(file, layout, sample)
}

fn build_message_lines(conversations: &[Conversation], layout: &Layout, pen: &mut Pen) -> Sample {
    let mut sample = empty(Shape::MessageLines);
    let is_single = conversations.len() == 1 && pen.roll(2) == 0;
    let shift = pen.roll(IDS.len() as u64) as usize;
    let mut waiting: Vec<(usize, std::vec::IntoIter<Message>)> = Vec::new();
    let ids: Vec<&str> = (0..)
        .map(|at| IDS[(shift + at) % IDS.len()])
        .filter(|id| !id.is_empty())
        .take(conversations.len())
        .collect();
    for (number, conversation) in conversations.iter().enumerate() {
        let key = (!is_single).then(|| {
            if number == 1 {
                "17".to_owned()
            } else {
                pen.string(ids[number])
            }
        });
        let messages = pen.messages(conversation, key.as_deref());
        waiting.push((number, messages.clone().into_iter()));
        sample.threads.push(Thread {
            messages: settled(messages),
            line: 0,
            key,
        });
    }
    let records: usize = sample
        .threads
        .iter()
        .map(|thread| thread.messages.len())
        .sum();
    let mut file = File {
        pen,
        bytes: Vec::new(),
        untouched: Vec::new(),
        line: 1,
    };
    let mut order = Vec::new();
    for place in 0..records {
        push_bad(
            &mut file,
            layout,
            place,
            records,
            Shape::MessageLines,
            &mut sample.bad,
        );
        let which = file.pen.roll(waiting.len() as u64) as usize;
        let (number, messages) = &mut waiting[which];
        let (number, message) = (*number, messages.next());
        if messages.len() == 0 {
            waiting.remove(which);
        }
        let line = file.record(
            &message.map(|message| message.raw).unwrap_or_default(),
            layout.crlf,
        );
        if sample.threads[number].line == 0 {
            sample.threads[number].line = line;
            order.push(number);
        }
    }
    push_bad(
        &mut file,
        layout,
        records,
        records,
        Shape::MessageLines,
        &mut sample.bad,
    );
    sample.threads = order
        .into_iter()
        .map(|number| sample.threads[number].clone())
        .collect();
    finish(file, layout, sample)
}

fn build_array(conversations: &[Conversation], layout: &Layout, pen: &mut Pen) -> Sample {
    let mut sample = empty(Shape::Array);
    let mut elements = Vec::new();
    let count = conversations.len();
    for (place, conversation) in conversations.iter().enumerate() {
        // The first element tells the format: it is a good one.
        let (record, messages) = pen.record(&Conversation {
            bare: conversation.bare && place > 0,
            ..conversation.clone()
        });
        elements.push(record);
        sample.threads.push(Thread {
            messages: settled(messages),
            line: 0,
            key: None,
        });
        for (_, kind) in bad_before(layout, place, count) {
            elements.push(bad_element(kind).to_owned());
            sample.bad.push(Bad {
                bytes: bad_element(kind).as_bytes().to_vec(),
            });
        }
    }
    let end = if layout.crlf { "\r\n" } else { "\n" };
    let text = format!(
        "{}{}{}",
        pen.blank(),
        pen.list(&elements),
        if layout.cut_end { "" } else { end }
    );
    Sample {
        untouched: text.clone().into_bytes(),
        bytes: text.into_bytes(),
        ..sample
    }
}

fn build_messages(conversation: &Conversation, layout: &Layout, pen: &mut Pen) -> Sample {
    let sample = empty(Shape::Messages);
    let (text, messages) = pen.record(&Conversation {
        bare: true,
        ..conversation.clone()
    });
    let threads = vec![Thread {
        messages: settled(messages),
        line: 1,
        key: None,
    }];
    if text.contains('\n') {
        let end = if layout.crlf { "\r\n" } else { "\n" };
        let text = text + if layout.cut_end { "" } else { end };
        return Sample {
            threads,
            untouched: text.clone().into_bytes(),
            bytes: text.into_bytes(),
            ..sample
        };
    }
    let mut file = File {
        pen,
        bytes: Vec::new(),
        untouched: Vec::new(),
        line: 1,
    };
    file.line(text.as_bytes(), layout.crlf);
    finish(file, layout, Sample { threads, ..sample })
}

// ---------------------------------------------------------------- policies

fn amount(limit: bool) -> impl Strategy<Value = String> {
    let fraction = select(if limit {
        vec![
            "fraction = 0.1",
            "fraction = 0.5",
            "fraction = 0.85",
            "fraction = 1",
        ]
    } else {
        vec!["messages = 3"]
    });
    prop_oneof![
        (1..9u32).prop_map(|number| format!("messages = {number}")),
        (5..1500u32).prop_map(|number| format!("tokens = {number}")),
        fraction.prop_map(str::to_owned),
    ]
}

fn trigger(limit: bool) -> impl Strategy<Value = Option<String>> {
    let clause = prop_oneof![
        4 => amount(limit).prop_map(|amount| format!("{{ {amount} }}")),
        1 => (1..9u32, 5..900u32).prop_map(|(messages, tokens)| format!("{{ messages = {messages}, tokens = {tokens} }}")),
        1 => Just("{ overflow = true }".to_owned()),
    ];
    prop_oneof![
        1 => Just(None),
        1 => Just(Some("trigger = []".to_owned())),
        8 => vec(clause, 1..3).prop_map(|clauses| Some(format!("trigger = [{}]", clauses.join(", ")))),
    ]
}

/// The keep of a stage; only some take turns.
fn keep(limit: bool, takes_turns: bool) -> impl Strategy<Value = Option<String>> {
    let turns = prop_oneof![
        Just("\"all\"".to_owned()),
        (0..4u32).prop_map(|turns| turns.to_string())
    ];
    let turns = (turns, option::of(0..600u32)).prop_map(|(turns, tokens)| {
        let tokens = tokens
            .map(|tokens| format!(", tokens = {tokens}"))
            .unwrap_or_default();
        format!("keep = {{ turns = {turns}{tokens} }}")
    });
    option::weighted(
        0.9,
        prop_oneof![3 => amount(limit).prop_map(|amount| format!("keep = {{ {amount} }}")), u32::from(takes_turns) => turns],
    )
}

/// `[prune]` with small numbers, so that there is something to clear.
fn prune() -> impl Strategy<Value = Option<String>> {
    let flags = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    option::weighted(0.6, (0..300u32, 0..100u32, 0..3u32, flags)).prop_map(|prune| {
        let (protect, minimum, turns, (rescan, every, each, tools)) = prune?;
        let tools = if tools { "protect_tools = [\"grep\"]\n" } else { "" };
        Some(format!(
            "[prune]\nprotect = {protect}\nminimum = {minimum}\nskip_turns = {turns}\nrescan = {rescan}\nevery_result = {every}\neach_call = {each}\n{tools}"
        ))
    })
}

/// How a summary is shown, and what of the usual shape is left out.
fn shape() -> impl Strategy<Value = String> {
    let frame = option::of(select(vec!["archived", "plain", "opencode"])).prop_map(|frame| {
        frame
            .map(|frame| format!("frame = \"{frame}\"\n"))
            .unwrap_or_default()
    });
    (frame, option::of(any::<bool>())).prop_map(|(frame, replay)| {
        frame
            + &replay
                .map(|replay| format!("replay = {replay}\n"))
                .unwrap_or_default()
    })
}

/// A policy of any preset; where `skip` is given, with that choice about growth.
pub(crate) fn policy(skip: Option<bool>) -> impl Strategy<Value = Policy> {
    let skip = skip.map_or_else(|| any::<bool>().boxed(), |skip| Just(skip).boxed());
    (option::of(150..4000u32), skip).prop_flat_map(|(limit, skip_growth)| {
        let known = limit.is_some();
        let preset = select(PRESETS.as_slice());
        let evict = prop_oneof![1 => Just(None), 1 => Just(Some(0)), 5 => (5..400u32).prop_map(Some)];
        let truncate = (trigger(known), keep(known, false), option::weighted(0.8, 5..200u32));
        let summarize = (trigger(known), keep(known, true), prop_oneof![2 => Just(0), 1 => 20..400u32], shape());
        let overflow = (prop_oneof![5 => Just(0), 1 => 200..2000u32], option::of((200..3000u32, 10..300u32, any::<bool>())));
        let rest = (overflow, prop_oneof![3 => Just(0), 1 => 10..300u32], any::<bool>(), option::of(any::<bool>()));
        (preset, evict, truncate, prune(), summarize, rest).prop_map(
            move |(preset, evict, truncate, prune, summarize, ((overflow, room), budget, one_directory, template))| {
                let mut rows = vec![format!("preset = \"{preset}\"")];
                rows.extend(limit.map(|limit| format!("max_input_tokens = {limit}")));
                rows.push("[evict]".to_owned());
                rows.extend(evict.map(|tokens| format!("tokens = {tokens}")));
                rows.push("[truncate]".to_owned());
                rows.extend(truncate.0.into_iter().chain(truncate.1));
                rows.extend(truncate.2.map(|length| format!("max_length = {length}")));
                rows.extend(prune);
                rows.push("[summarize]".to_owned());
                rows.extend(summarize.0.into_iter().chain(summarize.1));
                rows.push(format!("{}trim_tokens = {}\non_growth = \"{}\"", summarize.3, summarize.2, if skip_growth { "skip" } else { "allow" }));
                rows.push(format!("[summarizer]\nkind = \"extract\"\nbudget = {budget}"));
                rows.extend(template.map(|opencode| format!("template = \"{}\"", if opencode { "opencode" } else { "deepagents" })));
                rows.push(format!("[overflow]\nlimit = {overflow}"));
                rows.extend(room.map(|(context, output, strict)| format!("context = {context}\noutput = {output}\nreserved = {output}\nstrict = {strict}")));
                if one_directory {
                    rows.push("[archive]\nresults_prefix = \"/large_tool_results\"".to_owned());
                }
                Policy { toml: rows.join("\n") + "\n" }
            },
        )
    })
}
