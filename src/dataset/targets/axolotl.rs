//! Axolotl's `chat_template` data sets: `train` on each message.

use crate::convert::chat::ChatTranscript;
use crate::convert::json_output::write_list;
use crate::dataset::chat_turns::{
    ArgumentForm, is_trained, single_turns, write_message, write_opening, write_tools_text_and_end,
};
use crate::dataset::features::{Feature, message_list};
use crate::dataset::target::{CHAT, DatasetTarget, MaskStyle};

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
