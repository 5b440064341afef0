//! Reads an earlier summary back into the facts that it was written from, so that
//! the new summary holds them once and nests no frame.

use super::earlier_counts::{hidden_calls, records_heading};
use super::earlier_facts::EarlierFacts;
use super::earlier_groups::parse_group;
use super::earlier_lines::{
    asks_for_summary, continue_quotation, file_list_of, indent_of, is_bold_heading, joins_words,
    says_none, says_nothing_is_open, strip_bullet, unescape_heading,
};
use super::earlier_sections::{SectionHeading, SummarySection, heading_of_line};
use super::earlier_sink::SummarySink;
use super::fact::FactKind;
use super::file_actions::FileAction;
use super::path_roots::read_path;
use super::request_notes::{without_commit_note, without_note};
use crate::summary::extract::labels::{
    ANSWERED_BEFORE, CALL_MARK, CALLS_HEADING, CONSTRAINT, DEFINED, DEFINITIONS_HEADING, DONE,
    DONE_TODOS, EARLIER, FINDING_MARK, FINDINGS_HEADING, FINISHED, GOES_ON, LAST_ACTION,
    LAST_REPLY, LATER_REQUEST, NEWEST_REQUEST, NEXT_STEPS, NOT_ANSWERED, NOT_WRITTEN, OLDER_TODOS,
    OPEN_TODOS, OUTLINES_HEADING, PASSAGES_HEADING, RECORDS, ROOT, ROW_MARK, SAID_BEFORE,
    SAID_LAST, STALE_TODOS, TIP, USER_HEADING, USER_QUOTE,
};
use crate::summary::extract::lex::blocks::is_fence;
use crate::summary::extract::lex::clip::OMISSION;
use crate::summary::extract::lex::identifier_kinds::PATH;
use crate::summary::extract::lex::identifiers::{TextEncoding, scan_identifiers};
use crate::summary::extract::lex::value_keys::ValueKey;
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

/// The facts of an earlier summary besides its references, files and errors.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct EarlierSummary<'r> {
    /// The section SESSION INTENT, or Objective.
    pub(crate) goal: Option<Cow<'r, str>>,
    /// The quotations of the user, newest first.
    pub(crate) requests: Vec<Cow<'r, str>>,
    /// Calls, records, findings and other prose.
    pub(crate) facts: EarlierFacts<'r>,
    /// The requests are a list of all that the user said.
    pub(crate) lists_messages: bool,
    /// The next steps.
    pub(crate) steps: Vec<Cow<'r, str>>,
    /// The steps were older than the newest request already.
    pub(crate) are_steps_older: bool,
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
    /// Number of blanks before the item that quotes the user.
    quoted_indent: usize,
    /// The kind of the items of the list that was opened last.
    list: Option<FactKind>,
    /// The folder that a mark stands for in the lists of files.
    root: Option<&'r str>,
    /// The summary has the sections that this program writes.
    is_ours: bool,
    /// What was done with the files of the list that was opened last.
    listed: FileAction,
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

    /// Reads a line of facts. `item` is the line without its bullet.
    fn read_fact(&mut self, line: &'r str, item: &'r str) {
        let opened = match line {
            USER_HEADING => Some(None),
            FINDINGS_HEADING => Some(Some(FactKind::Finding)),
            DEFINITIONS_HEADING | DEFINED => Some(Some(FactKind::Definition)),
            OUTLINES_HEADING => Some(Some(FactKind::Outline)),
            PASSAGES_HEADING => Some(Some(FactKind::Passage)),
            _ if line.starts_with(CALLS_HEADING) => Some(Some(FactKind::Call)),
            _ => None,
        };
        if let Some(list) = opened {
            self.list = list;
            if list == Some(FactKind::Call) {
                self.summary.facts.hidden_calls += hidden_calls(line);
            }
            return;
        }
        let facts = &mut self.summary.facts;
        if let Some(request) = line.strip_prefix(USER_QUOTE) {
            self.summary.requests.push(Cow::Borrowed(request));
        } else if let Some(heading) = line.strip_prefix(RECORDS) {
            facts.headings.push(records_heading(heading));
        } else if let Some(row) = line.strip_prefix(ROW_MARK) {
            facts.push_record(row);
            self.sink.observe_row(row);
        } else if let (
            Some(
                kind @ (FactKind::Call
                | FactKind::Definition
                | FactKind::Outline
                | FactKind::Passage),
            ),
            Some(text),
        ) = (self.list, line.strip_prefix(CALL_MARK))
        {
            facts.push_line(kind, text);
        } else if let (Some(FactKind::Finding), Some(finding)) =
            (self.list, line.strip_prefix(FINDING_MARK))
        {
            facts.push_line(FactKind::Finding, finding);
        } else if let Some(calls) = line.strip_prefix(DONE) {
            facts.push_line(FactKind::Call, calls);
        } else if let Some(wish) = line.strip_prefix(CONSTRAINT) {
            facts.push_line(FactKind::Constraint, wish);
        } else if let Some(tip) = line.strip_prefix(TIP) {
            facts.push_line(FactKind::Tip, tip);
        } else if let Some(error) = line.strip_prefix("Error").filter(|rest| {
            rest.starts_with(": ") || rest.starts_with(" (x") || rest.starts_with(" (worked")
        }) {
            // What worked later is over.
            let (count, error) = error.split_once(": ").unwrap_or_default();
            self.errors
                .extend((!error.is_empty() && !count.contains("worked")).then_some(error));
        } else if let Some(group) = parse_group(item) {
            for (value, kinds) in group.values {
                self.sink.observe_reference(value, kinds, group.key);
            }
            return;
        } else {
            let prose = line.strip_prefix(EARLIER).unwrap_or(item);
            let prose = if line.starts_with(FINISHED) {
                line
            } else {
                prose
            };
            facts.push_line(FactKind::Earlier, prose);
        }
        self.sink.observe_identifiers(item);
    }

    /// Reads a line of files.
    fn read_files(&mut self, line: &'r str) {
        if let Some(root) = line.strip_prefix(ROOT) {
            self.root = Some(root);
            return;
        }
        let labels = [
            ("written: ", FileAction::Written),
            ("deleted: ", FileAction::Deleted),
            ("read: ", FileAction::Read),
            ("named: ", FileAction::Named),
        ];
        for (label, action) in labels {
            if let Some(paths) = line.strip_prefix(label) {
                let mut files = Vec::new();
                for shown in paths.split_whitespace().filter(|path| *path != OMISSION) {
                    let below = self.root.and_then(|root| read_path(root, shown));
                    files.push(below.map_or(Cow::Borrowed(shown), Cow::Owned));
                }
                // The newest file stands first and is recorded last.
                for path in files.into_iter().rev() {
                    self.sink.files.record_touch(path, action);
                }
                return;
            }
        }
        // Others write below a file what it holds and why.
        if !self.is_ours && tells_of_file(line) {
            self.summary.facts.push_line(FactKind::Earlier, line);
        }
        scan_identifiers(line, TextEncoding::Plain, &mut |identifier, kinds, _| {
            if kinds & PATH == 0 || joins_words(identifier) {
                self.sink
                    .observe_reference(identifier, kinds, ValueKey::NONE);
            } else {
                self.sink
                    .files
                    .record_touch(Cow::Borrowed(identifier), self.listed);
            }
        });
    }

    /// Reads a next step. The last action is a call among others, and what the assistant said last is no step
    /// any more, nor is what the messages that stayed told. Returns true if the line quotes the user.
    fn read_step(&mut self, line: &'r str) -> bool {
        let older = line.strip_prefix(OLDER_TODOS);
        self.summary.are_steps_older |= older.is_some();
        let stale = || line.strip_prefix(STALE_TODOS);
        if let Some(open) = older
            .or_else(stale)
            .or_else(|| line.strip_prefix(OPEN_TODOS))
        {
            let steps = open.trim_end_matches([' ', '…']).split("; ");
            self.summary.steps.extend(steps.map(Cow::Borrowed));
        } else if let Some(request) = line.strip_prefix(NOT_ANSWERED) {
            // It is the user's newest request, even if it was answered since.
            self.summary.requests.insert(0, Cow::Borrowed(request));
            return true;
        } else if let Some(call) = line.strip_prefix(LAST_ACTION) {
            self.summary.facts.push_line(FactKind::Call, call);
        } else if let Some(next) = line.strip_prefix(NEXT_STEPS) {
            let steps = next.trim_end_matches([' ', '…']).split(" / ");
            self.summary.steps.extend(steps.map(Cow::Borrowed));
        } else if ![
            ANSWERED_BEFORE,
            DONE_TODOS,
            NOT_WRITTEN,
            LAST_REPLY,
            SAID_LAST,
            SAID_BEFORE,
            GOES_ON,
        ]
        .iter()
        .any(|label| line.starts_with(label))
        {
            self.summary.steps.push(Cow::Borrowed(line));
        }
        false
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

/// Returns true for a line below the name of a file: it does not begin with a path, and says something.
fn tells_of_file(line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or_default();
    let is_path = first.trim_matches(['`', '*', ':']).contains(['/', '\\']);
    !is_path && line.split_whitespace().count() >= LEAST_WORDS
}

/// Minimum number of words of such a line.
const LEAST_WORDS: usize = 4;

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
