//! Shortens a long list of a record to what tells its items apart.

use super::record_values::{ITEM_END, RecordColumn};
use super::references::References;
use crate::summary::extract::lex::clip::OMISSION;
use crate::summary::extract::lex::identifier_kinds::{is_date, is_long_number, is_numbered_code};

/// Maximum length in bytes of a list that stays as it is.
const SHORT_LIST: usize = 44;
/// The chance, in ten thousandths, of a reference that stands for a list.
const LEAST_CHANCE: i32 = 200;

/// Returns what tells the items of a long list apart, and a mark that there is more: the codes and dates of
/// each item, also where a call needs only some of them, as half a list is read as all of it, and the
/// figures that may be needed. Of items without a code, all that may be needed; of those that nobody
/// needs, their number. Returns `None` for a short list.
pub(super) fn short_list(column: &RecordColumn, references: &References<'_>) -> Option<String> {
    if !column.is_nested || column.text.len() <= SHORT_LIST {
        return None;
    }
    let is_likely = |word: &str| {
        let at = references.index_of(word);
        at.is_some_and(|at| references.chance_at(at) >= LEAST_CHANCE)
    };
    let items: Vec<&str> = column.text.split(ITEM_END).collect();
    let is_code = |word: &str| is_numbered_code(word) || is_long_number(word);
    let has_codes = |item: &&str| words_of(item).any(is_code);
    let are_told_by_codes = items.iter().any(has_codes);
    let is_telling = |word: &&str| {
        if are_told_by_codes {
            is_code(word) || is_date(word.as_bytes())
        } else {
            is_likely(word)
        }
    };
    let shown: Vec<String> = items
        .iter()
        .map(|item| {
            let figures = words_of(item).filter(is_figure).count();
            // Of two figures nobody knows which one stands.
            let is_shown = |word: &&str| {
                is_telling(word) || (figures == 1 && is_figure(word) && is_likely(word))
            };
            let mut shown: Vec<&str> = words_of(item).filter(is_shown).collect();
            if !are_told_by_codes || shown.is_empty() {
                return shown;
            }
            let name: Vec<&str> = words_of(item).take(name_of(item)).collect();
            // What a named thing costs is asked for again.
            // Of two decimals nobody knows which one it is.
            let decimals: Vec<&str> = words_of(item).filter(|word| is_decimal(word)).collect();
            if let [price] = decimals[..]
                && !name.is_empty()
                && !shown.contains(&price)
            {
                shown.push(price);
            }
            [name, shown].concat()
        })
        .filter(|words| !words.is_empty())
        .map(|words| words.join(" "))
        .collect();
    let is_cut = column.text.ends_with(OMISSION);
    if shown.is_empty() {
        return (items.len() > 1 && !is_cut).then(|| items.len().to_string());
    }
    let has_more = is_cut || shown.iter().map(String::len).sum::<usize>() < column.text.len() / 2;
    // A date between two names would be read with the wrong one.
    let mut text = shown.join(if shown.iter().any(|item| item.contains(' ')) {
        ITEM_END
    } else {
        " "
    });
    if has_more {
        text.push(' ');
        text.push_str(OMISSION);
    }
    Some(text)
}

/// Returns true for a map from codes to one figure each, as of means of payment to what is left on them: a code
/// without its figure says nothing to choose by.
pub(super) fn holds_balances(column: &RecordColumn) -> bool {
    let entries: Vec<&str> = column.text.split(ENTRY_END).collect();
    column.is_nested && entries.len() > 1 && entries.iter().all(|entry| is_balance(entry))
}

/// Returns true for an entry that is a code with one figure: `gift_card_12 amount 150`.
fn is_balance(entry: &str) -> bool {
    let words: Vec<&str> = words_of(entry).collect();
    let [code, .., figure] = words[..] else {
        return false;
    };
    words.len() <= LONGEST_BALANCE
        && is_numbered_code(code)
        && is_figure(&figure)
        && words.iter().filter(|word| is_figure(word)).count() == 1
}

/// Between the entries of a map.
const ENTRY_END: &str = ", ";
/// Maximum number of words of an item that is a code with a figure.
const LONGEST_BALANCE: usize = 6;

/// Returns the number of words of the name that an item begins with, a few at most: `Desk Lamp 7453605304`.
fn name_of(item: &str) -> usize {
    let begins_large = item.starts_with(|c: char| c.is_uppercase());
    // A small word behind large ones is the label of what follows.
    let is_name = |word: &&str| {
        word.chars()
            .all(|c| c.is_alphabetic() || matches!(c, '-' | '\'' | '&' | '/'))
            && (!begins_large || !word.starts_with(|c: char| c.is_lowercase()))
    };
    words_of(item)
        .take(LONGEST_NAME)
        .take_while(is_name)
        .count()
}

/// Maximum number of words of a name.
const LONGEST_NAME: usize = 3;

/// Returns true for a number with decimals.
fn is_decimal(word: &str) -> bool {
    word.contains('.') && is_figure(&word)
}

/// Returns true for a number.
fn is_figure(word: &&str) -> bool {
    word.parse::<f64>().is_ok()
}

/// Returns the words of an item of a list.
fn words_of(item: &str) -> impl Iterator<Item = &str> {
    item.split([' ', ',']).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::extract::facts::records::records_of;
    use crate::summary::extract::lex::json_tree::parse_json_tree;

    #[test]
    fn a_map_of_means_of_payment_is_known() {
        let json = r#"{"user_id": "mia_li_3668", "payment_methods": {
            "gift_card_7091239": {"source": "gift_card", "amount": 157, "id": "gift_card_7091239"},
            "credit_card_9879898": {"source": "credit_card", "brand": "visa", "last_four": "9725", "id": "credit_card_9879898"}}}"#;
        let record = &records_of(&parse_json_tree(json).unwrap(), &[])[0];
        let map = record.column("payment_methods").unwrap();
        assert!(holds_balances(map));
        let json = r#"{"user_id": "mia_li_3668", "flights": [{"number": "HAT084", "price": 122, "date": "2024-05-28"}, {"number": "HAT085", "price": 12, "date": "2024-05-28"}]}"#;
        let record = &records_of(&parse_json_tree(json).unwrap(), &[])[0];
        assert!(!holds_balances(record.column("flights").unwrap()));
    }

    #[test]
    fn a_short_list_keeps_names_and_ids() {
        let json = r##"{"order_id": "#W527", "items": [
            {"name": "Desk Lamp", "item_id": "7453605304", "price": 150.01, "options": {"color": "silver", "brightness": "low", "power": "battery"}},
            {"name": "Backpack", "item_id": "2492465580", "options": {"color": "navy", "size": "small", "material": "nylon", "compartment": "laptop"}}]}"##;
        let record = &records_of(&parse_json_tree(json).unwrap(), &[])[0];
        assert_eq!(record.columns[0].identifiers, ["W527"]);
        let list = record.column("items").unwrap();
        assert_eq!(
            short_list(list, &References::new(1)).unwrap(),
            "Desk Lamp 7453605304 150.01; Backpack 2492465580 …"
        );
    }
}
