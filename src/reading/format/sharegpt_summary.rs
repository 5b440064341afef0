//! Summaries in lists of turns.

use crate::reading::format::prelude::*;
use crate::reading::format::sharegpt_turns::turn_keys;
use crate::reading::format::summary_splices::insert_in;

/// Inserts a summary into the user's turn that follows it, or as a separate turn. The turn begins with
/// the entry `mark`.
pub(super) fn place_summary_in_turns(
    transcript: &Transcript<'_>,
    place: &SummaryPlace<'_>,
    text: &str,
    mark: Vec<u8>,
) -> SummaryInsertion {
    let mut insertion = SummaryInsertion::default();
    let text_key =
        first_turn(transcript, Role::User).map_or("value", |tree| turn_keys(tree.root()).1);
    let user = place.user_that_follows(transcript);
    let within = user.and_then(|user| {
        let splices = prepend_text(transcript, user, text_key, text)?;
        let mark = Some(insert_in(user, 1, mark.clone())).filter(|_| !mark.is_empty());
        Some(mark.into_iter().chain(splices))
    });
    match within {
        Some(splices) => insertion.splices.extend(splices),
        None => insertion.message = Some(render_turn(transcript, Role::User, text, &mark)),
    }
    insertion
}

/// Returns the first turn of a role.
fn first_turn<'a>(transcript: &Transcript<'a>, role: Role) -> Option<JsonTree<'a>> {
    let first = transcript
        .messages
        .iter()
        .skip(transcript.outside)
        .find(|message| message.role == role)?;
    JsonTree::new(first.span.slice(transcript.records[0].bytes)).ok()
}

/// Renders a turn with the keys and tags of the other turns. It begins with the entry `mark`.
pub(super) fn render_turn(
    transcript: &Transcript<'_>,
    role: Role,
    text: &str,
    mark: &[u8],
) -> Vec<u8> {
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
    fill_json(
        "{$$: $, $: $}",
        &[mark, tag_key.as_slice(), tag, text_key, text],
    )
}
