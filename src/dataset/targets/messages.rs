//! Targets whose rows are lists of chat messages: OpenAI's, TRL's, Axolotl's and LLaMA-Factory's.

use crate::convert::chat::ChatTurn;
use crate::convert::json_output::write_list;
use crate::dataset::chat_turns::{
    ArgumentForm, is_trained, single_turns, template_role, turn_text, write_arguments,
    write_message, write_opening, write_tools_and_end, write_tools_text_and_end,
};
use crate::dataset::target::{CHAT, DatasetTarget, Feature, MaskStyle, message_list};
use crate::reading::json::{encode_wtf8_literal, write_literal};
use crate::reading::transcript::Role;

/// OpenAI's fine-tuning format.
pub(super) static OPENAI: DatasetTarget = DatasetTarget {
    name: "openai",
    about: "OpenAI's fine-tuning, weight on answers",
    advice: "Upload each file of `data/` to OpenAI's fine-tuning as it is. Answers with `\"weight\": 0` are context.",
    mask: MaskStyle::EachAnswer,
    alternates: false,
    takes_columns: false,
    features: || {
        let weight = Feature::value("weight", "int64");
        vec![message_list("messages", "string", Some(weight)), Feature::value("tools", "json")]
    },
    write_row: |chat, out| {
        out.extend_from_slice(b"{\"messages\": ");
        write_list(&single_turns(chat), out, |turn, out| {
            let weight = if is_trained(turn) { "1" } else { "0" };
            let mask = (turn.role == Role::Assistant).then_some(("weight", weight));
            write_message(turn, ArgumentForm::OpenAi, mask, out);
        });
        write_tools_and_end(chat, out);
    },
    ..CHAT
};

/// Prompt and completion: the completion begins with the first answer that is trained on.
pub(super) static PROMPT_COMPLETION: DatasetTarget = DatasetTarget {
    name: "trl",
    about: "TRL's prompt and completion",
    advice: "In TRL: `SFTConfig(assistant_only_loss=True)` with a chat template that marks generations, as completions hold tool results, too. With `--per-call` each completion is a single answer, and `completion_only_loss` (the default) is enough.",
    mask: MaskStyle::Completion,
    features: || {
        vec![
            Feature::value("thread_id", "string"),
            message_list("prompt", "json", None),
            message_list("completion", "json", None),
            Feature::value("tools", "json"),
        ]
    },
    write_row: |chat, out| {
        let turns = single_turns(chat);
        let first = turns.iter().position(is_trained).unwrap_or(turns.len());
        write_opening(chat, out);
        out.extend_from_slice(b", \"prompt\": ");
        write_turns(&turns[..first], out);
        out.extend_from_slice(b", \"completion\": ");
        write_turns(&turns[first..], out);
        write_tools_and_end(chat, out);
    },
    ..CHAT
};

/// Messages: every answer is trained on.
pub(super) static MESSAGES: DatasetTarget = DatasetTarget {
    name: "trl-messages",
    about: "TRL's messages, all answers trained on",
    advice: "In TRL: `SFTConfig(assistant_only_loss=True)` with a chat template that marks generations. All answers are trained on, also those that are repeated as context: the target `trl` trains on each once.",
    features: || {
        vec![
            Feature::value("thread_id", "string"),
            message_list("messages", "json", None),
            Feature::value("tools", "json"),
        ]
    },
    write_row: |chat, out| {
        write_opening(chat, out);
        out.extend_from_slice(b", \"messages\": ");
        write_turns(&single_turns(chat), out);
        write_tools_and_end(chat, out);
    },
    ..CHAT
};

fn write_turns(turns: &[ChatTurn], out: &mut Vec<u8>) {
    write_list(turns, out, |turn, out| {
        write_message(turn, ArgumentForm::Object, None, out);
    });
}

pub(super) static AXOLOTL: DatasetTarget = DatasetTarget {
    name: "axolotl",
    about: "Axolotl's chat_template, train on messages",
    advice: "In Axolotl: `type: chat_template`, `field_messages: messages`, `message_field_training: train`, `roles_to_train: []`.",
    mask: MaskStyle::EachAnswer,
    features: || {
        let train = Feature::value("train", "bool");
        vec![
            Feature::value("thread_id", "string"),
            message_list("messages", "string", Some(train)),
            Feature::value("tools", "string"),
        ]
    },
    write_row: |chat, out| {
        write_opening(chat, out);
        out.extend_from_slice(b", \"messages\": ");
        write_list(&single_turns(chat), out, |turn, out| {
            let train = if is_trained(turn) { "true" } else { "false" };
            write_message(turn, ArgumentForm::Text, Some(("train", train)), out);
        });
        write_tools_text_and_end(chat, out);
    },
    ..CHAT
};

/// LLaMA-Factory v1's format.
pub(super) static LLAMA_FACTORY: DatasetTarget = DatasetTarget {
    name: "llamafactory",
    about: "LLaMA-Factory v1, loss_weight on messages",
    advice: "For LLaMA-Factory v1. `loss_weight` says which answers are trained on.",
    mask: MaskStyle::EachAnswer,
    features: || {
        let block = vec![Feature::value("type", "string"), Feature::value("value", "string")];
        let message = vec![
            Feature::value("role", "string"),
            Feature::list("content", block),
            Feature::value("loss_weight", "float64"),
        ];
        vec![
            Feature::value("thread_id", "string"),
            Feature::list("messages", message),
            Feature::value("tools", "string"),
        ]
    },
    write_row: |chat, out| {
        write_opening(chat, out);
        out.extend_from_slice(b", \"messages\": ");
        write_list(&single_turns(chat), out, write_block_message);
        write_tools_text_and_end(chat, out);
    },
    ..CHAT
};

fn write_block_message(turn: &ChatTurn, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"role\": ");
    write_literal(template_role(turn), out);
    out.extend_from_slice(b", \"content\": ");
    write_list(&content_blocks(turn), out, |block, out| {
        out.extend_from_slice(block);
    });
    let weight = if is_trained(turn) { "1.0" } else { "0.0" };
    out.extend_from_slice(format!(", \"loss_weight\": {weight}}}").as_bytes());
}

/// Returns the text and the calls of a turn, each as a block.
fn content_blocks(turn: &ChatTurn) -> Vec<Vec<u8>> {
    let text = turn_text(turn);
    let mut blocks = Vec::new();
    if !text.is_empty() || turn.calls.is_empty() {
        blocks
            .push([b"{\"type\": \"text\", \"value\": ".as_slice(), &text.literal(), b"}"].concat());
    }
    for call in &turn.calls {
        let mut json = b"{\"name\": ".to_vec();
        call.name.write_literal(&mut json);
        json.extend_from_slice(b", \"arguments\": ");
        write_arguments(call, ArgumentForm::Object, &mut json);
        json.push(b'}');
        let literal = encode_wtf8_literal(&json);
        blocks.push([b"{\"type\": \"tool_call\", \"value\": ".as_slice(), &literal, b"}"].concat());
    }
    blocks
}
