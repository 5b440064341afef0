//! Chooses the parts of a long request that say most for their length.

use super::request_parts::{RequestPart, is_item};
use super::request_sections::sections_of;
use super::sentence_worth::{CONDITIONS, NO_WORTH};
use crate::summary::extract::facts::standing_wishes::WISHES;
use crate::summary::extract::lex::clip::{CLIP_MARK, clip_line, floor_char};
use crate::summary::extract::lex::fold::fold_line;
use crate::summary::extract::lexicon::request_words::LEANING_WORDS;
use hashbrown::HashSet;
use std::borrow::Cow;
use std::cmp::Reverse;

/// Maximum length in bytes of what a sentence announces and that stands with it.
const LONGEST_ANNOUNCED: usize = 100;
/// Maximum length in bytes of a sentence; longer ones are clipped.
const LONGEST_SENTENCE: usize = 320;
/// The most that a sentence has of the room, in hundredths.
const SENTENCE_SHARE: usize = 60;
/// The same of the sentence that says most.
const BEST_SHARE: usize = 98;
/// Length in bytes that a sentence may have, however little room there is.
const SHORT_SENTENCE: usize = 160;
/// Minimum length in bytes of what is left of a clipped sentence.
const LEAST_CLIPPED: usize = 60;
/// What a sentence says at least that is shortened.
const LEAST_OF_CLIPPED: i32 = 15;
/// Bytes for which a sentence must say one part more.
const BYTES_FOR_WORTH: usize = 12;
/// What a sentence must say at least for its length. The room of others is for other sections.
const LEAST_RANK: i32 = -14;
/// The bytes of a block of code for one part more: its lines stand together.
const BYTES_OF_CODE_FOR_WORTH: usize = 24;

/// A part that is shown.
pub(super) struct ShownPart<'t> {
    pub(super) index: usize,
    pub(super) line: usize,
    pub(super) text: Cow<'t, str>,
}

/// Chooses the parts that say most for their length, in at most `room` bytes. Each costs `margin`
/// bytes besides its text. A heading stands only before a part below it.
pub(super) fn choose_parts<'t>(
    parts: &[RequestPart<'t>],
    room: usize,
    margin: usize,
) -> Vec<ShownPart<'t>> {
    let mut order: Vec<usize> = (0..parts.len())
        .filter(|&at| !parts[at].is_heading && parts[at].group.is_none_or(|first| first == at))
        .filter(|&at| rank_of(parts, at) > LEAST_RANK && !is_intro(parts, at))
        .collect();
    order.sort_by_key(|&at| Reverse(rank_of(parts, at)));
    let mut choice = PartChoice {
        parts,
        longest: LONGEST_SENTENCE.min((room * SENTENCE_SHARE / 100).max(SHORT_SENTENCE)),
        margin,
        left: room,
        shown: Vec::new(),
        is_shown: vec![false; parts.len()],
    };
    // The sentence that says most may have nearly all of it.
    if let Some(&best) = order.first()
        && parts[best].text.len() <= room * BEST_SHARE / 100
    {
        choice.longest = choice.longest.max(parts[best].text.len());
    }
    let mut seen = HashSet::new();
    // The best of each section goes first: a request that has lost one reads as if it had only the others.
    let sections = sections_of(parts);
    // What stands before the first holds for all of them.
    let preface = sections.first().map(|first| 0..first.start);
    let all: Vec<_> = preface.into_iter().chain(sections).collect();
    for (number, section) in all.iter().enumerate() {
        let best = order.iter().copied().find(|at| section.contains(at));
        let most = choice.left / (all.len() - number);
        if let Some(at) = best.filter(|&at| parts[at].group.is_none()) {
            choice.add_sentence_within(at, most);
            seen.insert(parts[at].text);
        }
    }
    // What fits as a whole goes first: half of a sentence may say nothing, or the opposite.
    let mut clipped = Vec::new();
    for at in order {
        // What is said twice is written once.
        if !seen.insert(parts[at].text) {
            continue;
        }
        match parts[at].group {
            _ if choice.is_shown[at] => {}
            Some(_) => choice.add_block(at),
            None if choice.fits(at) => choice.add_sentence(at),
            None => clipped.push(at),
        }
    }
    for at in clipped {
        choice.add_sentence(at);
    }
    choice.shown.sort_unstable_by_key(|part| part.index);
    choice.shown
}

/// Returns true for a sentence that announces the part behind it: it stands with what it announces.
fn is_intro(parts: &[RequestPart<'_>], at: usize) -> bool {
    let next = parts.get(at + 1);
    parts[at].text.ends_with([':', '：'])
        && next.is_some_and(|next| next.heading == Some(at) && next.worth > NO_WORTH)
}

/// Returns the lines of the block of code that begins at a part.
pub(super) fn block_at<'p, 't>(parts: &'p [RequestPart<'t>], at: usize) -> &'p [RequestPart<'t>] {
    let lines = parts[at..].iter().take_while(|part| part.group == Some(at));
    &parts[at..at + lines.count()]
}

/// Returns how much a part or its block of code says, less what its length takes.
fn rank_of(parts: &[RequestPart<'_>], at: usize) -> i32 {
    let cost = match parts[at].group {
        Some(_) => {
            let length: usize = block_at(parts, at).iter().map(|part| part.text.len()).sum();
            length / BYTES_OF_CODE_FOR_WORTH
        }
        None => parts[at].text.len() / BYTES_FOR_WORTH,
    };
    (parts[at].worth).saturating_sub(i32::try_from(cost).unwrap_or(i32::MAX))
}

/// The parts that were chosen so far.
struct PartChoice<'p, 't> {
    parts: &'p [RequestPart<'t>],
    /// Maximum length in bytes of a sentence.
    longest: usize,
    margin: usize,
    /// Room that is left, in bytes.
    left: usize,
    shown: Vec<ShownPart<'t>>,
    is_shown: Vec<bool>,
}

impl<'t> PartChoice<'_, 't> {
    /// Returns the headings that a part still needs, the nearest first, and their cost in bytes.
    fn headings_of(&self, at: usize) -> (Vec<usize>, usize) {
        let above = std::iter::successors(self.parts[at].heading, |&at| self.parts[at].heading);
        let headings: Vec<usize> = above.filter(|&at| !self.is_shown[at]).collect();
        let costs = headings
            .iter()
            .map(|&at| self.parts[at].text.len() + self.margin + CLIP_MARK.len());
        let cost = costs.sum();
        (headings, cost)
    }

    fn push(&mut self, index: usize, text: Cow<'t, str>) {
        self.is_shown[index] = true;
        let mut cost = text.len() + self.margin;
        // A mark stands where what follows is left out.
        if self.is_shown.get(index + 1) == Some(&false) {
            cost += CLIP_MARK.len();
        }
        if index > 0 && self.is_shown[index - 1] {
            self.left += CLIP_MARK.len();
        }
        self.left = self.left.saturating_sub(cost);
        self.shown.push(ShownPart {
            index,
            line: self.parts[index].line,
            text,
        });
    }

    fn push_headings(&mut self, headings: Vec<usize>) {
        for at in headings {
            self.push(at, fold_line(self.parts[at].text, usize::MAX));
        }
    }

    /// Returns true if a sentence fits as a whole with its headings.
    fn fits(&self, at: usize) -> bool {
        let (_, cost) = self.headings_of(at);
        let most = self
            .left
            .saturating_sub(self.margin + cost + CLIP_MARK.len());
        self.parts[at].text.len() <= most.min(self.longest)
    }

    /// Adds a sentence, shortened if need be, behind the one that it speaks of.
    fn add_sentence(&mut self, at: usize) {
        if leans_on_previous(self.parts, at) && !self.is_shown[at - 1] {
            let both = self.parts[at - 1].text.len() + self.parts[at].text.len();
            if both + 2 * self.margin + CLIP_MARK.len() <= self.left {
                self.add_sentence_within(at - 1, self.left);
            } else if !WISHES.has_words(self.parts[at].text) {
                return;
            }
        }

        self.add_sentence_within(at, self.left);
    }

    /// Adds a sentence with its headings in at most `room` bytes.
    fn add_sentence_within(&mut self, at: usize, room: usize) {
        let (headings, cost) = self.headings_of(at);
        // It may need a mark behind it.
        let room = room.min(self.left);
        let most = room.saturating_sub(self.margin + cost + CLIP_MARK.len());
        let text = fold_line(self.parts[at].text, self.longest);
        // The beginning of a sentence that asks for nothing says nothing.
        if text.len() > most && self.parts[at].worth < LEAST_OF_CLIPPED {
            return;
        }
        if let Some(text) = shorten(text, most.min(self.longest)) {
            self.push_headings(headings);
            self.push(at, text);
            self.add_announced(at);
        }
    }

    /// Adds the short part behind a wish or a condition that announces it: `if tables change, write a patch:`.
    fn add_announced(&mut self, at: usize) {
        let Some(next) = self.parts.get(at + 1) else {
            return;
        };
        let text = self.parts[at].text;
        let is_announced = text.ends_with([':', '：'])
            && (WISHES.has_words(text) || CONDITIONS.has_words(text))
            && next.line > self.parts[at].line
            && !next.is_heading
            && next.group.is_none()
            && !is_item(next.text)
            && !self.is_shown[at + 1];
        let cost = next.text.len() + self.margin + CLIP_MARK.len();
        if is_announced && next.text.len() <= LONGEST_ANNOUNCED && cost <= self.left {
            self.push(at + 1, fold_line(next.text, usize::MAX));
        }
    }

    /// Adds a block of code if it fits.
    fn add_block(&mut self, at: usize) {
        let (headings, cost) = self.headings_of(at);
        let lines = block_at(self.parts, at);
        let folded: Vec<Cow<'t, str>> = (lines.iter())
            .map(|part| fold_line(part.text, usize::MAX))
            .collect();
        let lengths = folded
            .iter()
            .map(|line| line.len() + self.margin + CLIP_MARK.len());
        let length: usize = lengths.sum();
        if length + cost <= self.left {
            self.push_headings(headings);
            for (number, line) in folded.into_iter().enumerate() {
                self.push(at + number, line);
            }
        }
    }
}

/// Returns true for a sentence that says nothing without the one before it: `But it may have reasons.`
fn leans_on_previous(parts: &[RequestPart<'_>], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|before| &parts[before]) else {
        return false;
    };
    let first = parts[at].text.split([' ', ',']).next().unwrap_or_default();
    let is_near = before.line + 1 >= parts[at].line && !before.is_heading && !is_item(before.text);
    is_near
        && !is_item(parts[at].text)
        && before.group.is_none()
        && (LEANING_WORDS.iter()).any(|word| first.eq_ignore_ascii_case(word))
}

/// Shortens a sentence to `most` bytes. Of one whose end limits it, the end stays: `delete all …, but
/// never those of 2019`. Returns `None` if too little would be left of it.
fn shorten(text: Cow<'_, str>, most: usize) -> Option<Cow<'_, str>> {
    if text.len() <= most {
        return (!text.is_empty()).then_some(text);
    }
    let clipped = clip_line(&text, most)?;
    let lost = floor_char(&text, clipped.len().saturating_sub(CLIP_MARK.len()));
    if let Some(limit) = limit_behind(&text, lost) {
        let end = clip_line(limit, most * LIMIT_SHARE / 100)?;
        let start = clip_line(&text, most.saturating_sub(end.len() + 1))?;
        let both = format!("{start} {end}");
        return (both.len() <= most && start.len() >= LEAST_START).then_some(Cow::Owned(both));
    }
    (clipped.len() >= LEAST_CLIPPED).then(|| Cow::Owned(clipped.into_owned()))
}

/// Returns the clauses from the first on that limits a sentence behind a place in it.
fn limit_behind(sentence: &str, place: usize) -> Option<&str> {
    let from = sentence[..place].rfind(CLAUSE_MARKS).unwrap_or(place);
    let starts = sentence[from..].match_indices(CLAUSE_MARKS);
    let mut starts = starts.map(|(at, mark)| from + at + mark.len());
    let start = starts.find(|&at| {
        let clause = &sentence[at..];
        let end = clause.find(CLAUSE_MARKS).unwrap_or(clause.len());
        WISHES.has_words(&clause[..end])
    })?;
    Some(sentence[start..].trim_start())
}

/// Marks between the clauses of a sentence.
const CLAUSE_MARKS: [char; 4] = [',', ';', '，', '；'];
/// The most that the end of a shortened sentence has, in hundredths, and the least bytes of its start.
const LIMIT_SHARE: usize = 60;
const LEAST_START: usize = 24;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::extract::render::long_requests::fold_request;

    #[test]
    fn what_limits_a_sentence_stays() {
        let limited = "Please delete the orders of all the customers that we have in the old table of the shop, but only those of the year 2019, and never those of Mia.";
        assert_eq!(
            shorten(Cow::Borrowed(limited), 120).unwrap(),
            "Please delete the orders of all the customers that we have … but only those of the year 2019, and never those of Mia."
        );
    }

    #[test]
    fn what_leans_on_a_sentence_stands_only_behind_it() {
        let story = "It is an old story of the mill, and nobody knows how it will end. ".repeat(9);
        let text = format!(
            "The mill stops.\n{story}\nI would like a new wheel for it, of oak. But there should be reasons that it has none.\n{story}"
        );
        for room in 100..500 {
            let told = fold_request("", "", &text, room).unwrap().text;
            assert!(
                !told.contains("But there should") || told.contains("a new wheel"),
                "{room}: {told}"
            );
        }
        assert!(
            fold_request("", "", &text, 400)
                .unwrap()
                .text
                .contains("But there should")
        );
    }
}
