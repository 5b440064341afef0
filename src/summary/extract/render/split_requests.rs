//! Splits a long request into sentences and lines of code, and tells how much each says of what is
//! wanted.

use super::request_code::{FRAME_WORTHS, longest_whole};
use super::request_headings::{
    WANTED_HEADINGS, WANTED_WORTH, asks_for_version, is_heading, level_of, lists_environment,
};
use super::request_parts::{RequestPart, forbids, is_item, is_listed_code};
use super::request_sentences::{read_part, split_line};
use super::request_splitter::RequestSplitter;
use super::sentence_worth::{NO_WORTH, names_error, sentence_worth};
use super::traceback_lines::{is_error_name, is_frame, is_of_library};
use crate::summary::extract::facts::tracebacks::TRACEBACK;
use crate::summary::extract::lex::blocks::is_fence;
use crate::summary::extract::lex::identifier_kinds::is_link;
use crate::summary::extract::lex::phrase_search::PhraseSearch;
use crate::summary::extract::lexicon::wish_words::BAN_WORDS;
use std::sync::LazyLock;

/// What a heading says without what it heads.
const HEADING_WORTH: i32 = -20;
/// What an item says more below `Do not:`, and a question with a number.
const FORBIDDEN_WORTH: i32 = 45;
const QUESTION_WORTH: i32 = 80;
/// What a part says less below a heading of the environment.
const ENVIRONMENT_LOSS: i32 = 40;

/// Searches for the words of a heading that forbids what stands below it.
static BANS: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[BAN_WORDS]));

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
}

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
