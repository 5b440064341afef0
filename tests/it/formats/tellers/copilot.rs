//! Events of the Copilot CLI.

use super::json::{STAMP, arguments, pairs};
use crate::formats::story::{Call, Story};
use serde_json::{Value, json};

pub(crate) fn copilot_cli(story: &Story) -> Vec<Value> {
    let mut events: Vec<Value> = Vec::new();
    let mut tell = |kind: &str, data: Value| {
        let number = events.len();
        events.push(json!({"type": kind, "data": data, "id": format!("e{number}"), "timestamp": STAMP, "parentId": null}));
        number
    };
    tell("session.start", json!({"sessionId": "c-1", "copilotVersion": "1.0.80"}));
    if let Some(text) = &story.system {
        tell("system.message", json!({"role": "system", "content": text}));
    }
    for round in &story.rounds {
        let back = tell("user.message", json!({"content": "never mind"}));
        tell("assistant.turn_start", json!({"turnId": "0"}));
        tell(
            "session.snapshot_rewind",
            json!({"upToEventId": format!("e{back}"), "eventsRemoved": 2}),
        );
        tell(
            "user.message",
            json!({"content": "what was typed", "transformedContent": round.ask, "attachments": []}),
        );
        for exchange in &round.exchanges {
            let request = |call: &Call| json!({"toolCallId": call.id, "name": call.tool, "arguments": arguments(call), "type": "function"});
            let requests: Vec<Value> = exchange.calls.iter().map(request).collect();
            let words = exchange.say.clone().unwrap_or_default();
            tell(
                "assistant.message",
                json!({"messageId": "m", "content": words, "toolRequests": requests, "reasoningText": "hm"}),
            );
            for call in &exchange.calls {
                tell(
                    "tool.execution_start",
                    json!({"toolCallId": call.id, "toolName": call.tool, "arguments": arguments(call)}),
                );
            }
            tell(
                "assistant.message",
                json!({"content": "of a helper", "parentToolCallId": "helper"}),
            );
            for (call, result) in pairs(exchange) {
                tell(
                    "tool.execution_complete",
                    json!({"toolCallId": call.id, "success": true, "result": {"content": result, "detailedContent": "for the screen"}}),
                );
            }
            let words = exchange.beside.iter();
            for text in words.filter(|_| !exchange.results.is_empty()) {
                tell("user.message", json!({"content": text}));
            }
        }
        tell(
            "assistant.message",
            json!({"messageId": "m", "content": round.answer, "toolRequests": []}),
        );
    }
    events
}
