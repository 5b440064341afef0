//! Shortens a long request to the sentences that say most of what is wanted: what it is about, its
//! wishes, conditions and limits, where a fault lies, and its end.

use super::chosen_parts::{ShownPart, block_at, choose_parts};
use super::focused_parts::{telling_words, weigh_focus};
use super::part_places::weigh_places;
use super::request_parts::RequestPart;
use super::sentence_worth::{CONDITIONS, NO_WORTH, TASKS};
use super::shortened_lists::shorten_items;
use super::split_requests::split_request;
use crate::summary::extract::ablation::SummaryRule;
use crate::summary::extract::facts::passages::KeptLines;
use crate::summary::extract::facts::standing_wishes::WISHES;
use crate::summary::extract::facts::work_in_hand::WorkInHand;
use crate::summary::extract::lex::blocks::{FoldedBlock, fold_block, fold_block_ends};
use crate::summary::extract::lex::clip::{CLIP_MARK, GAP_BEFORE};
use crate::summary::extract::lex::frame::escape_heading;
use crate::summary::extract::lex::wrapped_lines::join_wrapped;
use std::borrow::Cow;

/// Before the further lines of a request.
pub(super) const INDENT: &str = "  ";
/// Number of bytes that are not worth a gap in a request.
const SMALL_REST: usize = 48;
/// Minimum room in bytes in which sentences are chosen.
const LEAST_FOR_CHOICE: usize = 100;

/// Returns the room of a request that costs `cost` bytes: where little of it would be left out, all of it
/// stays.
pub(super) fn with_small_rest(room: usize, cost: usize) -> usize {
    if cost <= room + SMALL_REST {
        room.max(cost)
    } else {
        room
    }
}

/// Folds a request into lines of at most `room` bytes together, with `label` before the first line
/// and `indent` before the others. Returns `None` if nothing fits.
pub(super) fn fold_request(
    label: &str,
    indent: &str,
    text: &str,
    room: usize,
) -> Option<FoldedBlock> {
    fold_request_about(label, indent, text, room, &WorkInHand::default())
}

/// Folds a request as `fold_request` does. Of a long one, what it says of the work in hand goes first.
pub(super) fn fold_request_about(
    label: &str,
    indent: &str,
    text: &str,
    room: usize,
    work: &WorkInHand,
) -> Option<FoldedBlock> {
    let block = fold_block_ends(label, indent, text, room)?;
    if block.is_complete || room < LEAST_FOR_CHOICE || SummaryRule::LongRequests.is_off() {
        return Some(block);
    }
    let joined = join_wrapped(text);
    let mut parts = split_request(&joined, room);
    drop_kept_code(&mut parts, &work.kept_lines);
    weigh_places(&mut parts, room);
    let room_of_lines = room.saturating_sub(label.len() + GAP_BEFORE.len() + CLIP_MARK.len());
    let margin = indent.len() + 1;
    let chosen = shorten_items(&parts, room_of_lines, margin).unwrap_or_else(|| {
        let telling = telling_words(&parts, &work.focus);
        weigh_focus(&mut parts, &telling);
        choose_parts(&parts, room_of_lines, margin)
    });
    // Between both ends of sentences that are too long, nobody sees what is left out.
    let written = write_parts(label, indent, &chosen, parts.len());
    Some(written.unwrap_or_else(|| fold_block(label, indent, text, room).unwrap_or(block)))
}

/// Takes all worth from the blocks of code whose lines stand in the messages that stay, too.
fn drop_kept_code(parts: &mut [RequestPart<'_>], kept: &KeptLines) {
    for at in 0..parts.len() {
        if parts[at].group != Some(at) {
            continue;
        }
        let (mut lines, mut kept_lines) = (0, 0);
        for part in block_at(parts, at) {
            lines += 1;
            kept_lines += usize::from(kept.contain(part.text));
        }
        // Beside the summary, nothing says what was said of it here: `never run these:`.
        let is_said_of = parts[at].heading.is_some_and(|heading| {
            let intro = parts[heading].text;
            WISHES.has_words(intro) || CONDITIONS.has_words(intro) || TASKS.has_words(intro)
        });
        if kept_lines * 100 >= lines * KEPT_SHARE && !is_said_of {
            parts[at].worth = NO_WORTH;
        }
    }
}

/// The lines of such a block that stand there, in hundredths of all.
const KEPT_SHARE: usize = 60;

/// Writes chosen parts: sentences of a line that follow each other stand in a line.
fn write_parts(
    label: &str,
    indent: &str,
    chosen: &[ShownPart<'_>],
    count: usize,
) -> Option<FoldedBlock> {
    let mut text = String::new();
    let mut before: Option<&ShownPart<'_>> = None;
    for part in chosen {
        // Without a mark, what stands around a gap would speak of each other.
        let is_gap = before.is_some_and(|before| before.index + 1 < part.index);
        if is_gap && !text.ends_with(CLIP_MARK) {
            text.push_str(CLIP_MARK);
        }
        let follows =
            before.is_some_and(|before| before.line == part.line && before.index + 1 == part.index);
        if follows {
            text.push(' ');
            text.push_str(&part.text);
        } else {
            let start = if before.is_none() { label } else { indent };
            text.push_str(if before.is_none() { "" } else { "\n" });
            text.push_str(start);
            if before.is_none() && part.index > 0 {
                text.push_str(GAP_BEFORE);
            }
            text.push_str(&if start.is_empty() {
                escape_heading(&part.text)
            } else {
                Cow::Borrowed(part.text.as_ref())
            });
        }
        before = Some(part);
    }
    let last = before?;
    if last.index + 1 < count && !text.ends_with(CLIP_MARK) {
        text.push_str(CLIP_MARK);
    }
    Some(FoldedBlock {
        text,
        is_complete: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wishes_in_the_middle_stay() {
        let story: String = (0..20)
            .map(|number| format!("It is story {number} of the pump. "))
            .collect();
        let text = format!(
            "Fix the pump.\n{story}\n## Rules\n- Never push to main.\n- See the log.\n{story}\nThat is all of it."
        );
        let block = fold_request("", "", &text, 500).unwrap();
        assert!(
            block.text.starts_with("Fix the pump.\n")
                && block.text.contains("\nRules\n- Never push to main.\n")
                && block.text.ends_with("That is all of it.")
                && block.text.len() <= 500
                && !block.is_complete,
            "{}",
            block.text
        );
        for room in 0..900 {
            let length = fold_request("> ", "  ", &text, room).map_or(0, |block| block.text.len());
            assert!(length <= room, "{room}");
        }
    }

    #[test]
    fn between_two_ends_of_long_sentences_nothing_is_joined() {
        let half = "i think that all of the wheels which stand in the cellar of the mill ought to be named there one by one and as empty if they are";
        let text = format!("{half}.  {half} as long as the folder of the mill is there");
        let told = fold_request("> ", "  ", &text, 110).unwrap().text;
        assert!(!told.contains("the folder of the mill"), "{told}");
    }

    #[test]
    fn what_the_user_would_like_goes_before_what_leads_to_it() {
        let text = "ULTRATHINK this one.  I am running the mill on water and I would like to create a process that automatically writes a log of each turn of the wheel into a folder of the mill.  search the web and your books to find where the wheel keeps its marks.  it is my understanding that it may already be saved somewhere on the wheel.  so search the mill for clues and we can test out a proof of it";
        let text = fold_request("", "", text, 260).unwrap().text;
        assert!(text.contains("I would like to create a process"), "{text}");
    }

    #[test]
    fn a_condition_goes_before_what_stands_around_it() {
        let text = "Also, let me know how much of the certificate will be used for the flights that I have in mind. If more than $100 of it is wasted, take my card instead. I look forward to it, because it is a long time since I was there.";
        assert_eq!(
            fold_request("> ", "  ", text, 104).unwrap().text,
            "> … If more than $100 of it is wasted, take my card instead. …"
        );
    }

    #[test]
    fn what_forbids_a_list_stays() {
        let story = "It is an old story of the mill, and nobody knows how it will end. ".repeat(9);
        let list = format!(
            "{story}\nUnder no circumstances do the following:\n- Please run the migration against prod/db.sql.\n- Please add a column.\n{story}"
        );
        for room in 100..500 {
            let text = fold_request("", "", &list, room).unwrap().text;
            assert!(
                !text.contains("- Please") || text.contains("Under no circumstances"),
                "{room}: {text}"
            );
        }
    }

    #[test]
    fn a_very_long_request_is_cut_between_sentences() {
        let story = "x".repeat(200) + ". ";
        let text = format!(
            "{}never ever remove the {} database. Go on.",
            story.repeat(80),
            "y".repeat(4075)
        );
        let block = fold_request("", "", &text, 600).unwrap();
        assert!(!block.text.contains("database"), "{}", block.text);
        let inline = format!(
            "{story}\n```npm test``` is run here.\nYou must never push to main.\n{}",
            story.repeat(20)
        );
        let block = fold_request("", "", &inline, 400).unwrap();
        assert!(block.text.contains("never push to main"), "{}", block.text);
    }

    #[test]
    fn what_the_user_says_behind_a_document_stays() {
        let document: String = (0..30)
            .map(|number| format!("The mill must have room {number} for the flour of the valley\n"))
            .collect();
        let text = format!(
            "The mill\n{document}here is what i have to build. use oak although it says pine. make two barns. ok now make a plan"
        );
        let block = fold_request("", "", &text, 500).unwrap();
        assert!(
            block
                .text
                .contains("use oak although it says pine. make two barns."),
            "{}",
            block.text
        );
    }

    #[test]
    fn half_of_a_block_of_code_is_not_shown() {
        let code = "let a = only_never;\n".repeat(20);
        let text = format!(
            "The parser fails since March:\n```\n{code}KeyError: 'valve'\n```\nI believe the problem is in `lex.rs` on line 12, where it returns. It is old. Two ways come to mind:\n1. Go back.\n2. Go on.\n```\ngo(1)\nend(1)\n```"
        );
        assert_eq!(
            fold_request("", "", &text, 250).unwrap().text,
            "The parser fails since March: …\nKeyError: 'valve'\nI believe the problem is in `lex.rs` on line 12, where it returns. It is old. Two ways come to mind:\n1. Go back.\n2. Go on.\ngo(1)\nend(1)"
        );
    }

    #[test]
    fn an_address_stands_behind_the_sentence_that_introduces_it() {
        let story = "It is an old story of the mill, and nobody knows how it will end. ".repeat(9);
        let text = format!(
            "The mill stops.\n{story}\nA page that tells of all this at length:\n\nhttps://example.org/mill.py#L40\n{story}"
        );
        for room in 100..700 {
            let block = fold_request("", "", &text, room).unwrap();
            assert!(
                !block.text.contains("https://")
                    || block
                        .text
                        .contains("A page that tells of all this at length:\nhttps://"),
                "{room}: {}",
                block.text
            );
        }
    }

    #[test]
    fn a_sentence_that_was_wrapped_stays_whole() {
        let story = "It is an old story of the mill, and nobody knows how it will end. ".repeat(9);
        let wish = "You must never open the main valve of the mill while the wheel turns in the\nspring flood.";
        let text = format!("The mill stops.\n{story}\n{wish}\n{story}");
        let block = fold_request("", "", &text, 300).unwrap();
        assert!(
            block.text.contains("turns in the spring flood."),
            "{}",
            block.text
        );
    }

    #[test]
    fn what_stands_below_a_number_is_not_shown_without_it() {
        let story = "It is an old story of the mill, and nobody knows how it will end. ".repeat(12);
        let text = format!(
            "Build the mill.\n{story}\n1. The wheel turns by itself in the spring flood of the year\n- it is green\n2. The gate keeps the water out of the mill in every season\n- it must never open\n{story}"
        );
        for room in 150..600 {
            let text = fold_request("", "", &text, room).unwrap().text;
            assert!(
                !text.contains("never open") || text.contains("2. The gate"),
                "{room}: {text}"
            );
            assert!(
                !text.contains("is green") || text.contains("1. The wheel"),
                "{room}: {text}"
            );
        }
    }
}
