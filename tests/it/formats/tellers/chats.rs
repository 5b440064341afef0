//! Chats as people export them, and as user interfaces keep them.

use super::json::{STAMP, arguments, pairs};
use crate::formats::story::Story;
use serde_json::{Map, Value, json};

/// Nodes of ChatGPT, each below the one before it.
struct Mapping {
    nodes: Map<String, Value>,
    last: String,
}

impl Mapping {
    fn push(&mut self, mut message: Value) -> Value {
        let id = format!("n{}", self.nodes.len());
        message["id"] = json!(format!("m-{id}"));
        message["create_time"] = json!(1_767_225_600.5);
        let own = message["id"].clone();
        let node = json!({"id": id, "message": message, "parent": self.last, "children": []});
        self.nodes.insert(id.clone(), node);
        self.last = id;
        own
    }

    fn say(&mut self, role: &str, text: &str) {
        self.push(json!({"author": {"role": role, "name": null, "metadata": {}}, "content": {"content_type": "text", "parts": [text]}, "status": "finished_successfully", "metadata": {"model_slug": "gpt-5"}, "recipient": "all"}));
    }

    /// A branch that is left again.
    fn detour(&mut self) {
        let back = self.last.clone();
        self.say("user", "never mind");
        self.say("assistant", "a dead branch");
        self.last = back;
    }
}

pub(crate) fn chatgpt(story: &Story) -> Vec<Value> {
    let mut mapping = Mapping {
        nodes: Map::new(),
        last: "client-created-root".to_owned(),
    };
    let root = json!({"id": "client-created-root", "message": null, "parent": null});
    mapping.nodes.insert("client-created-root".to_owned(), root);
    mapping.say("system", "");
    mapping.push(json!({"author": {"role": "user"}, "content": {"content_type": "user_editable_context", "user_profile": "I run pumps.", "user_instructions": "Be short."}}));
    if let Some(text) = &story.system {
        mapping.say("system", text);
    }
    for round in &story.rounds {
        mapping.detour();
        mapping.say("user", &round.ask);
        for exchange in &round.exchanges {
            mapping.push(json!({"author": {"role": "assistant"}, "content": {"content_type": "thoughts", "thoughts": [{"summary": "Look", "content": "at the files"}]}}));
            mapping.push(json!({"author": {"role": "assistant"}, "content": {"content_type": "reasoning_recap", "content": "Thought for 2 s"}}));
            if let Some(text) = &exchange.say {
                mapping.say("assistant", text);
            }
            for (number, call) in exchange.calls.iter().enumerate() {
                mapping.push(json!({"author": {"role": "assistant"}, "content": {"content_type": "code", "language": "json", "text": arguments(call).to_string()}, "recipient": call.tool}));
                if let Some(result) = exchange.results.get(number) {
                    mapping.push(json!({"author": {"role": "tool", "name": call.tool}, "content": {"content_type": "execution_output", "text": result}, "recipient": "all"}));
                }
            }
            for text in exchange
                .beside
                .iter()
                .filter(|_| !exchange.results.is_empty())
            {
                mapping.say("user", text);
            }
        }
        mapping.say("assistant", &round.answer);
    }
    let Mapping { nodes, last } = mapping;
    vec![
        json!([{"title": "Pumps", "create_time": 1_767_225_600.5, "mapping": nodes, "current_node": last, "conversation_id": "chat-1", "default_model_slug": "auto"}]),
    ]
}

pub(crate) fn claude_ai(story: &Story) -> Vec<Value> {
    let mut messages = Vec::new();
    let mut say = |sender: &str, content: Vec<Value>| {
        let id = format!("m{}", messages.len());
        let text: String = content
            .iter()
            .filter_map(|block| block["text"].as_str())
            .collect();
        messages.push(json!({"uuid": id, "sender": sender, "text": text, "content": content, "created_at": STAMP, "attachments": [], "files": []}));
    };
    let text = |text: &str| json!({"type": "text", "text": text, "citations": []});
    for round in &story.rounds {
        say("human", vec![text(&round.ask)]);
        for exchange in &round.exchanges {
            let mut content = vec![json!({"type": "thinking", "thinking": "Look at the files."})];
            content.extend(exchange.say.iter().map(|say| text(say)));
            content.extend(exchange.calls.iter().map(|call| json!({"type": "tool_use", "id": call.id, "name": call.tool, "input": arguments(call), "message": "for the screen"})));
            content.extend(pairs(exchange).map(|(call, result)| json!({"type": "tool_result", "tool_use_id": call.id, "name": call.tool, "content": [{"type": "text", "text": result}], "is_error": false})));
            say("assistant", content);
            if let Some(beside) = exchange
                .beside
                .as_ref()
                .filter(|_| !exchange.results.is_empty())
            {
                say("human", vec![text(beside)]);
            }
        }
        say("assistant", vec![text(&round.answer)]);
    }
    vec![
        json!([{"uuid": "chat-1", "name": "Pumps", "created_at": STAMP, "account": {"uuid": "a"}, "chat_messages": messages}]),
    ]
}

pub(crate) fn vercel_ui(story: &Story) -> Vec<Value> {
    let mut lines = Vec::new();
    let mut say = |role: &str, parts: Vec<Value>| {
        lines.push(json!({"id": format!("m{}", lines.len()), "chatId": "chat-1", "role": role, "parts": parts, "createdAt": STAMP}));
    };
    let text = |text: &str| json!({"type": "text", "text": text, "state": "done"});
    if let Some(system) = &story.system {
        say("system", vec![text(system)]);
    }
    for round in &story.rounds {
        say("user", vec![text(&round.ask)]);
        let mut parts = Vec::new();
        for exchange in &round.exchanges {
            parts.push(json!({"type": "step-start"}));
            parts.push(json!({"type": "reasoning", "text": "Look at the files."}));
            parts.extend(exchange.say.iter().map(|say| text(say)));
            for (number, call) in exchange.calls.iter().enumerate() {
                let mut part = json!({"type": format!("tool-{}", call.tool), "toolCallId": call.id, "state": "input-available", "input": arguments(call)});
                if let Some(result) = exchange.results.get(number) {
                    part["state"] = json!("output-available");
                    part["output"] = json!(result);
                }
                parts.push(part);
            }
            if let Some(beside) = exchange
                .beside
                .as_ref()
                .filter(|_| !exchange.results.is_empty())
            {
                say("assistant", std::mem::take(&mut parts));
                say("user", vec![text(beside)]);
            }
        }
        parts.push(json!({"type": "step-start"}));
        parts.push(text(&round.answer));
        say("assistant", parts);
    }
    lines
}
