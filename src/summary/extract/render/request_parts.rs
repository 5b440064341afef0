//! Splits a long request into sentences and lines of code, and tells how much each says of what is
//! wanted.

use super::request_sections::is_numbered_section;
use super::sentence_worth::{LONGEST_LABEL, NO_WORTH, is_statement, names_error, sentence_worth};
use super::traceback_lines::{is_error_name, is_frame, is_of_library, is_of_traceback};
use crate::summary::extract::facts::standing_wishes::WISHES;
use crate::summary::extract::facts::tracebacks::TRACEBACK;
use crate::summary::extract::labels::THEN;
use crate::summary::extract::lex::blocks::is_fence;
use crate::summary::extract::lex::clip::floor_char;
use crate::summary::extract::lex::identifier_kinds::is_link;
use crate::summary::extract::lex::phrase_search::PhraseSearch;
use crate::summary::extract::lexicon::request_words::ENVIRONMENT_HEADINGS;
use crate::summary::extract::lexicon::sentence_words::ABBREVIATIONS;
use crate::summary::extract::lexicon::wish_words::{BAN_WORDS, LEFT_OUT_WORDS};
use std::sync::LazyLock;

/// Maximum length in bytes of a line that is no prose but an item, and stays whole.
const LONGEST_ITEM: usize = 160;
/// Minimum length in bytes of a sentence that is split off.
const LEAST_SENTENCE: usize = 12;
/// Maximum number of bytes of a request that are read, from its beginning and from its end.
const LONGEST_HEAD: usize = 48 * 1024;
const LONGEST_TAIL: usize = 16 * 1024;
/// The most lines and bytes of a block of code that is shown as a whole or not at all, and the most that it
/// has of the room beside a proposed solution, in hundredths.
const MOST_WHOLE_LINES: usize = 15;
const LONGEST_WHOLE: usize = 480;
const MOST_OF_ROOM: usize = 35;
/// What the message of an error in a longer block says, and a line that calls something.
const ERROR_WORTH: i32 = 40;
const CODE_WORTH: i32 = -6;
/// What the newest places of a traceback say, the last first.
const FRAME_WORTHS: [i32; 3] = [24, 8, 4];
/// What a heading says without what it heads.
const HEADING_WORTH: i32 = -20;
/// Words of the headings above what is wanted, with the number of sentences below each that say more by that,
/// and how much more.
const WANTED_HEADINGS: [(&str, usize); 5] = [
    ("expected", 1),
    (PROPOSED, 4),
    ("suggested", 3),
    ("desired", 2),
    ("acceptance", 6),
];
const WANTED_WORTH: i32 = 40;
const PROPOSED: &str = "proposed solution";
/// What an item says more below `Do not:`, and a question with a number.
const FORBIDDEN_WORTH: i32 = 45;
const QUESTION_WORTH: i32 = 80;
/// What a part says less below a heading of the environment.
const ENVIRONMENT_LOSS: i32 = 40;
/// Minimum length in bytes of such a line that calls something.
const LEAST_CODE: usize = 16;
/// How much a block of code says that is shown as a whole, and the first one, which often shows the
/// fault.
const WHOLE_BLOCK_WORTH: i32 = 30;
const FIRST_BLOCK_WORTH: i32 = 90;
/// Maximum length in bytes of a heading that is stressed.
const LONGEST_HEADING: usize = 60;

/// Searches for the words of a heading that forbids what stands below it.
static BANS: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[BAN_WORDS]));

/// A sentence, an item or a line of code of a request.
#[derive(Debug, Clone, Copy)]
pub(super) struct RequestPart<'t> {
    /// The text without blanks around it.
    pub(super) text: &'t str,
    /// Number of the line that it stands in.
    pub(super) line: usize,
    /// It is the heading of what follows.
    pub(super) is_heading: bool,
    /// The level of a heading: the number of its marks, at most 5; 6 for `ISSUE 2`, 7 for `REQUIREMENTS:`. 0 for
    /// other parts.
    pub(super) level: usize,
    /// The part that must stand before it: the heading of its section, or the sentence before its list
    /// or its block of code.
    pub(super) heading: Option<usize>,
    /// The index of the first line of the block of code that it belongs to, if that is shown as a whole
    /// or not at all: half of it may say the opposite.
    pub(super) group: Option<usize>,
    /// How much it says of what is wanted.
    pub(super) worth: i32,
}

impl RequestPart<'_> {
    /// The level of a heading without marks: `REQUIREMENTS:`.
    pub(super) const UNMARKED_LEVEL: usize = 7;
}

/// Returns the level of a heading.
fn level_of(line: &str) -> usize {
    match line.bytes().take_while(|byte| *byte == b'#').count() {
        0 if is_numbered_section(line) => RequestPart::UNMARKED_LEVEL - 1,
        0 => RequestPart::UNMARKED_LEVEL,
        marks => marks.min(RequestPart::UNMARKED_LEVEL - 2),
    }
}

/// Splits a request into its parts, in order, and weighs what they say, wherever they stand, for a room of `room` bytes.
pub(super) fn split_request(text: &str, room: usize) -> Vec<RequestPart<'_>> {
    let mut splitter = RequestSplitter {
        longest_whole: longest_whole(text, room),
        ..RequestSplitter::default()
    };
    for line in read_part(text) {
        splitter.add_line(line.trim());
    }
    splitter.close_code();
    weigh_short_lists(&mut splitter.parts);
    splitter.parts
}

/// Makes the items of a short numbered list say as much as the one that says most: of two ways, one is not all.
fn weigh_short_lists(parts: &mut [RequestPart<'_>]) {
    let is_numbered = |part: &RequestPart<'_>| {
        part.group.is_none() && part.text.starts_with(|c: char| c.is_ascii_digit())
    };
    let lists = parts.chunk_by_mut(|part, next| is_numbered(part) && is_numbered(next));
    for list in lists.filter(|list| (2..=MOST_SHORT_ITEMS).contains(&list.len())) {
        let most = list.iter().map(|part| part.worth).max().unwrap_or(0);
        for part in list {
            part.worth = part.worth.max(most);
        }
    }
}

/// Maximum number of items of a short list.
const MOST_SHORT_ITEMS: usize = 4;

/// Returns the maximum length in bytes of a block of code that is shown as a whole. Beside a solution in words,
/// an example has less room.
fn longest_whole(text: &str, room: usize) -> usize {
    let proposes = text
        .lines()
        .any(|line| is_heading(line) && line.to_ascii_lowercase().contains(PROPOSED));
    if proposes {
        LONGEST_WHOLE.min(room * MOST_OF_ROOM / 100)
    } else {
        LONGEST_WHOLE
    }
}

/// A request that is being split.
#[derive(Default)]
struct RequestSplitter<'t> {
    parts: Vec<RequestPart<'t>>,
    /// Number of lines so far.
    lines: usize,
    /// The heading of the section.
    section: Option<usize>,
    /// The heading is a label, which heads only what stands directly below it: `Check for:`.
    is_label: bool,
    /// The sentence before a list or a block of code: `Never do this:`.
    intro: Option<usize>,
    /// The newest heading of each level that the next part stands below.
    open_headings: [Option<usize>; RequestPart::UNMARKED_LEVEL + 1],
    /// The item with a number that items without one stand below.
    numbered: Option<usize>,
    /// The lines of the block of code that is open.
    code: Option<Vec<&'t str>>,
    /// Maximum length in bytes of a block that is shown as a whole.
    longest_whole: usize,
    /// Number of sentences that follow which tell what is wanted.
    wanted: usize,
    /// The section lists versions and settings.
    lists_environment: bool,
    /// The newest place of a traceback that is open, unless it is in a library.
    last_frame: Option<usize>,
    /// The lines belong to a traceback, whose last line says what went wrong.
    in_traceback: bool,
}

impl<'t> RequestSplitter<'t> {
    fn add_line(&mut self, line: &'t str) {
        self.lines += 1;
        if is_fence(line) {
            if self.code.is_some() {
                self.close_code();
            } else {
                self.code = Some(Vec::new());
            }
            return;
        }
        if !line.chars().any(char::is_alphanumeric) {
            self.in_traceback = false;
            if std::mem::take(&mut self.is_label) {
                self.section = None;
            }
            return;
        }
        if let Some(code) = &mut self.code {
            code.push(line);
        } else if is_heading(line) {
            self.add_heading(line);
        } else {
            self.add_prose(line);
        }
    }

    fn add_heading(&mut self, line: &'t str) {
        self.push(line.trim_matches(['#', ' ', '*', '_']), None, HEADING_WORTH);
        let heading = self.parts.len() - 1;
        self.parts[heading].is_heading = true;
        let level = level_of(line);
        self.parts[heading].level = level;
        self.parts[heading].heading = self.ban_above(level);
        self.open_headings[level] = Some(heading);
        self.open_headings[level + 1..].fill(None);
        (self.section, self.intro, self.numbered) = (Some(heading), None, None);
        self.is_label = line.ends_with([':', '：']) && !line.starts_with(['#', '*', '_']);
        let lower = line.to_ascii_lowercase();
        let wanted = WANTED_HEADINGS.iter();
        self.lists_environment = lists_environment(self.parts[heading].text);
        let mut wanted = wanted.filter(|(words, _)| lower.contains(words));
        self.wanted = wanted.next().map_or(0, |(_, sentences)| *sentences);
    }

    /// Returns the nearest open heading above `level` that forbids or leaves out what stands below it.
    fn ban_above(&self, level: usize) -> Option<usize> {
        let mut above = self.open_headings[..level].iter().rev().flatten().copied();
        above.find(|&at| forbids(self.parts[at].text))
    }

    /// Adds the sentences of a line of prose, or the item of a list.
    fn add_prose(&mut self, line: &'t str) {
        // `It seems to be here:` says what a place is.
        let is_lone_link = is_link(line) && !line.contains(' ');
        let is_code = is_listed_code(line);
        let is_numbered = !is_code && line.starts_with(|c: char| c.is_ascii_digit());
        let heading = if is_item(line) || is_lone_link {
            let above = if is_numbered { None } else { self.numbered };
            above.or(self.intro).or(self.section)
        } else {
            (self.intro, self.numbered) = (None, None);
            self.section
        };
        if is_frame(line) {
            self.last_frame = Some(self.parts.len()).filter(|_| !is_of_library(line));
        }
        if line.starts_with(TRACEBACK) || is_frame(line) {
            self.in_traceback = true;
        } else if names_error(line) || is_error_name(line) {
            self.in_traceback = false;
            if let Some(frame) = self.last_frame.take() {
                self.parts[frame].worth = FRAME_WORTHS[0];
            }
        }
        if asks_for_version(line) {
            self.lists_environment = true;
        }
        for sentence in split_line(line) {
            let worth = if self.in_traceback || is_code {
                NO_WORTH
            } else {
                let by_heading = if self.wanted > 0 { WANTED_WORTH } else { 0 };
                self.wanted = self.wanted.saturating_sub(1);
                let worth = sentence_worth(sentence);
                // An order or a wish is one below any heading.
                let by_section = if self.lists_environment && worth <= 0 {
                    -ENVIRONMENT_LOSS
                } else {
                    0
                };
                worth + by_heading + by_section + self.worth_in_list(sentence, heading)
            };
            self.push(sentence, heading, worth);
        }
        let last = self.parts.len().checked_sub(1);
        if is_numbered {
            self.numbered = last;
        } else if line.ends_with([':', '：']) {
            self.intro = last;
        }
    }

    /// Returns what an item says more because of its list: it is forbidden, or it is one of several
    /// questions that want an answer.
    fn worth_in_list(&self, item: &str, heading: Option<usize>) -> i32 {
        let is_numbered = item.starts_with(|c: char| c.is_ascii_digit());
        if is_numbered && item.contains(['?', '？']) {
            return QUESTION_WORTH;
        }
        let forbids = |heading: usize| BANS.has_words(self.parts[heading].text);
        if is_item(item) && heading.is_some_and(forbids) {
            FORBIDDEN_WORTH
        } else {
            0
        }
    }

    fn push(&mut self, text: &'t str, heading: Option<usize>, worth: i32) {
        self.parts.push(RequestPart {
            text,
            line: self.lines,
            is_heading: false,
            level: 0,
            heading,
            group: None,
            worth,
        });
    }

    /// Adds the block of code that is open. Of a longer one only the messages of errors say something,
    /// and a little what is called.
    fn close_code(&mut self) {
        let Some(block) = self.code.take() else {
            return;
        };
        let length: usize = block.iter().map(|line| line.len() + 1).sum();
        let is_whole = block.len() <= MOST_WHOLE_LINES
            && length <= self.longest_whole
            && !block.iter().any(|line| line.contains(TRACEBACK))
            && !block.first().is_some_and(|line| asks_for_version(line));
        let is_traceback = block.iter().any(|line| is_of_traceback(line));
        let frames: Vec<usize> = (block.iter().enumerate())
            .filter(|(_, line)| is_frame(line) && !is_of_library(line))
            .map(|(number, _)| number)
            .collect();
        let heading = self.intro.or(self.section);
        let first = self.parts.len();
        let is_first = self.parts.iter().all(|part| part.group.is_none());
        let first_line = self.lines.saturating_sub(block.len());
        for (number, line) in block.into_iter().enumerate() {
            let worth = if is_whole && is_first {
                FIRST_BLOCK_WORTH
            } else if is_whole {
                WHOLE_BLOCK_WORTH
            } else if names_error(line) {
                ERROR_WORTH
            } else if let Some(newer) = frames.iter().rev().position(|frame| *frame == number) {
                FRAME_WORTHS.get(newer).copied().unwrap_or(NO_WORTH)
            } else if !is_traceback && line.len() >= LEAST_CODE && line.contains('(') {
                CODE_WORTH
            } else {
                NO_WORTH
            };
            self.push(line, heading, worth);
            self.parts[first + number].line = first_line + number;
        }
        if is_whole {
            for part in &mut self.parts[first..] {
                part.group = Some(first);
            }
        }
    }
}

/// Returns the lines of a text that are read: of a very long one whole lines or sentences of its
/// beginning and of its end.
fn read_part(text: &str) -> impl Iterator<Item = &str> {
    let (head, tail) = if text.len() <= LONGEST_HEAD + LONGEST_TAIL {
        (text, "")
    } else {
        let head = &text[..floor_char(text, LONGEST_HEAD)];
        let tail = &text[floor_char(text, text.len() - LONGEST_TAIL)..];
        let head_end = head.rfind(SENTENCE_ENDS).map_or(head.len(), |at| at + 1);
        // A part of a sentence may say the opposite of it.
        let tail_start = tail.find(SENTENCE_ENDS).map_or(tail.len(), |at| at + 1);
        (
            head.get(..head_end).unwrap_or(head),
            tail.get(tail_start..).unwrap_or_default(),
        )
    };
    head.lines().chain(tail.lines())
}

/// What ends a sentence where a very long text is cut.
const SENTENCE_ENDS: [char; 4] = ['\n', '.', '!', '?'];

/// Returns true for a heading: `### Steps`, `**Steps**`, `REQUIREMENTS:`.
fn is_heading(line: &str) -> bool {
    let hashes = line.bytes().take_while(|byte| *byte == b'#').count();
    let stressed = ["**", "__", "_"]
        .iter()
        .any(|mark| line.len() > 2 * mark.len() && line.starts_with(mark) && line.ends_with(mark));
    (hashes > 0 && line[hashes..].starts_with(' '))
        || is_numbered_section(line)
        || (line.len() <= LONGEST_HEADING && stressed)
        || (line.len() <= LONGEST_LABEL
            && !is_statement(line)
            && line.trim_end_matches(['*', '_']).ends_with([':', '：']))
}

/// Splits a line into sentences. A short line, like the item of a list, stays whole.
fn split_line(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = if rest.len() <= LONGEST_ITEM
            && rest.len() == line.len()
            && (is_item(line) || line.starts_with(THEN))
        {
            rest.len()
        } else {
            sentence_end(rest)
        };
        let (sentence, after) = rest.split_at(end);
        rest = after.trim_start();
        Some(sentence.trim_end())
    })
}

/// Returns the place behind the first sentence of a line.
fn sentence_end(line: &str) -> usize {
    let mut before_blank = None;
    for (at, c) in line.char_indices() {
        if let Some(end) = before_blank.take()
            && c == ' '
            // What stands in brackets belongs to the sentence before them.
            && !line[end..].starts_with(" (")
            && end >= LEAST_SENTENCE
            && !ends_with_abbreviation(&line[..end])
        {
            return end;
        }
        match c {
            '.' | '!' | '?' => before_blank = Some(at + 1),
            '。' | '！' | '？' | '；' if at >= LEAST_SENTENCE => return at + c.len_utf8(),
            _ => {}
        }
    }
    line.len()
}

/// Returns true if a text ends with a short form, not with a sentence: `e.g.`, `2.`.
fn ends_with_abbreviation(text: &str) -> bool {
    let word = text.rsplit([' ', '(']).next().unwrap_or_default();
    let word = word.trim_end_matches('.');
    ABBREVIATIONS.contains(&word)
        || (!word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns true for a line that forbids or leaves out something: the names in it say what is not wanted.
pub(super) fn forbids(line: &str) -> bool {
    FORBIDDING.has_words(line)
}

static FORBIDDING: LazyLock<PhraseSearch> =
    LazyLock::new(|| PhraseSearch::new(&[BAN_WORDS, LEFT_OUT_WORDS]));

/// Returns true for the item of a list.
pub(super) fn is_item(line: &str) -> bool {
    line.starts_with(['-', '*', '•', '+'])
        || (line.starts_with(|c: char| c.is_ascii_digit()) && !is_listed_code(line))
}

/// Returns true for a line of code behind its number, as editors list it: `112: </div>`.
fn is_listed_code(line: &str) -> bool {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let code = rest.strip_prefix(':').filter(|_| rest.len() < line.len());
    code.is_some_and(|code| {
        let code = code.trim();
        let ends_statement = code.ends_with([';', '{', '>', '(', ',']);
        // `1: Never write to /srv;` is a rule.
        let has_signs = code.contains(['=', '(', '{', '<', '"', '\'']);
        code.is_empty()
            || code.starts_with(['<', '{', '}', ')'])
            || (ends_statement && has_signs && !WISHES.has_words(code))
    })
}

/// Returns true for a heading above versions and settings.
fn lists_environment(heading: &str) -> bool {
    let title = heading.trim_end_matches([':', ' ']).to_ascii_lowercase();
    ENVIRONMENT_HEADINGS.contains(&title.as_str()) || title.ends_with(" version")
}

/// Returns true for a command that asks a program for its version.
fn asks_for_version(line: &str) -> bool {
    VERSION_OPTIONS.iter().any(|option| line.ends_with(option))
}

/// The options of programs for their version.
const VERSION_OPTIONS: [&str; 3] = [" -v", " -V", " --version"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_say_nothing_but_orders_below_them_do() {
        let worth_of = |text: &str| split_request(text, 400).last().map(|part| part.worth);
        let below = |line: &str| worth_of(&format!("# Environment\n{line}"));
        assert!(
            below("It ran on the machine of the miller")
                < worth_of("It ran on the machine of the miller")
        );
        let order = "Delete the tag `v9` before you start, please.";
        assert_eq!(below(order), worth_of(order));
        let rule = "It goes to the channel of the mill";
        assert_eq!(
            worth_of(&format!("# Versioning rules\n{rule}")),
            worth_of(rule)
        );
    }

    #[test]
    fn a_short_numbered_list_stays_together() {
        let parts = split_request("Two ways:\n1. never open the valve\n2. turn back", 400);
        let worths: Vec<i32> = parts[1..].iter().map(|part| part.worth).collect();
        assert_eq!(worths[0], worths[1]);
    }
}
