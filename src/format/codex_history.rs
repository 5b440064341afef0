//! The history of Codex: items of the Responses API in the order in which they
//! were sent, as rollouts of all eras keep them.

use crate::format::dialects::RESPONSES;
use crate::format::journal::{ElementMark, JournalThread};
use crate::format::tree::JsonNode;
use crate::json::{JsonKind, Span};
use crate::json::{encode_literal, is_empty_literal};
use crate::transcript::journal::WriteMode;

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
pub(super) struct CodexItem {
    at: usize,
    span: Span,
    by: CodexAuthor,
    mark: ElementMark,
    /// What the log says of the call that ended with it.
    usage: Option<(usize, Span)>,
}

/// Who an item is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CodexAuthor {
    /// The user's words.
    User,
    /// What the agent says in the user's name.
    Injected,
    /// The model.
    Model,
    /// Results, system prompts.
    Other,
}

impl CodexItem {
    /// The item that an object is; none where it is not sent.
    pub(super) fn of(at: usize, node: JsonNode<'_>) -> Option<Self> {
        let kind = node.get("type").and_then(JsonNode::as_text);
        let by = match kind.as_deref() {
            Some("ghost_snapshot") => return None,
            None | Some("message") => match node.get("role")?.as_text()?.as_ref() {
                "user" if is_injected(node) => CodexAuthor::Injected,
                "user" => CodexAuthor::User,
                "assistant" => CodexAuthor::Model,
                _ => CodexAuthor::Other,
            },
            Some("reasoning") => CodexAuthor::Model,
            Some(kind) if kind.ends_with("_call") => CodexAuthor::Model,
            Some(_) => CodexAuthor::Other,
        };
        node.is_kind(JsonKind::Object).then_some(Self {
            at,
            span: node.span(),
            by,
            mark: ElementMark::Message,
            usage: None,
        })
    }

    /// The summary that a compaction put there.
    pub(super) fn summary(at: usize, literal: Span) -> Self {
        Self {
            at,
            span: literal,
            by: CodexAuthor::User,
            mark: ElementMark::Summary,
            usage: None,
        }
    }

    /// Marks it as a summary, if its text ends with this one.
    pub(super) fn or_summary(mut self, node: JsonNode<'_>, summary: &str) -> Self {
        if self.by == CodexAuthor::User && !summary.is_empty() && text_of(node).ends_with(summary) {
            self.mark = ElementMark::Summary;
        }
        self
    }
}

/// All text of a message.
fn text_of(message: JsonNode<'_>) -> String {
    let content = message.get("content");
    let own = content
        .and_then(JsonNode::as_text)
        .map(std::borrow::Cow::into_owned);
    own.unwrap_or_else(|| {
        message
            .items_of("content")
            .filter_map(|block| block.get("text")?.as_text())
            .collect()
    })
}

fn is_injected(message: JsonNode<'_>) -> bool {
    let first = message.get("content").and_then(|content| {
        content
            .as_literal()
            .or_else(|| content.items().next()?.literal_at("text"))
    });
    first.is_some_and(|literal| {
        let literal = literal.slice(message.record_bytes());
        INJECTED
            .iter()
            .any(|start| literal.len() > start.len() && literal[1..].starts_with(start.as_bytes()))
    })
}

/// The history while it is read.
#[derive(Debug, Default)]
pub(super) struct CodexHistory {
    pub(super) items: Vec<CodexItem>,
}

impl CodexHistory {
    /// Notes the usage of the call that just ended.
    pub(super) fn usage(&mut self, at: usize, span: Span) {
        if let Some(item) = self
            .items
            .iter_mut()
            .rfind(|item| item.by == CodexAuthor::Model)
        {
            item.usage = Some((at, span));
        }
    }

    /// Takes the last turns back: each begins where the user speaks.
    pub(super) fn roll_back(&mut self, turns: usize) {
        for _ in 0..turns {
            let Some(start) = self.items.iter().rposition(|item| {
                item.by == CodexAuthor::User && item.mark == ElementMark::Message
            }) else {
                return;
            };
            self.items.truncate(start);
        }
    }

    /// What a compaction leaves that does not name its history: what was injected, the user's words, the summary.
    pub(super) fn compact(&mut self, summary: CodexItem) {
        let mut room = KEPT_BYTES;
        let mut kept: Vec<CodexItem> = Vec::new();
        for item in std::mem::take(&mut self.items).into_iter().rev() {
            let bytes = item.span.end - item.span.start;
            let stays = match item.by {
                CodexAuthor::Injected => true,
                CodexAuthor::User if item.mark == ElementMark::Message && bytes <= room => {
                    room -= bytes;
                    true
                }
                CodexAuthor::User => {
                    room = 0;
                    false
                }
                CodexAuthor::Model | CodexAuthor::Other => false,
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
        writes: WriteMode,
        instructions: Option<(usize, Span)>,
        last: usize,
    ) -> JournalThread {
        let mut thread = JournalThread::new(RESPONSES, "input", writes, last);
        if let Some((at, literal)) =
            instructions.filter(|(at, literal)| !is_empty_literal(literal.slice(records[*at])))
        {
            thread.add_entry("instructions", literal.slice(records[at]));
        }
        let mut leads = true;
        for item in self.items {
            leads &= item.by == CodexAuthor::Injected || item.by == CodexAuthor::Other;
            let mark = if leads && item.by == CodexAuthor::Injected {
                ElementMark::Pinned
            } else {
                item.mark
            };
            let json = item.span.slice(records[item.at]);
            let places = vec![(item.at, item.span)];
            if json.first() == Some(&b'"') {
                thread.push_element(mark, places, &[b"{\"type\": \"message\", \"role\": \"user\", \"content\": [{\"type\": \"input_text\", \"text\": ", json, b"}]}"]);
                continue;
            }
            match item.usage.map(|(at, span)| span.slice(records[at])) {
                // The item's own keys follow, the brace that opens it is ours.
                Some(usage) => {
                    thread.push_element(mark, places, &[b"{\"usage\": ", usage, b", ", &json[1..]])
                }
                None => thread.push_element(mark, places, &[json]),
            }
        }
        thread
    }
}

/// An item that says this text.
pub(super) fn user_item(text: &str) -> Vec<u8> {
    let start = b"{\"type\": \"message\", \"role\": \"user\", \"content\": [{\"type\": \"input_text\", \"text\": ".as_slice();
    [start, &encode_literal(text), b"}]}"].concat()
}
