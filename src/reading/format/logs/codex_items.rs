//! Codex rollouts to early September 2025: a head, then bare items of the Responses API, and lines
//! of state between them. They have no record of a compaction.

use crate::reading::format::codex_history::{CodexHistory, CodexItem};
use crate::reading::format::row::prelude::*;

#[rustfmt::skip]
pub(crate) const CODEX_ITEMS: LogRow = LogRow {
    name: "codex-items",
    help: "Codex rollouts up to September 2025: a line {\"id\", \"timestamp\", \"instructions\"}, then one response item a line",
    evidence: &[
        event("a head of id, timestamp and instructions", &[
            all("id|timestamp|instructions"),
            none("type|messages|input|output"),
        ]),
        event("record_type", &[is("record_type", "state")]),
        // The items between these events; a list of nothing else is of the Responses API. The
        // entries of other agents hold their message below a key.
        fits("an item of the Responses API", &[is("type", ITEMS), none("message")]),
    ],
    reads: Reads::Own(|| Box::new(CodexItemsReader::default())),
};

/// The types of bare items.
const ITEMS: &str =
    "message|reasoning|function_call|function_call_output|local_shell_call|custom_tool_call";

#[derive(Default)]
struct CodexItemsReader {
    history: CodexHistory,
    id: Option<String>,
    /// The literal of the instructions.
    instructions: Option<EventPlace>,
}

impl JournalReader for CodexItemsReader {
    fn observe_record(&mut self, record: JsonNode<'_>) -> Result<()> {
        if record.has_key("instructions") && !record.has_key("type") {
            self.id = record.non_empty_text("id").or(self.id.take());
            self.instructions = record
                .get_kind("instructions", JsonKind::String)
                .map(JsonNode::place)
                .or(self.instructions);
        } else if !record.has_key("record_type") {
            self.history.items.extend(CodexItem::from_node(record));
        }
        Ok(())
    }

    fn into_threads(self: Box<Self>, records: &[&[u8]]) -> Vec<JournalThread> {
        let mut thread = self.history.build_thread(records, WriteMode::Nowhere, self.instructions);
        thread.id = self.id;
        thread.into_only_thread()
    }
}
