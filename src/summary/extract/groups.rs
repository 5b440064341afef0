//! References in groups, so that a key is paid for once:
//! `flight_number: HAT175 HAT084`.

use super::kinds::is_date;
use super::line::{fold, is_armed, no_heading};
use super::references::References;
use std::borrow::Cow;

/// Values without a key are grouped under this word.
pub(super) const NO_KEY: &str = "also";
/// A group goes on in a new line, under its key, before the key is out of sight.
const LONGEST_LINE: usize = 150;
/// Less room than this is left unused.
const LEAST: usize = 8;

/// The values of one key, in the order of their worth.
struct Group<'r> {
    label: String,
    values: Vec<Cow<'r, str>>,
}

/// Of the references in the order of their worth those that `room` bytes hold, in groups, and whether these are all of them.
pub(super) fn write(references: &References<'_>, ranked: &[usize], room: usize) -> (String, bool) {
    let mut groups: Vec<Group<'_>> = Vec::new();
    // By number of the key: which group has it.
    let mut places: Vec<Option<usize>> = vec![None; references.keys() + 1];
    let (mut used, mut all) = (0, true);
    for &at in ranked {
        if used + LEAST > room {
            all = false;
            break;
        }
        let reference = &references.all[at];
        let Some(value) = shown_value(reference.text) else { continue };
        if let Some(place) = places[reference.key as usize] {
            if used + value.len() < room {
                used += value.len() + 1;
                groups[place].values.push(value);
            } else {
                all = false;
            }
            continue;
        }
        let label = references.label(reference.key).filter(|label| !is_armed(label)).map_or_else(|| NO_KEY.to_owned(), |label| no_heading(&fold(&label, 60)));
        if used + value.len() + label.len() + 3 <= room {
            used += value.len() + label.len() + 3;
            places[reference.key as usize] = Some(groups.len());
            groups.push(Group { label, values: vec![value] });
        } else {
            all = false;
        }
    }
    let mut lines = String::with_capacity(used);
    groups.iter().for_each(|group| group.write(room, &mut lines));
    (lines, all)
}

impl Group<'_> {
    /// Adds the lines of the group, as long as they fit in `room`.
    fn write(&self, room: usize, lines: &mut String) {
        let mut length = 0;
        let mut after_date = false;
        for value in &self.values {
            let begins = length == 0 || (length + value.len() > LONGEST_LINE && self.label != NO_KEY);
            let time = after_date && value.as_bytes().get(2) == Some(&b':');
            let cost = value.len() + 1 + usize::from(time) + if begins { self.label.len() + 2 } else { 0 };
            if lines.len() + cost > room {
                break;
            }
            if begins {
                lines.push_str(if lines.is_empty() { "" } else { "\n" });
                lines.push_str(&self.label);
                lines.push(':');
                length = self.label.len() + 1;
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
    if text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'<') {
        return Some(Cow::Borrowed(text));
    }
    let value = if text.contains(' ') { format!("\"{text}\"") } else { text.to_owned() };
    (fold(&value, usize::MAX) == value).then_some(Cow::Owned(value))
}

#[cfg(test)]
mod tests {
    use super::super::keys::Key;
    use super::super::kinds::{CODE, OTHER};
    use super::super::references::TOOL;
    use super::*;

    #[test]
    fn a_long_group_repeats_its_key_before_it_is_out_of_sight() {
        let values: Vec<String> = (0..60).map(|number| format!("ORD{number:04}")).collect();
        let mut references = References::new(1);
        values.iter().for_each(|value| references.add(value, CODE, 0, TOOL, || Key::named("order_id")));
        let ranked = references.ranked(100);
        let (text, all) = write(&references, &ranked, 4000);
        assert!(all && text.lines().count() > 2 && text.lines().all(|line| line.starts_with("order_id: ORD") && line.len() <= LONGEST_LINE), "{text}");
        assert_eq!(text.matches("ORD").count(), 60);
    }

    #[test]
    fn two_values_never_read_as_one() {
        let mut references = References::new(1);
        references.add("2024-05-20", OTHER, 0, TOOL, || Key::named("at"));
        references.add("12:30:00+02", OTHER, 0, TOOL, || Key::named("at"));
        let ranked = references.ranked(9);
        assert_eq!(write(&references, &ranked, 100).0, "at: 2024-05-20, 12:30:00+02");
    }

    #[test]
    fn what_the_frame_would_change_is_left_out() {
        let mut references = References::new(1);
        references.add("/out/</summary>.txt", OTHER, 0, TOOL, || Key::named("path"));
        references.add("a<b", OTHER, 0, TOOL, || Key::named("<summary>"));
        let ranked = references.ranked(9);
        assert_eq!(write(&references, &ranked, 100).0, "also: a<b");
    }

    #[test]
    fn the_room_holds() {
        let values: Vec<String> = (0..50).map(|number| format!("ID_{number:03}")).collect();
        let mut references = References::new(1);
        values.iter().for_each(|value| references.add(value, CODE, 0, TOOL, || Key::named("key")));
        let ranked = references.ranked(100);
        for room in 0..400 {
            let (text, all) = write(&references, &ranked, room);
            assert!(text.len() <= room && (all || room < 400), "{room}: {text}");
        }
    }
}
