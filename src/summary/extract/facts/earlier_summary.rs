//! Reads an earlier summary back into the facts that it was written from, so that
//! the new summary holds them once and nests no frame.

use super::error_log::ErrorLog;
use super::file_actions::FileAction;
use super::places::{IN_ASSISTANT_TEXT, IN_EARLIER_SUMMARY};
use super::references::References;
use super::touched_files::TouchedFiles;
use crate::summary::extract::labels::{
    DONE, EARLIER, LAST_ACTION, LAST_REPLY, NO_KEY, NOT_ANSWERED, OPEN_TODOS, USER_HEADING,
    USER_QUOTE,
};
use crate::summary::extract::lex::identifier_kinds::{Kinds, OTHER, PATH, WORDS, kinds_of};
use crate::summary::extract::lex::identifiers::{TextEncoding, scan_identifiers};
use crate::summary::extract::lex::value_keys::ValueKey;
use std::borrow::Cow;

/// The opening of a summary without tags around it.
const OPENING: &str = "Here is a summary of the conversation to date:";
/// The mark of an omission.
const OMISSION: &str = "…";
/// Maximum length of a key in code points, and in words.
const LONGEST_KEY: usize = 60;
const MOST_KEY_WORDS: usize = 3;

/// The facts of an earlier summary besides its references, files and errors.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct EarlierSummary<'r> {
    /// The section SESSION INTENT, or Objective.
    pub(crate) goal: Option<Cow<'r, str>>,
    /// The quotations of the user, newest first.
    pub(crate) requests: Vec<Cow<'r, str>>,
    /// The names of tools and the numbers of their calls.
    pub(crate) tools: Vec<(&'r str, usize)>,
    /// Other prose.
    pub(crate) prose: Vec<Cow<'r, str>>,
    /// The next steps.
    pub(crate) steps: Vec<Cow<'r, str>>,
}

/// The collections that the facts of an earlier summary are added to.
pub(crate) struct SummarySink<'n, 'r> {
    pub(crate) references: &'n mut References<'r>,
    pub(crate) files: &'n mut TouchedFiles<'r>,
    pub(crate) errors: &'n mut ErrorLog<'r>,
    /// Index of the message that holds the summary.
    pub(crate) message: usize,
}

impl<'r> SummarySink<'_, 'r> {
    fn observe_identifiers(&mut self, text: &'r str) {
        scan_identifiers(text, TextEncoding::Plain, &mut |identifier, kinds, _| {
            self.observe_reference(identifier, kinds, ValueKey::NONE)
        });
    }

    fn observe_reference(&mut self, text: &'r str, kinds: Kinds, key: ValueKey<'r>) {
        self.references.observe(
            text,
            kinds,
            self.message,
            IN_ASSISTANT_TEXT | IN_EARLIER_SUMMARY,
            || key,
        );
    }
}

/// Reads a summary. Adds its references, files and errors to `sink` and returns the other facts.
pub(crate) fn read_earlier_summary<'r>(
    text: &'r str,
    sink: SummarySink<'_, 'r>,
) -> EarlierSummary<'r> {
    let mut reader = SummaryReader {
        sink,
        summary: EarlierSummary::default(),
        section: SummarySection::Facts,
        intent: Vec::new(),
        errors: Vec::new(),
        is_quoting: false,
    };
    for line in strip_frame(text).lines() {
        reader.read_line(line);
    }
    reader.finish()
}

/// Returns the summary without the frame around it.
fn strip_frame(text: &str) -> &str {
    if let Some((_, rest)) = text.split_once("<summary>") {
        return rest
            .rsplit_once("</summary>")
            .map_or(rest, |(inside, _)| inside);
    }
    text.split_once(OPENING).map_or(text, |(_, rest)| rest)
}

/// A section of a summary, by the facts in it.
#[derive(Debug, Clone, Copy)]
enum SummarySection {
    Goal,
    Files,
    NextSteps,
    /// Any other section, or the text of a summary without sections.
    Facts,
}

impl SummarySection {
    fn from_heading(heading: &str) -> Self {
        match heading
            .trim_matches(['#', ' ', ':'])
            .to_ascii_uppercase()
            .as_str()
        {
            "SESSION INTENT" | "OBJECTIVE" => Self::Goal,
            "ARTIFACTS" | "RELEVANT FILES" => Self::Files,
            "NEXT STEPS" | "NEXT MOVE" => Self::NextSteps,
            _ => Self::Facts,
        }
    }
}

/// The state of reading a summary line by line.
struct SummaryReader<'n, 'r> {
    sink: SummarySink<'n, 'r>,
    summary: EarlierSummary<'r>,
    section: SummarySection,
    /// The lines of the goal.
    intent: Vec<&'r str>,
    /// The errors, newest first.
    errors: Vec<&'r str>,
    /// The last line belongs to a quotation of the user, which indented lines continue.
    is_quoting: bool,
}

impl<'r> SummaryReader<'_, 'r> {
    fn read_line(&mut self, raw: &'r str) {
        let line = raw.trim();
        if let Some(heading) = line.strip_prefix('#') {
            self.section = SummarySection::from_heading(heading);
            self.is_quoting = false;
            return;
        }
        let item = line.trim_start_matches(['-', '*', '•']).trim_start();
        if item.is_empty() || matches!(item.trim_end_matches('.'), "None" | "none" | "N/A") {
            return;
        }
        let is_continuation = raw.starts_with("  ");
        match self.section {
            SummarySection::Goal => {
                self.intent.push(unescape_heading(line));
                self.sink.observe_identifiers(item);
            }
            SummarySection::Files => self.read_files(item),
            SummarySection::NextSteps => {
                if !is_continuation {
                    self.is_quoting = self.read_step(item);
                } else if self.is_quoting {
                    continue_quotation(self.summary.requests.first_mut(), line);
                }
                self.sink.observe_identifiers(item);
            }
            SummarySection::Facts if is_continuation && self.is_quoting => {
                continue_quotation(self.summary.requests.last_mut(), line);
                self.sink.observe_identifiers(item);
            }
            SummarySection::Facts => {
                self.is_quoting = line.starts_with(USER_QUOTE);
                self.read_fact(line, item);
            }
        }
    }

    /// Reads a line of facts. `item` is the line without its bullet.
    fn read_fact(&mut self, line: &'r str, item: &'r str) {
        if line == USER_HEADING {
            return;
        }
        if let Some(request) = line.strip_prefix(USER_QUOTE) {
            self.summary.requests.push(Cow::Borrowed(request));
        } else if let Some(tools) = line.strip_prefix(DONE) {
            self.summary
                .tools
                .extend(tools.split(", ").filter_map(parse_tool_use));
        } else if let Some(error) = line
            .strip_prefix("Error")
            .filter(|rest| rest.starts_with(": ") || rest.starts_with(" (x"))
        {
            self.errors
                .extend(error.split_once(": ").map(|(_, error)| error));
        } else if let Some(group) = parse_group(item) {
            for (value, kinds) in group.values {
                self.sink.observe_reference(value, kinds, group.key);
            }
            return;
        } else {
            let prose = line.strip_prefix(EARLIER).unwrap_or(item);
            self.summary.prose.push(Cow::Borrowed(prose));
        }
        self.sink.observe_identifiers(item);
    }

    /// Reads a line of files.
    fn read_files(&mut self, line: &'r str) {
        let labels = [
            ("written: ", FileAction::Written),
            ("deleted: ", FileAction::Deleted),
            ("read: ", FileAction::Read),
            ("named: ", FileAction::Named),
        ];
        for (label, action) in labels {
            if let Some(paths) = line.strip_prefix(label) {
                let paths: Vec<&str> = paths
                    .split_whitespace()
                    .filter(|path| *path != OMISSION)
                    .collect();
                // The newest file stands first and is recorded last.
                for path in paths.into_iter().rev() {
                    self.sink.files.record_touch(Cow::Borrowed(path), action);
                }
                return;
            }
        }
        scan_identifiers(line, TextEncoding::Plain, &mut |identifier, kinds, _| {
            if kinds & PATH == 0 {
                self.sink
                    .observe_reference(identifier, kinds, ValueKey::NONE);
            } else {
                self.sink
                    .files
                    .record_touch(Cow::Borrowed(identifier), FileAction::Named);
            }
        });
    }

    /// Reads a next step. The last action and the last reply are no steps any more. Returns true if
    /// the line quotes the user.
    fn read_step(&mut self, line: &'r str) -> bool {
        if let Some(open) = line.strip_prefix(OPEN_TODOS) {
            let steps = open.trim_end_matches([' ', '…']).split("; ");
            self.summary.steps.extend(steps.map(Cow::Borrowed));
        } else if let Some(request) = line.strip_prefix(NOT_ANSWERED) {
            // It is the user's newest request, even if it was answered since.
            self.summary.requests.insert(0, Cow::Borrowed(request));
            return true;
        } else if !line.starts_with(LAST_ACTION) && !line.starts_with(LAST_REPLY) {
            self.summary.steps.push(Cow::Borrowed(line));
        }
        false
    }

    fn finish(mut self) -> EarlierSummary<'r> {
        // The newest error stands first and is recorded last.
        for error in self.errors.iter().rev() {
            self.sink.errors.push_line(error, self.sink.message);
        }
        self.summary.goal = match self.intent.as_slice() {
            [] => None,
            [line] => Some(Cow::Borrowed(*line)),
            lines => Some(Cow::Owned(lines.join("\n"))),
        };
        self.summary
    }
}

/// Removes the backslash that keeps a line from being a heading.
fn unescape_heading(line: &str) -> &str {
    line.strip_prefix('\\')
        .filter(|rest| rest.starts_with('#'))
        .unwrap_or(line)
}

/// Appends a line to a quotation.
fn continue_quotation(quotation: Option<&mut Cow<'_, str>>, line: &str) {
    if let Some(quotation) = quotation {
        let quotation = quotation.to_mut();
        quotation.push('\n');
        quotation.push_str(line);
    }
}

/// Parses `NAME xCALLS`.
fn parse_tool_use(entry: &str) -> Option<(&str, usize)> {
    let (name, calls) = entry.trim_end_matches([' ', '…']).rsplit_once(" x")?;
    Some((name, calls.trim_end_matches('+').parse().ok()?))
}

/// References with a common key.
struct ParsedGroup<'t> {
    key: ValueKey<'t>,
    values: Vec<(&'t str, Kinds)>,
}

/// Parses `key: A1 B2 "C 3"`. Returns `None` if a value is neither an identifier nor a phrase in
/// quotation marks: prose has plain words.
fn parse_group(line: &str) -> Option<ParsedGroup<'_>> {
    let (key, mut rest) = line.split_once(": ")?;
    if key.chars().count() > LONGEST_KEY || key.split_whitespace().count() > MOST_KEY_WORDS {
        return None;
    }
    let mut values = Vec::new();
    while !rest.is_empty() {
        let (value, kinds, after) = match rest.strip_prefix('"') {
            Some(quoted) => {
                let (phrase, after) = quoted.split_once('"')?;
                (phrase, WORDS, after)
            }
            None => {
                let (value, after) = rest.split_once(' ').unwrap_or((rest, ""));
                let value = value.trim_end_matches(',');
                (value, kinds_of_listed_value(value)?, after)
            }
        };
        if value != OMISSION {
            values.push((value, kinds));
        }
        rest = after.trim_start();
    }
    let key = if key == NO_KEY {
        ValueKey::NONE
    } else {
        ValueKey::from_name(key)
    };
    (!values.is_empty()).then_some(ParsedGroup { key, values })
}

/// Returns `None` for a plain word.
fn kinds_of_listed_value(value: &str) -> Option<Kinds> {
    if value == OMISSION {
        return Some(0);
    }
    kinds_of(value).or_else(|| value.contains(['-', '_', '.']).then_some(OTHER))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::extract::render::reference_groups::ReferenceGroups;

    const TEXT: &str = "You are in the middle of it.\n\n<summary>\n## SESSION INTENT\nFix bug_77\nin two lines\n\n## SUMMARY\nUser, newest first:\n> use tabs\n  and no spaces\nDone: read x3, edit x1\n\
        Error (x2): no such file a.c\nflight_number: HAT175 HAT084\ncontent: \"no insurance\"\nWe chose the second plan.\n\n## ARTIFACTS\nwritten: a.c b.c\n- made /x/y.md\n\n\
        ## NEXT STEPS\nNot answered yet: last wish\n  and never by card\nOpen: test it; ship it\nLast action: bash()\n</summary>";

    fn render_references(references: &mut References<'_>, room: usize) -> String {
        let ranked = references.ranked_indices(9, &|text| text.len() / 4);
        ReferenceGroups::new(references, &ranked).render(room).text
    }

    #[test]
    fn a_summary_is_read_back() {
        let (mut references, mut files, mut errors) = (
            References::new(2),
            TouchedFiles::default(),
            ErrorLog::default(),
        );
        let earlier = read_earlier_summary(
            TEXT,
            SummarySink {
                references: &mut references,
                files: &mut files,
                errors: &mut errors,
                message: 0,
            },
        );
        assert_eq!(earlier.goal.as_deref(), Some("Fix bug_77\nin two lines"));
        assert_eq!(
            earlier.requests,
            ["last wish\nand never by card", "use tabs\nand no spaces"]
        );
        assert_eq!(earlier.tools, [("read", 3), ("edit", 1)]);
        assert_eq!(errors.render(100), ["Error: no such file a.c"]);
        assert_eq!(earlier.prose, ["We chose the second plan."]);
        assert_eq!(earlier.steps, ["test it", "ship it"]);
        assert_eq!(files.render(100), ["written: a.c b.c", "named: /x/y.md"]);
        assert!(
            render_references(&mut references, 400)
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
        let earlier = read_earlier_summary(
            text,
            SummarySink {
                references: &mut references,
                files: &mut files,
                errors: &mut errors,
                message: 0,
            },
        );
        assert_eq!(earlier.goal.as_deref(), Some("Fix bug_77"));
        assert_eq!(
            (earlier.requests.as_slice(), earlier.steps.as_slice()),
            (&["use tabs".into()][..], &["test it".into()][..])
        );
        assert_eq!(earlier.tools, [("read", 3)]);
        assert!(earlier.prose.is_empty(), "{:?}", earlier.prose);
        assert_eq!(errors.render(100), ["Error: no such file a.c"]);
        assert_eq!(files.render(100), ["written: src/a.c"]);
        assert!(render_references(&mut references, 400).contains("flight_number: HAT175"));
    }

    #[test]
    fn a_summary_without_sections_is_prose() {
        let (mut references, mut files, mut errors) = (
            References::new(1),
            TouchedFiles::default(),
            ErrorLog::default(),
        );
        let text = "Here is a summary of the conversation to date:\n\nThe user wants order_99.";
        let earlier = read_earlier_summary(
            text,
            SummarySink {
                references: &mut references,
                files: &mut files,
                errors: &mut errors,
                message: 0,
            },
        );
        assert_eq!(earlier.prose, ["The user wants order_99."]);
        assert_eq!(render_references(&mut references, 80), "also: order_99");
    }
}
