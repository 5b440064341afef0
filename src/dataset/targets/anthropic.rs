//! Anthropic's messages, as Amazon Bedrock takes them for fine-tuning.

use crate::dataset::features::Feature;
use crate::dataset::target::{CHAT, DatasetTarget};
use crate::dataset::targets::converted::write_converted_row;

/// Anthropic's messages.
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
