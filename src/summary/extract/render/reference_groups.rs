//! Renders references in groups, so that each key is written once:
//! `flight_number: HAT175 HAT084`. References of prose and code that have no telling key stand with
//! the file that names them: `pump.rs: PumpState set_speed`.

use super::reference_labels::{
    has_telling_key, label_as_written, label_of_record, value_as_written,
};
use crate::summary::extract::facts::references::{Reference, References};
use crate::summary::extract::labels::NO_KEY;
use crate::summary::extract::lex::frame::escape_heading;
use crate::summary::extract::lex::identifier_kinds::{NUMBER, OTHER, is_date};
use crate::summary::extract::lex::name_parts::visit_parts;
use hashbrown::HashSet;
use std::borrow::Cow;

/// Length in bytes after which a group goes on in a new line, with its key repeated.
const LONGEST_LINE: usize = 150;
/// Minimum room in bytes for another reference.
const LEAST_ROOM: usize = 8;
/// The part of the ranked references that a draft has room for, about.
const DRAFTED_PART: usize = 3;
/// Number of references that a draft has room for at least.
const LEAST_DRAFTED: usize = 12;
/// Number of these references from which on a file stands before them.
const LEAST_FOR_HOME: usize = 2;

/// A reference as it is written.
struct GroupedReference<'r> {
    value: Cow<'r, str>,
    /// The number of its key.
    key: usize,
}

/// A reference in a draft. The order of the fields sorts a draft by group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct DraftItem {
    group: usize,
    /// Index into the items.
    item: usize,
}

/// References rendered in groups.
pub(crate) struct RenderedGroups {
    pub(crate) text: String,
    /// All references are in the text.
    pub(crate) is_complete: bool,
}

/// References in the order of their worth, which can be rendered for different amounts of room.
pub(crate) struct ReferenceGroups<'n, 'r> {
    references: &'n References<'r>,
    /// The references that are no items yet.
    ranked: std::slice::Iter<'n, usize>,
    items: Vec<GroupedReference<'r>>,
    /// The label of each key that an item has, by the key's number.
    labels: Vec<Option<String>>,
    /// For each file, whether enough references stand in it to name it.
    has_home: Vec<bool>,
    /// The group of each key in the current draft, by the key's number.
    group_of_key: Vec<Option<usize>>,
    draft: Vec<DraftItem>,
    /// The items and what is known from them, in small letters.
    known: HashSet<String>,
}

impl<'n, 'r> ReferenceGroups<'n, 'r> {
    /// Returns groups of the references with the given indices, best first.
    pub(crate) fn new(references: &'n References<'r>, ranked: &'n [usize]) -> Self {
        let keys = references.keys.len() + 1;
        let drafted = (ranked.len() / DRAFTED_PART).max(LEAST_DRAFTED);
        let has_home = homes_of(references, &ranked[..drafted.min(ranked.len())]);
        let groups = keys + has_home.len() + references.owners.len();
        // A file that stands before references need not stand among them.
        let known = (has_home.iter().enumerate())
            .filter(|(_, is_shown)| **is_shown)
            .map(|(home, _)| references.homes.name(home).to_ascii_lowercase())
            .collect();
        Self {
            references,
            ranked: ranked.iter(),
            items: Vec::with_capacity(ranked.len()),
            labels: vec![None; groups],
            has_home,
            group_of_key: Vec::with_capacity(groups),
            draft: Vec::with_capacity(ranked.len()),
            known,
        }
    }

    /// Renders the references that fit in `room` bytes.
    pub(crate) fn render(&mut self, room: usize) -> RenderedGroups {
        self.group_of_key.clear();
        self.group_of_key.resize(self.labels.len(), None);
        self.draft.clear();
        let (mut used, mut is_complete, mut groups) = (0, true, 0);
        let mut item = 0;
        while self.has_item(item) {
            if used + LEAST_ROOM > room {
                is_complete = false;
                break;
            }
            let GroupedReference { value, key } = &self.items[item];
            let group = self.group_of_key[*key];
            let separator = if group.is_none() {
                self.labels[*key].as_ref().map_or(0, String::len) + 3
            } else {
                1
            };
            let cost = value.len() + separator;
            if used + cost <= room {
                used += cost;
                let group = group.unwrap_or(groups);
                groups = groups.max(group + 1);
                self.group_of_key[*key] = Some(group);
                self.draft.push(DraftItem { group, item });
            } else {
                is_complete = false;
            }
            item += 1;
        }
        self.draft.sort_unstable();
        let mut text = String::with_capacity(used);
        for group in self.draft.chunk_by(|left, right| left.group == right.group) {
            self.push_group(group, room, &mut text);
        }
        RenderedGroups { text, is_complete }
    }

    /// Returns true if there is an item with this index. Turns references into items as needed.
    fn has_item(&mut self, index: usize) -> bool {
        while self.items.len() <= index {
            let Some(&at) = self.ranked.next() else {
                return false;
            };
            let reference = &self.references.all[at];
            let Some(value) = value_as_written(reference.text) else {
                continue;
            };
            if let Some(owner) = self.references.owners.owner_of(at) {
                self.push_owned(owner, at, value);
                continue;
            }
            // `playerId` beside `PlayerID` says nothing more, nor a file beside its path.
            let name = reference.text.to_ascii_lowercase();
            if self.known.contains(&name) && !self.references.holds_records {
                continue;
            }
            visit_parts(&name, &mut |part| {
                self.known.insert(part.to_owned());
            });
            let key = match self.home_of(reference) {
                Some(home) => {
                    let name = self.references.homes.name(home);
                    let key = self.key_of_home(home);
                    self.labels[key].get_or_insert_with(|| escape_heading(name).into_owned());
                    key
                }
                None => {
                    let key = if has_telling_key(self.references, reference) {
                        reference.key
                    } else {
                        0
                    };
                    self.labels[key as usize]
                        .get_or_insert_with(|| label_as_written(self.references, key));
                    key as usize
                }
            };
            self.items.push(GroupedReference { value, key });
        }
        true
    }

    /// Adds the reference `at` that belongs to a record, behind the key of the record. A number stands
    /// with its name, and with the id of the item that it stands in: `card_771 last_four 3422`.
    fn push_owned(&mut self, owner: usize, at: usize, value: Cow<'r, str>) {
        let reference = &self.references.all[at];
        let key = self.key_of_owner(owner);
        let name = self.references.owners.name(owner);
        self.labels[key].get_or_insert_with(|| label_of_record(name));
        let is_number = reference.kinds & !OTHER == NUMBER && reference.key > 0;
        let value = if is_number {
            let figure = label_as_written(self.references, reference.key);
            match self.references.owners.companion_of(at) {
                Some(companion) => Cow::Owned(format!("{companion} {value}")),
                None => Cow::Owned(format!("{figure} {value}")),
            }
        } else {
            value
        };
        self.items.push(GroupedReference { value, key });
    }

    /// Returns the number of the key that stands for a file. Files are numbered behind the keys of references.
    fn key_of_home(&self, home: usize) -> usize {
        self.references.keys.len() + 1 + home
    }

    /// Returns the number of the key that stands for a record. Records are numbered behind the files.
    fn key_of_owner(&self, owner: usize) -> usize {
        self.key_of_home(self.has_home.len()) + owner
    }

    /// Returns the file that a reference stands with.
    fn home_of(&self, reference: &Reference<'_>) -> Option<usize> {
        if has_telling_key(self.references, reference) {
            return None;
        }
        let home = self.references.home_of(reference)?;
        self.has_home[home].then_some(home)
    }

    /// Appends the lines of a group as long as they fit in `room` bytes.
    fn push_group(&self, group: &[DraftItem], room: usize, lines: &mut String) {
        let mut length = 0;
        let mut after_date = false;
        for draft in group {
            let GroupedReference { value, key } = &self.items[draft.item];
            let label = self.labels[*key].as_deref().unwrap_or(NO_KEY);
            let starts_line = length == 0 || (length + value.len() > LONGEST_LINE && *key > 0);
            let is_time_after_date = after_date && value.as_bytes().get(2) == Some(&b':');
            let label_cost = if starts_line { label.len() + 2 } else { 0 };
            let cost = value.len() + 1 + usize::from(is_time_after_date) + label_cost;
            if lines.len() + cost > room {
                break;
            }
            if starts_line {
                lines.push_str(if lines.is_empty() { "" } else { "\n" });
                lines.push_str(label);
                lines.push(':');
                length = label.len() + 1;
            } else if is_time_after_date {
                // A date and a time side by side would read as a single moment.
                lines.push(',');
            }
            lines.push(' ');
            lines.push_str(value);
            length += value.len() + 1;
            after_date = value.len() == 10 && is_date(value.as_bytes());
        }
    }
}

/// Returns for each file whether enough of some references stand in it.
fn homes_of(references: &References<'_>, ranked: &[usize]) -> Vec<bool> {
    let mut counts = vec![0; references.homes.len()];
    if !references.holds_records {
        let homeless = ranked
            .iter()
            .map(|&at| &references.all[at])
            .filter(|reference| !has_telling_key(references, reference));
        for home in homeless.filter_map(|reference| references.home_of(reference)) {
            counts[home] += 1;
        }
    }
    counts
        .into_iter()
        .map(|count| count >= LEAST_FOR_HOME)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::extract::facts::places::{IN_CALL, IN_RESULT, IN_USER_TEXT};
    use crate::summary::extract::facts::ranking::ReferenceFloor;
    use crate::summary::extract::lex::identifier_kinds::{CODE, OTHER};
    use crate::summary::extract::lex::value_keys::ValueKey;

    fn render_references(references: &mut References<'_>, room: usize) -> String {
        references.weigh(false);
        let ranked = references.ranked_indices(100, ReferenceFloor::Any, &|text| text.len() / 4);
        ReferenceGroups::new(references, &ranked).render(room).text
    }

    /// Renders references by the last messages that name them, whatever the weights are.
    fn render_newest_first(references: &mut References<'_>, room: usize) -> String {
        for reference in &mut references.all {
            reference.odds = 1000 * reference.last.cast_signed();
        }
        let ranked = references.ranked_indices(100, ReferenceFloor::Any, &|text| text.len() / 4);
        ReferenceGroups::new(references, &ranked).render(room).text
    }

    #[test]
    fn a_key_is_written_once() {
        let mut references = References::new(3);
        references.observe("HAT175", CODE, 0, IN_RESULT, || {
            ValueKey::from_name("flight_number")
        });
        references.observe("mia_li_3668", CODE, 1, IN_USER_TEXT, || ValueKey::NONE);
        references.observe("HAT084", CODE, 1, IN_RESULT, || {
            ValueKey::from_name("flight_number")
        });
        references.observe("mia_li_3668", 0, 2, IN_CALL, || {
            ValueKey::from_name("user_id")
        });
        assert_eq!(
            render_newest_first(&mut references, 200),
            "user_id: mia_li_3668\nflight_number: HAT084 HAT175"
        );
        references.mark_told("mia_li_3668");
        assert_eq!(
            render_newest_first(&mut references, 200),
            "flight_number: HAT084 HAT175"
        );
        assert!(
            render_newest_first(&mut references, 30)
                .chars()
                .count()
                .div_ceil(4)
                <= 8
        );
    }

    #[test]
    fn recent_and_used_references_go_before_old_and_idle_ones() {
        let old: Vec<String> = (0..40).map(|turn| format!("OLD{turn:03}")).collect();
        let mut references = References::new(50);
        for (turn, old) in old.iter().enumerate() {
            references.observe(old, CODE, turn, IN_RESULT, || ValueKey::from_name("ticket"));
        }
        references.observe("NEW001", CODE, 48, IN_CALL, || {
            ValueKey::from_name("ticket")
        });
        assert_eq!(render_references(&mut references, 16), "ticket: NEW001");
    }

    #[test]
    fn kept_references_are_not_repeated_and_raise_their_company() {
        let mut references = References::new(20);
        for (text, turn) in [("ID_111", 3), ("ID_222", 3), ("ID_333", 4), ("ID_444", 4)] {
            references.observe(text, CODE, turn, IN_CALL, || ValueKey::from_name("id"));
        }
        references.mark_kept("ID_111");
        assert!(render_references(&mut references, 200).starts_with("id: ID_222"));
        assert!(!render_references(&mut references, 200).contains("ID_111"));
    }

    #[test]
    fn a_long_group_repeats_its_key() {
        let values: Vec<String> = (0..60).map(|number| format!("ORD{number:04}")).collect();
        let mut references = References::new(1);
        values.iter().for_each(|value| {
            references.observe(value, CODE, 0, IN_RESULT, || {
                ValueKey::from_name("order_id")
            })
        });
        let ranked = references.ranked_indices(100, ReferenceFloor::Any, &|text| text.len() / 4);
        let RenderedGroups { text, is_complete } =
            ReferenceGroups::new(&references, &ranked).render(4000);
        assert!(
            is_complete
                && text.lines().count() > 2
                && text
                    .lines()
                    .all(|line| line.starts_with("order_id: ORD") && line.len() <= LONGEST_LINE),
            "{text}"
        );
        assert_eq!(text.matches("ORD").count(), 60);
    }

    #[test]
    fn what_a_listed_reference_names_is_not_listed_again() {
        let mut references = References::new(9);
        for (text, turn) in [
            ("index.ts", 1),
            ("src/core", 2),
            ("playerID", 3),
            ("PlayerID", 4),
            ("src/core/index.ts", 5),
        ] {
            references.observe(text, OTHER, turn, IN_CALL, || ValueKey::NONE);
        }
        let text = render_newest_first(&mut references, 200);
        assert_eq!(text, "also: src/core/index.ts PlayerID");
        references.mark_told("src/core/index.ts");
        let text = render_newest_first(&mut references, 200);
        assert_eq!(text, "also: PlayerID");
    }

    #[test]
    fn the_name_of_a_column_is_no_reference_to_a_record() {
        let mut references = References::new(1);
        for (text, key) in [
            ("HAT175", "flight_no"),
            ("flight_no", ""),
            ("mia_li_3668", "user_id"),
        ] {
            references.observe(text, CODE, 0, IN_RESULT, || ValueKey::from_name(key));
        }
        references.weigh(true);
        let ranked = references.ranked_indices(9, ReferenceFloor::Any, &|text| text.len() / 4);
        let text = ReferenceGroups::new(&references, &ranked).render(200).text;
        let mut lines: Vec<&str> = text.lines().collect();
        lines.sort_unstable();
        assert_eq!(lines, ["flight_no: HAT175", "user_id: mia_li_3668"]);
    }

    #[test]
    fn two_values_never_read_as_a_single_moment() {
        let mut references = References::new(1);
        references.observe("2024-05-20", OTHER, 0, IN_CALL, || {
            ValueKey::from_name("at")
        });
        references.observe("12:30:00+02", OTHER, 0, IN_CALL, || {
            ValueKey::from_name("at")
        });
        let ranked = references.ranked_indices(9, ReferenceFloor::Any, &|text| text.len() / 4);
        assert_eq!(
            ReferenceGroups::new(&references, &ranked).render(100).text,
            "at: 2024-05-20, 12:30:00+02"
        );
    }

    #[test]
    fn a_value_with_a_tag_of_the_frame_is_left_out() {
        let mut references = References::new(1);
        references.observe("/out/</summary>.txt", OTHER, 0, IN_RESULT, || {
            ValueKey::from_name("path")
        });
        references.observe("a<b", OTHER, 0, IN_RESULT, || {
            ValueKey::from_name("<summary>")
        });
        let ranked = references.ranked_indices(9, ReferenceFloor::Any, &|text| text.len() / 4);
        assert_eq!(
            ReferenceGroups::new(&references, &ranked).render(100).text,
            "also: a<b"
        );
    }

    #[test]
    fn the_room_is_never_exceeded() {
        let values: Vec<String> = (0..50).map(|number| format!("ID_{number:03}")).collect();
        let mut references = References::new(1);
        values.iter().for_each(|value| {
            references.observe(value, CODE, 0, IN_RESULT, || ValueKey::from_name("key"))
        });
        let ranked = references.ranked_indices(100, ReferenceFloor::Any, &|text| text.len() / 4);
        let mut groups = ReferenceGroups::new(&references, &ranked);
        for room in 0..400 {
            let RenderedGroups { text, is_complete } = groups.render(room);
            assert!(
                text.len() <= room && (is_complete || room < 400),
                "{room}: {text}"
            );
        }
    }
}
