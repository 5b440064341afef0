//! The stream of `codex exec --json`: a report of turns and items, not a
//! history that could be gone on with. A call and its result are one item; of
//! an item that comes twice the last counts. What the user asked is not in it.

use crate::error::RecordError;
use crate::format::journal::{Journal, Mark, Reader, Thread};
use crate::format::responses::Responses;
use crate::format::tree::{Node, Tree};
use crate::format::{Certainty, Hit, Shape};
use crate::json::text;
use crate::json::{Kind, Span};
use crate::transcript::journal::Writes;
use std::borrow::Cow;

/// Streams of Codex.
pub(super) struct CodexExec;

const BEGINNINGS: [&str; 3] = ["thread.", "turn.", "item."];

impl Journal for CodexExec {
    fn name(&self) -> &'static str {
        "codex-exec"
    }

    fn about(&self) -> &'static str {
        "the stream of `codex exec --json`: thread.*, turn.* and item.* events"
    }

    fn writes(&self) -> Writes {
        Writes::Nowhere
    }

    fn recognise(&self, record: Node<'_>) -> Option<Hit> {
        let kind = record.get("type").and_then(Node::text)?;
        // An item tells of something; the other events say no more than that they happened.
        let own = BEGINNINGS.iter().any(|start| kind.starts_with(start))
            && !record.has("messages")
            && (!kind.starts_with("item.") || record.has("item"));
        own.then_some(Hit {
            shape: Shape::Journal,
            certainty: Certainty::Envelope,
            why: "a type thread.*, turn.* or item.*",
        })
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::new(Stream::default())
    }
}

#[derive(Default)]
struct Stream {
    id: Option<String>,
    /// Items by their id, where they came first.
    items: Vec<(String, usize, Span)>,
    /// How many of them are of earlier turns: ids may begin anew.
    earlier: usize,
}

impl Reader for Stream {
    fn see(&mut self, at: usize, record: Node<'_>) -> Result<(), RecordError> {
        if record.says("type", "thread.started") {
            self.id = record
                .get("thread_id")
                .and_then(Node::text)
                .map(Cow::into_owned)
                .or(self.id.take());
        }
        if record.says("type", "turn.started") {
            self.earlier = self.items.len();
        }
        let Some(item) = record.get("item").filter(|item| item.is(Kind::Object)) else {
            return Ok(());
        };
        // Without an id it is its own.
        let id = item
            .get("id")
            .and_then(Node::text)
            .map_or_else(|| format!("\0{at}"), Cow::into_owned);
        let begun = self.items[self.earlier..]
            .iter_mut()
            .rfind(|(known, ..)| *known == id);
        match begun {
            Some(known) => *known = (id, at, item.span()),
            None => self.items.push((id, at, item.span())),
        }
        Ok(())
    }

    fn threads(self: Box<Self>, records: &[&[u8]]) -> Vec<Thread> {
        let Some(last) = records.len().checked_sub(1) else {
            return Vec::new();
        };
        let mut thread = Thread::new(&Responses, "input", Writes::Nowhere, last);
        thread.id = self.id;
        for (_, at, span) in self.items {
            let Ok(tree) = Tree::new(span.of(records[at])) else {
                continue;
            };
            tell(&mut thread, tree.root(), (at, span));
        }
        if thread.len() == 0 {
            Vec::new()
        } else {
            vec![thread]
        }
    }
}

fn tell(thread: &mut Thread, item: Node<'_>, place: (usize, Span)) {
    let bytes = |key: &str| item.get(key).map(Node::bytes);
    let literal = |key: &str| {
        item.get(key)
            .filter(|value| value.is(Kind::String))
            .map(Node::bytes)
    };
    let kind = item
        .get("type")
        .and_then(Node::text)
        .or_else(|| item.get("item_type").and_then(Node::text))
        .unwrap_or_default();
    let mut push = |parts: &[&[u8]]| thread.push(Mark::Message, vec![place], parts);
    match kind.as_ref() {
        "agent_message" | "assistant_message" => {
            let start = b"{\"type\": \"message\", \"role\": \"assistant\", \"content\": [{\"type\": \"output_text\", \"text\": ";
            push(&[start, literal("text").unwrap_or(b"\"\""), b"}]}"]);
        }
        "reasoning" => push(&[
            b"{\"type\": \"reasoning\", \"summary\": [{\"type\": \"summary_text\", \"text\": ",
            literal("text").unwrap_or(b"\"\""),
            b"}]}",
        ]),
        "todo_list" | "error" => {}
        _ => {
            let id = literal("id").unwrap_or(b"\"\"");
            let name = match kind.as_ref() {
                "command_execution" => "shell".to_owned(),
                "file_change" => "apply_patch".to_owned(),
                "mcp_tool_call" => item
                    .get("tool")
                    .and_then(Node::text)
                    .map_or_else(|| kind.to_string(), Cow::into_owned),
                other => other.to_owned(),
            };
            let given = bytes("arguments")
                .filter(|arguments| arguments.first() == Some(&b'{'))
                .map(<[u8]>::to_vec);
            let arguments = given.unwrap_or_else(|| {
                let parts = ["command", "changes", "query", "arguments"]
                    .iter()
                    .filter_map(|key| Some([b"\"", key.as_bytes(), b"\": ", bytes(key)?].concat()));
                [
                    b"{".as_slice(),
                    &parts.collect::<Vec<_>>().join(b", ".as_slice()),
                    b"}",
                ]
                .concat()
            });
            let arguments = text::wtf8_literal(&arguments);
            push(&[
                b"{\"type\": \"function_call\", \"call_id\": ",
                id,
                b", \"name\": ",
                &text::literal(&name),
                b", \"arguments\": ",
                &arguments,
                b"}",
            ]);
            let has_ended = !item.says("status", "in_progress");
            let result = ["aggregated_output", "result", "error", "status"]
                .iter()
                .find_map(|key| bytes(key).filter(|value| *value != b"null"));
            if let Some(result) = result.filter(|_| has_ended) {
                let output = if result.first() == Some(&b'"') {
                    result.to_vec()
                } else {
                    text::wtf8_literal(result)
                };
                let failed = item.says("status", "failed");
                let status: &[u8] = if failed {
                    b", \"status\": \"error\""
                } else {
                    b""
                };
                push(&[
                    b"{\"type\": \"function_call_output\", \"call_id\": ",
                    id,
                    b", \"output\": ",
                    &output,
                    status,
                    b"}",
                ]);
            }
        }
    }
}
