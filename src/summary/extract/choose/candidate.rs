//! A line that may be in the summary, and what it says.

use crate::summary::extract::prelude::*;
use crate::summary::extract::session::Word;
use crate::summary::extract::session::glossary::{IN_GOAL, IN_KEPT, IN_NEWEST};

/// What a line is. The order is that of the weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Kind {
    /// A sentence of the first request.
    Goal,
    /// A sentence of the newest request.
    Newest,
    /// A sentence of another request.
    Request,
    /// A sentence that forbids, requires, prefers or sets a value.
    Constraint,
    /// A call with its outcome.
    Call,
    /// A record.
    Row,
    /// A sentence in which the assistant finds or decides something.
    Finding,
    Error,
    /// A line of an earlier summary.
    Earlier,
    /// A file that was written, read or deleted.
    Written,
    Read,
    Deleted,
    /// A step that an earlier summary calls open.
    Open,
    /// A single name.
    Reference,
}

/// The names of all kinds in a table of weights, in order.
#[rustfmt::skip]
pub(crate) const KIND_NAMES: [&str; Kind::Reference as usize + 1] = [
    "goal", "newest", "request", "constraint", "call", "row", "finding", "error", "earlier", "written", "read",
    "deleted", "open", "reference",
];

/// What a mechanism knows of its line. What it does not know is 0.
#[derive(Debug, Default, Clone)]
pub(crate) struct Signs {
    /// The number of the line among those of its message, and how many there are.
    pub number: usize,
    pub of: usize,
    /// 1 or 2 for a sentence that binds.
    pub binding: u8,
    /// The text is around a known envelope.
    pub is_around: bool,
    /// The call failed, the line tells a failure.
    pub failed: bool,
    /// The call changes something, or runs something.
    pub changes: bool,
    pub runs: bool,
    /// How many calls were the same before.
    pub repeats: usize,
    /// The sentence tells, or announces.
    pub tells: bool,
    pub announces: bool,
    /// The line is code, or an item of a list.
    pub is_code: bool,
    pub is_item: bool,
    /// The number of records in the same result.
    pub siblings: usize,
    /// The message ends a turn: the user speaks next.
    pub ends_turn: bool,
    /// It was in an earlier summary.
    pub is_earlier: bool,
    /// It is the newest line of its kind.
    pub is_newest: bool,
}

/// A line that may be in the summary.
#[derive(Debug, Clone)]
pub(crate) struct Candidate<'s> {
    pub kind: Kind,
    /// The index of the message that it is about, and its place there: the order of lines.
    pub message: usize,
    pub place: usize,
    /// The text, without the mark of its kind.
    pub text: Cow<'s, str>,
    /// Lines with the same group share a heading: a table, a request, the key of references.
    pub group: usize,
    /// The heading of the group; empty if the kind has one for all.
    pub heading: Cow<'s, str>,
    /// What the mechanism knows.
    pub signs: Signs,
    /// The words of the sentence that it is, if they were read.
    pub words: Option<Range<usize>>,
}

/// So many bytes more or less make no difference to the words of a line.
const LITTLE: usize = 16;

impl<'s> Candidate<'s> {
    /// Returns a line about the message `at.0`, where it is at place `at.1`.
    pub(crate) const fn new(
        kind: Kind,
        at: (usize, usize),
        text: Cow<'s, str>,
        signs: Signs,
    ) -> Self {
        Self {
            kind,
            message: at.0,
            place: at.1,
            text,
            group: 0,
            heading: Cow::Borrowed(""),
            signs,
            words: None,
        }
    }

    /// Returns the line with the words of its sentence, unless the sentence says much more than the line.
    pub(crate) fn of_sentence(mut self, words: &Option<Range<usize>>, length: usize) -> Self {
        if self.text.len().abs_diff(length) <= LITTLE {
            self.words.clone_from(words);
        }
        self
    }

    /// Returns the line under a heading.
    pub(crate) fn under(mut self, group: usize, heading: Cow<'s, str>) -> Self {
        (self.group, self.heading) = (group, heading);
        self
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LineWord {
    /// Its number: the same in all lines.
    pub number: u32,
    /// 100 for a word of every message, 1000 for one that occurs once.
    pub rarity: i32,
}

/// What a line says: each word and name once.
#[derive(Debug, Default, Clone)]
pub(crate) struct LineTerms {
    words: Range<usize>,
    names: Range<usize>,
    /// The sum of the rarities of its words.
    pub rarity: i64,
    /// How many of its words a kept message, the first and the newest request say.
    pub kept: usize,
    pub in_goal: usize,
    pub in_newest: usize,
}

/// The words and names of all lines.
#[derive(Debug, Default)]
pub(crate) struct TermsOfLines {
    lines: Vec<LineTerms>,
    words: Vec<LineWord>,
    names: Vec<u32>,
    /// The numbers of words that no message says in these letters, such as a tool's name.
    others: SymbolMap<u32>,
    /// The line that a word was last seen in, counted from 1, by its number.
    seen: Vec<u32>,
}

/// The bytes of a usual word with the blank behind it.
const USUAL_WORD: usize = 6;

impl TermsOfLines {
    pub(crate) fn read(lines: &[Candidate<'_>], glossary: &Glossary<'_>) -> Self {
        let bytes: usize = lines.iter().map(|line| line.text.len()).sum();
        let mut terms = Self {
            lines: Vec::with_capacity(lines.len()),
            words: Vec::with_capacity(bytes / USUAL_WORD),
            seen: vec![0; glossary.len()],
            ..Self::default()
        };
        for line in lines {
            let read = terms.read_line(line, glossary);
            terms.lines.push(read);
        }
        terms
    }

    fn read_line(&mut self, line: &Candidate<'_>, glossary: &Glossary<'_>) -> LineTerms {
        let (words, names) = (self.words.len(), self.names.len());
        let mut read = LineTerms::default();
        if let Some(said) = &line.words {
            for &number in glossary.said(said.clone()) {
                self.push(number as usize, glossary, &mut read);
            }
        } else {
            let stamp = self.lines.len() as u32 + 1;
            visit_tokens(&line.text, &mut |token| {
                let number = glossary.find(token.symbol);
                let number = number.unwrap_or_else(|| self.other_word(token.symbol));
                if std::mem::replace(&mut self.seen[number], stamp) != stamp {
                    self.push(number, glossary, &mut read);
                }
            });
        }
        if line.kind == Kind::Reference {
            self.names.truncate(names);
            self.names.push(line.place as u32);
        }
        read.words = words..self.words.len();
        read.names = names..self.names.len();
        read
    }

    fn push(&mut self, number: usize, glossary: &Glossary<'_>, read: &mut LineTerms) {
        let word = glossary.word(number);
        read.count(word);
        self.names.extend(word.name);
        self.words.push(LineWord { number: number as u32, rarity: word.rarity });
    }

    /// Returns the number of a word that no message says in these letters.
    fn other_word(&mut self, symbol: Symbol) -> usize {
        let next = self.seen.len() as u32;
        let number = *self.others.entry(symbol).or_insert(next);
        if number == next {
            self.seen.push(0);
        }
        number as usize
    }

    pub(crate) fn of(&self, line: usize) -> &LineTerms {
        &self.lines[line]
    }

    pub(crate) fn words(&self, line: usize) -> &[LineWord] {
        &self.words[self.lines[line].words.clone()]
    }

    /// Returns the places of a line's names among all names.
    pub(crate) fn names(&self, line: usize) -> &[u32] {
        &self.names[self.lines[line].names.clone()]
    }

    /// The number of words.
    pub(crate) fn count(&self) -> usize {
        self.seen.len()
    }
}

impl LineTerms {
    fn count(&mut self, word: Word) {
        self.rarity += i64::from(word.rarity);
        self.kept += usize::from(word.flags & IN_KEPT != 0);
        self.in_goal += usize::from(word.flags & IN_GOAL != 0);
        self.in_newest += usize::from(word.flags & IN_NEWEST != 0);
    }
}
