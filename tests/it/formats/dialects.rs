//! The story as each format writes it.

use crate::formats::TAG;
use crate::formats::story::{Call, Exchange, Story};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// One way of writing a conversation.
pub(super) struct Dialect {
    pub(super) name: &'static str,
    pub(super) format: &'static str,
    /// Whether its readers want user and assistant to take turns.
    pub(super) alternates: bool,
    /// The keys that lead to the list (`0`: the first element); none for one message a line.
    pub(super) list: Option<&'static [&'static str]>,
    write: fn(&mut Teller<'_>),
    /// The record around the list.
    wrap: fn(&Story, Vec<Value>) -> Value,
}

/// A file, and what must hold in it.
pub(super) struct Told {
    pub(super) bytes: Vec<u8>,
    /// The elements of each exchange.
    pub(super) exchanges: Vec<Vec<usize>>,
    /// The elements that are system prompts.
    pub(super) system: Vec<usize>,
    /// Who speaks in an element: user and results, assistant, system.
    pub(super) speakers: BTreeMap<usize, char>,
}

impl Dialect {
    pub(super) fn tell(&self, story: &Story, pretty: bool) -> Told {
        let mut teller = Teller {
            story,
            elements: Vec::new(),
            exchanges: Vec::new(),
            system: Vec::new(),
            speakers: BTreeMap::new(),
            current: None,
        };
        (self.write)(&mut teller);
        let Teller {
            elements,
            exchanges,
            system,
            speakers,
            ..
        } = teller;
        let bytes = match self.list {
            None => elements
                .iter()
                .map(|element| format!("{element}\n"))
                .collect::<String>()
                .into_bytes(),
            Some(_) if pretty => serde_json::to_vec_pretty(&(self.wrap)(story, elements)).unwrap(),
            Some(_) => format!("{}\n", (self.wrap)(story, elements)).into_bytes(),
        };
        Told {
            bytes,
            exchanges,
            system,
            speakers,
        }
    }
}

/// Collects elements.
struct Teller<'s> {
    story: &'s Story,
    elements: Vec<Value>,
    exchanges: Vec<Vec<usize>>,
    system: Vec<usize>,
    speakers: BTreeMap<usize, char>,
    /// The exchange that elements belong to now.
    current: Option<usize>,
}

impl<'s> Teller<'s> {
    fn push(&mut self, who: char, mut element: Value) {
        let tag = self.elements.len();
        element[TAG] = json!(tag);
        self.elements.push(element);
        self.speakers.insert(tag, who);
        if who == 's' {
            self.system.push(tag);
        }
        if let Some(current) = self.current {
            self.exchanges[current].push(tag);
        }
    }

    /// Walks the story; `say` writes a plain turn, `exchange` the elements of one exchange.
    fn walk(
        &mut self,
        system: bool,
        say: impl Fn(char, &str) -> Value,
        exchange: impl Fn(&mut Self, &'s Exchange),
    ) {
        let story = self.story;
        if let Some(text) = story.system.as_ref().filter(|_| system) {
            self.push('s', say('s', text));
        }
        for round in &story.rounds {
            self.push('u', say('u', &round.ask));
            for logged in &round.exchanges {
                self.exchanges.push(Vec::new());
                self.current = Some(self.exchanges.len() - 1);
                exchange(self, logged);
                self.current = None;
            }
            self.push('a', say('a', &round.answer));
        }
    }
}

fn arguments(call: &Call) -> Value {
    json!({"path": call.path, "content": call.content})
}

fn pairs(exchange: &Exchange) -> impl Iterator<Item = (&Call, &String)> {
    exchange.calls.iter().zip(&exchange.results)
}

fn name(who: char, names: [&'static str; 3]) -> &'static str {
    names["sua".find(who).unwrap()]
}

// ---------------------------------------------------------------- OpenAI

fn openai_with(teller: &mut Teller<'_>, answers: fn(&Call) -> Value) {
    let say = |who, text: &str| json!({"role": name(who, ["system", "user", "assistant"]), "content": text});
    teller.walk(true, say, |teller, exchange| {
        let call = |call: &Call| json!({"id": call.id, "type": "function", "function": {"name": call.tool, "arguments": arguments(call).to_string()}});
        let calls: Vec<Value> = exchange.calls.iter().map(call).collect();
        teller.push('a', json!({"role": "assistant", "content": exchange.say, "tool_calls": calls, "weight": 0}));
        for (call, result) in pairs(exchange) {
            let mut message = answers(call);
            (message["role"], message["content"]) = (json!("tool"), json!(result));
            teller.push('u', message);
        }
    });
}

fn openai(teller: &mut Teller<'_>) {
    openai_with(teller, |call| json!({"tool_call_id": call.id}));
}

fn swe_agent(teller: &mut Teller<'_>) {
    openai_with(
        teller,
        |call| json!({"tool_call_ids": [call.id], "message_type": "observation"}),
    );
}

fn responses(teller: &mut Teller<'_>) {
    let text = |role: &str, text: &str| {
        let kind = if role == "assistant" {
            "output_text"
        } else {
            "input_text"
        };
        json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]})
    };
    teller.walk(
        true,
        |who, words| text(name(who, ["developer", "user", "assistant"]), words),
        |teller, exchange| {
            teller.push('a', json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAAABo"}));
            if let Some(say) = &exchange.say {
                teller.push('a', text("assistant", say));
            }
            for call in &exchange.calls {
                teller.push('a', json!({"type": "function_call", "call_id": call.id, "name": call.tool, "arguments": arguments(call).to_string()}));
            }
            for (call, result) in pairs(exchange) {
                teller.push('u', json!({"type": "function_call_output", "call_id": call.id, "output": [{"type": "input_text", "text": result}]}));
            }
        },
    );
}

// ---------------------------------------------------------------- results in user messages

fn anthropic(teller: &mut Teller<'_>) {
    let say = |who, text: &str| match who {
        'u' => json!({"role": "user", "content": text}),
        _ => {
            json!({"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": "Eq"}, {"type": "text", "text": text}]})
        }
    };
    teller.walk(false, say, |teller, exchange| {
        let mut blocks: Vec<Value> = exchange.say.iter().map(|text| json!({"type": "text", "text": text})).collect();
        blocks.extend(exchange.calls.iter().map(|call| json!({"type": "tool_use", "id": call.id, "name": call.tool, "input": arguments(call)})));
        teller.push('a', json!({"role": "assistant", "content": blocks}));
        let mut blocks: Vec<Value> = pairs(exchange).map(|(call, text)| json!({"type": "tool_result", "tool_use_id": call.id, "content": text})).collect();
        blocks.extend(exchange.beside.iter().filter(|_| !exchange.results.is_empty()).map(|text| json!({"type": "text", "text": text})));
        if !blocks.is_empty() {
            teller.push('u', json!({"role": "user", "content": blocks}));
        }
    });
}

fn gemini(teller: &mut Teller<'_>) {
    let say = |who, text: &str| json!({"role": name(who, ["system", "user", "model"]), "parts": [{"text": text}]});
    teller.walk(false, say, |teller, exchange| {
        let mut parts: Vec<Value> = exchange.say.iter().map(|text| json!({"text": text, "thought": true})).collect();
        parts.extend(exchange.calls.iter().map(|call| json!({"functionCall": {"name": call.tool, "args": arguments(call)}})));
        teller.push('a', json!({"role": "model", "parts": parts}));
        let result = |(call, text): (&Call, &String)| json!({"functionResponse": {"name": call.tool, "response": {"output": text}}});
        // Words before the results: they still belong to the call before.
        let mut parts: Vec<Value> = exchange.beside.iter().filter(|_| !exchange.results.is_empty()).map(|text| json!({"text": text})).collect();
        parts.extend(pairs(exchange).map(result));
        if !parts.is_empty() {
            teller.push('u', json!({"role": "user", "parts": parts}));
        }
    });
}

fn bedrock(teller: &mut Teller<'_>) {
    let say = |who, text: &str| json!({"role": name(who, ["system", "user", "assistant"]), "content": [{"text": text}]});
    teller.walk(false, say, |teller, exchange| {
        let mut blocks: Vec<Value> = exchange.say.iter().map(|text| json!({"text": text})).collect();
        blocks.extend(exchange.calls.iter().map(|call| json!({"toolUse": {"toolUseId": call.id, "name": call.tool, "input": arguments(call)}})));
        teller.push('a', json!({"role": "assistant", "content": blocks}));
        let result = |(call, text): (&Call, &String)| json!({"toolResult": {"toolUseId": call.id, "content": [{"text": text}]}});
        let mut blocks: Vec<Value> = pairs(exchange).map(result).collect();
        blocks.extend(exchange.beside.iter().filter(|_| !exchange.results.is_empty()).map(|text| json!({"text": text})));
        if !blocks.is_empty() {
            teller.push('u', json!({"role": "user", "content": blocks}));
        }
    });
}

// ---------------------------------------------------------------- LangChain

fn langchain(teller: &mut Teller<'_>, spell: fn(&'static str, Map<String, Value>) -> Value) {
    let fields = |value: Value| {
        if let Value::Object(fields) = value {
            fields
        } else {
            Map::new()
        }
    };
    let say = |who, text: &str| {
        let kind = name(who, ["system", "human", "ai"]);
        spell(kind, fields(json!({"content": text, "type": kind})))
    };
    teller.walk(true, say, |teller, exchange| {
        let mut blocks: Vec<Value> = exchange.say.iter().map(|text| json!({"type": "text", "text": text})).collect();
        blocks.extend(exchange.calls.iter().map(|call| json!({"type": "tool_use", "id": call.id, "name": call.tool, "input": arguments(call)})));
        let calls: Vec<Value> =
            exchange.calls.iter().map(|call| json!({"name": call.tool, "args": arguments(call), "id": call.id, "type": "tool_call"})).collect();
        let raw = |call: &Call| json!({"id": call.id, "type": "function", "function": {"name": call.tool, "arguments": arguments(call).to_string()}});
        let raw: Vec<Value> = exchange.calls.iter().map(raw).collect();
        teller.push('a', spell("ai", fields(json!({"content": blocks, "type": "ai", "tool_calls": calls, "additional_kwargs": {"tool_calls": raw}}))));
        for (call, result) in pairs(exchange) {
            teller.push('u', spell("tool", fields(json!({"content": result, "type": "tool", "tool_call_id": call.id, "artifact": {"raw": result}}))));
        }
    });
}

fn langchain_dict(teller: &mut Teller<'_>) {
    langchain(teller, |kind, fields| json!({"type": kind, "data": fields}));
}

fn langchain_flat(teller: &mut Teller<'_>) {
    langchain(teller, |_, fields| Value::Object(fields));
}

fn langchain_dumpd(teller: &mut Teller<'_>) {
    langchain(teller, |kind, fields| {
        let class = ["SystemMessage", "HumanMessage", "AIMessage", "ToolMessage"][[
            "system", "human", "ai", "tool",
        ]
        .iter()
        .position(|known| *known == kind)
        .unwrap()];
        json!({"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", class], "kwargs": fields})
    });
}

// ---------------------------------------------------------------- training data without ids

fn in_text(call: &Call) -> String {
    json!({"name": call.tool, "arguments": arguments(call)}).to_string()
}

fn sharegpt(teller: &mut Teller<'_>) {
    teller.walk(
        false,
        |who, text| json!({"from": name(who, ["system", "human", "gpt"]), "value": text}),
        |teller, exchange| {
            let calls: Vec<String> = exchange.calls.iter().map(in_text).collect();
            let value = if let [call] = calls.as_slice() {
                call.clone()
            } else {
                format!("[{}]", calls.join(", "))
            };
            teller.push('a', json!({"from": "function_call", "value": value}));
            if !exchange.results.is_empty() {
                teller.push(
                    'u',
                    json!({"from": "observation", "value": exchange.results.join("\n")}),
                );
            }
        },
    );
}

fn hermes(teller: &mut Teller<'_>) {
    teller.walk(
        true,
        |who, text| json!({"from": name(who, ["system", "human", "gpt"]), "value": text}),
        |teller, exchange| {
            let tag = |name: &str, texts: Vec<String>| texts.into_iter().map(|text| format!("<{name}>\n{text}\n</{name}>")).collect::<Vec<_>>().join("\n");
            let calls = tag("tool_call", exchange.calls.iter().map(in_text).collect());
            teller.push('a', json!({"from": "gpt", "value": format!("{}{calls}", exchange.say.as_deref().unwrap_or_default())}));
            // Tags on both sides are what tells this dialect from ShareGPT.
            teller.push('u', json!({"from": "tool", "value": tag("tool_response", exchange.results.clone()) + "<tool_response></tool_response>"}));
        },
    );
    if teller
        .story
        .rounds
        .iter()
        .all(|round| round.exchanges.is_empty())
    {
        let more = [
            ('u', "human", "and?"),
            ('a', "gpt", "<tool_call>{}</tool_call>"),
            ('u', "tool", "<tool_response>1</tool_response>"),
            ('a', "gpt", "1"),
        ];
        more.into_iter()
            .for_each(|(who, from, value)| teller.push(who, json!({"from": from, "value": value})));
    }
}

fn llamafactory(teller: &mut Teller<'_>) {
    let block = |kind: &str, value: &str| json!({"type": kind, "value": value});
    let say = |who, text: &str| json!({"role": name(who, ["system", "user", "assistant"]), "content": [block("text", text)], "loss_weight": 1.0});
    teller.walk(true, say, |teller, exchange| {
        let mut blocks: Vec<Value> = exchange
            .say
            .iter()
            .map(|text| block("reasoning", text))
            .collect();
        blocks.extend(
            exchange
                .calls
                .iter()
                .map(|call| block("tool_call", &in_text(call))),
        );
        teller.push(
            'a',
            json!({"role": "assistant", "content": blocks, "loss_weight": 0.5}),
        );
        if !exchange.results.is_empty() {
            teller.push(
                'u',
                json!({"role": "tool", "content": [block("text", &exchange.results.join("\n"))]}),
            );
        }
    });
}

// ---------------------------------------------------------------- records

fn record(list: Vec<Value>) -> Value {
    json!({"id": "alma", "messages": list, "metadata": {"n": 1.0}})
}

/// A record whose system prompt stands beside the list.
fn beside(story: &Story, key: &str, prompt: fn(&str) -> Value, mut record: Value) -> Value {
    if let Some(text) = &story.system {
        record[key] = prompt(text);
    }
    record
}

pub(super) static DIALECTS: &[Dialect] = &[
    Dialect {
        name: "openai_chat",
        format: "openai",
        alternates: false,
        list: Some(&["messages"]),
        write: openai,
        wrap: |_, list| record(list),
    },
    Dialect {
        name: "openai_preferences",
        format: "openai-dpo",
        alternates: false,
        list: Some(&["input", "messages"]),
        write: openai,
        wrap: |_, list| json!({"input": {"messages": list, "tools": []}, "preferred_output": [{"role": "assistant", "content": "a"}]}),
    },
    Dialect {
        name: "openai_batch",
        format: "openai-batch",
        alternates: false,
        list: Some(&["body", "messages"]),
        write: openai,
        wrap: |_, list| json!({"custom_id": "r1", "method": "POST", "body": {"model": "gpt-4.1", "messages": list}}),
    },
    Dialect {
        name: "openai_responses_request",
        format: "openai-responses",
        alternates: false,
        list: Some(&["input"]),
        write: responses,
        wrap: |story, list| {
            beside(
                story,
                "instructions",
                |text| json!(text),
                json!({"model": "gpt-5.2", "input": list}),
            )
        },
    },
    Dialect {
        name: "openai_responses_items",
        format: "openai-responses",
        alternates: false,
        list: None,
        write: responses,
        wrap: |_, _| Value::Null,
    },
    Dialect {
        name: "tau_bench",
        format: "tau-bench",
        alternates: false,
        list: Some(&["0", "traj"]),
        write: openai,
        wrap: |_, list| json!([{"task_id": 1, "reward": 1.0, "traj": list, "info": {}}]),
    },
    Dialect {
        name: "swe_agent",
        format: "swe-agent",
        alternates: false,
        list: Some(&["history"]),
        write: swe_agent,
        wrap: |_, list| json!({"trajectory": [{"action": "ls"}], "history": list, "info": {}}),
    },
    Dialect {
        name: "anthropic_request",
        format: "anthropic",
        alternates: true,
        list: Some(&["messages"]),
        write: anthropic,
        wrap: |story, list| {
            beside(
                story,
                "system",
                |text| json!([{"type": "text", "text": text}]),
                json!({"id": "a", "messages": list, "max_tokens": 9}),
            )
        },
    },
    Dialect {
        name: "anthropic_messages",
        format: "anthropic",
        alternates: true,
        list: None,
        write: anthropic,
        wrap: |_, _| Value::Null,
    },
    Dialect {
        name: "gemini",
        format: "gemini",
        alternates: true,
        list: Some(&["contents"]),
        write: gemini,
        wrap: |story, list| {
            beside(
                story,
                "systemInstruction",
                |text| json!({"parts": [{"text": text}]}),
                json!({"contents": list}),
            )
        },
    },
    Dialect {
        name: "bedrock",
        format: "bedrock",
        alternates: true,
        list: Some(&["messages"]),
        write: bedrock,
        wrap: |story, list| {
            beside(
                story,
                "system",
                |text| json!([{"text": text}]),
                json!({"modelId": "m", "messages": list}),
            )
        },
    },
    Dialect {
        name: "langchain_messages_to_dict",
        format: "langchain",
        alternates: false,
        list: Some(&[]),
        write: langchain_dict,
        wrap: |_, list| Value::Array(list),
    },
    Dialect {
        name: "langgraph_state",
        format: "langchain",
        alternates: false,
        list: Some(&["values", "messages"]),
        write: langchain_flat,
        wrap: |_, list| json!({"values": {"messages": list}, "config": {"configurable": {"thread_id": "t"}}}),
    },
    Dialect {
        name: "langchain_model_dump_lines",
        format: "langchain",
        alternates: false,
        list: None,
        write: langchain_flat,
        wrap: |_, _| Value::Null,
    },
    Dialect {
        name: "langchain_dumpd",
        format: "langchain",
        alternates: false,
        list: Some(&["messages"]),
        write: langchain_dumpd,
        wrap: |_, list| record(list),
    },
    Dialect {
        name: "sharegpt",
        format: "sharegpt",
        alternates: true,
        list: Some(&["conversations"]),
        write: sharegpt,
        wrap: |story, list| {
            beside(
                story,
                "system",
                |text| json!(text),
                json!({"conversations": list, "tools": "[{\"name\": \"look_up\"}]"}),
            )
        },
    },
    Dialect {
        name: "hermes",
        format: "hermes",
        alternates: true,
        list: Some(&["conversations"]),
        write: hermes,
        wrap: |_, list| json!({"conversations": list}),
    },
    Dialect {
        name: "llama_factory",
        format: "llamafactory",
        alternates: true,
        list: Some(&["messages"]),
        write: llamafactory,
        wrap: |_, list| json!({"messages": list, "tools": "[]"}),
    },
];
