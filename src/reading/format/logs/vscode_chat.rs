//! Chats of VS Code Copilot, as the editor keeps and exports them: requests with their responses.
//! Agents note the rounds of a response (`toolCallRounds`) with the results of their calls; where
//! they did not, the response is what the screen shows.

use crate::reading::format::logs::vscode_shown::{push_shown, push_thinking};
use crate::reading::format::row::prelude::*;

/// Chats of VS Code.
pub(crate) const VSCODE_CHAT: LogRow = LogRow {
    name: "vscode-chat",
    help: "VS Code Copilot chats: {\"requests\": [{\"requestId\", \"message\", \"response\"}]}, exported or as the editor keeps them",
    evidence: &[conversation(
        "requests with a message and a response",
        &[If::First(&[If::Of(at("requests.0"), &[all("message|response")])])],
    )],
    reads: Reads::Built(build_thread),
};

fn build_thread(chat: JsonNode<'_>) -> Result<JournalThread> {
    let requests = chat.need_kind("requests", JsonKind::Array)?;
    let mut thread = JournalThread::new_excerpt(OPENAI);
    for request in requests.items() {
        if let Err(error) = push_request(&mut thread, request) {
            thread.unread.push((request.record_index(), error));
        }
    }
    thread.id = chat.non_empty_text("sessionId");
    let mut models = requests.items().rev();
    thread.model = models.find_map(|request| request.non_empty_text("modelId"));
    note_other_keys(&mut thread, chat, &["sessionId", "requests"]);
    Ok(thread)
}

fn push_request(thread: &mut JournalThread, request: JsonNode<'_>) -> Result<()> {
    let message = request.need("message")?;
    let mut user = MessageBuilder::new("user").with_place(message.place());
    if let Some(text) = message.get("text") {
        user.push_string(text);
    } else if message.is_kind(JsonKind::String) {
        user.push_string(message);
    } else {
        let parts = message.items_of("parts");
        let texts = parts.filter_map(|part| part.literal_bytes("text"));
        texts.for_each(|text| user.push_text(text));
        if user.is_empty() {
            return Err(unknown_content_error(message, "the message of a request"));
        }
    }
    user.push_onto(thread);
    let elements = thread.len();
    let metadata = request.get_path(&["result", "metadata"]);
    let rounds = metadata.and_then(|metadata| metadata.get_kind("toolCallRounds", JsonKind::Array));
    let rounds: Vec<JsonNode<'_>> = rounds.into_iter().flat_map(JsonNode::items).collect();
    let has_rounds = rounds.iter().any(|round| {
        round.non_empty_text("response").is_some() || round.items_of("toolCalls").next().is_some()
    });
    if has_rounds {
        let results = metadata.and_then(|metadata| metadata.get("toolCallResults"));
        push_rounds(thread, &rounds, results);
        if let (Some(result), Some(metadata)) = (request.get("result"), metadata) {
            note_other_keys(thread, result, &["metadata"]);
            let read = ["toolCallRounds", "toolCallResults"];
            note_other_keys(thread, metadata, &read);
        }
    } else {
        push_shown(thread, request);
    }
    // Beside rounds the response is a copy for the screen.
    let is_answered = thread.len() > elements;
    let read = match has_rounds {
        true => ["message", "result"].as_slice(),
        false if is_answered => &["message", "response"],
        false => &["message"],
    };
    note_other_keys(thread, request, read);
    Ok(())
}

/// Appends the rounds of a response: what the model said, its calls and their results.
fn push_rounds(thread: &mut JournalThread, rounds: &[JsonNode<'_>], results: Option<JsonNode<'_>>) {
    let mut by_id: HashMap<Cow<'_, str>, JsonNode<'_>> = HashMap::new();
    for (key, result) in results.into_iter().flat_map(JsonNode::entries) {
        by_id.insert(decode_literal(key.slice(result.record_bytes())), result);
    }
    for round in rounds {
        let mut element = MessageBuilder::new("assistant").with_place(round.place());
        if let Some(thinking) = round.get("thinking") {
            push_thinking(&mut element, thinking.get("text").unwrap_or(thinking));
        }
        if let Some(response) = round.get("response") {
            element.push_string(response);
        }
        let mut answers = Vec::new();
        for call in round.items_of("toolCalls") {
            let id = call.literal_or_empty("id");
            let name = call.literal_or_empty("name");
            element.push_call(id, name, call.get("arguments"));
            if let Some(result) = by_id.get(&decode_literal(id)) {
                let mut answer = MessageBuilder::new_result(Some(id)).with_place(result.place());
                for part in result.items_of("content") {
                    push_result_part(&mut answer, part.get("value").unwrap_or(part));
                }
                answers.push(answer);
            }
        }
        element.push_onto(thread);
        for answer in answers {
            answer.push_onto(thread);
        }
    }
}

/// Adds a part of a result: a text, or a tree of elements whose leaves are texts.
fn push_result_part(element: &mut MessageBuilder, value: JsonNode<'_>) {
    if element.push_string(value) {
        return;
    }
    let mut text = Vec::new();
    collect_texts(value.get("node").unwrap_or(value), &mut text);
    if text.is_empty() {
        element.push_value(value);
        return;
    }
    let joined: Vec<Cow<'_, str>> = text.iter().map(|text| decode_literal(text)).collect();
    element.push_text(&encode_literal(&joined.concat()));
    text.iter().for_each(|text| element.keep_spelling(text));
}

fn collect_texts<'t>(node: JsonNode<'t>, texts: &mut Vec<&'t [u8]>) {
    texts.extend(node.literal_bytes("text"));
    for child in node.items_of("children") {
        collect_texts(child, texts);
    }
}
