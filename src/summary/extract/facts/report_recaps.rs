//! Folds the list in a report of the assistant into a line: what each item says first.

use super::next_steps::steps_heading;
use crate::summary::extract::labels::REPORTED;
use crate::summary::extract::lex::clip::{CLIP_MARK, clip_line};
use crate::summary::extract::lex::fold::fold_line;

/// Minimum number of items of a list that tells what was done.
const LEAST_ITEMS: usize = 3;
/// The least and the most bytes of an item, and the most of the line.
const LEAST_ITEM: usize = 32;
const LONGEST_ITEM: usize = 60;
const LONGEST_RECAP: usize = 300;
/// Number of spaces before an item from which on it belongs to the one above.
const SUB_INDENT: usize = 2;
/// The mark around stressed words, and between items.
const STRESS_MARK: &str = "**";
const ITEM_END: &str = "; ";

/// Returns the items of a report on a line, without the steps that are left to do. Returns `None` if it has
/// too few.
pub(super) fn recap_of(report: &str) -> Option<String> {
    let end = steps_heading(report).unwrap_or(report.len());
    let mut is_code = false;
    let items = report[..end].lines().filter(|line| {
        is_code ^= line.trim_start().starts_with("```");
        !is_code
    });
    let items: Vec<&str> = items.filter_map(item_of).collect();
    if items.len() < LEAST_ITEMS {
        return None;
    }
    // Of many items, the first words of each say more than all of a few.
    let longest = (LONGEST_RECAP / items.len()).clamp(LEAST_ITEM, LONGEST_ITEM);
    let mut recap = REPORTED.to_owned();
    for (number, item) in items.iter().enumerate() {
        let item = without_addresses(&item.replace(STRESS_MARK, ""));
        let folded = fold_line(&item, usize::MAX);
        let Some(item) = clip_line(folded.trim_end_matches(['.', ':']), longest) else {
            continue;
        };
        let separator = if number == 0 { "" } else { ITEM_END };
        if recap.len() + separator.len() + item.len() > LONGEST_RECAP {
            let end = recap.strip_suffix(CLIP_MARK).unwrap_or(&recap).len();
            recap.truncate(end);
            recap.push_str(CLIP_MARK);
            break;
        }
        recap.push_str(separator);
        recap.push_str(&item);
    }
    Some(recap)
}

/// Returns a text with the texts of its links, without where they lead: `[pump.rs](/srv/pump.rs)`.
fn without_addresses(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("](")
        && let Some((words, link)) = before.rsplit_once('[')
        && let Some((_, behind)) = after.split_once(')')
    {
        plain.push_str(words);
        plain.push_str(link);
        rest = behind;
    }
    plain.push_str(rest);
    plain
}

/// Returns the text of an item that belongs to no other.
fn item_of(line: &str) -> Option<&str> {
    let text = line.trim_start_matches(' ');
    if line.len() - text.len() >= SUB_INDENT {
        return None;
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let item = if digits > 0 {
        text[digits..].strip_prefix(['.', ')'])?
    } else {
        text.strip_prefix(['-', '*', '•'])?
    };
    let item = item.strip_prefix(' ')?.trim();
    item.chars().any(char::is_alphanumeric).then_some(item)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_folded_by_its_items() {
        let report = "All is done.\n\n1. **Valve**: it opens again.\n   - by hand\n2. **Pump**: `pump.rs` runs at half its speed, because the wheel of the mill turns too fast in spring.\n* Mill [painted](/srv/mill.md) twice\n```\n- no item\n```\n\n## Next steps\n- test it";
        assert_eq!(
            recap_of(report).unwrap(),
            "Reported: Valve: it opens again; Pump: `pump.rs` runs at half its speed, because the …; Mill painted twice"
        );
        assert!(recap_of("- one\n- two\n\n**Remaining:**\n- three\n- four").is_none());
        assert!(
            recap_of(&"- an item that is rather long\n".repeat(40))
                .unwrap()
                .len()
                <= LONGEST_RECAP + CLIP_MARK.len()
        );
    }
}
