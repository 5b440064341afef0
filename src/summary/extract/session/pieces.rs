//! What the user said, sentence by sentence, with what a later sentence made of it.

use super::user_text::is_tag_line;
use super::{Request, Session, SymbolMap};
use crate::summary::extract::lexicon::{BINDING, COMMANDING, CONDITIONS, ORDERS, TAKING_BACK};
use crate::summary::extract::text::phrases::{PhraseSearch, build_search, has_phrase};
use crate::summary::extract::text::sentences::{Piece, visit_pieces};
use crate::summary::extract::text::{Symbol, TokenKind, floor_char, symbol_of, visit_tokens};
use hashbrown::HashSet;
use std::borrow::Cow;
use std::sync::LazyLock;

/// How strongly a sentence binds what follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Binding {
    /// It tells something.
    No,
    /// It orders something or sets a value.
    Weak,
    /// It forbids, requires, limits or prefers.
    Strong,
}

/// A sentence of the user.
#[derive(Debug)]
pub(crate) struct UserPiece<'t> {
    /// The place of its request among all requests.
    pub request: usize,
    /// The index of the message.
    pub message: usize,
    /// Its number in the request, and how many there are.
    pub number: usize,
    pub of: usize,
    /// The text.
    pub text: &'t str,
    /// True for a block of code.
    pub is_code: bool,
    /// True for an item of a list.
    pub is_item: bool,
    /// True for text around a known envelope.
    pub is_around: bool,
    /// How strongly it binds.
    pub binding: Binding,
    /// The words that say what it is about.
    pub words: Vec<Symbol>,
    /// True if the user replaced it or took it back later.
    pub is_over: bool,
}

/// The most sentences of a request that are read, at its beginning and at its end.
const MOST_FIRST: usize = 160;
const MOST_LAST: usize = 80;
/// The longest sentence that is an order or sets a value, in bytes.
const LONGEST_ORDER: usize = 240;
/// The beginning of a sentence in which a word that binds is an order, in bytes.
const OPENING: usize = 24;
/// The longest line that sets a value, in bytes.
const LONGEST_SETTING: usize = 110;
/// The longest name of a value, in bytes.
const LONGEST_LABEL: usize = 32;
/// The shortest sentence that is left out where it is repeated, in bytes.
const LEAST_REPEATED: usize = 32;
/// The most constraints that are compared with later sentences.
const MOST_COMPARED: usize = 200;

/// Returns the sentences of all requests, oldest first.
pub(crate) fn user_pieces<'s>(session: &'s Session<'_>) -> Vec<UserPiece<'s>> {
    let mut pieces = Vec::new();
    let mut said_before = SymbolMap::default();
    for (request, said) in session.requests.iter().enumerate() {
        push_pieces(request, said, &mut said_before, &mut pieces);
    }
    mark_overtaken(&mut pieces);
    pieces
}

/// Pushes the sentences of a request, but for long ones that were said before in the same words.
fn push_pieces<'s>(
    request: usize,
    said: &'s Request<'_>,
    said_before: &mut SymbolMap<()>,
    pieces: &mut Vec<UserPiece<'s>>,
) {
    let start = pieces.len();
    for part in &said.parts {
        visit_pieces(part.text, &mut |piece| {
            let is_repeated = piece.text.len() >= LEAST_REPEATED
                && said_before.insert(symbol_of(piece.text), ()).is_some();
            if !is_form(piece) && !is_repeated {
                pieces.push(UserPiece {
                    request,
                    message: said.message,
                    number: 0,
                    of: 0,
                    text: piece.text,
                    is_code: piece.is_code,
                    is_item: piece.is_item,
                    is_around: part.is_around,
                    binding: Binding::No,
                    words: Vec::new(),
                    is_over: false,
                });
            }
        });
    }
    let all = pieces.len() - start;
    if all > MOST_FIRST + MOST_LAST {
        pieces.drain(start + MOST_FIRST..pieces.len() - MOST_LAST);
    }
    let of = pieces.len() - start;
    for (number, piece) in pieces[start..].iter_mut().enumerate() {
        (piece.number, piece.of) = (number, of);
        piece.binding = binding_of(piece);
        if piece.binding != Binding::No {
            piece.words = subject_words(piece.text);
        }
    }
}

/// Returns true for lines of forms and tags, which say nothing.
fn is_form(piece: Piece<'_>) -> bool {
    let text = piece.text;
    is_tag_line(text)
        || text.starts_with("<!--")
        || text.starts_with("[ ] ")
        || text.starts_with("[x] ")
        || text.starts_with("[X] ")
}

/// Returns how strongly a sentence binds.
fn binding_of(piece: &UserPiece<'_>) -> Binding {
    let text = piece.text;
    if piece.is_code || is_question(text) && !text.contains([',', '.']) {
        return Binding::No;
    }
    let told = without_own_lack(text);
    if has_phrase(&COMMANDING_SEARCH, told)
        || has_phrase(&BINDING_SEARCH, &told[..floor_char(told, OPENING)])
    {
        return Binding::Strong;
    }
    if has_phrase(&BINDING_SEARCH, told) {
        return Binding::Weak;
    }
    let first = text.split_whitespace().next().unwrap_or_default();
    let first = first
        .trim_matches(|c: char| !c.is_alphanumeric())
        .to_ascii_lowercase();
    let is_order =
        ORDERS.contains(&first.as_str()) || is_conditional_order(text) || sets_value(text);
    if text.len() <= LONGEST_ORDER && is_order {
        return Binding::Weak;
    }
    Binding::No
}

/// Returns a sentence without its beginning up to `I don't` or `I can't`: what the speaker lacks binds
/// nobody, but for what one does not want.
fn without_own_lack(text: &str) -> &str {
    if !LACKS_SEARCH
        .as_ref()
        .is_some_and(|search| search.is_match(text))
    {
        return text;
    }
    let lower = text.to_ascii_lowercase();
    for lack in OWN_LACKS {
        if let Some((before, after)) = lower.split_once(lack)
            && (before.is_empty() || before.ends_with([' ', ',']))
            && !WANTS
                .iter()
                .any(|want| after.trim_start().starts_with(want))
        {
            return &text[text.len() - after.len()..];
        }
    }
    text
}

/// What the speaker does not do, and the words behind that which make it a wish.
const OWN_LACKS: [&str; 6] = [
    "i don't", "i do not", "i can't", "i cannot", "i won't", "i'm not",
];
const WANTS: [&str; 7] = ["want", "need", "like", "care", "wish", "mind", "accept"];

fn is_question(text: &str) -> bool {
    text.ends_with(['?', '？'])
}

/// Returns true for `If …, do this`.
fn is_conditional_order(text: &str) -> bool {
    let Some((condition, order)) = text.rsplit_once(", ") else {
        return false;
    };
    let word = |text: &str| {
        text.split_whitespace()
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase()
    };
    CONDITIONS.contains(&word(condition).as_str()) && ORDERS.contains(&word(order).as_str())
}

/// Returns true for `Name: value`.
fn sets_value(text: &str) -> bool {
    let Some((label, value)) = text.split_once([':', '=']) else {
        return false;
    };
    let (label, value) = (label.trim(), value.trim());
    if text.len() > LONGEST_SETTING {
        return false;
    }
    !label.is_empty()
        && label.len() <= LONGEST_LABEL
        && !value.is_empty()
        && !value.starts_with('/')
        && !label.contains(['/', '<'])
}

static COMMANDING_SEARCH: PhraseSearch = LazyLock::new(|| build_search(COMMANDING));
static BINDING_SEARCH: PhraseSearch = LazyLock::new(|| build_search(BINDING));
static TAKING_SEARCH: PhraseSearch = LazyLock::new(|| build_search(TAKING_BACK));
static LACKS_SEARCH: PhraseSearch = LazyLock::new(|| build_search(&OWN_LACKS));
static BINDING_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| BINDING.iter().copied().collect());

/// Returns the words and names of a sentence, but for those of binding phrases and the shortest words.
fn subject_words(text: &str) -> Vec<Symbol> {
    let mut words = Vec::new();
    visit_tokens(text, &mut |token| {
        let is_said = token.kind != TokenKind::Word
            || token.text.len() > 3
            || !token.text.is_ascii()
            || token.text.bytes().any(|byte| byte.is_ascii_digit());
        if !is_said {
            return;
        }
        let word = stem(token.text);
        if !BINDING_WORDS.contains(word.as_ref()) && !BINDING_WORDS.contains(token.text) {
            let symbol = symbol_of(&word);
            if !words.contains(&symbol) {
                words.push(symbol);
            }
        }
    });
    words
}

/// Returns a word in lower case without the ending of a plural.
fn stem(word: &str) -> Cow<'_, str> {
    let has_plural = |word: &str| word.len() > 4 && word.ends_with('s') && !word.ends_with("ss");
    if word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        let end = word.len() - usize::from(has_plural(word));
        return Cow::Borrowed(&word[..end]);
    }
    let mut word = word.to_lowercase();
    if has_plural(&word) {
        word.pop();
    }
    Cow::Owned(word)
}

/// Marks sentences that a later request of the user replaces or takes back.
fn mark_overtaken(pieces: &mut [UserPiece<'_>]) {
    let bound: Vec<usize> = (0..pieces.len())
        .filter(|&at| pieces[at].binding != Binding::No)
        .collect();
    let bound = &bound[bound.len().saturating_sub(MOST_COMPARED)..];
    let requests = pieces.last().map_or(0, |piece| piece.request + 1);
    if requests < 2 {
        return;
    }
    for at in 0..pieces.len() {
        if pieces[at].request == 0 || pieces[at].is_code {
            continue;
        }
        let takes_back = has_phrase(&TAKING_SEARCH, pieces[at].text);
        if pieces[at].binding == Binding::No && !takes_back {
            continue;
        }
        if pieces[at].words.is_empty() {
            pieces[at].words = subject_words(pieces[at].text);
        }
        let later = &pieces[at];
        let before = bound
            .iter()
            .take_while(|&&earlier| pieces[earlier].request < later.request);
        let over: Vec<usize> = before
            .copied()
            .filter(|&earlier| overtakes(later, &pieces[earlier], takes_back))
            .collect();
        for earlier in over {
            pieces[earlier].is_over = true;
        }
    }
}

/// Returns true if a later sentence is about the subject of an earlier one.
fn overtakes(later: &UserPiece<'_>, earlier: &UserPiece<'_>, takes_back: bool) -> bool {
    if earlier.words.is_empty() || earlier.is_code {
        return false;
    }
    let shared = earlier
        .words
        .iter()
        .filter(|word| later.words.contains(word))
        .count();
    let most = earlier
        .words
        .len()
        .max(if takes_back { 0 } else { later.words.len() });
    let is_enough = shared >= 2 || takes_back && shared == earlier.words.len();
    is_enough && shared * 10 >= most * if takes_back { 5 } else { 6 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(text: &str) -> Binding {
        binding_of(&UserPiece {
            request: 0,
            message: 0,
            number: 0,
            of: 1,
            text,
            is_code: false,
            is_item: false,
            is_around: false,
            binding: Binding::No,
            words: Vec::new(),
            is_over: false,
        })
    }

    #[test]
    fn sentences_that_bind_are_told_from_others() {
        for text in [
            "Never push to main.",
            "Please don't touch it",
            "At most 3 retries.",
            "You must stop.",
            "Nicht den Ordner löschen.",
            "不要改动接口。",
            "절대 바꾸지 말고 반드시 테스트",
            "Sans toucher au parser",
        ] {
            assert_eq!(piece(text), Binding::Strong, "{text}");
        }
        for text in [
            "Use tabs.",
            "If it takes long, skip it.",
            "Budget: 400 dollars",
            "The parser drops comments and never says so.",
        ] {
            assert_eq!(piece(text), Binding::Weak, "{text}");
        }
        for text in [
            "I don't remember the id.",
            "The parser drops comments.",
            "Is it done?",
            "onlyness counts",
        ] {
            assert_eq!(piece(text), Binding::No, "{text}");
        }
    }
}
