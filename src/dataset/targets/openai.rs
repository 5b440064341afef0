//! OpenAI's fine-tuning format: `weight` 0 or 1 on answers.

use crate::convert::chat::ChatTranscript;
use crate::convert::json_output::write_list;
use crate::dataset::chat_turns::{
    ArgumentForm, is_trained, single_turns, write_message, write_tools_and_end,
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
