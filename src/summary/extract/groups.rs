//! References in groups, so that a key is paid for once:
//! `flight_number: HAT175 HAT084`.

use super::line::{Count, fold, is_wide, no_heading};
use std::collections::{HashMap, HashSet};

/// Values without a key are grouped under this word.
pub(super) const NO_KEY: &str = "also";
/// A group goes on in a new line, under its key, before the key is out of sight.
const LONGEST_LINE: usize = 150;

/// A reference that waits for its place.
#[derive(Debug)]
struct Candidate {
    shown: String,
    bare: String,
    length: usize,
    /// Its label's number.
    key: usize,
}

/// References in the order of their worth.
#[derive(Debug)]
pub(super) struct Candidates {
    all: Vec<Candidate>,
    labels: Vec<String>,
}

impl Candidates {
    /// Candidates from references and the numbers of their keys, best first.
    pub(super) fn new<'r>(ranked: impl Iterator<Item = (&'r str, Option<usize>)>, keys: &[String]) -> Self {
        let all = ranked.map(|(text, key)| {
            let shown = shown_value(text);
            Candidate { length: shown.chars().count(), shown, bare: text.to_owned(), key: key.map_or(0, |key| key + 1) }
        });
        let labels = std::iter::once(NO_KEY.to_owned()).chain(keys.iter().map(|key| no_heading(&fold(key, 60))));
        Self { all: all.collect(), labels: labels.collect() }
    }

    /// The groups that are most worth `tokens`, leaving out what `said` already says.
    pub(super) fn write(&self, tokens: usize, said: &str, count: Count<'_>) -> String {
        // Only what shares its first word with the text above can be said there: most need no search.
        let words: HashSet<&str> = said.split(|c| !is_word(c)).collect();
        let may_be_said = |text: &str| text.split(|c| !is_word(c)).find(|word| !word.is_empty()).is_some_and(|word| words.contains(word));
        let fresh: Vec<&Candidate> = self.all.iter().filter(|candidate| !(may_be_said(&candidate.bare) && says(said, &candidate.bare))).collect();
        // How many characters the budget buys depends on the counter: try, weigh, correct.
        let mut room = tokens.saturating_mul(4);
        let mut best = String::new();
        for _ in 0..5 {
            let (text, all) = self.groups(&fresh, room);
            let cost = count(&text);
            if cost <= tokens {
                let complete = all || cost * 20 >= tokens * 19;
                best = if text.len() > best.len() { text } else { best };
                if complete || cost == 0 {
                    break;
                }
                room = room * tokens / cost;
            } else {
                room = (room * tokens / cost).min(room - 1) * 49 / 50;
            }
        }
        best
    }

    /// References in their groups, in at most `room` characters, and whether that is all of them.
    fn groups(&self, fresh: &[&Candidate], room: usize) -> (String, bool) {
        let mut groups: Vec<(usize, Vec<&str>)> = Vec::new();
        let mut place: HashMap<usize, usize> = HashMap::new();
        let (mut used, mut all) = (0, true);
        for candidate in fresh {
            if used + 12 > room {
                all = false;
                break;
            }
            let known = place.get(&candidate.key).copied();
            let cost = candidate.length + 1 + if known.is_none() { self.labels[candidate.key].chars().count() + 2 } else { 0 };
            if used + cost > room {
                all = false;
                continue;
            }
            used += cost;
            let group = known.unwrap_or_else(|| {
                groups.push((candidate.key, Vec::new()));
                place.insert(candidate.key, groups.len() - 1);
                groups.len() - 1
            });
            groups[group].1.push(&candidate.shown);
        }
        let lines: Vec<String> = groups.iter().map(|(key, values)| wrapped(&self.labels[*key], values)).collect();
        (lines.join("\n"), all)
    }
}

/// A value as the summary writes it: a phrase keeps its bounds.
fn shown_value(text: &str) -> String {
    if text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'<') {
        return text.to_owned();
    }
    let value = fold(text, 200);
    if value.contains(' ') { format!("\"{value}\"") } else { value }
}

/// The lines of one group.
fn wrapped(label: &str, values: &[&str]) -> String {
    let mut lines = String::new();
    let mut length = 0;
    for value in values {
        if length == 0 || (length + value.len() > LONGEST_LINE && label != NO_KEY) {
            lines.push_str(if lines.is_empty() { "" } else { "\n" });
            lines.push_str(label);
            lines.push(':');
            length = label.len() + 1;
        }
        lines.push(' ');
        lines.push_str(value);
        length += value.len() + 1;
    }
    lines
}

/// Whether a text names the identifier, not only a longer one around it.
fn says(text: &str, identifier: &str) -> bool {
    text.match_indices(identifier).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + identifier.len()..].chars().next();
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    })
}

fn is_word(c: char) -> bool {
    (c.is_alphanumeric() && !is_wide(c)) || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_group_repeats_its_key_before_it_is_out_of_sight() {
        let keys = ["order_id".to_owned()];
        let values: Vec<String> = (0..60).map(|number| format!("ORD{number:04}")).collect();
        let text = Candidates::new(values.iter().map(|value| (value.as_str(), Some(0))), &keys).write(1000, "", &|text: &str| text.len().div_ceil(4));
        assert!(text.lines().count() > 2 && text.lines().all(|line| line.starts_with("order_id: ORD") && line.len() <= LONGEST_LINE), "{text}");
        assert_eq!(text.matches("ORD").count(), 60);
    }

    #[test]
    fn a_part_of_a_word_does_not_say_it() {
        assert!(says("(A-12)", "A-12") && says("编号A-12。", "A-12"));
        assert!(!says("A-123, BA-12_", "A-12"));
    }
}
