//! The messages that name an identifier, and what is around it there.

use crate::reporting::retention::passage::Passage;
use crate::reporting::retention::word_search::visit_occurrences;

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
    /// The last one.
    pub last: PassageMention,
}

/// A mention as it is spelled.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SpelledMention {
    /// The identifier.
    pub spelled: String,
    /// What is around it on its line.
    pub context: String,
}

/// Returns for each identifier, in lowercase, which of the messages name it. All are searched for at
/// once: messages and identifiers can both be as many as a session is long.
#[must_use]
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
#[must_use]
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
    fn mentions_are_found_and_spelled() {
        let texts =
            ["See Src/Main.rs", "x src/main.rs2", "a\nthen SRC/main.rs, then src/main.rs\nb", "no"];
        let passages = texts.map(|text| Passage::new(Role::User, text.to_owned(), Vec::new()));
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
