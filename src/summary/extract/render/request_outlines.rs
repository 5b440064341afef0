//! Outlines a specification that is far longer than its room: the names of its sections, and of those about the
//! work in hand what stands below them. Single sentences of it would say nothing.

use super::chosen_parts::{ShownPart, choose_parts};
use super::request_parts::{RequestPart, forbids};
use crate::summary::extract::ablation::SummaryRule;
use crate::summary::extract::lex::clip::{CLIP_MARK, clip_line};
use crate::summary::extract::lex::fold::fold_line;
use hashbrown::HashSet;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::ops::Range;

/// Minimum room in bytes of an outline.
const LEAST_ROOM: usize = 460;
/// How many times as long as its room a request is at least, and how many sections it has at least.
const LEAST_TIMES_ROOM: usize = 12;
const LEAST_SECTIONS: usize = 6;
/// The part of the room that sentences have: rules, and what is wanted.
const SENTENCE_SHARE: usize = 55;
/// Maximum length in bytes of a name below a section, and of a section with such names.
const LONGEST_NAME: usize = 56;
const LONGEST_SECTION: usize = 220;
/// Between a section and the names below it, and between these.
const BELOW: &str = ": ";
const NEXT_NAME: &str = "; ";
/// What ends the name that an item begins with: `OddsBar — takes a number`.
const NAME_ENDS: [&str; 4] = [" — ", " – ", " - ", ": "];

/// A section about the work in hand.
struct FocusedSection {
    /// The parts of the section, with its heading.
    range: Range<usize>,
    /// How much its headings say of the work in hand.
    focus: usize,
}

/// Returns the outline of a request, in at most `room` bytes with `margin` bytes for each line. `telling` are the
/// numbers of `telling_words`. Returns `None` if it is no long specification.
pub(super) fn outline_request<'t>(
    parts: &[RequestPart<'t>],
    telling: &[usize],
    room: usize,
    margin: usize,
) -> Option<Vec<ShownPart<'t>>> {
    let length: usize = parts.iter().map(|part| part.text.len()).sum();
    if room < LEAST_ROOM
        || length < room * LEAST_TIMES_ROOM
        || SummaryRule::RequestOutlines.is_off()
    {
        return None;
    }
    let sections = top_sections(parts)?;
    let first = sections[0].start;
    let mut focused: Vec<FocusedSection> = (sections.into_iter())
        .filter(|range| !limits_something(parts, range))
        .map(|range| FocusedSection {
            focus: focus_of(parts, &range, telling),
            range,
        })
        .filter(|section| section.focus > 0)
        .collect();
    // The names of other sections say less than sentences.
    if focused.is_empty() {
        return None;
    }
    focused.sort_by_key(|section| (Reverse(section.focus), section.range.start));
    let mut outline = RequestOutline::new(parts, first, room, margin);
    for section in &focused {
        outline.add_section(&section.range);
    }
    Some(outline.finish())
}

/// An outline that is being written.
struct RequestOutline<'p, 't> {
    parts: &'p [RequestPart<'t>],
    margin: usize,
    /// Room that is left, in bytes.
    left: usize,
    shown: Vec<ShownPart<'t>>,
}

impl<'p, 't> RequestOutline<'p, 't> {
    /// Begins with the title above the part `first` and with the sentences that say most.
    fn new(parts: &'p [RequestPart<'t>], first: usize, room: usize, margin: usize) -> Self {
        let mut outline = Self {
            parts,
            margin,
            left: room,
            shown: choose_parts(parts, room * SENTENCE_SHARE / 100, margin),
        };
        if let Some(title) = title_of(parts, first, margin) {
            outline.shown.retain(|part| part.index != title.index);
            outline.shown.push(title);
        }
        let costs = outline.shown.iter().map(|part| outline.cost_of(&part.text));
        outline.left = room.saturating_sub(costs.sum());
        outline
    }

    /// Returns the bytes of a line, with the mark of a gap behind it.
    fn cost_of(&self, line: &str) -> usize {
        line.len() + self.margin + CLIP_MARK.len()
    }

    /// Adds a section if it fits. Its heading may stand above a sentence already.
    fn add_section(&mut self, section: &Range<usize>) {
        let heading = &self.parts[section.start];
        let text = section_line(self.parts, section);
        let at = (self.shown.iter()).position(|part| part.index == section.start);
        let paid = at.map_or(0, |at| self.cost_of(&self.shown[at].text));
        let cost = self.cost_of(&text);
        let says_more = text.len() > heading.text.len();
        if cost > self.left + paid || (at.is_some() && !says_more) {
            return;
        }
        self.left = self.left + paid - cost;
        let part = ShownPart {
            index: section.start,
            line: heading.line,
            text: Cow::Owned(text),
        };
        match at {
            Some(at) => self.shown[at] = part,
            None => self.shown.push(part),
        }
    }

    /// Returns the lines in the order of the request.
    fn finish(mut self) -> Vec<ShownPart<'t>> {
        self.shown.sort_unstable_by_key(|part| part.index);
        self.shown
    }
}

/// Returns the title above the first section.
fn title_of<'t>(parts: &[RequestPart<'t>], first: usize, margin: usize) -> Option<ShownPart<'t>> {
    let index = (0..first).find(|&at| parts[at].is_heading && parts[at].level == 1)?;
    let text = fold_line(parts[index].text, LONGEST_SECTION - margin);
    Some(ShownPart {
        index,
        line: parts[index].line,
        text,
    })
}

/// Returns the sections of the highest level that has enough of them, each with its heading. A section ends at the
/// next heading of its level or of a higher one.
fn top_sections(parts: &[RequestPart<'_>]) -> Option<Vec<Range<usize>>> {
    let mut levels = 1..=RequestPart::UNMARKED_LEVEL;
    let starts = levels.find_map(|level| {
        let is_start = |at: &usize| parts[*at].is_heading && parts[*at].level == level;
        let starts: Vec<usize> = (0..parts.len()).filter(is_start).collect();
        (starts.len() >= LEAST_SECTIONS).then_some(starts)
    })?;
    let end_of = |start: usize| {
        let ends = |at: &usize| parts[*at].is_heading && parts[*at].level <= parts[start].level;
        (start + 1..parts.len()).find(ends).unwrap_or(parts.len())
    };
    Some(starts.iter().map(|&start| start..end_of(start)).collect())
}

/// Returns true if a heading of a section, or one above it, forbids or leaves out something.
fn limits_something(parts: &[RequestPart<'_>], section: &Range<usize>) -> bool {
    let mut headings = section.clone().filter(|&at| parts[at].is_heading);
    // A heading knows the one above it that forbids.
    parts[section.start].heading.is_some() || headings.any(|at| forbids(parts[at].text))
}

/// Returns how much the headings of a section say of the work in hand.
fn focus_of(parts: &[RequestPart<'_>], section: &Range<usize>, telling: &[usize]) -> usize {
    let headings = section.clone().filter(|&at| parts[at].is_heading);
    let below: usize = headings.map(|at| telling[at]).sum();
    // The name of the section says most.
    telling[section.start] * 4 + below
}

/// Returns a section with the names of what stands below it: of its headings, else of its items.
fn section_line(parts: &[RequestPart<'_>], section: &Range<usize>) -> String {
    let below = || section.clone().skip(1);
    let nearest = below()
        .filter(|&at| parts[at].is_heading)
        .map(|at| parts[at].level)
        .min();
    let names: Vec<&str> = match nearest {
        Some(level) if level < RequestPart::UNMARKED_LEVEL => below()
            .filter(|&at| parts[at].is_heading && parts[at].level == level)
            .map(|at| parts[at].text)
            .collect(),
        _ => below()
            .filter(|&at| !parts[at].is_heading && !forbids(parts[at].text))
            .filter_map(|at| item_name(parts[at].text))
            .collect(),
    };
    let mut line = parts[section.start]
        .text
        .trim_end_matches([':', '：'])
        .to_owned();
    let mut seen = HashSet::new();
    let mut separator = BELOW;
    for name in names.into_iter().filter(|name| seen.insert(*name)) {
        let name = fold_line(name, LONGEST_NAME);
        line.push_str(separator);
        line.push_str(&name);
        separator = NEXT_NAME;
    }
    clip_line(&line, LONGEST_SECTION).map_or_else(String::new, Cow::into_owned)
}

/// Returns the name that an item begins with. Returns `None` for a sentence.
fn item_name(item: &str) -> Option<&str> {
    let item = item.trim_start_matches(['-', '*', '•', ' ']);
    let ends = NAME_ENDS.iter().filter_map(|end| item.find(end));
    let name = &item[..ends.min()?];
    let is_name = !name.is_empty() && name.split_whitespace().count() <= 3;
    is_name.then_some(name)
}

#[cfg(test)]
mod tests {
    use crate::summary::extract::facts::focus_words::FocusWords;
    use crate::summary::extract::facts::work_in_hand::WorkInHand;
    use crate::summary::extract::render::long_requests::fold_request_about;

    /// Returns work in hand that is about some words.
    fn about(focus: FocusWords) -> WorkInHand {
        WorkInHand {
            focus,
            ..WorkInHand::default()
        }
    }

    /// Returns sections of a long specification, each with one below it.
    fn eleven_rooms() -> String {
        let story = "It is an old story of the mill, and nobody knows how it will end. ".repeat(9);
        (1..12)
            .map(|number| format!("## Room {number}\n{story}\n### Door {number}\n{story}\n"))
            .collect()
    }

    #[test]
    fn what_is_left_out_is_not_named() {
        let rooms = eleven_rooms();
        let text = format!(
            "# The mill\n{rooms}## The cellar\n- Barrels — stand on the left\n- Wine — leave it out of this version\n# Out of scope\n## The cellar door\n- Lock — of iron\n"
        );
        let focus = FocusWords::of(&["Build the cellar of the house"]);
        let block = fold_request_about("", "", &text, 500, &about(focus)).unwrap();
        assert!(
            block.text.contains("The cellar: Barrels")
                && !block.text.contains("Wine")
                && !block.text.contains("The cellar door: ")
                && (!block.text.contains("Lock") || block.text.contains("Out of scope")),
            "{}",
            block.text
        );
    }

    #[test]
    fn a_long_specification_is_told_by_its_sections() {
        let rooms = eleven_rooms();
        let text = format!(
            "# The mill\n{rooms}## The cellar\n- Barrels — stand on the left\n- Lamp — hangs from the ceiling\n"
        );
        let focus = FocusWords::of(&["Build the cellar of the house"]);
        let work = about(focus);
        let block = fold_request_about("", "", &text, 500, &work).unwrap();
        assert!(
            block.text.contains("The cellar: Barrels; Lamp") && block.text.len() <= 500,
            "{}",
            block.text
        );
        assert!(block.text.starts_with("The mill\n"), "{}", block.text);
        for room in 100..900 {
            let block = fold_request_about("", "", &text, room, &work);
            assert!(block.is_none_or(|block| block.text.len() <= room), "{room}");
        }
    }
}
