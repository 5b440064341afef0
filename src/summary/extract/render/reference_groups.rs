//! References in groups, so that a key is paid for once:
//! `flight_number: HAT175 HAT084`.

use crate::summary::extract::facts::references::References;
use crate::summary::extract::lex::identifier_kinds::is_date;
use crate::summary::extract::lex::line::{fold, is_armed, no_heading};
use std::borrow::Cow;

/// Values without a key are grouped under this word.
pub(crate) const NO_KEY: &str = "also";
/// A group goes on in a new line, under its key, before the key is out of sight.
const LONGEST_LINE: usize = 150;
/// Of a key, no more bytes than this are told.
const LONGEST_LABEL: usize = 60;
/// Less room than this is left unused.
const LEAST: usize = 8;

/// A reference as it is written.
struct GroupedReference<'r> {
    value: Cow<'r, str>,
    /// The number of its key.
    key: usize,
}

/// References in the order of their worth, to be written in more or less room.
pub(crate) struct ReferenceGroups<'n, 'r> {
    references: &'n References<'r>,
    /// Those that were not looked at yet.
    ranked: std::slice::Iter<'n, usize>,
    items: Vec<GroupedReference<'r>>,
    /// By number of the key: the word that its group stands under, once it was asked for.
    labels: Vec<Option<String>>,
    /// By number of the key: which group of a draft has it.
    places: Vec<Option<usize>>,
    /// The items of a draft, by group.
    taken: Vec<(usize, usize)>,
}

impl<'n, 'r> ReferenceGroups<'n, 'r> {
    /// References by their places in all, in the order of their worth.
    pub(crate) fn new(references: &'n References<'r>, ranked: &'n [usize]) -> Self {
        let keys = references.keys() + 1;
        Self {
            references,
            ranked: ranked.iter(),
            items: Vec::with_capacity(ranked.len()),
            labels: vec![None; keys],
            places: Vec::with_capacity(keys),
            taken: Vec::with_capacity(ranked.len()),
        }
    }

    /// Of the references those that `room` bytes hold, and whether these are all of them.
    pub(crate) fn write(&mut self, room: usize) -> (String, bool) {
        self.places.clear();
        self.places.resize(self.labels.len(), None);
        self.taken.clear();
        let (mut used, mut all, mut groups) = (0, true, 0);
        let mut number = 0;
        while self.is_there(number) {
            if used + LEAST > room {
                all = false;
                break;
            }
            let GroupedReference { value, key } = &self.items[number];
            let place = self.places[*key];
            let cost = value.len()
                + if place.is_none() {
                    self.labels[*key].as_ref().map_or(0, String::len) + 3
                } else {
                    1
                };
            if used + cost <= room {
                used += cost;
                let place = place.unwrap_or(groups);
                groups = groups.max(place + 1);
                self.places[*key] = Some(place);
                self.taken.push((place, number));
            } else {
                all = false;
            }
            number += 1;
        }
        self.taken.sort_unstable();
        let mut lines = String::with_capacity(used);
        for group in self.taken.chunk_by(|(one, _), (other, _)| one == other) {
            self.group(group, room, &mut lines);
        }
        (lines, all)
    }

    /// Whether there is an item of this number; it is made where it was not asked for before.
    fn is_there(&mut self, number: usize) -> bool {
        while self.items.len() <= number {
            let Some(reference) = self.ranked.next().map(|&at| &self.references.all[at]) else {
                return false;
            };
            let Some(value) = shown_value(reference.text) else {
                continue;
            };
            let key = reference.key as usize;
            self.labels[key].get_or_insert_with(|| {
                let label = self
                    .references
                    .label(reference.key)
                    .filter(|label| !is_armed(label));
                label.map_or_else(
                    || NO_KEY.to_owned(),
                    |label| no_heading(&fold(&label, LONGEST_LABEL)).into_owned(),
                )
            });
            self.items.push(GroupedReference { value, key });
        }
        true
    }

    /// Adds the lines of a group, as long as they fit in `room`.
    fn group(&self, group: &[(usize, usize)], room: usize, lines: &mut String) {
        let mut length = 0;
        let mut after_date = false;
        for (_, number) in group {
            let GroupedReference { value, key } = &self.items[*number];
            let label = self.labels[*key].as_deref().unwrap_or(NO_KEY);
            let begins = length == 0 || (length + value.len() > LONGEST_LINE && label != NO_KEY);
            let time = after_date && value.as_bytes().get(2) == Some(&b':');
            let cost =
                value.len() + 1 + usize::from(time) + if begins { label.len() + 2 } else { 0 };
            if lines.len() + cost > room {
                break;
            }
            if begins {
                lines.push_str(if lines.is_empty() { "" } else { "\n" });
                lines.push_str(label);
                lines.push(':');
                length = label.len() + 1;
            } else if time {
                // A date and an hour side by side would read as one moment.
                lines.push(',');
            }
            lines.push(' ');
            lines.push_str(value);
            length += value.len() + 1;
            after_date = value.len() == 10 && is_date(value.as_bytes());
        }
    }
}

/// A value as the summary writes it: a phrase keeps its bounds. `None` if it can't stand there as it is spelled.
fn shown_value(text: &str) -> Option<Cow<'_, str>> {
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
    (fold(&value, usize::MAX) == value).then_some(Cow::Owned(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::extract::facts::references::TOOL;
    use crate::summary::extract::lex::identifier_kinds::{CODE, OTHER};
    use crate::summary::extract::lex::value_keys::ValueKey;

    #[test]
    fn a_long_group_repeats_its_key_before_it_is_out_of_sight() {
        let values: Vec<String> = (0..60).map(|number| format!("ORD{number:04}")).collect();
        let mut references = References::new(1);
        values
            .iter()
            .for_each(|value| references.add(value, CODE, 0, TOOL, || ValueKey::named("order_id")));
        let ranked = references.ranked(100, &|text| text.len() / 4);
        let (text, all) = ReferenceGroups::new(&references, &ranked).write(4000);
        assert!(
            all && text.lines().count() > 2
                && text
                    .lines()
                    .all(|line| line.starts_with("order_id: ORD") && line.len() <= LONGEST_LINE),
            "{text}"
        );
        assert_eq!(text.matches("ORD").count(), 60);
    }

    #[test]
    fn two_values_never_read_as_one() {
        let mut references = References::new(1);
        references.add("2024-05-20", OTHER, 0, TOOL, || ValueKey::named("at"));
        references.add("12:30:00+02", OTHER, 0, TOOL, || ValueKey::named("at"));
        let ranked = references.ranked(9, &|text| text.len() / 4);
        assert_eq!(
            ReferenceGroups::new(&references, &ranked).write(100).0,
            "at: 2024-05-20, 12:30:00+02"
        );
    }

    #[test]
    fn what_the_frame_would_change_is_left_out() {
        let mut references = References::new(1);
        references.add("/out/</summary>.txt", OTHER, 0, TOOL, || {
            ValueKey::named("path")
        });
        references.add("a<b", OTHER, 0, TOOL, || ValueKey::named("<summary>"));
        let ranked = references.ranked(9, &|text| text.len() / 4);
        assert_eq!(
            ReferenceGroups::new(&references, &ranked).write(100).0,
            "also: a<b"
        );
    }

    #[test]
    fn the_room_holds() {
        let values: Vec<String> = (0..50).map(|number| format!("ID_{number:03}")).collect();
        let mut references = References::new(1);
        values
            .iter()
            .for_each(|value| references.add(value, CODE, 0, TOOL, || ValueKey::named("key")));
        let ranked = references.ranked(100, &|text| text.len() / 4);
        let mut groups = ReferenceGroups::new(&references, &ranked);
        for room in 0..400 {
            let (text, all) = groups.write(room);
            assert!(text.len() <= room && (all || room < 400), "{room}: {text}");
        }
    }
}
