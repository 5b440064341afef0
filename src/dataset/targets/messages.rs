//! Targets whose rows are lists of chat messages: OpenAI's, TRL's and Axolotl's.

use crate::convert::chat::{ChatTranscript, ChatTurn};
use crate::convert::json_output::write_list;
use crate::dataset::chat_turns::{
    ArgumentForm, is_trained, single_turns, write_message, write_opening, write_tools_and_end,
    write_tools_text_and_end,
};
use crate::dataset::features::{Feature, message_list};
use crate::dataset::target::{CHAT, DatasetTarget, MaskStyle};
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
    write_row: write_openai_row,
    ..CHAT
};

fn write_openai_row(chat: &mut ChatTranscript<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"messages\": ");
    write_list(&single_turns(chat), out, |turn, out| {
        let weight = if is_trained(turn) { "1" } else { "0" };
        let mask = (turn.role == Role::Assistant).then_some(("weight", weight));
        write_message(turn, ArgumentForm::OpenAi, mask, out);
    });
    write_tools_and_end(chat, out);
}

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
    write_row: write_prompt_completion,
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
    write_row: write_messages,
    ..CHAT
};

fn write_turns(turns: &[ChatTurn], out: &mut Vec<u8>) {
    write_list(turns, out, |turn, out| {
        write_message(turn, ArgumentForm::Object, None, out);
    });
}

fn write_prompt_completion(chat: &mut ChatTranscript<'_>, out: &mut Vec<u8>) {
    let turns = single_turns(chat);
    let first = turns.iter().position(is_trained).unwrap_or(turns.len());
    write_opening(chat, out);
    out.extend_from_slice(b", \"prompt\": ");
    write_turns(&turns[..first], out);
    out.extend_from_slice(b", \"completion\": ");
    write_turns(&turns[first..], out);
    write_tools_and_end(chat, out);
}

fn write_messages(chat: &mut ChatTranscript<'_>, out: &mut Vec<u8>) {
    write_opening(chat, out);
    out.extend_from_slice(b", \"messages\": ");
    write_turns(&single_turns(chat), out);
    write_tools_and_end(chat, out);
}

/// Axolotl's format.
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
    write_row: write_axolotl_row,
    ..CHAT
};

fn write_axolotl_row(chat: &mut ChatTranscript<'_>, out: &mut Vec<u8>) {
    write_opening(chat, out);
    out.extend_from_slice(b", \"messages\": ");
    write_list(&single_turns(chat), out, |turn, out| {
        let train = if is_trained(turn) { "true" } else { "false" };
        write_message(turn, ArgumentForm::Text, Some(("train", train)), out);
    });
    write_tools_text_and_end(chat, out);
}
