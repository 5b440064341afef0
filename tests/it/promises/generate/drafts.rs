//! Messages as they are made from turns, and the texts that the program is to see in them.

use super::conversation::{Arguments, Call, Content, SummaryShape, Text, Turn};
use super::pen::LONE;
use super::sample::Message;

const ARCHIVED_FRAME: [&str; 2] = [
    "You are in the middle of a conversation that has been summarized.\n\nThe full conversation history has been saved to /conversation_history/t.md should \
     you need to refer back to it for details.\n\nA condensed summary follows:\n\n<summary>\n",
    "\n</summary>",
];

const PLAIN_FRAME: [&str; 2] = ["Here is a summary of the conversation to date:\n\n", ""];
/// What the user asks before a summary of OpenCode's shape.
const QUESTION: &str = "What did we do so far?";

/// A text as it reads: half a pair is U+FFFD.
pub(crate) fn read(text: &str) -> String {
    text.replace(LONE, "\u{fffd}")
}

impl Text {
    pub(crate) fn write(&self) -> String {
        match self {
            Self::Short(text) => (*text).to_owned(),
            Self::Long { word, count } => word.repeat(*count),
        }
    }
}

/// One message while it is made.
pub(crate) struct Draft {
    pub(crate) role: &'static str,
    pub(crate) content: Content,
    pub(crate) calls: Vec<Call>,
    pub(crate) legacy: Option<(&'static str, Arguments)>,
    pub(crate) answers: Option<&'static str>,
    pub(crate) earlier_summary: bool,
}

impl Draft {
    pub(crate) fn new(role: &'static str, content: Content) -> Self {
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

pub(crate) fn drafts(turn: &Turn) -> Vec<Draft> {
    match turn {
        Turn::Say { role, content } => vec![Draft::new(role, content.clone())],
        Turn::Exchange { content, calls, results } => {
            let first = Draft { calls: calls.clone(), ..Draft::new("assistant", content.clone()) };
            let result = |(which, content): &(usize, Content)| Draft {
                answers: calls[which % calls.len()].id,
                ..Draft::new("tool", content.clone())
            };
            std::iter::once(first).chain(results.iter().map(result)).collect()
        }
        Turn::Legacy { tool, arguments, results } => {
            let first = Draft {
                legacy: Some((tool, arguments.clone())),
                ..Draft::new("assistant", Content::Null)
            };
            std::iter::once(first)
                .chain(results.iter().map(|content| Draft::new("function", content.clone())))
                .collect()
        }
        Turn::Orphan { id, content } => {
            vec![Draft { answers: *id, ..Draft::new("tool", content.clone()) }]
        }
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

/// Only before all but system messages a summary is one, or behind messages of the user that stayed
/// before it; later it is somebody's words.
pub(crate) fn settled(mut messages: Vec<Message>) -> Vec<Message> {
    let is_system = |message: &Message| matches!(message.role, "system" | "developer");
    let first = messages.iter().position(|message| !is_system(message));
    let asked = first.filter(|&at| messages[at].earlier_summary && messages[at].text == QUESTION);
    let answer =
        asked.and_then(|at| (at + 1..messages.len()).find(|&at| !is_system(&messages[at])));
    let framed = messages
        .iter()
        .take_while(|message| message.role == "user" || is_system(message))
        .position(|message| message.earlier_summary && message.text != QUESTION);
    for (at, message) in messages.iter_mut().enumerate() {
        let is_one = [asked, answer, framed].contains(&Some(at));
        message.earlier_summary &= is_one || is_system(message);
    }
    messages
}
