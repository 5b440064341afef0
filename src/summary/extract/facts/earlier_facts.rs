//! What earlier summaries hold besides requests, references and files.

use super::fact::{Fact, FactKind};
use super::record_rows::changes_mark;
use super::record_tables::RecordTables;
use super::record_values::PARTS;
use super::references::References;
use super::standing_wishes::{LASTING, WISHES};
use crate::summary::extract::lex::fold::fold_line;
use crate::summary::extract::lex::identifiers::{TextEncoding, scan_identifiers};
use hashbrown::HashMap;

/// Maximum length in bytes of a line of an earlier summary.
const LONGEST_LINE: usize = 520;
/// What each byte of an `Earlier` line is worth, and the number of bytes that count: of lines that nothing else
/// tells apart, longer ones tell more.
const WORTH_OF_BYTE: usize = 4;
const LONG_LINE: usize = 200;
/// Maximum length in bytes of a line that only announces others.
const LONGEST_ANNOUNCEMENT: usize = 80;
/// What a wish is worth that says `never` or `always`.
const LASTING_WORTH: i32 = 20_000;
/// The worth of a line that somebody spoke of since, besides its own, and that of what was found: what is found
/// since says more than it.
const PROVEN_WORTH: i32 = 6000;
const PROVEN_FINDING_WORTH: i32 = 700;

/// A line of an earlier summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EarlierLine<'r> {
    pub(crate) kind: FactKind,
    pub(crate) text: &'r str,
    /// Index of the heading of a record.
    pub(crate) heading: Option<usize>,
}

/// A heading of records in an earlier summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EarlierHeading<'r> {
    pub(crate) text: &'r str,
    /// Number of records that it stands for. 0 if it shows all of them.
    pub(crate) count: usize,
}

/// The lines of earlier summaries, in their order.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct EarlierFacts<'r> {
    pub(crate) lines: Vec<EarlierLine<'r>>,
    /// The headings of records.
    pub(crate) headings: Vec<EarlierHeading<'r>>,
    /// Number of calls that the summaries did not list.
    pub(crate) hidden_calls: usize,
    /// Index of the message that holds the newest summary.
    pub(crate) message: Option<usize>,
}

impl<'r> EarlierFacts<'r> {
    pub(crate) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Adds a line without a heading. What only announces other lines says nothing, unless it forbids them.
    pub(crate) fn push_line(&mut self, kind: FactKind, text: &'r str) {
        let is_prose = matches!(kind, FactKind::Earlier | FactKind::Finding);
        let announces = text.trim_end_matches('*').ends_with([':', '：']);
        if is_prose && announces && text.len() <= LONGEST_ANNOUNCEMENT && !WISHES.has_words(text) {
            return;
        }
        self.lines.push(EarlierLine {
            kind,
            text,
            heading: None,
        });
    }

    /// Returns the length in bytes of the lines besides the calls and the records.
    pub(crate) fn prose_length(&self) -> usize {
        let is_prose = |line: &&EarlierLine<'_>| {
            !matches!(
                line.kind,
                FactKind::Call | FactKind::Record | FactKind::ShortRecord
            )
        };
        let lines = self.lines.iter().filter(is_prose);
        lines.map(|line| line.text.len()).sum()
    }

    /// Returns the number of calls that the summaries knew.
    pub(crate) fn call_count(&self) -> usize {
        let listed = self.lines.iter().filter(|line| line.kind == FactKind::Call);
        listed.count() + self.hidden_calls
    }

    /// Returns for each of `headings` the number of its records that the summaries did not show.
    pub(crate) fn hidden_records(&self, headings: &[String]) -> Vec<usize> {
        let mut shown = vec![0; self.headings.len()];
        for heading in self.lines.iter().filter_map(|line| line.heading) {
            shown[heading] += 1;
        }
        let mut hidden = vec![0; headings.len()];
        for (heading, shown) in self.headings.iter().zip(shown) {
            if let Some(at) = headings.iter().position(|known| known == heading.text) {
                hidden[at] += heading.count.saturating_sub(shown);
            }
        }
        hidden
    }

    /// Adds a record below the heading that was added last.
    pub(crate) fn push_record(&mut self, text: &'r str) {
        self.lines.push(EarlierLine {
            kind: FactKind::Record,
            text,
            heading: self.headings.len().checked_sub(1),
        });
    }

    /// Adds the lines of a later summary.
    pub(crate) fn append(&mut self, later: Self) {
        let shift = self.headings.len();
        self.headings.extend(later.headings);
        self.hidden_calls += later.hidden_calls;
        self.message = later.message.or(self.message);
        self.lines
            .extend(later.lines.into_iter().map(|line| EarlierLine {
                heading: line.heading.map(|heading| heading + shift),
                ..line
            }));
    }

    /// Returns the lines as facts, without the records whose newer state `records` hold. `headings`
    /// are the headings of the newer records; those of the lines are added to them.
    pub(crate) fn facts(
        &self,
        records: &RecordTables<'_>,
        headings: &mut Vec<String>,
        references: &References<'_>,
    ) -> Vec<Fact> {
        let newer = records.keys();
        let shown = add_headings(headings, &self.headings);
        self.lines
            .iter()
            .enumerate()
            .filter(|(_, line)| {
                line.kind != FactKind::Record || !newer.contains(key_of_row(line.text))
            })
            .map(|(number, line)| {
                let count = self.lines.len();
                let recency = i32::try_from(300 * number / count.max(1)).unwrap_or(0);
                let mut is_proven = false;
                scan_identifiers(line.text, TextEncoding::Plain, &mut |identifier, _, _| {
                    is_proven |= references.is_proven(identifier);
                });
                // What somebody spoke of since proved useful.
                let proven = match line.kind {
                    _ if !is_proven => 0,
                    FactKind::Finding => PROVEN_FINDING_WORTH,
                    _ => PROVEN_WORTH,
                };
                let mut text = fold_line(line.text, LONGEST_LINE).into_owned();
                // Of lines that are worth the same, a short one would go before one that tells more.
                let told = i32::try_from(text.len().min(LONG_LINE) * WORTH_OF_BYTE).unwrap_or(0);
                if line.kind == FactKind::Record {
                    text.push_str(&changes_mark(records.changes_of(key_of_row(line.text))));
                }
                Fact {
                    kind: line.kind,
                    text,
                    // Findings stand newest first, everything else oldest first.
                    worth: proven
                        + match line.kind {
                            FactKind::Constraint if LASTING.has_words(line.text) => {
                                LASTING_WORTH - recency
                            }
                            FactKind::Constraint => 5000 - recency,
                            FactKind::Tip => 1500 - recency,
                            FactKind::Finding => 800 - recency,
                            FactKind::Record | FactKind::ShortRecord => 1000 + recency,
                            FactKind::Call => 900 + recency,
                            FactKind::Earlier => 800 - recency + told,
                            FactKind::Definition => 400 + recency,
                            FactKind::Outline => 350 + recency,
                            FactKind::Passage => 300 + recency,
                        },
                    // Findings are sorted by the messages after them: older ones stand last.
                    order: if line.kind == FactKind::Finding {
                        usize::MAX / 2 + number
                    } else {
                        number
                    },
                    heading: line.heading.map(|heading| shown[heading]),
                    is_pinned: false,
                    longer: None,
                }
            })
            .collect()
    }
}

/// Adds headings to others, unless one like it is there. Returns the index of each.
fn add_headings(headings: &mut Vec<String>, added: &[EarlierHeading<'_>]) -> Vec<usize> {
    let mut known: HashMap<String, usize> = headings.iter().cloned().zip(0..).collect();
    let index_of = |heading: &EarlierHeading<'_>| {
        *known.entry(heading.text.to_owned()).or_insert_with(|| {
            headings.push(heading.text.to_owned());
            headings.len() - 1
        })
    };
    added.iter().map(index_of).collect()
}

/// Returns the value that tells the record of a row from others: it stands first, in a row by
/// itself behind its name.
fn key_of_row(row: &str) -> &str {
    let first = row.split('|').next().unwrap_or(row);
    let first = first.split_once(": ").map_or(first, |(_, value)| value);
    let first = first.split(", ").next().unwrap_or(first);
    let first = first.split_once(" [").map_or(first, |(key, _)| key);
    // In a table no colon stands between the name and the value.
    let mut words = first.splitn(2, ' ');
    match (words.next(), words.next()) {
        (Some(_), Some(rest)) if !rest.starts_with(PARTS.trim_start()) => rest,
        _ => first,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_of_a_row_stands_first() {
        for row in [
            "A-17|40|open",
            "A-17|40|x, y [cancel]",
            "A-17",
            "A-17 [cancel]",
            "id A-17|40|open",
            "id A-17 [cancel]",
            "id: A-17, total: 4",
            "id: A-17",
        ] {
            assert_eq!(key_of_row(row), "A-17", "{row}");
        }
    }
}
