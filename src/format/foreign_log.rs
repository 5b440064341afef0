//! Logs of known programs that are not read: told by name, so that no other format takes them for
//! its own.

use crate::format::tree::{JsonNode, JsonTree};
use crate::json::JsonKind;

/// A log of a known program that is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ForeignLog {
    /// The program, and what of it the log is.
    pub name: &'static str,
    /// What to do with it.
    pub remedy: &'static str,
    /// Any of these shapes of a record is a mark of it.
    shapes: &'static [RecordShape],
}

/// The keys that a record must have. A key with dots lies within other objects; a number is the
/// index of a list's element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct RecordShape {
    keys: &'static [&'static str],
    /// The text of one key, or its beginning where it ends with `*`.
    text: Option<(&'static str, &'static str)>,
    /// Keys that the record must not have.
    without: &'static [&'static str],
}

const fn keys(keys: &'static [&'static str]) -> RecordShape {
    RecordShape {
        keys,
        text: None,
        without: &[],
    }
}

const fn text(keys: &'static [&'static str], key: &'static str, text: &'static str) -> RecordShape {
    RecordShape {
        keys,
        text: Some((key, text)),
        without: &[],
    }
}

const fn without(keys: &'static [&'static str], without: &'static [&'static str]) -> RecordShape {
    RecordShape {
        keys,
        text: None,
        without,
    }
}

const fn log(
    name: &'static str,
    remedy: &'static str,
    shapes: &'static [RecordShape],
) -> ForeignLog {
    ForeignLog {
        name,
        remedy,
        shapes,
    }
}

const WRITE_COMPLETIONS: &str =
    "write prompt and completion as lists of messages, as TRL's chat form has them";
const WRITE_PREFERENCES: &str =
    "write prompt, chosen and rejected as lists of messages, as TRL's chat form has them";
const OPENCODE_EXPORT: &str = "`opencode export` writes the session as one file, which is read";
const CLINE_HISTORY: &str =
    "its conversation is in api_conversation_history.json beside it, which is read";

const VSCODE_EXPORT: &str = "\"Chat: Export Chat\" writes the chat as one file, which is read";

/// The logs that are told.
const FOREIGN_LOGS: &[ForeignLog] = &[
    log(
        "the changes of a chat of VS Code",
        VSCODE_EXPORT,
        &[keys(&["kind", "v.requests", "v.sessionId"])],
    ),
    log(
        "the screen of Cline or Roo Code (ui_messages.json)",
        CLINE_HISTORY,
        &[
            text(&["ts", "say"], "type", "say"),
            text(&["ts", "ask"], "type", "ask"),
        ],
    ),
    log(
        "a message or a part of OpenCode's storage",
        OPENCODE_EXPORT,
        &[
            without(&["id", "sessionID", "role", "time"], &["parts"]),
            without(&["id", "sessionID", "messageID", "type"], &["parts"]),
        ],
    ),
    log(
        "a session of OpenCode's storage",
        OPENCODE_EXPORT,
        &[without(
            &["id", "projectID", "directory", "time"],
            &["messages"],
        )],
    ),
    log(
        "an older wire log of Kimi CLI",
        "its context is in context.jsonl beside it",
        &[keys(&["timestamp", "message.type", "message.payload"])],
    ),
    log(
        "the metadata of a task of Cline or Roo Code",
        CLINE_HISTORY,
        &[
            keys(&["files_in_context", "model_usage"]),
            keys(&["ts", "task", "tokensIn", "tokensOut"]),
        ],
    ),
    log(
        "training data whose prompts and answers are texts",
        WRITE_COMPLETIONS,
        &[RecordShape {
            keys: &["prompt", "completion"],
            text: Some(("completion", "*")),
            without: &["prompt.0", "messages.0", "conversations.0"],
        }],
    ),
    log(
        "preference data whose answers are texts",
        WRITE_PREFERENCES,
        &[RecordShape {
            keys: &["chosen", "rejected"],
            text: Some(("chosen", "*")),
            without: &["prompt.0", "messages.0", "conversations.0"],
        }],
    ),
];

impl RecordShape {
    fn fits(&self, record: JsonNode<'_>) -> bool {
        let has = |key: &str| node_at(record, key).is_some();
        self.keys.iter().all(|key| has(key))
            && !self.without.iter().any(|key| has(key))
            && self.text.is_none_or(|(key, wanted)| {
                let text = node_at(record, key).and_then(JsonNode::as_text);
                text.is_some_and(|text| match wanted.strip_suffix('*') {
                    Some(beginning) => text.starts_with(beginning),
                    None => text == wanted,
                })
            })
    }
}

/// Returns the value at a key with dots.
fn node_at<'t>(record: JsonNode<'t>, key: &str) -> Option<JsonNode<'t>> {
    key.split('.').try_fold(record, |node, part| {
        if node.is_kind(JsonKind::Array) {
            node.items().nth(part.parse().ok()?)
        } else {
            node.get(part)
        }
    })
}

/// Returns the log that a record is of, or that the first element of a list is of, if its program
/// is known and not read.
#[must_use]
pub(crate) fn recognize_foreign_log(record: JsonNode<'_>) -> Option<ForeignLog> {
    let record = record.items().next().unwrap_or(record);
    let mut logs = FOREIGN_LOGS.iter();
    logs.find(|log| log.shapes.iter().any(|shape| shape.fits(record)))
        .copied()
}

/// Returns true if a record is of a program that is known and not read.
#[must_use]
pub(crate) fn is_foreign_log(record: &[u8]) -> bool {
    JsonTree::new(record).is_ok_and(|tree| recognize_foreign_log(tree.root()).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name_of(record: &str) -> Option<&'static str> {
        let tree = JsonTree::new(record.as_bytes()).unwrap();
        recognize_foreign_log(tree.root()).map(|log| log.name)
    }

    #[test]
    fn logs_of_programs_that_are_not_read_are_named() {
        for (record, name) in [
            (
                r#"{"kind": 0, "v": {"version": 3, "sessionId": "s", "requests": []}}"#,
                "the changes of a chat of VS Code",
            ),
            (
                r#"[{"ts": 1, "type": "say", "say": "task", "text": "Why?"}]"#,
                "the screen of Cline or Roo Code (ui_messages.json)",
            ),
            (
                r#"{"id": "msg_1", "sessionID": "ses_1", "role": "user", "time": {"created": 1}}"#,
                "a message or a part of OpenCode's storage",
            ),
            (
                r#"{"id": "prt_1", "messageID": "msg_1", "sessionID": "ses_1", "type": "text", "text": "Why?"}"#,
                "a message or a part of OpenCode's storage",
            ),
            (
                r#"{"files_in_context": [], "model_usage": []}"#,
                "the metadata of a task of Cline or Roo Code",
            ),
            (
                r#"{"prompt": "q", "completion": "a"}"#,
                "training data whose prompts and answers are texts",
            ),
            (
                r#"{"timestamp": 1, "message": {"type": "TurnBegin", "payload": {}}}"#,
                "an older wire log of Kimi CLI",
            ),
            (
                r#"{"prompt": "q", "chosen": "a", "rejected": "b"}"#,
                "preference data whose answers are texts",
            ),
            (
                r#"{"instruction": "q", "input": "", "chosen": "a", "rejected": "b"}"#,
                "preference data whose answers are texts",
            ),
        ] {
            assert_eq!(name_of(record), Some(name), "{record}");
        }
    }

    #[test]
    fn records_with_some_of_the_keys_are_not_taken_for_foreign_ones() {
        for record in [
            r#"{"role": "user", "content": "x", "message": {"content": "y"}}"#,
            r#"{"role": "user", "parts": [{"text": "x"}]}"#,
            r#"{"type": "user", "content": "x", "id": "1", "timestamp": "t"}"#,
            r#"{"type": "metadata"}"#,
            r#"{"prompt": [{"role": "user"}], "chosen": "a", "rejected": "b"}"#,
            r#"{"chosen": [{"role": "user"}], "rejected": [{"role": "user"}]}"#,
            "[]",
            "3",
        ] {
            assert_eq!(name_of(record), None, "{record}");
        }
    }
}
