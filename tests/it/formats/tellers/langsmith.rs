//! Runs of LangSmith.

use super::json::{arguments, pairs};
use crate::formats::story::{Call, Story};
use serde_json::{Value, json};

pub(crate) fn langsmith(story: &Story) -> Vec<Value> {
    let message = |class: &str, mut kwargs: Value| {
        kwargs["type"] = json!(class.to_lowercase());
        json!({"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", format!("{class}Message")], "kwargs": kwargs})
    };
    let mut history: Vec<Value> =
        story.system.iter().map(|text| message("System", json!({"content": text}))).collect();
    let mut runs = Vec::new();
    let mut run = |inputs: &[Value], answer: &Value| {
        let number = runs.len();
        runs.push(json!({
            "id": format!("r{number}"), "trace_id": "tr", "session_id": "the project", "run_type": "llm", "start_time": format!("2026-01-01T{:06}Z", number),
            "extra": {"metadata": {"thread_id": "t1", "ls_model_name": "gpt-4.1"}}, "inputs": {"messages": [inputs]}, "outputs": {"generations": [[{"message": answer}]]},
        }));
        runs.push(json!({"id": format!("c{number}"), "parent_run_id": "x", "run_type": "chain", "inputs": {}, "outputs": {}, "extra": {"metadata": {"thread_id": "t1"}}}));
    };
    for round in &story.rounds {
        history.push(message("Human", json!({"content": round.ask})));
        for exchange in &round.exchanges {
            let call = |call: &Call| json!({"name": call.tool, "args": arguments(call), "id": call.id, "type": "tool_call"});
            let calls: Vec<Value> = exchange.calls.iter().map(call).collect();
            let answer = message(
                "AI",
                json!({"content": exchange.say.clone().unwrap_or_default(), "tool_calls": calls}),
            );
            run(&history, &answer);
            history.push(answer);
            history.extend(pairs(exchange).map(|(call, result)| {
                message("Tool", json!({"content": result, "tool_call_id": call.id}))
            }));
            history.extend(
                exchange
                    .beside
                    .iter()
                    .filter(|_| !exchange.results.is_empty())
                    .map(|text| message("Human", json!({"content": text}))),
            );
        }
        let answer = message("AI", json!({"content": round.answer}));
        run(&history, &answer);
        history.push(answer);
    }
    runs
}
