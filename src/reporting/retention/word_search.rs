//! Finds identifiers as whole words of a text.
//!
//! Texts and identifiers can both be as many as a session is long, so that many identifiers are
//! searched for at once.

use crate::reporting::retention::passage::Passage;
use aho_corasick::AhoCorasick;

/// The number of identifiers for which a search of the text for each is faster.
const FEW_IDENTIFIERS: usize = 16;
/// The length of the identifiers that are searched for at once. The search takes some 40 times this
/// memory.
const BATCH_BYTES: usize = if cfg!(test) { 64 } else { 2 << 20 };

/// Returns the byte offset of the first occurrence of each identifier in a text, all in lowercase.
///
/// Occurrences next to a letter, digit or `_` are left out.
pub(super) fn first_occurrences(identifiers: &[&str], text: &str) -> Vec<Option<usize>> {
    if identifiers.len() <= FEW_IDENTIFIERS {
        return identifiers
            .iter()
            .map(|identifier| find_occurrences(identifier, text).next())
            .collect();
    }
    let mut first = vec![None; identifiers.len()];
    visit_occurrences(identifiers, text, |number, at| {
        first[number].get_or_insert(at);
    });
    first
}

/// Returns true for each identifier that a text contains, all in lowercase.
pub(super) fn contains_each(identifiers: &[&str], text: &str) -> Vec<bool> {
    let first = first_occurrences(identifiers, text);
    first.into_iter().map(|at| at.is_some()).collect()
}

/// Returns true for each string that a text contains anywhere.
pub(super) fn contains_each_string(strings: &[&str], text: &str) -> Vec<bool> {
    if strings.len() <= FEW_IDENTIFIERS {
        let contained = strings.iter().map(|string| text.contains(string));
        return contained.collect();
    }
    let mut is_contained = vec![false; strings.len()];
    visit_matches(strings, text, |number, _, _| is_contained[number] = true);
    is_contained
}

/// Calls `visit` with the number of an identifier and the byte offset of an occurrence, for all
/// occurrences as whole words. Those of one identifier come in the order of the text.
pub(super) fn visit_occurrences(
    identifiers: &[&str],
    text: &str,
    mut visit: impl FnMut(usize, usize),
) {
    if identifiers.len() <= FEW_IDENTIFIERS {
        for (number, identifier) in identifiers.iter().enumerate() {
            find_occurrences(identifier, text).for_each(|at| visit(number, at));
        }
        return;
    }
    visit_matches(identifiers, text, |number, start, end| {
        if is_apart(text, start, end) {
            visit(number, start);
        }
    });
}

/// Calls `visit` with the number of a string and the range of a match, for all matches.
fn visit_matches(strings: &[&str], text: &str, mut visit: impl FnMut(usize, usize, usize)) {
    let mut from = 0;
    while from < strings.len() {
        let mut bytes = 0;
        let batch = strings[from..].iter().take_while(|string| {
            let is_within = bytes < BATCH_BYTES;
            bytes += string.len();
            is_within
        });
        let batch = &strings[from..from + batch.count()];
        match AhoCorasick::new(batch) {
            Ok(search) => {
                for found in search.find_overlapping_iter(text) {
                    let number = from + found.pattern().as_usize();
                    visit(number, found.start(), found.end());
                }
            }
            // A single string is longer than it can number.
            Err(_) => {
                for (number, string) in batch.iter().enumerate() {
                    for at in find_all(string, text) {
                        visit(from + number, at, at + string.len());
                    }
                }
            }
        }
        from += batch.len();
    }
}

/// Returns the byte offsets of an identifier in a text, both in lowercase.
///
/// Occurrences next to a letter, digit or `_` are left out.
pub(super) fn find_occurrences<'t>(
    identifier: &'t str,
    text: &'t str,
) -> impl Iterator<Item = usize> + 't {
    find_all(identifier, text).filter(move |&at| is_apart(text, at, at + identifier.len()))
}

/// Returns the byte offsets of a string in a text. Occurrences may overlap: in `xa-a-a`, only the
/// second `a-a` stands apart.
fn find_all<'t>(string: &'t str, text: &'t str) -> impl Iterator<Item = usize> + 't {
    let finder = memchr::memmem::Finder::new(string.as_bytes());
    let mut from = 0;
    std::iter::from_fn(move || {
        let rest = text.as_bytes().get(from..)?;
        let at = from + finder.find(rest)?;
        from = at + 1;
        Some(at)
    })
}

/// Returns true if no letter, digit or `_` is next to a part of a text.
fn is_apart(text: &str, start: usize, end: usize) -> bool {
    !text[..start].chars().next_back().is_some_and(is_word_char)
        && !text[end..].chars().next().is_some_and(is_word_char)
}

fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The bytes before an identifier that are shown with it.
const CONTEXT_BEFORE: usize = 80;
/// The most bytes of a line that are shown with an identifier.
const MAX_CONTEXT: usize = 200;

/// The first occurrence of an identifier in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PassageMention {
    /// The place of the message in the list.
    pub place: usize,
    /// The byte in its text in lowercase.
    at: usize,
}

/// Where an identifier is named first, and where last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PassageMentions {
    /// The first message that names it.
    pub first: PassageMention,
    pub last: PassageMention,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SpelledMention {
    /// The identifier.
    pub spelled: String,
    /// What is around it on its line.
    pub context: String,
}

/// Returns for each identifier, in lowercase, which of the messages name it. All are searched for at
/// once: messages and identifiers can both be as many as a session is long.
pub(crate) fn find_mentions(
    identifiers: &[&str],
    passages: &[&Passage],
) -> Vec<Option<PassageMentions>> {
    let mut text = String::new();
    let mut starts = Vec::with_capacity(passages.len());
    for passage in passages {
        starts.push(text.len());
        text.push_str(&passage.lower);
        text.push('\n');
    }
    let mut found: Vec<Option<PassageMentions>> = vec![None; identifiers.len()];
    visit_occurrences(identifiers, &text, |number, at| {
        let place = starts.partition_point(|start| *start <= at).saturating_sub(1);
        let at = at - starts[place];
        let here = PassageMention { place, at };
        let mentions = found[number].get_or_insert(PassageMentions { first: here, last: here });
        if mentions.last.place != place {
            mentions.last = here;
        }
    });
    found
}

/// Returns how an identifier is spelled at a byte of a message, given as its full text, and what
/// is around it.
pub(crate) fn spell_mention(
    full: &str,
    identifier: &str,
    mention: PassageMention,
) -> SpelledMention {
    let PassageMention { at, .. } = mention;
    // Few letters change their length with their case.
    let spelled = full.get(at..at + identifier.len());
    let spelled = spelled.filter(|spelled| spelled.to_lowercase() == identifier);
    let at = match spelled {
        Some(_) => at,
        None => full.find(identifier).unwrap_or(0),
    };
    SpelledMention {
        spelled: spelled.unwrap_or(identifier).to_owned(),
        context: line_around(full, at).to_owned(),
    }
}

/// Returns what is around a byte on its line.
fn line_around(full: &str, at: usize) -> &str {
    let near = full.ceil_char_boundary(at.saturating_sub(CONTEXT_BEFORE));
    let before = &full[near..at];
    let start = match before.rfind('\n') {
        Some(end) => near + end + 1,
        None if near == 0 || full[..near].ends_with('\n') => near,
        None => before.find(char::is_whitespace).map_or(at, |blank| near + blank),
    };
    let end = full.floor_char_boundary(start.saturating_add(MAX_CONTEXT));
    full[start..end].lines().next().unwrap_or_default().trim()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::transcript::Role;

    #[test]
    fn many_identifiers_are_found_where_each_alone_is_found() {
        let text = "xa-a-a b_1 b_11 /src/main.rs src/main.rs:3 né né1 é \n b_1";
        let wanted =
            "a-a a b_1 b_11 b_111 src/main.rs main.rs /src/main.rs né é xa-a-a rs:3".split(' ');
        // Long enough to be searched for at once, and in several batches.
        let long = "long".repeat(BATCH_BYTES / 8);
        let others: Vec<String> = (0..FEW_IDENTIFIERS).map(|n| format!("{n}{long}")).collect();
        let identifiers: Vec<&str> = others.iter().map(String::as_str).chain(wanted).collect();
        let first = first_occurrences(&identifiers, text);
        let alone = identifiers.iter().map(|name| find_occurrences(name, text).next());
        let alone: Vec<Option<usize>> = alone.collect();
        assert_eq!(first, alone);
        assert!(alone.iter().flatten().count() > 6);
        let mut all = vec![Vec::new(); identifiers.len()];
        visit_occurrences(&identifiers, text, |number, at| all[number].push(at));
        for (identifier, found) in identifiers.iter().zip(&all) {
            let alone: Vec<usize> = find_occurrences(identifier, text).collect();
            assert_eq!(found, &alone, "{identifier}");
        }
    }

    #[test]
    fn mentions_are_found_and_spelled() {
        let texts =
            ["See Src/Main.rs", "x src/main.rs2", "a\nthen SRC/main.rs, then src/main.rs\nb", "no"];
        let passages = texts.map(|text| Passage::said(Role::User, text));
        let passages: Vec<&Passage> = passages.iter().collect();
        let found = find_mentions(&["src/main.rs", "nowhere"], &passages);
        let [Some(mentions), None] = found.as_slice() else {
            panic!("{found:?}");
        };
        assert_eq!((mentions.first.place, mentions.last.place), (0, 2));
        let spelled = spell_mention(texts[2], "src/main.rs", mentions.last);
        assert_eq!(spelled.spelled, "SRC/main.rs");
        assert_eq!(spelled.context, "then SRC/main.rs, then src/main.rs");
    }

    #[test]
    fn long_lines_are_cut_around_a_mention() {
        let full = format!("{} name {}", "before ".repeat(40), "behind ".repeat(40));
        let at = full.find("name").unwrap();
        let context = line_around(&full, at);
        assert!(context.starts_with("before") && context.contains(" name behind"));
        assert!(context.len() <= MAX_CONTEXT);
    }
}
