//! Sessions of Qwen Code (`~/.qwen/projects/*/chats/*.jsonl`): lines linked by `parentUuid`, as in
//! Claude Code, with Gemini contents as messages. The conversation is the path from the last line
//! to its root. A compression on the path replaces everything before it by the contents that were
//! sent from then on. Sub-agents in the file are threads of their own.

use crate::reading::format::row::prelude::*;

#[rustfmt::skip]
pub(crate) const QWEN_CODE: LogRow = LogRow {
    name: "qwen-code",
    help: "Qwen Code sessions (~/.qwen/projects/*/chats): the live path over parentUuid, messages of Gemini parts",
    evidence: &[
        event("parentUuid beside a message of parts", &[IS_LINE, kind("message.parts", LIST)]),
        event("parentUuid beside a system line without content", &[
            IS_LINE,
            is("type", "system"),
            has("subtype"),
            none("message|content|isMeta|level"),
        ]),
    ],
    reads: Reads::Own(|| Box::new(QwenCodeReader::default())),
};

const IS_LINE: If = all("uuid|parentUuid|sessionId");

/// The types of lines that hold a message.
const TURN_TYPES: [&str; 3] = ["user", "assistant", "tool_result"];

/// The usage of an answer as an entry under the names of OpenAI, and where it is.
const USAGE: &str = r#", "usage": {"prompt_tokens": $, "completion_tokens": $, "total_tokens": $, "prompt_tokens_details": {"cached_tokens": $}}"#;
const USAGE_KEYS: [At; 4] = [
    at("promptTokenCount"),
    at("candidatesTokenCount"),
    at("totalTokenCount"),
    at("cachedContentTokenCount"),
];

struct QwenLine {
    /// Index of the record.
    at: usize,
    parent: Option<String>,
    /// The sub-agent; `None` for the main agent.
    agent: Option<String>,
    /// True if the line holds a message or a compressed history.
    is_turn: bool,
    /// True if the line begins the history anew.
    is_compression: bool,
}

/// A session, read line by line.
#[derive(Default)]
struct QwenCodeReader {
    id: Option<String>,
    lines: HashMap<String, QwenLine>,
    agents: Agents<QwenAgent>,
}

/// The main agent or a sub-agent.
#[derive(Default)]
struct QwenAgent {
    /// The uuid of its last line.
    leaf: String,
    /// The number of its messages and compressed histories, on all branches.
    turns: usize,
}

impl JournalReader for QwenCodeReader {
    fn observe_record(&mut self, record: JsonNode<'_>) -> Result<()> {
        let uuid = record.non_empty_text("uuid").ok_or_else(|| record.missing_key("uuid"))?;
        let is_turn = TURN_TYPES.iter().any(|kind| record.has_text("type", kind));
        if let Some(message) = record.get("message").filter(|_| is_turn) {
            let parts = message.need_at("parts", "message.parts")?;
            parts.must_be(JsonKind::Array, "message.parts")?;
        }
        let is_compression = sent_history(record).is_some();
        at("sessionId").first_into(&mut self.id, record);
        let target = at("systemPayload.targetUuid").text(record);
        let known_target = target.filter(|target| self.lines.contains_key(target));
        let agent = record.non_empty_text("agentId").or_else(|| {
            let is_sidechain = record.has_true("isSidechain");
            is_sidechain.then(|| "sidechain".to_owned())
        });
        let line = QwenLine {
            at: record.record_index(),
            parent: known_target.or_else(|| record.non_empty_text("parentUuid")),
            agent,
            is_turn: is_turn || is_compression,
            is_compression,
        };
        self.push_line(uuid, line);
        Ok(())
    }

    fn into_threads(self: Box<Self>, records: &[&[u8]]) -> Vec<JournalThread> {
        let Self { id, lines, agents } = *self;
        agents.into_threads(id, |agent| build_thread(&lines, &agent, records))
    }
}

impl QwenCodeReader {
    fn push_line(&mut self, uuid: String, line: QwenLine) {
        let agent = self.agents.agent(line.agent.clone(), QwenAgent::default);
        agent.turns += usize::from(line.is_turn);
        agent.leaf.clone_from(&uuid);
        self.lines.insert(uuid, line);
    }
}

/// Returns the lines from the last compression, or the root, to a leaf, without those of other
/// agents.
fn path_to<'l>(lines: &'l HashMap<String, QwenLine>, leaf: &str) -> Vec<&'l QwenLine> {
    let (mut path, mut passed) = (Vec::new(), HashSet::new());
    let mut at = lines.get_key_value(leaf);
    while let Some((uuid, line)) = at {
        let agent = path.first().map(|first: &&QwenLine| &first.agent);
        if !passed.insert(uuid) || agent.is_some_and(|agent| *agent != line.agent) {
            break;
        }
        path.push(line);
        if line.is_compression {
            break;
        }
        at = line.parent.as_ref().and_then(|parent| lines.get_key_value(parent));
    }
    path.reverse();
    path
}

fn build_thread(
    lines: &HashMap<String, QwenLine>,
    agent: &QwenAgent,
    records: &[&[u8]],
) -> JournalThread {
    let mut thread = JournalThread::new_read_only(GEMINI);
    let path = path_to(lines, &agent.leaf);
    for line in &path {
        if let Ok(tree) = JsonTree::of_record(records[line.at], line.at) {
            push_line(&mut thread, tree.root(), line);
        }
    }
    let (all, live) = (agent.turns, path.iter().filter(|line| line.is_turn).count());
    let is_compressed = path.first().is_some_and(|first| first.is_compression);
    if all > live && !is_compressed {
        thread.warnings.push(format!(
            "{} of its {all} lines belong to abandoned branches and are not sent",
            all - live
        ));
    }
    thread
}

/// Returns the contents that a line says were sent from then on: those of a compression, or those
/// that a fork inherits.
fn sent_history(record: JsonNode<'_>) -> Option<JsonNode<'_>> {
    let payload = record.get("systemPayload")?;
    let keys = ["compressedHistory", "history"].iter();
    keys.filter_map(|key| payload.get_kind(key, JsonKind::Array)).next()
}

/// Appends the message of a line, or the contents of a compressed history.
fn push_line(thread: &mut JournalThread, record: JsonNode<'_>, line: &QwenLine) {
    if line.is_compression {
        // A fork begins with what was said to the agent that it comes from: no summary.
        let is_fork = record.has_text("subtype", "agent_bootstrap");
        if let Some(prompt) = record.get_path(&["systemPayload", "systemInstruction"]) {
            thread.add_entry("systemInstruction", prompt.bytes());
        }
        for content in sent_history(record).into_iter().flat_map(JsonNode::items) {
            let mark = match thread.len() {
                _ if is_fork => ElementMark::Message,
                0 if content.has_text("role", "user") => ElementMark::Summary,
                _ => ElementMark::Message,
            };
            thread.push_element(mark, vec![content.place()], content.bytes());
        }
        return;
    }
    let Some(message) = record.get("message").filter(|_| line.is_turn) else {
        return;
    };
    thread.model = record.non_empty_text("model").or(thread.model.take());
    let window = at("contextWindowSize").count(record);
    thread.input_limit = window.or(thread.input_limit);
    let role = match record.has_text("type", "assistant") {
        true => "model",
        false => "user",
    };
    let parts = message.bytes_or_null("parts");
    let whole = Span { start: 0, end: record.record_bytes().len() };
    let place = EventPlace::new(line.at, whole);
    let pattern = r#"{"role": "$", "parts": $$}"#;
    let usage = record.get("usageMetadata");
    let usage = usage.map(|usage| fill_counts(USAGE, usage, &USAGE_KEYS));
    let values = [role.as_bytes(), parts, &usage.unwrap_or_default()];
    let json = fill_json(pattern, &values);
    thread.push_message(place, &json);
}
