//! LLaMA-Factory v1: contents are lists of blocks, and `loss_weight` is on each message.

use crate::convert::chat::{ChatTranscript, ChatTurn};
use crate::convert::json_output::write_list;
use crate::dataset::chat_turns::{
    ArgumentForm, is_trained, single_turns, template_role, turn_text, write_arguments,
    write_opening, write_tools_text_and_end,
};
use crate::dataset::features::Feature;
use crate::dataset::target::{CHAT, DatasetTarget, MaskStyle};
use crate::reading::json::{encode_wtf8_literal, write_literal};

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
    write_row: write_llamafactory_row,
    ..CHAT
};

fn write_llamafactory_row(chat: &mut ChatTranscript<'_>, out: &mut Vec<u8>) {
    write_opening(chat, out);
    out.extend_from_slice(b", \"messages\": ");
    write_list(&single_turns(chat), out, write_block_message);
    write_tools_text_and_end(chat, out);
}

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
