//! Records of no known format: logs of known programs that are not read are told by name, so that no
//! other format takes them for its own, and all others are described.

use crate::base::foreign_text::shorten_value;
use crate::reading::format::row::condition::{If, TEXT, all, hold, is, kind, none};
use crate::reading::format::tree::{JsonNode, JsonTree};
use crate::reading::json::{JsonKind, decode_literal};

/// A log of a known program that is not read.
#[derive(Clone, Copy)]
pub(crate) struct ForeignLog {
    /// The program, and what of it the log is.
    pub name: &'static str,
    /// What to do with it.
    pub remedy: &'static str,
    /// Any of these conditions on a record is a mark of it.
    marks: &'static [&'static [If]],
}

const WRITE_COMPLETIONS: &str =
    "write prompt and completion as lists of messages, as TRL's chat form has them";
const WRITE_PREFERENCES: &str =
    "write prompt, chosen and rejected as lists of messages, as TRL's chat form has them";
const OPENCODE_EXPORT: &str = "`opencode export` writes the session as one file, which is read";
const CLINE_HISTORY: &str =
    "its conversation is in api_conversation_history.json beside it, which is read";

const VSCODE_EXPORT: &str = "\"Chat: Export Chat\" writes the chat as one file, which is read";

const V1_EVENTS: &str =
    "a trace of its model calls, as OpenTelemetry or Langfuse record it, is read";

const fn log(
    name: &'static str,
    remedy: &'static str,
    marks: &'static [&'static [If]],
) -> ForeignLog {
    ForeignLog { name, remedy, marks }
}

#[rustfmt::skip]
const FOREIGN_LOGS: &[ForeignLog] = &[
    log("the changes of a chat of VS Code", VSCODE_EXPORT, &[&[all("kind|v.requests|v.sessionId")]]),
    log("the screen of Cline or Roo Code (ui_messages.json)", CLINE_HISTORY, &[
        &[all("ts|say"), is("type", "say")],
        &[all("ts|ask"), is("type", "ask")],
    ]),
    log("a message or a part of OpenCode's storage", OPENCODE_EXPORT, &[
        &[all("id|sessionID|role|time"), none("parts")],
        &[all("id|sessionID|messageID|type"), none("parts")],
    ]),
    log("a session of OpenCode's storage", OPENCODE_EXPORT, &[
        &[all("id|projectID|directory|time"), none("messages")],
    ]),
    log("an older wire log of Kimi CLI", "its context is in context.jsonl beside it", &[
        &[all("timestamp|message.type|message.payload")],
    ]),
    log("an event of OpenHands from version 1 on", V1_EVENTS, &[
        &[all("id|kind|source|timestamp"), is("kind", "SystemPromptEvent|MessageEvent|ActionEvent|ObservationEvent|AgentErrorEvent|Condensation")],
    ]),
    log("the metadata of a task of Cline or Roo Code", CLINE_HISTORY, &[
        &[all("files_in_context|model_usage")],
        &[all("ts|task|tokensIn|tokensOut")],
    ]),
    log("training data whose prompts and answers are texts", WRITE_COMPLETIONS, &[
        &[all("prompt|completion"), kind("completion", TEXT), none(LISTS)],
    ]),
    log("preference data whose answers are texts", WRITE_PREFERENCES, &[
        &[all("chosen|rejected"), kind("chosen", TEXT), none(LISTS)],
    ]),
];
const LISTS: &str = "prompt.0|messages.0|conversations.0";

/// Returns the log that a record is of, or that the first element of a list is of, if its program
/// is known and not read.
pub(crate) fn recognize_foreign_log(record: JsonNode<'_>) -> Option<ForeignLog> {
    let record = record.items().next().unwrap_or(record);
    let mut logs = FOREIGN_LOGS.iter();
    logs.find(|log| log.marks.iter().any(|marks| hold(marks, record))).copied()
}

/// Returns true if a record is of a program that is known and not read.
pub(crate) fn is_foreign_log(record: &[u8]) -> bool {
    JsonTree::new(record).is_ok_and(|tree| recognize_foreign_log(tree.root()).is_some())
}

/// The most keys that are named.
const MAX_KEYS: usize = 10;
/// The most characters of a key or another name that are shown.
const MAX_NAME_CHARS: usize = 40;

/// Returns a name from a log as messages show it: its secrets masked, escaped, and cut.
pub(crate) fn shown_name(name: &str) -> String {
    let name = shorten_value(name);
    name.escape_debug().take(MAX_NAME_CHARS).collect()
}

/// Describes a record by the program whose log it is, if that is known, and else by its keys, or by
/// those of the first object if it is a list.
pub(crate) fn describe_record(record: &[u8]) -> String {
    let Ok(tree) = JsonTree::new(record) else {
        return "it is not JSON".to_owned();
    };
    let root = tree.root();
    if let Some(log) = recognize_foreign_log(root) {
        let ForeignLog { name, remedy, .. } = log;
        return format!("it is {name}, which is not read: {remedy}");
    }
    let (node, whose) = match root.items().next() {
        Some(first) => (first, "a list whose first element has the keys"),
        None => (root, "its keys"),
    };
    let mut keys: Vec<String> =
        node.entries().map(|(key, _)| shown_name(&decode_literal(key.slice(record)))).collect();
    if keys.len() > MAX_KEYS {
        keys.truncate(MAX_KEYS);
        keys.push("…".to_owned());
    }
    match root.kind() {
        JsonKind::Object if keys.is_empty() => "it has no keys".to_owned(),
        JsonKind::Object | JsonKind::Array if !keys.is_empty() => {
            format!("{whose}: {}", keys.join(", "))
        }
        JsonKind::Array => "it is a list without objects".to_owned(),
        kind => format!("it is {}, no object with keys", kind.noun()),
    }
}
