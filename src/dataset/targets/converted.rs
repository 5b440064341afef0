//! Targets whose rows are as `convert` writes them: ShareGPT conversations, and Anthropic's messages.

use crate::convert::chat::ChatTranscript;
use crate::convert::notes::ConversionNotes;
use crate::convert::target_by_name;
use crate::dataset::target::{CHAT, DatasetTarget, Feature};

/// ShareGPT conversations.
pub(super) static SHARE_GPT: DatasetTarget = DatasetTarget {
    name: "sharegpt",
    about: "as LLaMA-Factory reads it, all answers trained on",
    advice: "For LLaMA-Factory; `dataset_info.json` describes each file. All answers are trained on, also those that are repeated as context; with `--per-call` and `mask_history: true` each is trained on once.",
    conversion: "sharegpt",
    in_dataset_info: true,
    features: || {
        let turn = vec![Feature::value("from", "string"), Feature::value("value", "string")];
        vec![
            Feature::value("id", "string"),
            Feature::list("conversations", turn),
            Feature::value("system", "string"),
            Feature::value("tools", "string"),
        ]
    },
    write_row: |chat, out| write_converted_row("sharegpt", chat, out),
    ..CHAT
};

pub(super) static ANTHROPIC: DatasetTarget = DatasetTarget {
    name: "anthropic",
    about: "Anthropic's messages, for Bedrock, all answers trained on",
    advice: "Anthropic's messages have no mask: all answers are trained on, also those that are repeated as context.",
    conversion: "anthropic",
    takes_blocks: true,
    features: || {
        let message = vec![Feature::value("role", "string"), Feature::value("content", "json")];
        vec![
            Feature::value("thread_id", "string"),
            Feature::value("system", "json"),
            Feature::list("messages", message),
            Feature::value("tools", "json"),
        ]
    },
    write_row: |chat, out| write_converted_row("anthropic", chat, out),
    ..CHAT
};

/// Appends a chat as `convert --to` writes it, without what only some rows have.
fn write_converted_row(conversion: &str, chat: &mut ChatTranscript<'_>, out: &mut Vec<u8>) {
    chat.model = None;
    if let Some(target) = target_by_name(conversion) {
        (target.write_chat)(chat, out, &mut ConversionNotes::default());
    }
}
