//! The words and names of the lines, read once for all of the choice.

use super::candidate::{Candidate, Kind};
use crate::summary::extract::session::vocabulary::{IN_GOAL, IN_KEPT, IN_NEWEST};
use crate::summary::extract::session::{SymbolMap, Vocabulary, Word};
use crate::summary::extract::text::{Symbol, visit_tokens};
use std::ops::Range;

/// A word of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LineWord {
    /// Its number: the same in all lines.
    pub number: u32,
    /// 100 for a word of every message, 1000 for one that stands once.
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
    /// Reads lines.
    pub(crate) fn read(lines: &[Candidate<'_>], vocabulary: &Vocabulary<'_>) -> Self {
        let bytes: usize = lines.iter().map(|line| line.text.len()).sum();
        let mut terms = Self {
            lines: Vec::with_capacity(lines.len()),
            words: Vec::with_capacity(bytes / USUAL_WORD),
            seen: vec![0; vocabulary.len()],
            ..Self::default()
        };
        for line in lines {
            let read = terms.read_line(line, vocabulary);
            terms.lines.push(read);
        }
        terms
    }

    fn read_line(&mut self, line: &Candidate<'_>, vocabulary: &Vocabulary<'_>) -> LineTerms {
        let (words, names) = (self.words.len(), self.names.len());
        let mut read = LineTerms::default();
        if let Some(said) = &line.words {
            for &number in vocabulary.said(said.clone()) {
                self.push(number as usize, vocabulary, &mut read);
            }
        } else {
            let stamp = self.lines.len() as u32 + 1;
            visit_tokens(&line.text, &mut |token| {
                let number = vocabulary.find(token.symbol);
                let number = number.unwrap_or_else(|| self.other_word(token.symbol));
                if std::mem::replace(&mut self.seen[number], stamp) != stamp {
                    self.push(number, vocabulary, &mut read);
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

    fn push(&mut self, number: usize, vocabulary: &Vocabulary<'_>, read: &mut LineTerms) {
        let word = vocabulary.word(number);
        read.count(word);
        self.names.extend(word.name);
        self.words.push(LineWord {
            number: number as u32,
            rarity: word.rarity,
        });
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

    /// Returns what a line says.
    pub(crate) fn of(&self, line: usize) -> &LineTerms {
        &self.lines[line]
    }

    /// Returns the words of a line.
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
