//! Chats as people export them, and as user interfaces keep them.

use super::json::{STAMP, arguments, pairs};
use crate::formats::story::{Exchange, Round, Story};
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
    let mut mapping = Mapping { nodes: Map::new(), last: "client-created-root".to_owned() };
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
            for text in exchange.beside.iter().filter(|_| !exchange.results.is_empty()) {
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
        let text: String = content.iter().filter_map(|block| block["text"].as_str()).collect();
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
            if let Some(beside) = exchange.beside.as_ref().filter(|_| !exchange.results.is_empty())
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
            if let Some(beside) = exchange.beside.as_ref().filter(|_| !exchange.results.is_empty())
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

/// What the user says beside results.
fn beside(exchange: &Exchange) -> Option<&String> {
    exchange.beside.as_ref().filter(|_| !exchange.results.is_empty())
}

pub(crate) fn open_webui(story: &Story) -> Vec<Value> {
    let mut messages = Map::new();
    let mut last = Value::Null;
    let mut say = |role: &str, content: &str, moves: bool| {
        let id = format!("m{}", messages.len());
        messages.insert(id.clone(), json!({"id": id, "parentId": last, "childrenIds": [], "role": role, "content": content, "timestamp": 1, "model": "gpt-oss"}));
        if moves {
            last = json!(id);
        }
    };
    for round in &story.rounds {
        say("user", "never mind", false);
        say("user", &round.ask, true);
        let thought = "<details type=\"reasoning\" done=\"true\">\n<summary>Thought</summary>\n> Look.\n</details>\n";
        let mut answer = String::new();
        for exchange in &round.exchanges {
            answer += thought;
            answer += exchange.say.as_deref().unwrap_or_default();
            for (number, call) in exchange.calls.iter().enumerate() {
                let attribute = |name: &str, text: &str| {
                    let value = json!(text).to_string().replace('&', "&amp;");
                    let value = value.replace('<', "&lt;").replace('>', "&gt;");
                    format!(" {name}=\"{}\"", value.replace('"', "&quot;"))
                };
                let arguments = attribute("arguments", &arguments(call).to_string());
                let result = exchange.results.get(number);
                let result = result.map_or(String::new(), |text| attribute("result", text));
                answer += &format!(
                    "\n<details type=\"tool_calls\" id=\"{}\" name=\"{}\"{arguments}{result}>\n<summary>Done</summary>\n</details>\n",
                    call.id, call.tool
                );
            }
            if let Some(text) = beside(exchange) {
                say("assistant", &std::mem::take(&mut answer), true);
                say("user", text, true);
            }
        }
        say("assistant", &format!("{answer}{}", round.answer), true);
    }
    let system = story.system.clone().unwrap_or_default();
    let chat = json!({"title": "Pumps", "models": ["gpt-oss"], "params": {"system": system}, "history": {"currentId": last, "messages": messages}, "messages": []});
    vec![json!([{"id": "chat-1", "user_id": "u", "title": "Pumps", "chat": chat}])]
}

pub(crate) fn librechat(story: &Story) -> Vec<Value> {
    let mut messages = Vec::new();
    let mut last = "00000000-0000-0000-0000-000000000000".to_owned();
    let mut say = |is_user: bool, text: &str, content: Option<Vec<Value>>| {
        let id = format!("m{}", messages.len());
        let sender = if is_user { "User" } else { "GPT-4.1" };
        if is_user {
            messages.push(json!({"messageId": format!("{id}-x"), "parentMessageId": last, "isCreatedByUser": true, "sender": sender, "text": "never mind"}));
        }
        let mut message = json!({"messageId": id, "parentMessageId": last, "isCreatedByUser": is_user, "sender": sender, "text": text, "model": "gpt-4.1"});
        if let Some(content) = content {
            message["content"] = json!(content);
        }
        messages.push(message);
        last = id;
    };
    for round in &story.rounds {
        say(true, &round.ask, None);
        let mut parts = Vec::new();
        for exchange in &round.exchanges {
            parts.push(json!({"type": "think", "think": "Look at the files."}));
            parts.extend(exchange.say.iter().map(|text| json!({"type": "text", "text": text})));
            for (number, call) in exchange.calls.iter().enumerate() {
                let mut own = json!({"id": call.id, "name": call.tool, "args": arguments(call).to_string(), "type": "tool_call"});
                if let Some(result) = exchange.results.get(number) {
                    own["output"] = json!(result);
                }
                parts.push(json!({"type": "tool_call", "tool_call": own}));
            }
            if let Some(text) = beside(exchange) {
                say(false, "", Some(std::mem::take(&mut parts)));
                say(true, text, None);
            }
        }
        parts.push(json!({"type": "text", "text": {"value": round.answer}}));
        say(false, "", Some(parts));
    }
    vec![
        json!({"conversationId": "chat-1", "endpoint": "openAI", "title": "Pumps", "branches": true, "recursive": false, "messages": messages}),
    ]
}

/// What the history of a chat, which is Markdown, is read as.
pub(crate) fn aider(story: &Story) -> Vec<Value> {
    let mut messages = vec![json!({"role": "aider", "content": "Aider v0.86.2"})];
    for round in &story.rounds {
        messages.push(json!({"role": "user", "content": round.ask}));
        messages.push(json!({"role": "assistant", "content": round.answer}));
        messages.push(json!({"role": "aider", "content": "Tokens: 2k sent."}));
    }
    vec![json!({"aider_chat": "2026-03-02 09:00:00", "messages": messages})]
}

pub(crate) fn continue_dev(story: &Story) -> Vec<Value> {
    let mut history: Vec<Value> = Vec::new();
    let mut push = |message: Value, more: Value| {
        let mut item = json!({"message": message, "contextItems": []});
        for (key, value) in more.as_object().unwrap() {
            item[key] = value.clone();
        }
        history.push(item);
    };
    if let Some(text) = &story.system {
        push(json!({"role": "system", "content": text}), json!({}));
    }
    for round in &story.rounds {
        let content = json!([{"type": "text", "text": round.ask}]);
        push(json!({"role": "user", "content": content}), json!({}));
        for exchange in &round.exchanges {
            push(json!({"role": "thinking", "content": "Look at the files."}), json!({}));
            let calls: Vec<Value> = exchange
                .calls
                .iter()
                .map(|call| json!({"id": call.id, "type": "function", "function": {"name": call.tool, "arguments": arguments(call).to_string()}}))
                .collect();
            // The outputs are in the states of the calls, or messages of their own.
            let states: Vec<Value> = pairs(exchange)
                .map(|(call, result)| json!({"toolCallId": call.id, "status": "done", "output": [{"name": "out", "content": result}]}))
                .collect();
            push(
                json!({"role": "assistant", "content": exchange.say.clone().unwrap_or_default(), "toolCalls": calls}),
                json!({"toolCallStates": states}),
            );
            if let Some(text) = beside(exchange) {
                push(json!({"role": "user", "content": text}), json!({}));
            }
        }
        push(
            json!({"role": "assistant", "content": round.answer}),
            json!({"promptLogs": [{"prompt": "a copy"}]}),
        );
    }
    vec![json!({"sessionId": "chat-1", "title": "Pumps", "history": history})]
}

/// A chat with the rounds of each response.
pub(crate) fn vscode_chat(story: &Story) -> Vec<Value> {
    let request = |round: &Round| {
        let mut results = Map::new();
        let mut rounds = Vec::new();
        for (number, exchange) in round.exchanges.iter().enumerate() {
            let id = |id: &str| format!("{id}-{number}");
            let calls: Vec<Value> = exchange
                .calls
                .iter()
                .map(|call| json!({"id": id(call.id), "name": call.tool, "arguments": arguments(call).to_string()}))
                .collect();
            for (call, result) in pairs(exchange) {
                results.insert(
                    id(call.id),
                    json!({"$mid": 20, "content": [{"$mid": 21, "value": result}]}),
                );
            }
            rounds.push(json!({"id": number.to_string(), "response": exchange.say.clone().unwrap_or_default(), "toolCalls": calls}));
        }
        rounds.push(json!({"id": "end", "response": round.answer, "toolCalls": []}));
        json!({"requestId": "r", "message": {"text": round.ask, "parts": []}, "response": [{"value": "a copy"}], "modelId": "copilot/gpt-4.1", "result": {"metadata": {"toolCallRounds": rounds, "toolCallResults": results}}})
    };
    let requests: Vec<Value> = story.rounds.iter().map(request).collect();
    vec![json!({"version": 3, "sessionId": "chat-1", "requests": requests})]
}

/// A chat of which only what is shown was kept.
pub(crate) fn vscode_shown(story: &Story) -> Vec<Value> {
    let request = |round: &Round| {
        let mut parts = vec![json!({"kind": "mcpServersStarting"})];
        for exchange in &round.exchanges {
            parts.push(json!({"kind": "thinking", "value": "Look at the files."}));
            parts.extend(exchange.say.iter().map(|text| json!({"value": text})));
            for (number, call) in exchange.calls.iter().enumerate() {
                let mut own = json!({"kind": "toolInvocationSerialized", "toolId": call.tool, "toolCallId": call.id, "resultDetails": {"input": arguments(call).to_string()}});
                if let Some(result) = exchange.results.get(number) {
                    own["resultDetails"]["output"] = json!([{"type": "embed", "value": result}]);
                }
                parts.push(own);
            }
        }
        let half = round
            .answer
            .char_indices()
            .nth(round.answer.chars().count() / 2)
            .map_or(0, |(at, _)| at);
        parts.push(json!({"value": &round.answer[..half]}));
        parts.push(json!({"kind": "inlineReference", "name": &round.answer[half..]}));
        json!({"requestId": "r", "message": {"text": round.ask}, "response": parts, "result": {}})
    };
    let requests: Vec<Value> = story.rounds.iter().map(request).collect();
    vec![json!({"version": 3, "sessionId": "chat-1", "requests": requests})]
}
