//! The structure of a conversation: turns, calls and results, before they are spelled.

use super::words::{IDS, SHORTS, WORDS};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

#[derive(Debug, Clone)]
pub(crate) enum Text {
    Short(&'static str),
    Long { word: &'static str, count: usize },
}

#[derive(Debug, Clone)]
pub(crate) enum Content {
    Text(Text),
    Null,
    Missing,
    Empty,
    Blocks(Vec<Block>),
}

#[derive(Debug, Clone)]
pub(crate) enum Block {
    Text(Text),
    Bare(Text),
    Image,
    Other,
}

#[derive(Debug, Clone)]
pub(crate) enum Arguments {
    /// JSON in a string.
    Literal(Vec<(&'static str, Text)>),
    /// JSON as it is.
    Object(Vec<(&'static str, Text)>),
    Invalid(&'static str),
    Missing,
}

#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) id: Option<&'static str>,
    pub(crate) tool: &'static str,
    pub(crate) arguments: Arguments,
}

#[derive(Debug, Clone)]
pub(crate) enum Turn {
    Say { role: &'static str, content: Content },
    Exchange { content: Content, calls: Vec<Call>, results: Vec<(usize, Content)> },
    Legacy { tool: &'static str, arguments: Arguments, results: Vec<Content> },
    Orphan { id: Option<&'static str>, content: Content },
    OrphanFunction { content: Content },
    Summary { shape: SummaryShape, text: Text },
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum SummaryShape {
    Archived,
    Plain,
    OpenCode,
}

#[derive(Debug, Clone)]
pub(crate) struct Conversation {
    pub(crate) head: Option<Content>,
    pub(crate) turns: Vec<Turn>,
    pub(crate) id: Option<(&'static str, &'static str)>,
    pub(crate) model: Option<&'static str>,
    pub(crate) tools: bool,
    pub(crate) bare: bool,
}

pub(crate) fn text(most: usize) -> impl Strategy<Value = Text> {
    prop_oneof![
        2 => select(SHORTS).prop_map(Text::Short),
        3 => (select(WORDS), 1..most).prop_map(|(word, count)| Text::Long { word, count }),
    ]
}

pub(crate) fn content(most: usize) -> impl Strategy<Value = Content> {
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

pub(crate) fn arguments() -> impl Strategy<Value = Arguments> {
    let entries = || {
        vec(
            (
                select(vec!["path", "content", "old_string", "new_string", "clé", "nested"]),
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

pub(crate) fn id() -> impl Strategy<Value = Option<&'static str>> {
    prop_oneof![5 => select(&IDS[..3]).prop_map(Some), 3 => select(IDS).prop_map(Some), 1 => Just(None)]
}

pub(crate) fn call() -> impl Strategy<Value = Call> {
    let tool = select(vec!["write_file", "edit_file", "execute", "grep", "read_file", "search"]);
    (id(), tool, arguments()).prop_map(|(id, tool, arguments)| Call { id, tool, arguments })
}

/// A result. Some are the same as others, without the mark that tells all others apart.
fn result(most: usize) -> impl Strategy<Value = Content> {
    let again = (select(&WORDS[..3]), select(vec![20, 60]))
        .prop_map(|(word, count)| Content::Blocks(vec![Block::Text(Text::Long { word, count })]));
    prop_oneof![4 => content(most), 1 => again]
}

pub(crate) fn turn() -> impl Strategy<Value = Turn> {
    let say = |roles: &'static [&'static str], most| {
        (select(roles), content(most)).prop_map(|(role, content)| Turn::Say { role, content })
    };
    prop_oneof![
        4 => say(&["user", "assistant"], 120),
        1 => say(&["system", "developer"], 30),
        7 => (content(30), vec(call(), 1..4), vec((0..4usize, result(500)), 0..4))
            .prop_map(|(content, calls, results)| Turn::Exchange { content, calls, results }),
        1 => (select(vec!["lookup", "write_file"]), arguments(), vec(content(200), 0..3))
            .prop_map(|(tool, arguments, results)| Turn::Legacy { tool, arguments, results }),
        1 => (id(), content(300)).prop_map(|(id, content)| Turn::Orphan { id, content }),
        1 => content(50).prop_map(|content| Turn::OrphanFunction { content }),
        1 => (select(vec![SummaryShape::Archived, SummaryShape::Plain, SummaryShape::OpenCode]), text(80)).prop_map(|(shape, text)| Turn::Summary { shape, text }),
    ]
}

pub(crate) fn conversation(turns: usize) -> impl Strategy<Value = Conversation> {
    let key = || select(vec!["thread_id", "session_id", "conversation_id", "id"]);
    let model =
        select(vec!["gpt-4o", "openai:gpt-5.2", "anthropic:claude-sonnet-4-5", "nobody:knows", ""]);
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
