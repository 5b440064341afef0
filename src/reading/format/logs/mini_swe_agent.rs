//! Trajectories of mini-SWE-agent that hold more than chat messages: a message that tells how the
//! run ended (`exit`), or answers and items of the Responses API. All others are OpenAI chats.

use crate::reading::format::row::prelude::*;

#[rustfmt::skip]
pub(crate) const MINI_SWE_AGENT: LogRow = LogRow {
    name: "mini-swe-agent",
    help: "mini-SWE-agent trajectories with an exit message or Responses items: {\"messages\", \"info\", \"trajectory_format\"}",
    evidence: &[conversation("trajectory_format mini-swe-agent, and more than chat messages", &[
        starts("trajectory_format", "mini-swe-agent"),
        If::Some(at("messages"), &[If::Any(&[is("role", "exit"), none("role")])]),
    ])],
    reads: Reads::Records(build_thread),
};

fn build_thread(record: JsonNode<'_>) -> Result<JournalThread> {
    let list = record.need_kind("messages", JsonKind::Array)?;
    let is_chat = list.items().all(|message| message.has_key("role"));
    let dialect = if is_chat { OPENAI } else { RESPONSES };
    let mut thread = JournalThread::new_read_only(dialect);
    thread.id = record.non_empty_text("instance_id");
    thread.model = at("info.config.model.model_name").text(record);
    // A message `exit` tells how the run ended.
    for message in list.items().filter(|message| !message.has_text("role", "exit")) {
        // An answer of the Responses API is a list of items.
        let output = message.get_kind("output", JsonKind::Array);
        match output.filter(|_| hold(&[none("role|type")], message)) {
            Some(items) => items.items().for_each(|item| thread.push_node(item)),
            None => thread.push_node(message),
        }
    }
    Ok(thread)
}
