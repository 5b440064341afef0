//! The story as agents keep it: their records, and what they note between.

use crate::formats::journals::Journal;
use crate::formats::story::{Call, Exchange, Story};
use serde_json::{Value, json};

const STAMP: &str = "2026-01-01T00:00:00.000Z";

fn arguments(call: &Call) -> Value {
    json!({"path": call.path, "content": call.content})
}

fn pairs(exchange: &Exchange) -> impl Iterator<Item = (&Call, &String)> {
    exchange.calls.iter().zip(&exchange.results)
}

// ---------------------------------------------------------------- Claude Code

/// A chain of lines that hang on each other.
struct Chain {
    lines: Vec<Value>,
    last: Value,
    answers: usize,
}

impl Chain {
    fn push(&mut self, kind: &str, message: Value) {
        let uuid = format!("u{}", self.lines.len());
        self.lines.push(json!({
            "parentUuid": self.last, "isSidechain": false, "userType": "external", "cwd": "/srv/app", "sessionId": "s-1", "version": "2.1.0",
            "type": kind, "message": message, "uuid": uuid, "timestamp": STAMP, "toolUseResult": "a copy for the screen",
        }));
        self.last = json!(uuid);
    }

    fn user(&mut self, content: Value) {
        self.push("user", json!({"role": "user", "content": content}));
    }

    /// One line a block.
    fn answer(&mut self, blocks: Vec<Value>) {
        self.answers += 1;
        for block in blocks {
            self.push("assistant", json!({"id": format!("msg_{}", self.answers), "role": "assistant", "content": [block], "usage": {"output_tokens": 1}}));
        }
    }

    /// A branch that is left again.
    fn detour(&mut self) {
        let back = self.last.clone();
        self.user(json!("never mind"));
        self.answer(vec![json!({"type": "text", "text": "a dead branch"})]);
        self.last = back;
    }
}

fn claude_code(story: &Story) -> Vec<Value> {
    let mut chain = Chain {
        lines: Vec::new(),
        last: Value::Null,
        answers: 0,
    };
    chain
        .lines
        .push(json!({"type": "file-history-snapshot", "messageId": "x", "snapshot": {}}));
    for round in &story.rounds {
        chain.detour();
        chain.user(json!(round.ask));
        for exchange in &round.exchanges {
            let mut blocks: Vec<Value> = exchange
                .say
                .iter()
                .map(|text| json!({"type": "text", "text": text}))
                .collect();
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
            for text in exchange
                .beside
                .iter()
                .filter(|_| !exchange.results.is_empty())
            {
                chain.user(json!([{"type": "text", "text": text}]));
            }
        }
        chain.answer(vec![
            json!({"type": "thinking", "thinking": "hm", "signature": "Eq"}),
            json!({"type": "text", "text": round.answer}),
        ]);
        let mut sidechain = chain.lines.last().unwrap().clone();
        (
            sidechain["isSidechain"],
            sidechain["agentId"],
            sidechain["uuid"],
        ) = (
            json!(true),
            json!("ag1"),
            json!(format!("x{}", chain.lines.len())),
        );
        sidechain["parentUuid"] = Value::Null;
        chain.lines.push(sidechain);
    }
    chain.lines
}

fn claude_stream(story: &Story) -> Vec<Value> {
    let mut lines = vec![
        json!({"type": "system", "subtype": "init", "session_id": "s-1", "model": "claude-opus-4-5", "tools": ["Read"]}),
    ];
    let session = claude_code(story)
        .into_iter()
        .filter(|line| line["isSidechain"] == false);
    // The chain without its detours, each line with what the stream has.
    let mut dead = 0;
    for line in session {
        dead = if line["message"]["content"] == "never mind" {
            2
        } else {
            dead
        };
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

// ---------------------------------------------------------------- Codex

fn codex_items_of(story: &Story) -> Vec<Value> {
    let text = |role: &str, text: &str| {
        let kind = if role == "assistant" {
            "output_text"
        } else {
            "input_text"
        };
        json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]})
    };
    let mut items = vec![text(
        "user",
        "<environment_context>/srv/app</environment_context>",
    )];
    for round in &story.rounds {
        items.push(text("user", &round.ask));
        for exchange in &round.exchanges {
            items
                .push(json!({"type": "reasoning", "summary": [], "encrypted_content": "gAAAAABo"}));
            items.extend(exchange.say.iter().map(|say| text("assistant", say)));
            let call = |call: &Call| json!({"type": "function_call", "call_id": call.id, "name": call.tool, "arguments": arguments(call).to_string()});
            items.extend(exchange.calls.iter().map(call));
            items.extend(pairs(exchange).map(|(call, result)| json!({"type": "function_call_output", "call_id": call.id, "output": result})));
            items.extend(
                exchange
                    .beside
                    .iter()
                    .filter(|_| !exchange.results.is_empty())
                    .map(|words| text("user", words)),
            );
        }
        items.push(text("assistant", &round.answer));
    }
    items
}

fn codex(story: &Story) -> Vec<Value> {
    let line =
        |kind: &str, payload: Value| json!({"timestamp": STAMP, "type": kind, "payload": payload});
    let mut lines = vec![line(
        "session_meta",
        json!({"id": "0199-1", "base_instructions": {"text": story.system}}),
    )];
    lines.push(line("turn_context", json!({"model": "gpt-5-codex"})));
    for (number, item) in codex_items_of(story).into_iter().enumerate() {
        let is_answer = item["role"] == "assistant";
        let copy = item["content"][0]["text"].clone();
        lines.push(line("response_item", item));
        if is_answer {
            lines.push(line(
                "event_msg",
                json!({"type": "agent_message", "message": copy}),
            ));
            lines.push(line(
                "event_msg",
                json!({"type": "token_count", "info": null}),
            ));
        }
        if is_answer && number % 3 == 0 {
            lines.push(line("response_item", json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "never mind"}]})));
            lines.push(line("response_item", json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "dropped"}]})));
            lines.push(line(
                "event_msg",
                json!({"type": "thread_rolled_back", "num_turns": 1}),
            ));
        }
    }
    lines
}

fn codex_items(story: &Story) -> Vec<Value> {
    let mut lines =
        vec![json!({"id": "a-1", "timestamp": STAMP, "instructions": story.system, "git": {}})];
    for item in codex_items_of(story) {
        lines.extend([item, json!({"record_type": "state"})]);
    }
    lines
}

fn codex_exec(story: &Story) -> Vec<Value> {
    let mut lines = vec![
        json!({"type": "thread.started", "thread_id": "0199-2"}),
        json!({"type": "turn.started"}),
    ];
    let mut number = 0;
    let mut item = |kind: &str, mut item: Value| {
        item["id"] = json!(format!("item_{number}"));
        lines.push(json!({"type": kind, "item": item}));
        number += usize::from(kind == "item.completed" || item["status"] == "in_progress");
    };
    for round in &story.rounds {
        for exchange in &round.exchanges {
            item("item.completed", json!({"type": "reasoning", "text": ""}));
            exchange.say.iter().for_each(|text| {
                item(
                    "item.completed",
                    json!({"type": "agent_message", "text": text}),
                )
            });
            for (at, call) in exchange.calls.iter().enumerate() {
                let own = json!({"type": "mcp_tool_call", "server": "s", "tool": call.tool, "arguments": arguments(call)});
                let Some(result) = exchange.results.get(at) else {
                    let mut begun = own;
                    begun["status"] = json!("in_progress");
                    item("item.started", begun);
                    continue;
                };
                item("item.started", own.clone());
                let mut ended = own;
                (ended["status"], ended["result"]) = (json!("completed"), json!(result));
                item("item.completed", ended);
            }
        }
        item(
            "item.completed",
            json!({"type": "agent_message", "text": round.answer}),
        );
    }
    lines.push(json!({"type": "turn.completed", "usage": {"input_tokens": 900}}));
    lines
}

// ---------------------------------------------------------------- pi

fn pi_messages(story: &Story) -> Vec<Value> {
    let text = |text: &str| json!([{"type": "text", "text": text}]);
    let mut messages = Vec::new();
    for round in &story.rounds {
        messages.push(json!({"role": "user", "content": text(&round.ask), "timestamp": 1}));
        for exchange in &round.exchanges {
            let mut blocks: Vec<Value> = exchange
                .say
                .iter()
                .map(|text| json!({"type": "text", "text": text}))
                .collect();
            blocks.extend(exchange.calls.iter().map(|call| json!({"type": "toolCall", "id": call.id, "name": call.tool, "arguments": arguments(call)})));
            messages.push(json!({"role": "assistant", "content": blocks, "model": "claude-opus-4-5", "stopReason": "toolUse"}));
            let result = |(call, result): (&Call, &String)| json!({"role": "toolResult", "toolCallId": call.id, "toolName": call.tool, "content": text(result)});
            messages.extend(pairs(exchange).map(result));
            let beside = exchange
                .beside
                .iter()
                .filter(|_| !exchange.results.is_empty());
            messages.extend(beside.map(|words| json!({"role": "user", "content": words})));
        }
        messages.push(json!({"role": "assistant", "content": text(&round.answer), "model": "claude-opus-4-5", "stopReason": "stop"}));
    }
    messages
}

fn pi(story: &Story) -> Vec<Value> {
    let mut lines = vec![
        json!({"type": "session", "id": "p1", "timestamp": STAMP, "cwd": "/srv/app", "modelId": "claude-opus-4-5"}),
    ];
    for message in pi_messages(story) {
        lines.push(
            json!({"type": "thinking_level_change", "timestamp": STAMP, "thinkingLevel": "off"}),
        );
        lines.push(json!({"type": "message", "timestamp": STAMP, "message": message}));
    }
    lines
}

fn pi_tree(story: &Story) -> Vec<Value> {
    let mut lines = vec![
        json!({"type": "session", "version": 3, "id": "p1", "timestamp": STAMP, "cwd": "/srv/app"}),
    ];
    let mut last = Value::Null;
    for (number, message) in pi_messages(story).into_iter().enumerate() {
        let id = json!(format!("e{number}"));
        // A branch that is left.
        let dead = json!({"role": "user", "content": "never mind"});
        lines.push(json!({"type": "message", "id": format!("d{number}"), "parentId": last, "timestamp": STAMP, "message": dead}));
        lines.push(json!({"type": "message", "id": id, "parentId": last, "timestamp": STAMP, "message": message}));
        last = id;
    }
    lines
}

// ---------------------------------------------------------------- OpenCode

fn opencode(story: &Story) -> Vec<Value> {
    let mut messages: Vec<Value> = Vec::new();
    let mut say = |role: &str, parts: Vec<Value>| {
        let number = messages.len();
        let info = json!({"id": format!("msg_{number:012x}abc"), "sessionID": "ses_1", "role": role, "time": {"created": number}, "summary": {"title": "t"}});
        messages.push(json!({"info": info, "parts": parts}));
    };
    let text = |text: &str| json!({"type": "text", "text": text});
    for round in &story.rounds {
        say(
            "user",
            vec![
                text(&round.ask),
                json!({"type": "text", "text": "for the screen", "ignored": true}),
            ],
        );
        for exchange in &round.exchanges {
            let mut parts = vec![json!({"type": "step-start"})];
            parts.extend(exchange.say.iter().map(|words| text(words)));
            for (number, call) in exchange.calls.iter().enumerate() {
                let mut state = json!({"status": "pending", "input": arguments(call)});
                if let Some(result) = exchange.results.get(number) {
                    state = json!({"status": "completed", "input": arguments(call), "output": result, "time": {"start": 1, "end": 2}});
                }
                parts.push(
                    json!({"type": "tool", "callID": call.id, "tool": call.tool, "state": state}),
                );
            }
            parts.push(json!({"type": "step-finish", "reason": "tool-calls"}));
            say("assistant", parts);
            for words in exchange
                .beside
                .iter()
                .filter(|_| !exchange.results.is_empty())
            {
                say("user", vec![text(words)]);
            }
        }
        say(
            "assistant",
            vec![
                json!({"type": "step-start"}),
                text(&round.answer),
                json!({"type": "patch", "hash": "x"}),
            ],
        );
    }
    vec![json!({"info": {"id": "ses_1", "title": "t"}, "messages": messages})]
}

// ---------------------------------------------------------------- OpenHands

fn openhands_events(story: &Story) -> Vec<Value> {
    let mut events: Vec<Value> = Vec::new();
    let mut push = |event: Value| {
        let mut event = event;
        event["id"] = json!(events.len());
        events.push(event);
        events.len() - 1
    };
    if let Some(text) = &story.system {
        push(
            json!({"source": "agent", "action": "system", "args": {"content": text, "tools": []}}),
        );
    }
    let mut answers = 0;
    for round in &story.rounds {
        push(
            json!({"source": "user", "action": "message", "message": round.ask, "args": {"content": round.ask}}),
        );
        push(
            json!({"source": "environment", "observation": "agent_state_changed", "content": "", "extras": {"agent_state": "running"}}),
        );
        for exchange in &round.exchanges {
            answers += 1;
            let call = |call: &Call| json!({"id": call.id, "type": "function", "function": {"name": call.tool, "arguments": arguments(call).to_string()}});
            let calls: Vec<Value> = exchange.calls.iter().map(call).collect();
            let message =
                json!({"role": "assistant", "content": exchange.say, "tool_calls": calls});
            let response = json!({"id": format!("chatcmpl-{answers}"), "model": "claude-sonnet-4", "choices": [{"message": message}]});
            for (number, call) in exchange.calls.iter().enumerate() {
                let metadata = json!({"function_name": call.tool, "tool_call_id": call.id, "model_response": response});
                let cause = push(
                    json!({"source": "agent", "action": "run", "args": {"command": "ls"}, "tool_call_metadata": metadata}),
                );
                if let Some(result) = exchange.results.get(number) {
                    push(
                        json!({"source": "agent", "observation": "run", "content": result, "cause": cause, "extras": {}, "tool_call_metadata": metadata}),
                    );
                }
            }
            for text in exchange
                .beside
                .iter()
                .filter(|_| !exchange.results.is_empty())
            {
                push(json!({"source": "user", "action": "message", "args": {"content": text}}));
            }
        }
        push(json!({"source": "agent", "action": "message", "args": {"content": round.answer}}));
    }
    events
}

fn openhands(story: &Story) -> Vec<Value> {
    vec![
        json!({"instance_id": "x__y-1", "instruction": "Fix", "history": openhands_events(story), "metrics": {}}),
    ]
}

// ---------------------------------------------------------------- Gemini CLI

fn gemini_cli(story: &Story) -> Vec<Value> {
    let mut lines =
        vec![json!({"sessionId": "g1", "projectHash": "abc", "startTime": STAMP, "kind": "main"})];
    let mut number = 0;
    let mut say = |kind: &str, mut message: Value| {
        number += 1;
        (message["id"], message["timestamp"], message["type"]) =
            (json!(format!("m{number}")), json!(STAMP), json!(kind));
        if kind == "gemini" {
            // Written again as it grows.
            lines.push(json!({"id": message["id"], "timestamp": STAMP, "type": "gemini", "content": "not yet", "model": "gemini-2.5-pro"}));
        }
        lines.push(message);
        lines.push(json!({"id": format!("i{number}"), "timestamp": STAMP, "type": "info", "content": "for the screen"}));
        lines.push(
            json!({"id": "back", "timestamp": STAMP, "type": "user", "content": "never mind"}),
        );
        lines.push(json!({"$rewindTo": "back"}));
        lines.push(json!({"$set": {"lastUpdated": STAMP}}));
    };
    for round in &story.rounds {
        say("user", json!({"content": [{"text": round.ask}]}));
        for exchange in &round.exchanges {
            let call = |(number, call): (usize, &Call)| {
                let mut own = json!({"id": call.id, "name": call.tool, "args": arguments(call), "status": "success"});
                if let Some(result) = exchange.results.get(number) {
                    own["result"] = json!([{"functionResponse": {"id": call.id, "name": call.tool, "response": {"output": result}}}]);
                }
                own
            };
            let calls: Vec<Value> = exchange.calls.iter().enumerate().map(call).collect();
            say(
                "gemini",
                json!({"content": exchange.say.clone().unwrap_or_default(), "toolCalls": calls, "model": "gemini-2.5-pro"}),
            );
            for text in exchange
                .beside
                .iter()
                .filter(|_| !exchange.results.is_empty())
            {
                say("user", json!({"content": text}));
            }
        }
        say(
            "gemini",
            json!({"content": round.answer, "model": "gemini-2.5-pro"}),
        );
    }
    lines
}

fn gemini_stream(story: &Story) -> Vec<Value> {
    let mut lines = vec![
        json!({"type": "init", "timestamp": STAMP, "session_id": "g1", "model": "gemini-2.5-pro"}),
    ];
    let say = |role: &str, text: &str| {
        let half = text
            .char_indices()
            .nth(text.chars().count() / 2)
            .map_or(0, |(at, _)| at);
        let pieces = [&text[..half], &text[half..]];
        pieces.map(|piece| json!({"type": "message", "timestamp": STAMP, "role": role, "content": piece, "delta": true}))
    };
    for round in &story.rounds {
        lines.extend(say("user", &round.ask));
        for exchange in &round.exchanges {
            exchange
                .say
                .iter()
                .for_each(|text| lines.extend(say("assistant", text)));
            let call = |call: &Call| json!({"type": "tool_use", "tool_name": call.tool, "tool_id": call.id, "parameters": arguments(call)});
            lines.extend(exchange.calls.iter().map(call));
            lines.extend(pairs(exchange).map(|(call, result)| json!({"type": "tool_result", "tool_id": call.id, "status": "success", "output": result})));
            exchange
                .beside
                .iter()
                .filter(|_| !exchange.results.is_empty())
                .for_each(|text| lines.extend(say("user", text)));
        }
        lines.extend(say("assistant", &round.answer));
    }
    lines.push(json!({"type": "result", "status": "success", "stats": {"total_tokens": 13}}));
    lines
}

// ---------------------------------------------------------------- LangSmith

fn langsmith(story: &Story) -> Vec<Value> {
    let message = |class: &str, mut kwargs: Value| {
        kwargs["type"] = json!(class.to_lowercase());
        json!({"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", format!("{class}Message")], "kwargs": kwargs})
    };
    let mut history: Vec<Value> = story
        .system
        .iter()
        .map(|text| message("System", json!({"content": text})))
        .collect();
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

const PLAIN: Journal = Journal {
    name: "",
    format: "",
    lines: true,
    thread: "",
    beside: true,
    system: false,
    users: true,
    paired: false,
    write: claude_code,
};

pub(super) const JOURNALS: &[Journal] = &[
    Journal {
        name: "claude_code",
        format: "claude-code",
        thread: "s-1",
        ..PLAIN
    },
    Journal {
        name: "claude_stream",
        format: "claude-stream",
        thread: "s-1",
        write: claude_stream,
        ..PLAIN
    },
    Journal {
        name: "codex",
        format: "codex",
        thread: "0199-1",
        system: true,
        write: codex,
        ..PLAIN
    },
    Journal {
        name: "codex_items",
        format: "codex-items",
        thread: "a-1",
        system: true,
        write: codex_items,
        ..PLAIN
    },
    Journal {
        name: "codex_exec",
        format: "codex-exec",
        thread: "0199-2",
        beside: false,
        users: false,
        paired: true,
        write: codex_exec,
        ..PLAIN
    },
    Journal {
        name: "pi",
        format: "pi",
        thread: "p1",
        write: pi,
        ..PLAIN
    },
    Journal {
        name: "pi_tree",
        format: "pi",
        thread: "p1",
        write: pi_tree,
        ..PLAIN
    },
    Journal {
        name: "opencode",
        format: "opencode",
        lines: false,
        thread: "ses_1",
        write: opencode,
        ..PLAIN
    },
    Journal {
        name: "openhands",
        format: "openhands",
        lines: false,
        thread: "x__y-1",
        system: true,
        write: openhands,
        ..PLAIN
    },
    Journal {
        name: "gemini_cli",
        format: "gemini-cli",
        thread: "g1",
        write: gemini_cli,
        ..PLAIN
    },
    Journal {
        name: "gemini_stream",
        format: "gemini-stream",
        thread: "g1",
        write: gemini_stream,
        ..PLAIN
    },
    Journal {
        name: "langsmith",
        format: "langsmith",
        thread: "t1",
        system: true,
        write: langsmith,
        ..PLAIN
    },
];
