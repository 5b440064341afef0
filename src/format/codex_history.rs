//! The history of Codex: items of the Responses API in the order in which they
//! were sent, as rollouts of all eras keep them.

use crate::format::journal::{Mark, Thread};
use crate::format::responses::Responses;
use crate::format::tree::Node;
use crate::json::text;
use crate::json::{Kind, Span};
use crate::transcript::journal::Writes;

/// How user messages begin that Codex itself puts before all that is said.
const INJECTED: [&str; 6] = [
    "<environment_context>",
    "<user_instructions>",
    "# AGENTS.md instructions",
    "# Context from my IDE setup",
    "<permissions instructions>",
    "<INSTRUCTIONS>",
];
/// Of a compaction that does not name its history the newest user messages stay, up to 20,000 tokens of 4 bytes.
const KEPT_BYTES: usize = 80_000;

/// One item.
#[derive(Debug, Clone)]
pub(super) struct Item {
    at: usize,
    span: Span,
    by: By,
    mark: Mark,
    /// What the log says of the call that ended with it.
    usage: Option<(usize, Span)>,
}

/// Who an item is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    /// The user's words.
    User,
    /// What the agent says in the user's name.
    Injected,
    /// The model.
    Model,
    /// Results, system prompts.
    Other,
}

impl Item {
    /// The item that an object is; none where it is not sent.
    pub(super) fn of(at: usize, node: Node<'_>) -> Option<Self> {
        let kind = node.get("type").and_then(Node::text);
        let by = match kind.as_deref() {
            Some("ghost_snapshot") => return None,
            None | Some("message") => match node.get("role")?.text()?.as_ref() {
                "user" if is_injected(node) => By::Injected,
                "user" => By::User,
                "assistant" => By::Model,
                _ => By::Other,
            },
            Some("reasoning") => By::Model,
            Some(kind) if kind.ends_with("_call") => By::Model,
            Some(_) => By::Other,
        };
        node.is(Kind::Object).then_some(Self {
            at,
            span: node.span(),
            by,
            mark: Mark::Message,
            usage: None,
        })
    }

    /// The summary that a compaction put there.
    pub(super) fn summary(at: usize, literal: Span) -> Self {
        Self {
            at,
            span: literal,
            by: By::User,
            mark: Mark::Summary,
            usage: None,
        }
    }

    /// Marks it as a summary, if its text ends with this one.
    pub(super) fn or_summary(mut self, node: Node<'_>, summary: &str) -> Self {
        if self.by == By::User && !summary.is_empty() && text_of(node).ends_with(summary) {
            self.mark = Mark::Summary;
        }
        self
    }
}

/// All text of a message.
fn text_of(message: Node<'_>) -> String {
    let content = message.get("content");
    let own = content
        .and_then(Node::text)
        .map(std::borrow::Cow::into_owned);
    own.unwrap_or_else(|| {
        message
            .list("content")
            .filter_map(|block| block.get("text")?.text())
            .collect()
    })
}

fn is_injected(message: Node<'_>) -> bool {
    let first = message.get("content").and_then(|content| {
        content
            .literal()
            .or_else(|| content.items().next()?.literal_at("text"))
    });
    first.is_some_and(|literal| {
        let literal = literal.of(message.record());
        INJECTED
            .iter()
            .any(|start| literal.len() > start.len() && literal[1..].starts_with(start.as_bytes()))
    })
}

/// The history while it is read.
#[derive(Debug, Default)]
pub(super) struct History {
    pub(super) items: Vec<Item>,
}

impl History {
    /// Notes the usage of the call that just ended.
    pub(super) fn usage(&mut self, at: usize, span: Span) {
        if let Some(item) = self.items.iter_mut().rfind(|item| item.by == By::Model) {
            item.usage = Some((at, span));
        }
    }

    /// Takes the last turns back: each begins where the user speaks.
    pub(super) fn roll_back(&mut self, turns: usize) {
        for _ in 0..turns {
            let Some(start) = self
                .items
                .iter()
                .rposition(|item| item.by == By::User && item.mark == Mark::Message)
            else {
                return;
            };
            self.items.truncate(start);
        }
    }

    /// What a compaction leaves that does not name its history: what was injected, the user's words, the summary.
    pub(super) fn compact(&mut self, summary: Item) {
        let mut room = KEPT_BYTES;
        let mut kept: Vec<Item> = Vec::new();
        for item in std::mem::take(&mut self.items).into_iter().rev() {
            let bytes = item.span.end - item.span.start;
            let stays = match item.by {
                By::Injected => true,
                By::User if item.mark == Mark::Message && bytes <= room => {
                    room -= bytes;
                    true
                }
                By::User => {
                    room = 0;
                    false
                }
                By::Model | By::Other => false,
            };
            if stays {
                kept.push(item);
            }
        }
        kept.reverse();
        kept.push(summary);
        self.items = kept;
    }

    /// Tells it; what was injected before the first word is never summarised.
    pub(super) fn tell(
        self,
        records: &[&[u8]],
        writes: Writes,
        instructions: Option<(usize, Span)>,
        last: usize,
    ) -> Thread {
        let mut thread = Thread::new(&Responses, "input", writes, last);
        if let Some((at, literal)) =
            instructions.filter(|(at, literal)| !text::is_empty(literal.of(records[*at])))
        {
            thread.key("instructions", literal.of(records[at]));
        }
        let mut leads = true;
        for item in self.items {
            leads &= item.by == By::Injected || item.by == By::Other;
            let mark = if leads && item.by == By::Injected {
                Mark::Pinned
            } else {
                item.mark
            };
            let json = item.span.of(records[item.at]);
            let places = vec![(item.at, item.span)];
            if json.first() == Some(&b'"') {
                thread.push(mark, places, &[b"{\"type\": \"message\", \"role\": \"user\", \"content\": [{\"type\": \"input_text\", \"text\": ", json, b"}]}"]);
                continue;
            }
            match item.usage.map(|(at, span)| span.of(records[at])) {
                // The item's own keys follow, the brace that opens it is ours.
                Some(usage) => {
                    thread.push(mark, places, &[b"{\"usage\": ", usage, b", ", &json[1..]])
                }
                None => thread.push(mark, places, &[json]),
            }
        }
        thread
    }
}

/// An item that says this text.
pub(super) fn user_item(text: &str) -> Vec<u8> {
    let start = b"{\"type\": \"message\", \"role\": \"user\", \"content\": [{\"type\": \"input_text\", \"text\": ".as_slice();
    [start, &text::literal(text), b"}]}"].concat()
}
