//! An earlier summary in the range: read back into the facts it was written
//! from, so that the new summary holds them once and needs no nested frame.

use crate::summary::extract::facts::error_log::ErrorLog;
use crate::summary::extract::facts::references::{ASSISTANT, KEPT, References};
use crate::summary::extract::facts::tool_effects::Touch;
use crate::summary::extract::facts::touched_files::TouchedFiles;
use crate::summary::extract::lex::identifier_kinds;
use crate::summary::extract::lex::identifier_kinds::Kinds;
use crate::summary::extract::lex::identifiers::{self, TextEncoding};
use crate::summary::extract::lex::value_keys::ValueKey;
use crate::summary::extract::render::reference_groups::NO_KEY;
use std::borrow::Cow;

const OPENING: &str = "Here is a summary of the conversation to date:";

/// Labels under which this summarizer writes what is no reference.
pub(crate) const USER_QUOTE: &str = "> ";
/// What stands before them.
pub(crate) const USER_HEADING: &str = "User, newest first:";
/// What was done, by tool.
pub(crate) const DONE: &str = "Done: ";
/// Prose of an earlier summary.
pub(crate) const EARLIER: &str = "Earlier: ";

/// What an earlier summary holds besides references, files and errors.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct EarlierSummary<'r> {
    /// Its SESSION INTENT, or Objective.
    pub(crate) goal: Option<Cow<'r, str>>,
    /// The user's words it quotes, newest first.
    pub(crate) words: Vec<Cow<'r, str>>,
    /// Tools and how often they were called.
    pub(crate) tools: Vec<(&'r str, usize)>,
    /// Prose that is none of these.
    pub(crate) prose: Vec<Cow<'r, str>>,
    /// Its next steps.
    pub(crate) steps: Vec<Cow<'r, str>>,
}

/// What the facts of an earlier summary are added to.
pub(crate) struct SummarySink<'n, 'r> {
    pub(crate) references: &'n mut References<'r>,
    pub(crate) files: &'n mut TouchedFiles<'r>,
    pub(crate) errors: &'n mut ErrorLog<'r>,
    /// The message that holds the summary.
    pub(crate) turn: usize,
}

impl<'r> SummarySink<'_, 'r> {
    fn scan(&mut self, text: &'r str) {
        identifiers::scan(text, TextEncoding::Plain, &mut |identifier, kinds, _| {
            self.references
                .add(identifier, kinds, self.turn, ASSISTANT | KEPT, || {
                    ValueKey::NONE
                })
        });
    }
}

/// Reads a summary.
pub(crate) fn read<'r>(text: &'r str, mut facts: SummarySink<'_, 'r>) -> EarlierSummary<'r> {
    let mut earlier = EarlierSummary::default();
    let mut section = String::new();
    let mut intent: Vec<&str> = Vec::new();
    // The newest error and the newest file stand first; the last one noted is the newest again.
    let mut errors: Vec<&'r str> = Vec::new();
    let mut quoting = false;
    for raw in body(text).lines() {
        let line = raw.trim();
        if let Some(heading) = line.strip_prefix('#') {
            section = heading.trim_matches(['#', ' ', ':']).to_ascii_uppercase();
            quoting = false;
            continue;
        }
        let plain = line.trim_start_matches(['-', '*', '•']).trim_start();
        if plain.is_empty() || matches!(plain.trim_end_matches('.'), "None" | "none" | "N/A") {
            continue;
        }
        let goes_on = raw.starts_with("  ");
        if matches!(section.as_str(), "SESSION INTENT" | "OBJECTIVE") {
            intent.push(
                line.strip_prefix('\\')
                    .filter(|rest| rest.starts_with('#'))
                    .unwrap_or(line),
            );
            facts.scan(plain);
        } else if matches!(section.as_str(), "ARTIFACTS" | "RELEVANT FILES") {
            artifacts(plain, &mut facts);
        } else if matches!(section.as_str(), "NEXT STEPS" | "NEXT MOVE") {
            if !goes_on {
                quoting = step(plain, &mut earlier);
            } else if quoting {
                go_on(earlier.words.first_mut(), line);
            }
            facts.scan(plain);
        } else if goes_on && quoting {
            go_on(earlier.words.last_mut(), line);
            facts.scan(plain);
        } else {
            quoting = line.starts_with(USER_QUOTE);
            fact(line, plain, &mut earlier, &mut errors, &mut facts);
        }
    }
    errors
        .iter()
        .rev()
        .for_each(|error| facts.errors.add(error, facts.turn));
    earlier.goal = match intent.as_slice() {
        [] => None,
        [one] => Some(Cow::Borrowed(*one)),
        lines => Some(Cow::Owned(lines.join("\n"))),
    };
    earlier
}

/// The summary without the frame around it.
fn body(text: &str) -> &str {
    if let Some((_, rest)) = text.split_once("<summary>") {
        return rest
            .rsplit_once("</summary>")
            .map_or(rest, |(inside, _)| inside);
    }
    text.split_once(OPENING).map_or(text, |(_, rest)| rest)
}

/// A line of another section, or of a summary without sections.
fn fact<'r>(
    line: &'r str,
    plain: &'r str,
    earlier: &mut EarlierSummary<'r>,
    errors: &mut Vec<&'r str>,
    facts: &mut SummarySink<'_, 'r>,
) {
    if line == USER_HEADING {
        return;
    }
    if let Some(words) = line.strip_prefix(USER_QUOTE) {
        earlier.words.push(Cow::Borrowed(words));
    } else if let Some(done) = line.strip_prefix(DONE) {
        earlier.tools.extend(done.split(", ").filter_map(tool));
    } else if let Some(error) = line
        .strip_prefix("Error")
        .filter(|rest| rest.starts_with(": ") || rest.starts_with(" (x"))
    {
        errors.extend(error.split_once(": ").map(|(_, error)| error));
    } else if let Some((key, values)) = group(plain) {
        let key = if key == NO_KEY {
            ValueKey::NONE
        } else {
            ValueKey::named(key)
        };
        values.into_iter().for_each(|(value, kinds)| {
            facts
                .references
                .add(value, kinds, facts.turn, ASSISTANT | KEPT, || key)
        });
        return;
    } else {
        earlier
            .prose
            .push(Cow::Borrowed(line.strip_prefix(EARLIER).unwrap_or(plain)));
    }
    facts.scan(plain);
}

fn tool(entry: &str) -> Option<(&str, usize)> {
    let (name, times) = entry.trim_end_matches([' ', '…']).rsplit_once(" x")?;
    Some((name, times.trim_end_matches('+').parse().ok()?))
}

/// `key: A1 B2 "C 3"`, if each of the values is an identifier or a phrase in quotation marks; prose has plain words.
fn group(line: &str) -> Option<(&str, Vec<(&str, Kinds)>)> {
    let (key, mut rest) = line.split_once(": ")?;
    if key.chars().count() > 60 || key.split_whitespace().count() > 3 {
        return None;
    }
    let mut values = Vec::new();
    while !rest.is_empty() {
        let (value, after) = match rest.strip_prefix('"') {
            Some(phrase) => phrase
                .split_once('"')
                .map(|(phrase, after)| ((phrase, identifier_kinds::WORDS), after))?,
            None => {
                let (value, after) = rest.split_once(' ').unwrap_or((rest, ""));
                let value = value.trim_end_matches(',');
                let odd = || {
                    value
                        .contains(['-', '_', '.'])
                        .then_some(identifier_kinds::OTHER)
                };
                if value == "…" {
                    ((value, 0), after)
                } else {
                    (
                        (value, identifier_kinds::kinds_of(value).or_else(odd)?),
                        after,
                    )
                }
            }
        };
        values.push(value);
        rest = after.trim_start();
    }
    values.retain(|(value, _)| *value != "…");
    (!values.is_empty()).then_some((key, values))
}

fn artifacts<'r>(line: &'r str, facts: &mut SummarySink<'_, 'r>) {
    let labels = [
        ("written: ", Touch::Written),
        ("deleted: ", Touch::Deleted),
        ("read: ", Touch::Read),
        ("named: ", Touch::Named),
    ];
    for (label, touch) in labels {
        if let Some(paths) = line.strip_prefix(label) {
            let paths: Vec<&str> = paths
                .split_whitespace()
                .filter(|path| *path != "…")
                .collect();
            paths
                .into_iter()
                .rev()
                .for_each(|path| facts.files.touch(Cow::Borrowed(path), touch));
            return;
        }
    }
    identifiers::scan(line, TextEncoding::Plain, &mut |identifier, kinds, _| {
        if kinds & identifier_kinds::PATH == 0 {
            facts
                .references
                .add(identifier, kinds, facts.turn, ASSISTANT | KEPT, || {
                    ValueKey::NONE
                });
        } else {
            facts.files.touch(Cow::Borrowed(identifier), Touch::Named);
        }
    });
}

/// Adds the next line of the user's words.
fn go_on(words: Option<&mut Cow<'_, str>>, line: &str) {
    if let Some(words) = words {
        let words = words.to_mut();
        words.push('\n');
        words.push_str(line);
    }
}

/// Next steps that are still steps: what was the last action is none any more. Whether the line is the user's.
fn step<'r>(line: &'r str, earlier: &mut EarlierSummary<'r>) -> bool {
    if let Some(open) = line.strip_prefix("Open: ") {
        earlier.steps.extend(
            open.trim_end_matches([' ', '…'])
                .split("; ")
                .map(Cow::Borrowed),
        );
    } else if let Some(request) = line.strip_prefix("Not answered yet: ") {
        // Its words are the user's, also when they were answered since.
        earlier.words.insert(0, Cow::Borrowed(request));
        return true;
    } else if !["Last action: ", "Last reply: "]
        .iter()
        .any(|label| line.starts_with(label))
    {
        earlier.steps.push(Cow::Borrowed(line));
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::extract::render::reference_groups::ReferenceGroups;

    const TEXT: &str = "You are in the middle of it.\n\n<summary>\n## SESSION INTENT\nFix bug_77\nin two lines\n\n## SUMMARY\nUser, newest first:\n> use tabs\n  and no spaces\nDone: read x3, edit x1\n\
        Error (x2): no such file a.c\nflight_number: HAT175 HAT084\ncontent: \"no insurance\"\nWe chose the second plan.\n\n## ARTIFACTS\nwritten: a.c b.c\n- made /x/y.md\n\n\
        ## NEXT STEPS\nNot answered yet: last wish\n  and never by card\nOpen: test it; ship it\nLast action: bash()\n</summary>";

    fn named(references: &mut References<'_>, room: usize) -> (String, bool) {
        let ranked = references.ranked(9, &|text| text.len() / 4);
        ReferenceGroups::new(references, &ranked).write(room)
    }

    #[test]
    fn a_summary_is_read_back() {
        let (mut references, mut files, mut errors) = (
            References::new(2),
            TouchedFiles::default(),
            ErrorLog::default(),
        );
        let earlier = read(
            TEXT,
            SummarySink {
                references: &mut references,
                files: &mut files,
                errors: &mut errors,
                turn: 0,
            },
        );
        assert_eq!(earlier.goal.as_deref(), Some("Fix bug_77\nin two lines"));
        assert_eq!(
            earlier.words,
            ["last wish\nand never by card", "use tabs\nand no spaces"]
        );
        assert_eq!(earlier.tools, [("read", 3), ("edit", 1)]);
        assert_eq!(errors.write(100).0, ["Error: no such file a.c"]);
        assert_eq!(earlier.prose, ["We chose the second plan."]);
        assert_eq!(earlier.steps, ["test it", "ship it"]);
        assert_eq!(files.write(100).0, ["written: a.c b.c", "named: /x/y.md"]);
        assert!(
            named(&mut references, 400)
                .0
                .contains("flight_number: HAT175 HAT084\ncontent: \"no insurance\"")
        );
    }

    #[test]
    fn sections_of_the_other_template_are_read_back() {
        let text = "## Objective\nFix bug_77\n\n## Important Details\nUser, newest first:\n> use tabs\nflight_number: HAT175\n\n## Work State\n### Completed\nDone: read x3\n\
            ### Active\nNone\n### Blocked\nError: no such file a.c\n\n## Next Move\nOpen: test it\n\n## Relevant Files\nwritten: src/a.c";
        let (mut references, mut files, mut errors) = (
            References::new(1),
            TouchedFiles::default(),
            ErrorLog::default(),
        );
        let earlier = read(
            text,
            SummarySink {
                references: &mut references,
                files: &mut files,
                errors: &mut errors,
                turn: 0,
            },
        );
        assert_eq!(earlier.goal.as_deref(), Some("Fix bug_77"));
        assert_eq!(
            (earlier.words.as_slice(), earlier.steps.as_slice()),
            (&["use tabs".into()][..], &["test it".into()][..])
        );
        assert_eq!(earlier.tools, [("read", 3)]);
        assert!(earlier.prose.is_empty(), "{:?}", earlier.prose);
        assert_eq!(errors.write(100).0, ["Error: no such file a.c"]);
        assert_eq!(files.write(100).0, ["written: src/a.c"]);
        assert!(
            named(&mut references, 400)
                .0
                .contains("flight_number: HAT175")
        );
    }

    #[test]
    fn the_other_frame_and_no_sections() {
        let (mut references, mut files, mut errors) = (
            References::new(1),
            TouchedFiles::default(),
            ErrorLog::default(),
        );
        let text = "Here is a summary of the conversation to date:\n\nThe user wants order_99.";
        let earlier = read(
            text,
            SummarySink {
                references: &mut references,
                files: &mut files,
                errors: &mut errors,
                turn: 0,
            },
        );
        assert_eq!(earlier.prose, ["The user wants order_99."]);
        assert_eq!(named(&mut references, 80).0, "also: order_99");
    }
}
