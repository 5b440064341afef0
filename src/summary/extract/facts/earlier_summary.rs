//! Reads an earlier summary back into the facts that it was written from, so that
//! the new summary holds them once and nests no frame.

use super::earlier_lines::{
    asks_for_summary, continue_quotation, file_list_of, is_bold_heading, says_none,
    says_nothing_is_open, strip_bullet, unescape_heading,
};
use super::earlier_reader::{EarlierSummary, SummaryReader};
use super::earlier_sections::{SectionHeading, SummarySection, heading_of_line};
use super::earlier_sink::SummarySink;
use super::fact::FactKind;
use super::file_actions::FileAction;
use super::request_notes::{without_commit_note, without_note};
use crate::summary::extract::labels::{LATER_REQUEST, NEWEST_REQUEST, USER_QUOTE};
use crate::summary::extract::lex::blocks::is_fence;
use crate::summary::extract::lex::list_items::indent_of;
use std::borrow::Cow;

/// Sections that stand in every summary of this program, in either template.
const OUR_SECTION: &str = "## SESSION INTENT";
const OTHER_SECTION: &str = "## Important Details";
/// The line before the sections of a summary of Claude Code, behind an analysis of the same.
const SUMMARY_PART: &str = "\nSummary:\n";
/// The opening of what Claude Code says behind its summary.
const CONTINUATION: &str = "\nIf you need specific details from before compaction";
/// The boxes before items of a list.
const OPEN_BOX: &str = "[ ] ";
const CLOSED_BOX: &str = "[x] ";
/// The tag that OpenHands writes around its summary.
const STATE_TAGS: [&str; 2] = ["<CONTEXT_STATE>", "</CONTEXT_STATE>"];
/// The opening of a summary without tags around it.
const OPENING: &str = "Here is a summary of the conversation to date:";

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
        quoted_indent: 0,
        list: None,
        root: None,
        listed: FileAction::Named,
        is_ours: text.contains(OUR_SECTION) || text.contains(OTHER_SECTION),
    };
    let text = strip_frame(text);
    // A mark without another one behind it opens no code.
    let mut marks_left = text
        .lines()
        .filter(|line| is_fence(line.trim_start()))
        .count();
    let mut is_code = false;
    for line in text.lines() {
        let is_mark = !reader.is_ours && is_fence(line.trim_start());
        let bounds_code = is_mark && (is_code || marks_left > 1);
        marks_left -= usize::from(is_mark).min(marks_left);
        is_code ^= bounds_code;
        if is_code || bounds_code {
            reader.read_code(line);
        } else {
            reader.read_line(without_note(line));
        }
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
    let text = text.split_once(OPENING).map_or(text, |(_, rest)| rest);
    let text = text.split_once(SUMMARY_PART).map_or(text, |(_, rest)| rest);
    text.split_once(CONTINUATION)
        .map_or(text, |(summary, _)| summary)
}

impl<'r> SummaryReader<'_, 'r> {
    /// Returns the heading in a line. In our own summaries only marks open sections: an error may begin in
    /// capitals, and a request with a number.
    fn heading_of(&self, line: &'r str) -> Option<SectionHeading<'r>> {
        heading_of_line(line).filter(|_| !self.is_ours || line.trim_start().starts_with('#'))
    }

    /// Reads a line of a sample of code: it says what names there are, and nothing alone. What the user said may
    /// hold code, too.
    fn read_code(&mut self, line: &'r str) {
        match self.section {
            SummarySection::UserMessages | SummarySection::Request | SummarySection::Goal => {
                self.read_line(line);
            }
            _ => self.sink.observe_identifiers(line.trim()),
        }
    }

    fn read_line(&mut self, raw: &'r str) {
        let line = raw.trim();
        // An indented line goes on with what the user said.
        let is_quoted = self.is_quoting && raw.starts_with("  ");
        if let Some(heading) = self.heading_of(raw).filter(|_| !is_quoted) {
            self.section = SummarySection::from_heading(heading.text);
            self.listed = FileAction::Named;
            (self.is_quoting, self.list) = (false, None);
            if heading.content.is_empty() {
                return;
            }
            return self.read_line(heading.content);
        }
        let item = strip_bullet(line);
        if !item.contains(char::is_alphanumeric)
            || is_bold_heading(item)
            || STATE_TAGS.contains(&item)
            || says_none(item)
        {
            return;
        }
        // Others indent what stands below a heading.
        let is_continuation = self.is_ours && raw.starts_with("  ");
        let item = match item.strip_prefix(OPEN_BOX) {
            // What has an open box is open wherever it stands.
            Some(step) if !self.is_ours => {
                self.summary.steps.push(Cow::Borrowed(step));
                return self.sink.observe_identifiers(item);
            }
            _ => item.strip_prefix(CLOSED_BOX).unwrap_or(item),
        };
        if let Some(action) = file_list_of(item) {
            self.section = SummarySection::Files;
            self.listed = action;
            return;
        }
        match self.section {
            SummarySection::UserMessages if asks_for_summary(item) => {}
            // A message of several lines is the item of a list.
            SummarySection::UserMessages
                if self.is_quoting
                    && (item.len() == line.len() || indent_of(raw) > self.quoted_indent) =>
            {
                continue_quotation(self.summary.requests.first_mut(), line);
                self.sink.observe_identifiers(item);
            }
            SummarySection::UserMessages | SummarySection::Request => {
                self.is_quoting = item.len() < line.len();
                self.quoted_indent = indent_of(raw);
                self.summary.lists_messages |= matches!(self.section, SummarySection::UserMessages);
                self.summary.requests.insert(0, Cow::Borrowed(item));
                self.sink.observe_identifiers(item);
            }
            SummarySection::Goal => {
                let newest = [NEWEST_REQUEST, LATER_REQUEST]
                    .iter()
                    .find_map(|label| line.strip_prefix(label));
                if let Some(newest) = newest {
                    let newest = without_commit_note(newest);
                    self.summary.requests.insert(0, Cow::Borrowed(newest));
                    self.is_quoting = true;
                } else if self.is_quoting && is_continuation {
                    continue_quotation(self.summary.requests.first_mut(), line);
                } else {
                    self.intent.push(unescape_heading(line));
                }
                self.sink.observe_identifiers(item);
            }
            SummarySection::Constraints | SummarySection::Decisions => {
                let kind = match self.section {
                    SummarySection::Constraints => FactKind::Constraint,
                    _ => FactKind::Finding,
                };
                self.summary.facts.push_line(kind, item);
                self.sink.observe_identifiers(item);
            }
            SummarySection::Files => self.read_files(item),
            SummarySection::NextSteps if says_nothing_is_open(item) => {}
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

    fn finish(mut self) -> EarlierSummary<'r> {
        // The newest error stands first and is recorded last.
        for error in self.errors.iter().rev() {
            self.sink.errors.push_line(error, self.sink.message, None);
        }
        self.summary.goal = match self.intent.as_slice() {
            [] => None,
            [line] => Some(Cow::Borrowed(*line)),
            lines => Some(Cow::Owned(lines.join("\n"))),
        };
        self.summary
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::extract::facts::error_log::ErrorLog;
    use crate::summary::extract::facts::exchanges::Exchanges;
    use crate::summary::extract::facts::ranking::ReferenceFloor;
    use crate::summary::extract::facts::references::References;
    use crate::summary::extract::facts::touched_files::TouchedFiles;
    use crate::summary::extract::render::reference_groups::ReferenceGroups;

    const TEXT: &str = "You are in the middle of it.\n\n<summary>\n## SESSION INTENT\nFix bug_77\nin two lines\n\n## SUMMARY\nUser, newest first:\n> use tabs\n  and no spaces\nDone: read x3, edit x1\n\
        Error (x2): no such file a.c\nflight_number: HAT175 HAT084\ncontent: \"no insurance\"\nWe chose the second plan.\n\n## ARTIFACTS\nwritten: a.c b.c\n- made /x/y.md\n\n\
        ## NEXT STEPS\nNot answered yet: last wish\n  and never by card\nOpen: test it; ship it\nLast action: bash()\n</summary>";

    fn facts_of<'r>(earlier: &EarlierSummary<'r>) -> Vec<(FactKind, &'r str)> {
        let lines = earlier.facts.lines.iter();
        lines.map(|line| (line.kind, line.text)).collect()
    }

    fn render_references(references: &mut References<'_>, room: usize) -> String {
        let ranked = references.ranked_indices(9, ReferenceFloor::Any, &|text| text.len() / 4);
        ReferenceGroups::new(references, &ranked).render(room).text
    }

    /// The collections that a summary is read into.
    struct ReadFacts<'r> {
        references: References<'r>,
        files: TouchedFiles<'r>,
        errors: ErrorLog<'r>,
    }

    impl<'r> ReadFacts<'r> {
        fn new() -> Self {
            Self {
                references: References::new(2),
                files: TouchedFiles::default(),
                errors: ErrorLog::default(),
            }
        }

        fn sink(&mut self) -> SummarySink<'_, 'r> {
            SummarySink {
                references: &mut self.references,
                files: &mut self.files,
                errors: &mut self.errors,
                message: 0,
            }
        }
    }

    #[test]
    fn a_summary_is_read_back() {
        let mut read = ReadFacts::new();
        let earlier = read_earlier_summary(TEXT, read.sink());
        assert_eq!(earlier.goal.as_deref(), Some("Fix bug_77\nin two lines"));
        assert_eq!(
            earlier.requests,
            ["last wish\nand never by card", "use tabs\nand no spaces"]
        );
        assert_eq!(
            read.errors.render(100, "", &Exchanges::default(), 0),
            ["Error: no such file a.c"]
        );
        assert_eq!(
            facts_of(&earlier),
            [
                (FactKind::Call, "read x3, edit x1"),
                (FactKind::Earlier, "We chose the second plan."),
                (FactKind::Call, "bash()"),
            ]
        );
        assert_eq!(earlier.steps, ["test it", "ship it"]);
        assert_eq!(
            read.files.render(100),
            ["written: a.c b.c", "named: /x/y.md"]
        );
        assert!(
            render_references(&mut read.references, 400)
                .contains("flight_number: HAT175 HAT084\ncontent: \"no insurance\"")
        );
    }

    #[test]
    fn sections_of_the_other_template_are_read_back() {
        let text = "## Objective\nFix bug_77\n\n## Important Details\nUser, newest first:\n> use tabs\nflight_number: HAT175\n\n## Work State\n### Completed\nDone: read x3\n\
            ### Active\nNone\n### Blocked\nError: no such file a.c\n\n## Next Move\nOpen: test it\n\n## Relevant Files\nwritten: src/a.c";
        let mut read = ReadFacts::new();
        let earlier = read_earlier_summary(text, read.sink());
        assert_eq!(earlier.goal.as_deref(), Some("Fix bug_77"));
        assert_eq!(
            (earlier.requests.as_slice(), earlier.steps.as_slice()),
            (&["use tabs".into()][..], &["test it".into()][..])
        );
        assert_eq!(facts_of(&earlier), [(FactKind::Call, "read x3")]);
        assert_eq!(
            read.errors.render(100, "", &Exchanges::default(), 0),
            ["Error: no such file a.c"]
        );
        assert_eq!(read.files.render(100), ["written: src/a.c"]);
        assert!(render_references(&mut read.references, 400).contains("flight_number: HAT175"));
    }

    #[test]
    fn a_summary_without_sections_is_prose() {
        let text = "Here is a summary of the conversation to date:\n\nThe user wants order_99.";
        let mut read = ReadFacts::new();
        let earlier = read_earlier_summary(text, read.sink());
        assert_eq!(
            facts_of(&earlier),
            [(FactKind::Earlier, "The user wants order_99.")]
        );
        assert_eq!(
            render_references(&mut read.references, 80),
            "also: order_99"
        );
    }
}
