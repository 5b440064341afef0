//! Shortens the items of a request that is a list, so that none of them is left out.

use super::chosen_parts::ShownPart;
use super::request_parts::{RequestPart, is_item};
use super::sentence_worth::NO_WORTH;
use crate::summary::extract::lex::clip::{CLIP_MARK, clip_line, floor_char};
use crate::summary::extract::lex::fold::fold_line;
use crate::summary::extract::lex::phrase_search::PhraseSearch;
use crate::summary::extract::lexicon::sentence_words::EXCEPTION_WORDS;
use crate::summary::extract::lexicon::wish_words::CONSTRAINT_WORDS;
use std::borrow::Cow;
use std::sync::LazyLock;

/// Number of items from which on a request is a list, and the lengths in bytes that an item may have.
const LEAST_ITEMS: usize = 4;
const ITEM_LIMITS: [usize; 7] = [140, 120, 100, 84, 72, 62, 52];

/// Shortens the items of a request that is a list, as little as need be, so that all of it has `room` bytes:
/// without one of its items a list reads as if it had only the others. Returns `None` if it is no list, or
/// too long for that.
pub(super) fn shorten_items<'t>(
    parts: &[RequestPart<'t>],
    room: usize,
    margin: usize,
) -> Option<Vec<ShownPart<'t>>> {
    let says_something = |part: &RequestPart<'_>| part.worth > NO_WORTH;
    let telling = || parts.iter().filter(|part| says_something(part));
    let items = telling().filter(|part| is_item(part.text)).count();
    if items < LEAST_ITEMS || items * 2 < telling().count() {
        return None;
    }
    let limit_of = |part: &RequestPart<'_>, limit: usize| {
        let is_shortened = is_item(part.text) && part.group.is_none();
        if is_shortened { limit } else { usize::MAX }
    };
    // Where a part is left out, a mark stands.
    let margin = if telling().count() < parts.len() {
        margin + CLIP_MARK.len()
    } else {
        margin
    };
    let cost_of = |limit: usize| -> usize {
        let costs = telling().map(|part| {
            let length = part.text.len();
            let limit = limit_of(part, limit);
            if length <= limit {
                length + margin
            } else {
                limit + margin
            }
        });
        costs.sum()
    };
    let limit = ITEM_LIMITS
        .into_iter()
        .find(|&limit| cost_of(limit) <= room)?;
    let told = parts
        .iter()
        .enumerate()
        .filter(|(_, part)| says_something(part));
    let shown = told.map(|(index, part)| ShownPart {
        index,
        line: part.line,
        text: shorten_item(part.text, limit_of(part, limit)),
    });
    Some(shown.collect())
}

/// Shortens an item to `limit` bytes. Of one whose end holds figures or code, the end stays: `lock the account …
/// after 5 attempts`.
fn shorten_item(item: &str, limit: usize) -> Cow<'_, str> {
    if item.len() <= limit {
        return fold_line(item, limit);
    }
    let cut = item.floor_char_boundary(limit);
    let lost = &item[item[..cut].rfind(' ').unwrap_or(cut)..];
    let holds_value = lost.contains(|c: char| c.is_ascii_digit() || c == '`');
    let least = item.len() - limit * END_SHARE / 100;
    let end = item[item.ceil_char_boundary(least)..].split_once(' ');
    if let Some((_, end)) = end.filter(|(_, end)| holds_value && has_value(end))
        && let Some(start) = clip_line(item, limit.saturating_sub(end.len() + 1))
        && start.len() >= LEAST_START
        && !LIMITS.has_words(between(
            item,
            start.len().saturating_sub(CLIP_MARK.len()),
            end.len(),
        ))
    {
        return Cow::Owned(format!("{start} {}", fold_line(end, usize::MAX)));
    }
    fold_line(item, limit)
}

/// Returns what stands in an item between its first `start` and its last `end` bytes.
fn between(item: &str, start: usize, end: usize) -> &str {
    let until = item.len() - end;
    &item[floor_char(item, start.min(until))..until]
}

/// Searches for words that turn around what stands behind them.
static LIMITS: LazyLock<PhraseSearch> =
    LazyLock::new(|| PhraseSearch::new(&[CONSTRAINT_WORDS, EXCEPTION_WORDS]));

/// Returns true for a text with a figure or code.
fn has_value(text: &str) -> bool {
    text.contains(|c: char| c.is_ascii_digit() || c == '`')
}

/// The least bytes of the start of such an item.
const LEAST_START: usize = 28;
/// The most that the end of a shortened item has, in hundredths.
const END_SHARE: usize = 50;

#[cfg(test)]
mod tests {
    use crate::summary::extract::render::long_requests::fold_request;

    #[test]
    fn the_figures_at_the_end_of_an_item_stay() {
        let item = "- Implement the tracking of failed attempts and lock the account of the user after 5 attempts for 15 minutes";
        assert_eq!(
            super::shorten_item(item, 72),
            "- Implement the tracking of failed … after 5 attempts for 15 minutes"
        );
        assert!(super::shorten_item(&item.replace(['1', '5'], "x"), 72).ends_with('…'));
        let limited = "- Lock the account after failed logins of anybody else, but do not lock the accounts of the staff of floor 2";
        assert!(!super::shorten_item(limited, 72).contains("floor 2"));
    }

    #[test]
    fn an_item_of_any_script_is_shortened_between_its_characters() {
        for item in [
            "- 实现登录失败次数的跟踪，并在用户连续多次输入错误密码之后锁定该用户的账号，锁定时间为 15 分钟",
            "- Реализовать учёт неудачных попыток входа и блокировать запись пользователя магазина на 15 минут",
            "- Füge die Prüfung der Schlüssel für Köln hinzu und sperre jede ungültige Übergabe für 15 Minuten",
        ] {
            for limit in 0..item.len() {
                assert!(
                    !super::shorten_item(item, limit.max(52)).is_empty(),
                    "{limit}"
                );
            }
        }
    }

    #[test]
    fn the_items_of_a_list_are_shortened_before_one_is_left_out() {
        let items: Vec<String> = (1..8)
            .map(|number| format!("{number}. valve_{number}.rs holds the valve of pump {number}, and it tells all about how it opens and closes"))
            .collect();
        let text = format!(
            "Create these files:\n{}\nShow all of them.",
            items.join("\n")
        );
        for room in [460, 560, 620] {
            let block = fold_request("", "  ", &text, room).unwrap();
            assert!(block.text.len() <= room && !block.is_complete);
            for number in 1..8 {
                assert!(
                    block.text.contains(&format!("{number}. valve_{number}.rs")),
                    "{}",
                    block.text
                );
            }
            assert!(block.text.ends_with("Show all of them."), "{}", block.text);
        }
    }
}
