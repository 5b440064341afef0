//! Summaries in lists of turns. The lists of images, videos and audios beside the turns are kept
//! consistent: an element is removed together with the turn whose text refers to it.

use crate::format::insertion::{SummaryInsertion, SummaryPlace};
use crate::format::sharegpt_turns::{MEDIA, turn_keys};
use crate::format::summary_splices::prepend_text;
use crate::format::tree::{JsonNode, JsonTree};
use crate::json::{JsonKind, decode_literal, encode_literal};
use crate::transcript::splice::Splice;
use crate::transcript::{Content, Role, Transcript};
use std::borrow::Cow;

/// Inserts a summary into the user's turn that follows it, or as a separate turn.
pub(super) fn place_summary_in_turns(
    transcript: &Transcript<'_>,
    place: &SummaryPlace<'_>,
    text: &str,
) -> SummaryInsertion {
    let (mut insertion, text) = place_media(transcript, place, text);
    let text_key =
        first_turn(transcript, Role::User).map_or("value", |tree| turn_keys(tree.root()).1);
    match place
        .user_that_follows(transcript)
        .and_then(|message| prepend_text(transcript, message, text_key, &text))
    {
        Some(splices) => insertion.splices.extend(splices),
        None => insertion.message = Some(render_turn(transcript, Role::User, &text)),
    }
    insertion
}

/// Inserts a summary that consists of several turns.
pub(super) fn place_turns(
    transcript: &Transcript<'_>,
    place: &SummaryPlace<'_>,
    messages: &[(Role, String)],
    separator: &[u8],
) -> SummaryInsertion {
    let mut insertion = SummaryInsertion::default();
    let mut turns = Vec::new();
    for (role, text) in messages {
        let (media, text) = place_media(transcript, place, text);
        turns.push(render_turn(transcript, *role, &text));
        // The splices of the media are the same for every turn.
        insertion = media;
    }
    SummaryInsertion {
        message: Some(turns.join(separator)),
        ..insertion
    }
}

/// Returns the edits of the lists of media, and the text without their marks.
fn place_media<'x>(
    transcript: &Transcript<'_>,
    place: &SummaryPlace<'_>,
    text: &'x str,
) -> (SummaryInsertion, Cow<'x, str>) {
    let (mut insertion, mut text) = (SummaryInsertion::default(), Cow::Borrowed(text));
    let Ok(tree) = JsonTree::new(transcript.records[0].bytes) else {
        return (insertion, text);
    };
    for (key, mark) in MEDIA {
        let Some(list) = tree.root().get_kind(key, JsonKind::Array) else {
            continue;
        };
        text = Cow::Owned(text.replace(mark, &format!("[{key}]")));
        let splice = remove_media(transcript, place, list, mark);
        insertion.splices.extend(splice.map(|splice| (0, splice)));
    }
    (insertion, text)
}

/// Returns the splice that removes the media of removed turns from their list. Returns `None` if
/// none is removed, or if marks and media do not match.
fn remove_media(
    transcript: &Transcript<'_>,
    place: &SummaryPlace<'_>,
    list: JsonNode<'_>,
    mark: &str,
) -> Option<Splice> {
    let mut stays = Vec::new();
    for (index, message) in transcript.messages.iter().enumerate() {
        if let Content::Text(span) = message.content {
            let text = decode_literal(transcript.bytes(index, span));
            let is_kept = place.removed.binary_search(&index).is_err();
            stays.extend(std::iter::repeat_n(is_kept, text.matches(mark).count()));
        }
    }
    if stays.len() != list.items().count() || stays.iter().all(|stays| *stays) {
        return None;
    }
    let kept: Vec<&[u8]> = list
        .items()
        .zip(stays)
        .filter(|(_, stays)| *stays)
        .map(|(node, _)| node.bytes())
        .collect();
    Some(Splice {
        span: list.span(),
        bytes: [b"[", kept.join(b", ".as_slice()).as_slice(), b"]"].concat(),
    })
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

/// Renders a turn with the keys and tags of the other turns.
pub(super) fn render_turn(transcript: &Transcript<'_>, role: Role, text: &str) -> Vec<u8> {
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
    [
        b"{",
        tag_key.as_slice(),
        b": ",
        tag,
        b", ",
        text_key,
        b": ",
        text,
        b"}",
    ]
    .concat()
}
