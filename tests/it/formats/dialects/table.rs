//! All dialects.

use super::dialect::Dialect;
use super::json::{beside, pair, record};
use super::langchain::{langchain_dict, langchain_dumpd, langchain_flat};
use super::openai::{openai, responses, swe_agent};
use super::providers::{ai_sdk, anthropic, bedrock, gemini};
use super::turn_lists::{hermes, llamafactory, sharegpt};
use serde_json::{Value, json};

pub(crate) static DIALECTS: &[Dialect] = &[
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
        name: "trl_prompt",
        format: "trl",
        alternates: false,
        list: Some(&["prompt"]),
        write: openai,
        wrap: |_, list| json!({"prompt": list, "chosen": [{"role": "assistant", "content": "a"}], "rejected": [{"role": "assistant", "content": "b"}]}),
    },
    Dialect {
        name: "preference_pairs",
        format: "preference-pairs",
        alternates: false,
        // What is edited in the prompt of one answer is edited in all lists that begin with it.
        list: Some(&["messages"]),
        write: openai,
        wrap: |_, list| {
            let answer = |text: &str| json!({"role": "assistant", "content": text});
            pair(["chosen", "rejected"], list, answer)
        },
    },
    Dialect {
        name: "llamafactory_pairs",
        format: "llamafactory-pairs",
        alternates: true,
        list: Some(&["messages"]),
        write: llamafactory,
        wrap: |_, list| {
            let answer = |text: &str| json!({"role": "assistant", "content": [{"type": "text", "value": text}]});
            pair(["chosen_messages", "rejected_messages"], list, answer)
        },
    },
    Dialect {
        name: "trajectory_in_a_data_set",
        format: "openai-trajectory",
        alternates: false,
        list: Some(&["trajectory"]),
        write: openai,
        wrap: |_, list| json!({"instance_id": "i-1", "trajectory": list, "resolved": 1}),
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
        name: "gemini_list",
        format: "gemini",
        alternates: true,
        list: Some(&[]),
        write: gemini,
        wrap: |_, list| Value::Array(list),
    },
    Dialect {
        name: "gemini_lines",
        format: "gemini",
        alternates: true,
        list: None,
        write: gemini,
        wrap: |_, _| Value::Null,
    },
    Dialect {
        name: "ai_sdk_messages",
        format: "ai-sdk",
        alternates: false,
        list: Some(&["messages"]),
        write: ai_sdk,
        wrap: |_, list| record(list),
    },
    Dialect {
        name: "ai_sdk_lines",
        format: "ai-sdk",
        alternates: false,
        list: None,
        write: ai_sdk,
        wrap: |_, _| Value::Null,
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
