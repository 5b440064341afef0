//! Writes a reference, and the label of the key that it stands behind.

use crate::summary::extract::facts::places::IN_EARLIER_SUMMARY;
use crate::summary::extract::facts::records::is_key_name;
use crate::summary::extract::facts::references::{Reference, References};
use crate::summary::extract::labels::{IN_PART, NO_KEY};
use crate::summary::extract::lex::fold::fold_line;
use crate::summary::extract::lex::frame::{escape_heading, has_frame_tag};
use crate::summary::extract::lexicon::argument_names::{
    NEW_TEXT_KEYS, OLD_TEXT_KEYS, PATCH_KEYS, TEXT_KEYS,
};
use std::borrow::Cow;

/// Maximum length of a label in bytes.
const LONGEST_LABEL: usize = 60;
/// The same of a record with what was done with it.
const LONGEST_RECORD: usize = 100;

/// Returns true if the key of a reference says what it is. In prose and code, the name of an argument
/// with a text or an edit does not, nor does a word before a colon, unless it names an id or a member
/// of a result.
pub(super) fn has_telling_key(references: &References<'_>, reference: &Reference<'_>) -> bool {
    if references.holds_records {
        return reference.key > 0;
    }
    let name = references.key_name(reference);
    if reference.key_from_call {
        return ![TEXT_KEYS, OLD_TEXT_KEYS, NEW_TEXT_KEYS, PATCH_KEYS]
            .iter()
            .any(|keys| keys.contains(&name));
    }
    // Members of results are often written in snake case, styles and prose before a colon are not.
    is_key_name(name)
        || name.contains('_')
        || (!name.is_empty() && reference.places & IN_EARLIER_SUMMARY != 0)
}

/// Returns the label of a key as the summary writes it.
pub(super) fn label_as_written(references: &References<'_>, key: u32) -> String {
    references
        .key_label(key)
        .filter(|label| !has_frame_tag(label))
        .map_or_else(
            || NO_KEY.to_owned(),
            |label| escape_heading(&fold_line(&label, LONGEST_LABEL)).into_owned(),
        )
}

/// Returns a value as the summary writes it, with quotation marks around a phrase. Returns `None`
/// if folding would change it.
pub(super) fn value_as_written(text: &str) -> Option<Cow<'_, str>> {
    if text
        .bytes()
        .all(|byte| byte.is_ascii_graphic() && byte != b'<')
    {
        return Some(Cow::Borrowed(text));
    }
    let value = if text.contains(' ') {
        format!("\"{text}\"")
    } else {
        text.to_owned()
    };
    (fold_line(&value, usize::MAX) == value).then_some(Cow::Owned(value))
}

/// Returns the label of a record of which only some values are told.
pub(super) fn label_of_record(key: &str) -> String {
    format!(
        "{}{IN_PART}",
        escape_heading(&fold_line(key, LONGEST_RECORD))
    )
}
