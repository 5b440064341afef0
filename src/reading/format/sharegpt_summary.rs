//! Summaries in lists of turns.

use crate::reading::format::chat_row::{ChatRow, MessageForm, SummaryJoins};
use crate::reading::format::prelude::*;
use crate::reading::format::sharegpt_turns::turn_keys;

/// What formats of turns have in common: a summary begins the text of the user's turn that follows
/// it, or is a turn of its own.
pub(super) const TURNS: ChatRow = ChatRow {
    joins: SummaryJoins::Text(|transcript| {
        first_turn(transcript, Role::User).map_or("value", |tree| turn_keys(tree.root()).1)
    }),
    message: MessageForm::Own(|place, role, text| render_turn(place.transcript, role, text)),
    ..ChatRow::PLAIN
};

/// Returns the first turn of a role.
fn first_turn<'a>(transcript: &Transcript<'a>, role: Role) -> Option<JsonTree<'a>> {
    let first =
        transcript.messages.iter().skip(transcript.outside).find(|message| message.role == role)?;
    JsonTree::new(first.span.slice(transcript.records[0].bytes)).ok()
}

/// Renders a turn with the keys and tags of the other turns.
fn render_turn(transcript: &Transcript<'_>, role: Role, text: &str) -> Vec<u8> {
    let same_role = first_turn(transcript, role);
    let user = first_turn(transcript, Role::User);
    let (tag_key, text_key) = same_role
        .as_ref()
        .or(user.as_ref())
        .map_or(("from", "value"), |tree| turn_keys(tree.root()));
    let usual_tag = match (tag_key, role) {
        ("from", Role::Assistant) => "gpt",
        ("from", _) => "human",
        (_, Role::Assistant) => "assistant",
        _ => "user",
    };
    let tag = same_role
        .as_ref()
        .and_then(|tree| tree.root().get(tag_key)?.as_text())
        .unwrap_or(Cow::Borrowed(usual_tag));
    let literals = [tag_key, &tag, text_key, text].map(encode_literal);
    let [tag_key, tag, text_key, text] = &literals;
    fill_json("{$: $, $: $}", &[tag_key.as_slice(), tag, text_key, text])
}
