//! Quotes the user's requests besides the goal and the newest: few and whole, wishes first.

use super::long_requests::{INDENT, fold_request, with_small_rest};
use super::pointing_sentences::{KeptSentences, points_back, without_pointing};
use super::sentence_worth::CONDITIONS;
use super::short_replies::reply_with_question;
use crate::summary::extract::facts::conversation_facts::ConversationFacts;
use crate::summary::extract::facts::request_log::UserRequest;
use crate::summary::extract::facts::standing_wishes::{WISHES, is_momentary};
use crate::summary::extract::labels::{ANSWERED, USER_HEADING, USER_QUOTE};
use crate::summary::extract::lex::phrase_search::PhraseSearch;
use crate::summary::extract::lex::sentences::{LONGEST_SENTENCE, split_sentences};
use crate::summary::extract::lexicon::wish_words::{BAN_WORDS, DECISION_WORDS};
use std::borrow::Cow;
use std::sync::LazyLock;

/// Searches for words of bans and decisions, which hold on.
static BANS: LazyLock<PhraseSearch> =
    LazyLock::new(|| PhraseSearch::new(&[BAN_WORDS, DECISION_WORDS]));

/// Maximum length in bytes of a request that is searched for a wish.
const LONGEST_WISH: usize = 1200;
/// Number of quotations, the newest, that show more of a request than its wishes.
const NEW_QUOTATIONS: usize = 2;

/// Number of quotations with a wish, and of others, that share a large room, and the most bytes that each has
/// at least.
const WISHES_IN_ROOM: usize = 14;
const OTHERS_IN_ROOM: usize = 10;
const LONGEST_LEAST: usize = 280;
/// Minimum length in bytes of a quotation that says something without a question: `ok` does not.
pub(super) const LEAST_QUOTED: usize = 10;

/// The least bytes of a quotation with its label: half a sentence says nothing to go on from.
pub(super) struct LeastQuotation {
    /// Of a wish that holds for all that follows.
    wish: usize,
    other: usize,
}

impl LeastQuotation {
    /// Returns the least bytes in a room of `room` bytes beside results that are records or not, and
    /// beside a long goal or not.
    pub(super) fn of(is_tabular: bool, beside_long: bool, room: usize) -> Self {
        let (wish, other) = match (is_tabular, beside_long) {
            (true, _) => (60, 90),
            (false, false) => (150, 160),
            // Beside a long goal only a few quotations say something, but these are whole.
            (false, true) => (120, 160),
        };
        if is_tabular {
            return Self { wish, other };
        }
        // With more room they are longer rather than more.
        Self {
            wish: wish.max((room / WISHES_IN_ROOM).min(LONGEST_LEAST)),
            other: other.max((room / OTHERS_IN_ROOM).min(LONGEST_LEAST)),
        }
    }
}

/// The claim of a quotation on the room, the strongest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum QuotationClaim {
    /// A wish that holds for all that follows.
    Wish,
    /// What nobody answered so far, or what only tells something.
    Open,
    /// What was answered or done.
    Over,
}

/// A request as it is quoted.
pub(super) struct Quotation {
    text: String,
    /// The text is all of the request.
    is_whole: bool,
    /// It holds a wish that holds for all that follows.
    is_wish: bool,
    /// A note says that it was answered or done.
    is_over: bool,
}

impl Quotation {
    /// Returns the text of a request as it is quoted. `age` is the number of newer ones. Of an older
    /// request only the wishes count.
    pub(super) fn of(text: &str, age: usize) -> Self {
        if let Some(text) = without_pointing(text) {
            return Self {
                is_whole: false,
                ..Self::of(&text, age)
            };
        }
        let text = without_quoted_lines(text);
        let text = text.as_ref();
        let is_wish =
            text.len() <= LONGEST_WISH && (WISHES.has_words(text) || CONDITIONS.has_words(text));
        if is_wish && age >= NEW_QUOTATIONS {
            // `ok let's use rust.` is short.
            let sentences = text.lines().flat_map(split_sentences).map(str::trim);
            let is_standing = |sentence: &str| {
                sentence.len() <= LONGEST_SENTENCE
                    && (WISHES.has_words(sentence) || CONDITIONS.has_words(sentence))
                    && !points_back(sentence)
                    // What was to be done first is done.
                    && !is_momentary(sentence)
            };
            let wishes = join_with_gaps(sentences, is_standing, "\n");
            if !wishes.is_empty() && wishes.len() < text.len() {
                return Self {
                    text: wishes,
                    is_whole: false,
                    is_wish,
                    is_over: false,
                };
            }
        }
        Self {
            text: text.to_owned(),
            is_whole: true,
            is_wish,
            is_over: false,
        }
    }

    /// Returns a message of a conversation about records as it is quoted: of a long one, the sentences that
    /// tell what is so.
    pub(super) fn of_told(text: &str) -> Self {
        if text.len() <= LONGEST_TOLD {
            return Self::of(text, 0);
        }
        let sentences = text.lines().flat_map(split_sentences).map(str::trim);
        let telling = join_with_gaps(sentences, tells, " ");
        if telling.is_empty() {
            return Self::of(text, 0);
        }
        Self {
            is_whole: telling.len() >= text.len(),
            is_wish: WISHES.has_words(&telling) || CONDITIONS.has_words(&telling),
            text: telling,
            is_over: false,
        }
    }

    /// Returns an answer as it is quoted.
    pub(super) fn of_answer(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            is_whole: true,
            is_wish: WISHES.has_words(text),
            is_over: false,
        }
    }

    /// Adds a note to the quotation, if any word of the request is quoted. A ban holds on when it was answered.
    pub(super) fn with_note(mut self, note: &str) -> Self {
        let holds_on = WISHES.has_words(&self.text) || BANS.has_words(&self.text);
        if !(self.text.is_empty() || holds_on && note == ANSWERED) {
            self.text.push_str(note);
            self.is_over = !note.is_empty() && !holds_on;
        }
        self
    }

    /// Returns a short reply as it is quoted.
    pub(super) fn of_reply(facts: &ConversationFacts<'_>, reply: &UserRequest<'_>) -> Self {
        Self {
            text: reply_with_question(facts, reply),
            is_whole: true,
            is_wish: false,
            is_over: false,
        }
    }

    fn claim(&self) -> QuotationClaim {
        if self.is_over {
            QuotationClaim::Over
        } else if self.is_wish {
            QuotationClaim::Wish
        } else {
            QuotationClaim::Open
        }
    }

    /// Returns true if it says something.
    pub(super) fn says_something(&self) -> bool {
        self.text.len() >= LEAST_QUOTED
    }

    /// Returns its number of bytes with its line end.
    fn cost(&self) -> usize {
        self.text.len() + USER_QUOTE.len() + 1
    }
}

/// Joins the sentences that are wanted, with a mark in place of the others.
fn join_with_gaps<'t>(
    sentences: impl Iterator<Item = &'t str>,
    is_wanted: impl Fn(&str) -> bool,
    separator: &str,
) -> String {
    let mut kept = KeptSentences::default();
    for sentence in sentences {
        kept.observe(sentence, is_wanted(sentence), separator);
    }
    kept.finish()
}

/// Returns true for a sentence with a value, a quotation, a question, a wish or what is not so.
fn tells(sentence: &str) -> bool {
    let mut words = sentence.split(|c: char| !c.is_alphanumeric());
    let asks = sentence.len() >= LEAST_QUESTION && sentence.contains(['?', '？']);
    asks || sentence.contains(['"', '“'])
        || sentence.bytes().any(|byte| byte.is_ascii_digit())
        || WISHES.has_words(sentence)
        || CONDITIONS.has_words(sentence)
        || words.any(|word| DENYING_WORDS.contains(&word))
}

/// Maximum length in bytes of a message that is quoted as it is, and words of what is not so (`t` of `didn't`).
const LONGEST_TOLD: usize = 160;
const DENYING_WORDS: [&str; 5] = ["no", "not", "nothing", "none", "t"];
/// Minimum length in bytes of a question that says more than `What do we do next?`
const LEAST_QUESTION: usize = 24;

/// Returns a message without the lines in which the user quotes somebody, if any others say something.
fn without_quoted_lines(text: &str) -> Cow<'_, str> {
    if !text.lines().any(is_quoted) {
        return Cow::Borrowed(text);
    }
    let own: Vec<&str> = text.lines().filter(|line| !is_quoted(line)).collect();
    let own = own.join("\n");
    let own = own.trim();
    if own.contains(char::is_alphanumeric) {
        Cow::Owned(own.to_owned())
    } else {
        Cow::Borrowed(text)
    }
}

/// Returns true for a line of a quotation, as mails and Markdown mark it, and for a record of a log.
fn is_quoted(line: &str) -> bool {
    let line = line.trim_start();
    let is_logged = line.starts_with("{\"")
        && line.len() >= LEAST_LOGGED
        && LOGGED_KEYS.iter().any(|key| line.contains(key));
    line.starts_with("> ") || is_logged
}

/// Keys of the records of logs.
const LOGGED_KEYS: [&str; 3] = ["\"timestamp\":", "\"role\":", "\"toolCallId\":"];

/// Minimum length in bytes of a record that nobody types.
const LEAST_LOGGED: usize = 160;

/// Returns the number of bytes of a whole quotation with its line end.
pub(super) fn quotation_cost(request: &UserRequest<'_>) -> usize {
    request.text.len() + USER_QUOTE.len() + 1
}

/// The rendered quotations.
pub(super) struct QuotationLines {
    pub(super) lines: Vec<String>,
    /// No part of a request was left out.
    pub(super) is_complete: bool,
}

/// Renders the quotations that `room` bytes have a sentence for each.
pub(super) fn render_quotations(
    quoted: Vec<Quotation>,
    room: usize,
    least: &LeastQuotation,
) -> QuotationLines {
    let mut rendered = QuotationLines {
        lines: Vec::new(),
        is_complete: true,
    };
    let count = quoted.len();
    let selected = select_quotations(quoted, room, least);
    rendered.is_complete &= selected.len() == count;
    let costs = selected.iter().map(Quotation::cost);
    let mut left = room.saturating_sub(USER_HEADING.len() + 1);
    let most = equal_share(costs.collect(), left);
    for quotation in selected {
        let room = with_small_rest(most.min(left), quotation.cost()).min(left);
        let Some(block) = fold_request(USER_QUOTE, INDENT, &quotation.text, room) else {
            continue;
        };
        if rendered.lines.is_empty() {
            rendered.lines.push(USER_HEADING.to_owned());
        }
        left = left.saturating_sub(block.text.len() + 1);
        rendered.is_complete &= block.is_complete && quotation.is_whole;
        rendered.lines.push(block.text);
    }
    rendered
}

/// Returns the requests to quote, newest first: those with a wish that holds for all that follows
/// have the first claim on half of the room, then the newest. Each has at least the bytes of `least`, or
/// all that it needs. Leaves out repetitions.
fn select_quotations(
    mut quoted: Vec<Quotation>,
    room: usize,
    least: &LeastQuotation,
) -> Vec<Quotation> {
    let mut seen = hashbrown::HashSet::new();
    quoted.retain(|quotation| seen.insert(quotation.text.clone()));
    let mut left = room.saturating_sub(USER_HEADING.len() + 1);
    let mut is_selected = vec![false; quoted.len()];
    // The newest says what the work was about, whether it holds a wish or not.
    let newest = usize::from(quoted.first().is_some_and(|newest| !newest.is_over));
    let first = (0..newest).chain(first_wishes(&quoted).into_iter().filter(|at| *at > 0));
    for at in first {
        let room = quoted[at].cost().min(least.wish);
        if room <= left / 2 {
            left -= room;
            is_selected[at] = true;
        }
    }
    let claims = [
        QuotationClaim::Wish,
        QuotationClaim::Open,
        QuotationClaim::Over,
    ];
    for claim in claims {
        // Half of what is left is for what has less of a claim, or for other facts.
        let least_left = if claim == QuotationClaim::Open {
            0
        } else {
            left / 2
        };
        for (quotation, is_selected) in quoted.iter().zip(&mut is_selected) {
            if *is_selected || quotation.claim() > claim {
                continue;
            }
            let room = if claim == QuotationClaim::Wish {
                least.wish
            } else {
                least.other
            };
            let room = quotation.cost().min(room);
            if least_left + room > left {
                break;
            }
            left -= room;
            *is_selected = true;
        }
    }
    let selected = quoted.into_iter().zip(is_selected);
    selected
        .filter_map(|(quotation, is_selected)| is_selected.then_some(quotation))
        .collect()
}

/// Returns the indices of the wishes that go before others: the newest ones, and the longest, in which the
/// user said most of what is wanted, often early.
fn first_wishes(quoted: &[Quotation]) -> Vec<usize> {
    let wishes = || (0..quoted.len()).filter(|&at| quoted[at].is_wish);
    let mut first: Vec<usize> = wishes().take(NEW_QUOTATIONS).collect();
    let longest = wishes()
        .filter(|&at| quoted[at].text.len() >= LONG_WISH)
        .max_by_key(|&at| quoted[at].text.len());
    first.extend(longest.filter(|at| !first.contains(at)));
    first
}

/// Minimum length in bytes of a long wish.
const LONG_WISH: usize = 240;

/// Returns the largest limit for each length so that all lengths together have at most `room`.
fn equal_share(mut lengths: Vec<usize>, room: usize) -> usize {
    lengths.sort_unstable();
    let mut left = room;
    for (number, length) in lengths.iter().enumerate() {
        let share = left / (lengths.len() - number);
        if *length > share {
            return share;
        }
        left -= length;
    }
    usize::MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_log_says_is_not_the_users_words() {
        let record = format!(
            "{{\"type\":\"message\",\"timestamp\":1,\"text\":\"{}\"}}",
            "never oil it. ".repeat(20)
        );
        let quotation = Quotation::of(&format!("then mend this:\n\n{record}"), 0);
        assert_eq!(quotation.text, "then mend this:");
    }

    #[test]
    fn a_word_that_joins_clauses_points_to_nothing() {
        assert!(points_back("can you revert that?"));
        assert!(!points_back(
            "Please verify that everything works in Firefox"
        ));
    }

    #[test]
    fn a_note_alone_is_no_quotation() {
        let pointing = Quotation::of("can you revert that?", 0).with_note(" (reported done)");
        assert!(!pointing.says_something(), "{}", pointing.text);
        let wish = Quotation::of("never open the gate of the dam", 0).with_note(" (reported done)");
        assert_eq!(wish.text, "never open the gate of the dam (reported done)");
    }
}
