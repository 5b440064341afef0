//! Writes a member of a record as a column: its name, and all values below it on a line.

use crate::summary::extract::lex::clip::{CLIP_MARK, OMISSION};
use crate::summary::extract::lex::fold::fold_line;
use crate::summary::extract::lex::frame::has_frame_tag;
use crate::summary::extract::lex::identifier_kinds::{is_date, is_link, kinds_of};
use crate::summary::extract::lex::json_tree::ResultTree;
use crate::summary::extract::lexicon::argument_names::CREATION_COLUMNS;

/// Between the values of records that belong together.
pub(super) const PARTS: &str = " + ";
/// Between the items of a list.
pub(super) const ITEM_END: &str = "; ";
/// Maximum length in bytes of a value.
const LONGEST_VALUE: usize = 48;
/// The same of an address, of which a part leads nowhere.
const LONGEST_LINK: usize = 160;
/// Length in bytes of a moment to the minute: `2024-05-14T16:03`.
const MINUTE_LENGTH: usize = 16;
/// Maximum length in bytes of a column with several values.
const LONGEST_COLUMN: usize = 340;
/// Minimum length in bytes of a value that is left out because the id before it begins with it.
const LEAST_REPEATED: usize = 4;
/// Minimum length in bytes of a value that is left out because the item before has it.
const LEAST_DITTO: usize = 8;
/// Number of digits from which on a member's name is an id, not a name.
const ID_DIGITS: usize = 3;

/// A column of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RecordColumn {
    pub(crate) name: String,
    /// The values as the summary writes them.
    pub(crate) text: String,
    /// The values that are identifiers.
    pub(crate) identifiers: Vec<String>,
    /// The values stand in a list or an object below the record.
    pub(crate) is_nested: bool,
    /// The figures of an object that holds nothing else: prices by class.
    pub(super) figures: Option<NamedFigures>,
}

impl RecordColumn {
    /// Returns the column of a value that is an identifier.
    pub(super) fn of_text(name: &str, text: &str) -> Self {
        Self {
            name: name.to_owned(),
            text: text.to_owned(),
            identifiers: vec![text.to_owned()],
            is_nested: false,
            figures: None,
        }
    }
}

/// The figures of an object. In a table their names can stand in the heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NamedFigures {
    /// The names, with slashes between them.
    pub(super) names: String,
    /// The values, with slashes between them.
    pub(super) values: String,
}

impl NamedFigures {
    /// Returns the values, one by one.
    pub(super) fn single_values(&self) -> impl Iterator<Item = &str> {
        self.values.split(PARTS).flat_map(|part| part.split('/'))
    }

    /// Returns the figures of an object that holds nothing else.
    fn of(value: &ResultTree<'_>) -> Option<Self> {
        let ResultTree::Object(members) = value else {
            return None;
        };
        let (mut names, mut values) = (Vec::new(), Vec::new());
        for (name, value) in members {
            let ResultTree::Text(text) = value else {
                return None;
            };
            text.parse::<f64>().ok()?;
            names.push(name.as_ref());
            values.push(text.as_ref());
        }
        let names = names.join("/");
        let is_short = values.len() >= 2 && names.len() <= LONGEST_VALUE;
        (is_short && !names.contains(char::is_whitespace)).then(|| Self {
            names,
            values: values.join("/"),
        })
    }
}

/// Returns the column of a member. Returns `None` if nothing can be shown of it.
pub(super) fn column_of_member(name: &str, value: &ResultTree<'_>) -> Option<RecordColumn> {
    let mut writer = ValueWriter::default();
    writer.push_value(value, true, 0);
    let mut text = writer.text;
    // Nobody asks for the second at which an order was made.
    if is_creation(name) && is_timestamp(&text) && ends_with_seconds(&text) {
        text.truncate(MINUTE_LENGTH);
    }
    if text.is_empty() || has_frame_tag(&text) || has_frame_tag(name) {
        return None;
    }
    Some(RecordColumn {
        name: fold_line(name, LONGEST_VALUE).into_owned(),
        text,
        identifiers: writer.identifiers,
        is_nested: !matches!(value, ResultTree::Text(_) | ResultTree::Word(_)),
        figures: NamedFigures::of(value),
    })
}

/// Writes the values below a member on a line.
#[derive(Default)]
struct ValueWriter {
    text: String,
    identifiers: Vec<String>,
    /// The texts of the item before, in a list of objects, by their names.
    before: Vec<(String, String)>,
}

/// Returns the texts of an object by their names.
fn text_members(tree: &ResultTree<'_>) -> Vec<(String, String)> {
    let ResultTree::Object(members) = tree else {
        return Vec::new();
    };
    members
        .iter()
        .filter_map(|(name, value)| match value {
            ResultTree::Text(text) => Some((name.to_string(), text.to_string())),
            _ => None,
        })
        .collect()
}

impl ValueWriter {
    /// Writes a value. `names_numbers` writes the names of members that are numbers: the first item
    /// of a list shows them, the others repeat them.
    fn push_value(&mut self, value: &ResultTree<'_>, names_numbers: bool, depth: usize) {
        match value {
            ResultTree::Text(text) => self.push_text(text),
            ResultTree::Word("true") => self.push_text("yes"),
            ResultTree::Word(_) => {}
            ResultTree::List(items) => {
                for (at, item) in items.iter().enumerate() {
                    self.before = at
                        .checked_sub(1)
                        .and_then(|before| items.get(before))
                        .map(text_members)
                        .filter(|texts| count_dates(texts) < 2)
                        .unwrap_or_default();
                    if self.text.len() > LONGEST_COLUMN {
                        return self.mark_cut();
                    }
                    let before = self.text.len();
                    self.push_value(item, names_numbers && at == 0, depth + 1);
                    let is_plain = matches!(item, ResultTree::Text(_) | ResultTree::Word(_));
                    let separator = if is_plain { "" } else { ";" };
                    if before > 0 && self.text.len() > before {
                        self.text.insert_str(before, separator);
                    }
                }
            }
            ResultTree::Object(members) => {
                for (name, value) in members {
                    if self.text.len() > LONGEST_COLUMN {
                        return self.mark_cut();
                    }
                    self.push_member(name, value, names_numbers, depth);
                }
            }
        }
    }

    /// Marks that more values were left out.
    fn mark_cut(&mut self) {
        if !self.text.ends_with(CLIP_MARK) {
            self.text.push_str(CLIP_MARK);
        }
    }

    fn push_member(
        &mut self,
        name: &str,
        value: &ResultTree<'_>,
        names_numbers: bool,
        depth: usize,
    ) {
        // In a map from ids to objects, an object may repeat its id.
        if is_id_name(name) {
            if !self.text.is_empty() {
                self.text.push(',');
            }
            self.push_text(name);
            if let ResultTree::Object(members) = value {
                for (inner, value) in members {
                    if !matches!(value, ResultTree::Text(text) if text.as_ref() == name) {
                        self.push_member(inner, value, true, depth + 1);
                    }
                }
            } else {
                self.push_value(value, true, depth + 1);
            }
            return;
        }
        // What the item before has under the same name, a date above all, is written once.
        if let ResultTree::Text(text) = value
            && text.len() >= LEAST_DITTO
            && self
                .before
                .iter()
                .any(|(other, value)| other == name && value == text)
        {
            return;
        }
        let is_number = matches!(value, ResultTree::Text(text) if text.parse::<f64>().is_ok() || text.len() < 3);
        if (is_number && names_numbers) || matches!(value, ResultTree::Word("true")) {
            self.push_word(&fold_line(name, LONGEST_VALUE));
            if matches!(value, ResultTree::Word(_)) {
                return;
            }
        }
        self.push_value(value, names_numbers, depth + 1);
    }

    fn push_text(&mut self, text: &str) {
        let longest = if is_link(text) {
            LONGEST_LINK
        } else {
            LONGEST_VALUE
        };
        let folded = fold_line(text, longest);
        // A mark in place of the value says nothing.
        if folded.is_empty() || folded == OMISSION || has_frame_tag(text) {
            return;
        }
        // `credit_card_771` says that it is a credit card.
        if text.len() >= LEAST_REPEATED
            && text.bytes().any(|byte| byte.is_ascii_alphabetic())
            && self
                .identifiers
                .last()
                .is_some_and(|id| id.starts_with(text))
        {
            return;
        }
        // Prose names `#W5270061` without the number sign.
        let id = text.strip_prefix('#').unwrap_or(text);
        if folded == text && kinds_of(id).is_some() {
            self.identifiers.push(id.to_owned());
        }
        self.push_word(&folded);
    }

    fn push_word(&mut self, word: &str) {
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        self.text.push_str(word);
    }
}

/// Returns the number of dates among the texts of an item. Of two, one that is left out would be read from
/// the other.
fn count_dates(texts: &[(String, String)]) -> usize {
    let dates = texts.iter().filter(|(_, text)| is_date(text.as_bytes()));
    dates.count()
}

/// Returns true for a column that says when a record was made.
pub(super) fn is_creation(name: &str) -> bool {
    CREATION_COLUMNS.contains(&name)
}

/// Returns true for a moment like `2024-05-12T05:51:40`.
pub(super) fn is_timestamp(text: &str) -> bool {
    text.len() >= 19
        && text.len() <= 32
        && text.bytes().filter(|byte| *byte == b':').count() >= 2
        && text.starts_with(|c: char| c.is_ascii_digit())
}

/// Returns true for a moment that ends with seconds, perhaps in parts: `2024-05-14T16:03:16.5Z`. One with a
/// zone does not.
fn ends_with_seconds(moment: &str) -> bool {
    let bytes = moment.as_bytes();
    matches!(bytes.get(10), Some(b'T' | b' '))
        && bytes.get(MINUTE_LENGTH) == Some(&b':')
        && (bytes[MINUTE_LENGTH..].iter())
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b'.' | b'Z'))
        && bytes[..MINUTE_LENGTH].is_ascii()
}

/// Returns true if the name of a member is an id.
pub(super) fn is_id_name(name: &str) -> bool {
    name.bytes().filter(u8::is_ascii_digit).count() >= ID_DIGITS && kinds_of(name).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::extract::lex::json_tree::parse_json_tree;

    #[test]
    fn moments_are_no_dates() {
        assert!(is_timestamp("2024-05-12T05:51:40") && !is_timestamp("2024-05-12"));
    }

    #[test]
    fn a_map_or_a_list_that_is_cut_says_so() {
        let variants: Vec<String> = (0..40)
            .map(|number| format!(r#""70{number:02}": {{"color": "green", "price": {number}.5}}"#))
            .collect();
        let map = format!("{{{}}}", variants.join(", "));
        let text_of = |json: &str| {
            let tree = parse_json_tree(json).unwrap();
            column_of_member("variants", &tree).unwrap().text
        };
        assert!(text_of(&map).ends_with(CLIP_MARK));
        assert!(text_of(&map).matches(OMISSION).count() == 1);
        let list: Vec<String> = (0..200).map(|number| format!("\"V-{number}\"")).collect();
        assert!(text_of(&format!("[{}]", list.join(","))).ends_with(CLIP_MARK));
        assert!(!text_of(r#"{"7001": {"price": 1.5}}"#).contains(OMISSION));
    }
}
