//! What the user and the assistant said, sentence by sentence, with what a later sentence of the user made
//! of it.

use super::names::Mention;
use super::user_text::is_tag_line;
use crate::summary::extract::lexicon::{BINDING, PERMITTING, TAKING_BACK};
use crate::summary::extract::prelude::*;
use crate::summary::extract::text::sentences::{Piece, visit_pieces};

#[derive(Debug)]
pub(crate) struct UserPiece<'s> {
    /// The place of its request among all requests.
    pub request: usize,
    /// The index of the message.
    pub message: usize,
    /// Its number in the request, and how many there are.
    pub number: usize,
    pub of: usize,
    pub text: &'s str,
    /// Its words in the glossary; none if they were not read.
    pub words: Option<Range<usize>>,
    /// True for a block of code.
    pub is_code: bool,
    /// True for an item of a list.
    pub is_item: bool,
    /// True for text around a known envelope.
    pub is_around: bool,
    /// How strongly it binds.
    pub binding: Binding,
    /// True if the user replaced it or took it back later.
    pub is_over: bool,
}

/// A sentence of the assistant.
#[derive(Debug)]
pub(crate) struct ReplyPiece<'s> {
    /// The index of the message.
    pub message: usize,
    /// Its number in the reply, and how many there are.
    pub number: usize,
    pub of: usize,
    pub text: &'s str,
    /// Its words in the glossary.
    pub words: Range<usize>,
    /// True for an item of a list.
    pub is_item: bool,
}

/// The most sentences of a request that are read, at its beginning and at its end.
const MOST_FIRST: usize = 160;
const MOST_LAST: usize = 80;
/// The most bytes of a text that are read at each end.
const MOST_BYTES: usize = 12_000;
/// The shortest sentence that is left out where it is repeated, in bytes.
const LEAST_REPEATED: usize = 32;
/// The shortest sentence of the assistant that is told, in bytes.
const SHORTEST_TOLD: usize = 20;
/// The first bytes of a sentence that tell what it is about.
const MOST_SUBJECT: usize = 2_000;
/// The most constraints that are compared with later sentences.
const MOST_COMPARED: usize = 200;

#[derive(Debug, Default)]
pub(crate) struct Pieces<'s> {
    /// Those of the user, oldest first.
    pub of_user: Vec<UserPiece<'s>>,
    /// Those of the assistant that may tell something, oldest first.
    pub of_assistant: Vec<ReplyPiece<'s>>,
    requests: usize,
    said_before: SymbolMap<()>,
}

impl<'s> Pieces<'s> {
    /// Reads a request. Long sentences that were said before in the same words are left out.
    pub(crate) fn read_request(
        &mut self,
        said: &'s Request<'_>,
        mention: Mention<'s>,
        glossary: &mut Glossary<'s>,
    ) {
        glossary.begin_request();
        let start = self.of_user.len();
        for part in &said.parts {
            let ends = Ends::of(part.text);
            visit_pieces(part.text, &mut |piece| {
                let is_read = ends.hold(piece.text);
                let words = is_read.then(|| glossary.add_sentence(piece.text, mention));
                let is_repeated = piece.text.len() >= LEAST_REPEATED
                    && self.said_before.insert(symbol_of(piece.text), ()).is_some();
                if !is_form(piece) && !is_repeated {
                    self.of_user.push(UserPiece {
                        request: self.requests,
                        message: said.message,
                        number: 0,
                        of: 0,
                        text: piece.text,
                        words,
                        is_code: piece.is_code,
                        is_item: piece.is_item,
                        is_around: part.is_around,
                        binding: Binding::No,
                        is_over: false,
                    });
                }
            });
        }
        self.requests += 1;
        self.end_request(start);
    }

    fn end_request(&mut self, start: usize) {
        let all = self.of_user.len() - start;
        if all > MOST_FIRST + MOST_LAST {
            self.of_user.drain(start + MOST_FIRST..start + all - MOST_LAST);
        }
        let of = self.of_user.len() - start;
        for (number, piece) in self.of_user[start..].iter_mut().enumerate() {
            (piece.number, piece.of) = (number, of);
            if !piece.is_code {
                piece.binding = binding_of(piece.text);
            }
        }
    }

    /// Reads a reply. Only sentences that are long enough to tell something are kept.
    pub(crate) fn read_reply(
        &mut self,
        reply: &'s Reply<'_>,
        mention: Mention<'s>,
        glossary: &mut Glossary<'s>,
    ) {
        let start = self.of_assistant.len();
        let ends = Ends::of(&reply.text);
        visit_pieces(&reply.text, &mut |piece| {
            if !ends.hold(piece.text) {
                return;
            }
            let words = glossary.add_sentence(piece.text, mention);
            if !piece.is_code && may_tell(piece.text) {
                self.of_assistant.push(ReplyPiece {
                    message: reply.message,
                    number: self.of_assistant.len() - start,
                    of: 0,
                    text: piece.text,
                    words,
                    is_item: piece.is_item,
                });
            }
        });
        let of = self.of_assistant.len() - start;
        for piece in &mut self.of_assistant[start..] {
            piece.of = of;
        }
    }

    /// Ends the reading: marks sentences that a later request of the user replaces or takes back.
    pub(crate) fn finish(&mut self) {
        if self.requests > 1 {
            mark_overtaken(&mut self.of_user);
        }
    }
}

struct Ends {
    start: usize,
    length: usize,
}

impl Ends {
    fn of(text: &str) -> Self {
        Self { start: text.as_ptr() as usize, length: text.len() }
    }

    /// Returns true if a part of the text begins in one of them.
    fn hold(&self, part: &str) -> bool {
        let at = part.as_ptr() as usize - self.start;
        at < MOST_BYTES || at + MOST_BYTES >= self.length
    }
}

/// Returns true for a sentence of the assistant that is no heading, tag or single word.
fn may_tell(text: &str) -> bool {
    text.len() >= SHORTEST_TOLD
        && !text.trim_end_matches('*').ends_with([':', '：'])
        && !text.starts_with('<')
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

static TAKING_SEARCH: LazySearch = LazyLock::new(|| PhraseSearch::new(&[TAKING_BACK, PERMITTING]));
const PERMITS: u8 = 2;
static BINDING_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| BINDING.iter().copied().collect());

/// A word or a name that says what a sentence is about.
#[derive(Debug, PartialEq)]
pub(crate) struct SubjectWord {
    symbol: Symbol,
    /// It is a number or a name: a wish for another one replaces this wish.
    is_value: bool,
}

/// Returns the words and names of a sentence, but for those of binding phrases and the shortest words.
pub(crate) fn subject_words(text: &str) -> Vec<SubjectWord> {
    let mut words: Vec<SubjectWord> = Vec::new();
    let told = &text[..floor_char(text, MOST_SUBJECT)];
    visit_tokens(told, &mut |token| {
        let is_value =
            token.kind != TokenKind::Word || token.text.bytes().any(|byte| byte.is_ascii_digit());
        let is_said = is_value || token.text.len() > 3 || !token.text.is_ascii();
        if !is_said {
            return;
        }
        let word = stem(token.text);
        if !BINDING_WORDS.contains(word.as_ref()) && !BINDING_WORDS.contains(token.text) {
            let word = SubjectWord { symbol: symbol_of(&word), is_value };
            if !words.contains(&word) {
                words.push(word);
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

/// What a sentence is about.
struct Subject {
    at: usize,
    request: usize,
    words: Vec<SubjectWord>,
}

/// Marks sentences that a later request of the user replaces or takes back.
fn mark_overtaken(pieces: &mut [UserPiece<'_>]) {
    let subject = |at: usize, piece: &UserPiece<'_>| Subject {
        at,
        request: piece.request,
        words: subject_words(piece.text),
    };
    let bound = pieces.iter().enumerate().rev();
    let bound = bound.filter(|(_, piece)| piece.binding != Binding::No);
    let mut bound: Vec<Subject> =
        bound.take(MOST_COMPARED).map(|(at, piece)| subject(at, piece)).collect();
    bound.reverse();
    for at in 0..pieces.len() {
        let piece = &pieces[at];
        if piece.request == 0 || piece.is_code {
            continue;
        }
        let taking = TAKING_SEARCH.find_lists(piece.text, 0).anywhere;
        if piece.binding == Binding::No && taking == 0 {
            continue;
        }
        let later = subject(at, piece);
        let before = bound.iter().take_while(|earlier| earlier.request < later.request);
        for earlier in before.filter(|earlier| overtakes(&later, earlier, taking)) {
            pieces[earlier.at].is_over = true;
        }
    }
}

/// Returns true if a later sentence replaces an earlier one: it says the same with another value, or takes
/// it back. A ban of one thing leaves that of another as it is, and so does a permission.
fn overtakes(later: &Subject, earlier: &Subject, taking: u8) -> bool {
    let (new, old) = (later.words.len(), earlier.words.len());
    let is_shared = |word: &SubjectWord| later.words.contains(word);
    let shared = earlier.words.iter().filter(|word| is_shared(word)).count();
    if taking == 0 {
        let mut others = earlier.words.iter().filter(|word| !is_shared(word));
        return shared >= 2 && shared * 10 >= old.max(new) * 6 && others.all(|word| word.is_value);
    }
    let permits_other = taking == PERMITS && !earlier.words.first().is_some_and(is_shared);
    let is_enough = shared >= 2 || shared == old;
    old > 0 && is_enough && !permits_other && shared * 2 >= old
}
