//! Sessions and streams of Claude Code.

use super::json::{Chain, arguments, pairs};
use crate::formats::story::Story;
use serde_json::{Value, json};

pub(crate) fn claude_code(story: &Story) -> Vec<Value> {
    let mut chain = Chain { lines: Vec::new(), last: Value::Null, answers: 0 };
    chain.lines.push(json!({"type": "file-history-snapshot", "messageId": "x", "snapshot": {}}));
    for round in &story.rounds {
        chain.detour();
        chain.user(json!(round.ask));
        for exchange in &round.exchanges {
            let mut blocks: Vec<Value> =
                exchange.say.iter().map(|text| json!({"type": "text", "text": text})).collect();
            blocks.extend(exchange.calls.iter().map(|call| json!({"type": "tool_use", "id": call.id, "name": call.tool, "input": arguments(call)})));
            chain.answer(blocks);
            // Results of parallel calls hang on the piece that made the call: all but the last lie
            // beside the path.
            let pieces = chain.lines.len() - exchange.calls.len();
            for (number, (call, text)) in pairs(exchange).enumerate() {
                chain.last = chain.lines[pieces + number]["uuid"].clone();
                chain.user(
                    json!([{"type": "tool_result", "tool_use_id": call.id, "content": text}]),
                );
            }
            chain.lines.push(
                json!({"type": "queue-operation", "operation": "enqueue", "sessionId": "s-1"}),
            );
            for text in exchange.beside.iter().filter(|_| !exchange.results.is_empty()) {
                chain.user(json!([{"type": "text", "text": text}]));
            }
        }
        chain.answer(vec![
            json!({"type": "thinking", "thinking": "hm", "signature": "Eq"}),
            json!({"type": "text", "text": round.answer}),
        ]);
        let mut sidechain = chain.lines.last().unwrap().clone();
        (sidechain["isSidechain"], sidechain["agentId"], sidechain["uuid"]) =
            (json!(true), json!("ag1"), json!(format!("x{}", chain.lines.len())));
        sidechain["parentUuid"] = Value::Null;
        chain.lines.push(sidechain);
    }
    chain.lines
}

pub(crate) fn claude_stream(story: &Story) -> Vec<Value> {
    let mut lines = vec![
        json!({"type": "system", "subtype": "init", "session_id": "s-1", "model": "claude-opus-4-5", "tools": ["Read"]}),
    ];
    let session = claude_code(story).into_iter().filter(|line| line["isSidechain"] == false);
    // The chain without its detours, each line with what the stream has.
    let mut dead = 0;
    for line in session {
        dead = if line["message"]["content"] == "never mind" { 2 } else { dead };
        if dead > 0 {
            dead -= 1;
            continue;
        }
        lines.push(json!({"type": line["type"], "message": line["message"], "parent_tool_use_id": null, "session_id": "s-1", "uuid": line["uuid"]}));
        lines.push(json!({"type": line["type"], "message": line["message"], "parent_tool_use_id": "toolu_9", "session_id": "s-1"}));
    }
    lines.push(json!({"type": "result", "subtype": "success", "session_id": "s-1", "usage": {}}));
    lines
}
