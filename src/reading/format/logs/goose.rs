//! Sessions of Goose: one message a line, or an export with all of them (`conversation`). Calls and
//! results are blocks of their own kind (`toolRequest`, `toolResponse`), which become blocks of
//! Anthropic. Blocks of kinds that a model is not sent stay as they are, so that they are listed.

use crate::reading::format::row::prelude::*;

#[rustfmt::skip]
pub(crate) const GOOSE: LogRow = LogRow {
    name: "goose",
    help: "Goose sessions: {\"role\", \"created\", \"content\"} a line with toolRequest and toolResponse blocks, or an export with conversation",
    evidence: &[
        conversation("a conversation beside working_dir", &[has("working_dir"), If::Of(at("conversation.0"), MESSAGE)]),
        event("message_count beside working_dir", &[all("working_dir|message_count")]),
        event(WHY, &[OWN, If::Of(at(""), MESSAGE)]),
        // A message of text alone is also one of other formats.
        fits(WHY, MESSAGE),
    ],
    reads: Reads::Lines(&LinesRow {
        dialect: ANTHROPIC,
        lines: &[
            Line {
                when: &[has("conversation")],
                becomes: Becomes::List(&ListRow {
                    key: "conversation",
                    id: at("id"),
                    model: MODEL,
                    lines: &[UNSEEN, SEEN],
                }),
                ..Line::NOTE
            },
            Line { when: &[has("role"), If::Of(at(""), UNSEEN.when)], ..UNSEEN },
            Line { when: &[has("role")], ..SEEN },
            Line { id: at("id"), model: MODEL, ..Line::NOTE },
        ],
        ..LinesRow::PLAIN
    }),
};

const WHY: &str = "a message with toolRequest, toolResponse or agentVisible";
const MODEL: At = at("model_config.model_name|model_name");
const MESSAGE: &[If] = &[is("role", "user|assistant"), has("created"), kind("content", LIST)];
const OWN: If =
    If::Any(&[If::Some(at("content"), &[is("type", OWN_BLOCKS)]), has("metadata.agentVisible")]);
/// A message that the agent does not see.
const UNSEEN: Line =
    Line { when: &[If::False(at("metadata.agentVisible")), If::Of(at(""), MESSAGE)], ..Line::NOTE };
const SEEN: Line = Line {
    needs: &[(MESSAGE, NOWHERE, "created, or the content of a user or an assistant,")],
    becomes: Becomes::Own(push_message),
    ..Line::NOTE
};
/// Types of blocks that no other format has.
const OWN_BLOCKS: &str = "toolRequest|toolResponse|frontendToolRequest|toolConfirmationRequest\
                          |redactedThinking|actionRequired|systemNotification|contextLengthExceeded";

#[rustfmt::skip]
const BLOCKS: &[Block] = &[
    Block { when: &[is("type", "toolRequest|frontendToolRequest")], becomes: BlockJson::Own(render_call) },
    Block { when: &[is("type", "toolResponse")], becomes: BlockJson::Own(render_result) },
    Block {
        when: &[is("type", "redactedThinking")],
        becomes: BlockJson::Filled(&template(r#"{"type": "redacted_thinking", "data": $data}"#)),
    },
    Block {
        when: &[is("type", "image")],
        becomes: BlockJson::Filled(&template(r#"{"type": "image", "source": {"type": "base64", "media_type": $mimeType, "data": $data}}"#)),
    },
    Block {
        when: &[is("type", "resource"), kind("resource.text", TEXT)],
        becomes: BlockJson::Filled(&template(r#"{"type": "text", "text": $resource.text}"#)),
    },
];

fn push_message(thread: &mut JournalThread, message: JsonNode<'_>) {
    let content = render_blocks(BLOCKS, message.items_of("content"));
    let parts = [message.bytes_or_null("role"), &content];
    thread.push_message(message.place(), &fill_json(r#"{"role": $, "content": $}"#, &parts));
}

/// Renders a call. One that could not be parsed has its error as input.
fn render_call(block: JsonNode<'_>) -> Vec<u8> {
    let value = at("toolCall.value").node(block);
    let name = at("toolCall.value.name").literal(block).unwrap_or(b"\"invalid\"");
    let input = match value {
        Some(value) => value.get_kind("arguments", JsonKind::Object),
        None => block.get("toolCall"),
    };
    call_block(block.bytes_or_null("id"), name, input.map_or(b"{}", JsonNode::bytes))
}

fn render_result(block: JsonNode<'_>) -> Vec<u8> {
    let list = at("toolResult.value.content|toolResult.value").node(block);
    let content = match list.filter(|list| list.is_kind(JsonKind::Array)) {
        Some(list) => render_blocks(BLOCKS, list.items().filter(|it| is_for_model(*it))),
        None => {
            let error = at("toolResult.error").node(block);
            let told = error.or(list).or(block.get("toolResult"));
            told.map_or_else(|| b"\"\"".to_vec(), JsonNode::text_literal)
        }
    };
    result_block(block.bytes_or_null("id"), &content, hold(FAILED, block))
}

const FAILED: &[If] =
    &[If::Any(&[is("toolResult.status", "error"), truth("toolResult.value.isError")])];

/// Returns true unless a content of a result is for the user alone.
fn is_for_model(content: JsonNode<'_>) -> bool {
    let audience = content.get_path(&["annotations", "audience"]);
    audience.is_none_or(|audience| {
        let mut readers = audience.items().filter_map(JsonNode::as_text);
        readers.any(|reader| reader == "assistant")
    })
}
