//! All words and names of a conversation, in one table: in how many messages of the user and the
//! assistant a word stands, who says it, and of a name what is known of it.

use super::names::{Company, LineScan, Mention, Speaker};
use crate::summary::extract::prelude::*;
use crate::summary::extract::text::fixed::ln;
use std::hash::BuildHasherDefault;

/// A kept message says it.
pub(crate) const IN_KEPT: u8 = 1;
/// The first request says it.
pub(crate) const IN_GOAL: u8 = 2;
/// The newest request says it.
pub(crate) const IN_NEWEST: u8 = 4;
/// The system prompt names it.
const IN_PROMPT: u8 = 8;

/// What is known of a word or a name.
#[derive(Debug, Default, Clone, Copy)]
struct Term {
    /// In how many messages of the user and the assistant it stands.
    messages: u32,
    /// The last of them, counted from 1.
    newest: u32,
    /// The newest request that says it, counted from 1.
    asked: u32,
    /// Its place among the names, counted from 1; 0 for a word.
    name: u32,
    /// The number of words that were said before the sentence that said it last.
    sentence: u32,
    flags: u8,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Word {
    /// 100 for a word of every message, 1000 for one that occurs once.
    pub rarity: i32,
    /// Who says it.
    pub flags: u8,
    /// Its place among the names, if it is one.
    pub name: Option<u32>,
}

/// All words and names.
#[derive(Debug)]
pub(crate) struct Glossary<'s> {
    /// The names, in the order in which they came.
    pub names: Vec<Name<'s>>,
    /// True if there is a message of the user among those that stay.
    pub keeps_user_text: bool,
    places: SymbolMap<u32>,
    terms: Vec<Term>,
    /// The places of the words of each sentence, each once.
    said: Vec<u32>,
    /// The folders of paths in kept messages.
    kept_folders: SymbolMap<()>,
    /// The rarity of words that are in so many messages.
    rarities: Vec<i32>,
    requests: u32,
    company: Company,
}

/// The rarity of a word of every message, and of one that occurs once.
const LEAST_RARITY: i64 = 100;
const FULL_RARITY: i64 = 1000;
/// The words of a usual conversation: a table of so many does not grow, which takes as long as filling it.
const USUAL_TERMS: usize = 1700;
/// The most names of a conversation. More of them are data.
const MOST_NAMES: usize = 20_000;
/// The most bytes of a kept message, and of a value of JSON, that are read.
const MOST_KEPT: usize = 1000;
const MOST_OF_VALUE: usize = 2000;

impl<'s> Glossary<'s> {
    /// Begins with what the messages say that stay.
    pub(crate) fn of_kept(kept: &[ViewedTurn<'_>]) -> Self {
        let mut glossary = Self {
            names: Vec::with_capacity(USUAL_TERMS / 4),
            keeps_user_text: false,
            places: SymbolMap::with_capacity_and_hasher(USUAL_TERMS, BuildHasherDefault::default()),
            terms: Vec::with_capacity(USUAL_TERMS),
            said: Vec::with_capacity(USUAL_TERMS),
            kept_folders: SymbolMap::default(),
            rarities: Vec::new(),
            requests: 0,
            company: Company::default(),
        };
        for turn in kept {
            if turn.role.is_system() {
                let text = &turn.text[..floor_char(&turn.text, MOST_KEPT)];
                visit_names(text, &mut |token, _| {
                    let place = glossary.place(token.symbol);
                    glossary.terms[place].flags |= IN_PROMPT;
                });
                continue;
            }
            glossary.keeps_user_text |= turn.role == Role::User;
            glossary.keep_text(&turn.text);
            for call in &turn.calls {
                glossary.keep_text(&String::from_utf8_lossy(&call.arguments));
            }
        }
        glossary
    }

    fn keep_text(&mut self, text: &str) {
        let text = &text[..floor_char(text, MOST_KEPT)];
        visit_tokens(text, &mut |token| {
            let place = self.place(token.symbol);
            self.terms[place].flags |= IN_KEPT;
            if token.kind != TokenKind::Word
                && let Some((folder, _)) = token.text.rsplit_once('/')
            {
                self.kept_folders.insert(symbol_of(folder), ());
            }
        });
    }

    /// Returns the place of a word or name, a new one if there is none.
    fn place(&mut self, symbol: Symbol) -> usize {
        let next = self.terms.len() as u32;
        let place = *self.places.entry(symbol).or_insert(next);
        if place == next {
            self.terms.push(Term::default());
        }
        place as usize
    }

    pub(crate) fn begin_request(&mut self) {
        self.requests += 1;
    }

    /// Adds the words and names of a sentence of the user or the assistant. Returns the places of its words
    /// among all words that were said.
    pub(crate) fn add_sentence(&mut self, text: &'s str, mention: Mention<'s>) -> Range<usize> {
        let start = self.said.len();
        let sentence = start as u32 + 1;
        let mut lines = LineScan::new(text);
        visit_tokens(text, &mut |token| {
            let place = self.place(token.symbol);
            self.count_said(place, mention);
            if std::mem::replace(&mut self.terms[place].sentence, sentence) != sentence {
                self.said.push(place as u32);
            }
            if let TokenKind::Name(kind) = token.kind {
                self.end_line_before(&token, &mut lines);
                self.add(place, token, kind, mention);
            }
        });
        self.company.end_line(&mut self.names);
        start..self.said.len()
    }

    fn count_said(&mut self, place: usize, mention: Mention<'_>) {
        let term = &mut self.terms[place];
        if term.newest != mention.message + 1 {
            term.newest = mention.message + 1;
            term.messages += 1;
        }
        if mention.speaker == Speaker::User {
            term.asked = self.requests;
            term.flags |= if self.requests == 1 { IN_GOAL } else { 0 };
        }
    }

    /// Adds the names of a text, line by line.
    pub(crate) fn add_text(&mut self, text: &'s str, mention: Mention<'s>) {
        let mut lines = LineScan::new(text);
        visit_names(text, &mut |token, kind| {
            self.end_line_before(&token, &mut lines);
            let place = self.place(token.symbol);
            self.add(place, token, kind, mention);
        });
        self.company.end_line(&mut self.names);
    }

    fn end_line_before(&mut self, token: &Token<'_>, lines: &mut LineScan<'_>) {
        if token.start >= lines.end {
            self.company.end_line(&mut self.names);
            lines.pass(token.start);
        }
    }

    /// Adds the names of a value of JSON, each with its member. A member's own name may be an id.
    pub(crate) fn add_json(&mut self, value: &'s JsonValue<'s>, mention: Mention<'s>) {
        match value {
            JsonValue::Object(members) => {
                for (name, value) in members {
                    if name.len() >= 4 && name.bytes().any(|byte| byte.is_ascii_digit()) {
                        let (text, symbol) = (name.as_ref(), symbol_of(name));
                        let kind = TokenKind::Name(NameKind::Mixed);
                        let token = Token { text, start: 0, symbol, kind };
                        let place = self.place(symbol);
                        self.add(place, token, NameKind::Mixed, mention);
                    }
                    self.add_json(value, mention.under(name));
                }
                self.company.end_line(&mut self.names);
            }
            JsonValue::List(items) => {
                for item in items {
                    self.add_json(item, mention);
                }
            }
            JsonValue::Text(_) | JsonValue::Plain(_) | JsonValue::Null => {
                let text = value.as_text().unwrap_or_default();
                let end = floor_char(text, MOST_OF_VALUE);
                visit_names(&text[..end], &mut |token, kind| {
                    let place = self.place(token.symbol);
                    self.add(place, token, kind, mention);
                });
            }
        }
    }

    /// Adds a name of a message, which is at this place among the terms.
    fn add(&mut self, place: usize, token: Token<'s>, kind: NameKind, mention: Mention<'s>) {
        let term = &mut self.terms[place];
        if term.name == 0 {
            if self.names.len() >= MOST_NAMES {
                return;
            }
            self.names.push(Name::new(token, kind, place, mention.message));
            term.name = self.names.len() as u32;
        }
        let name = term.name - 1;
        self.names[name as usize].mention(mention);
        self.company.add(name);
    }

    pub(crate) fn end_message(&mut self) {
        self.company.end_message(&mut self.names);
    }

    /// Ends the reading, after `messages` messages.
    pub(crate) fn finish(&mut self, messages: usize) {
        let all = messages as i64 + 1;
        let whole = ln(all * 1000).max(1);
        let rarity = |count: usize| {
            let share = ln(all * 1000 / count.max(1) as i64);
            (share * FULL_RARITY / whole).clamp(LEAST_RARITY, FULL_RARITY) as i32
        };
        self.rarities = (0..=messages).map(rarity).collect();
        for term in &mut self.terms {
            if term.asked > 0 && term.asked == self.requests {
                term.flags |= IN_NEWEST;
            }
        }
    }

    /// The number of words and names.
    pub(crate) fn len(&self) -> usize {
        self.terms.len()
    }

    /// Returns the place of a word or name.
    pub(crate) fn find(&self, symbol: Symbol) -> Option<usize> {
        self.places.get(&symbol).map(|&place| place as usize)
    }

    /// Returns the places of the words of a sentence, each once.
    pub(crate) fn said(&self, sentence: Range<usize>) -> &[u32] {
        &self.said[sentence]
    }

    /// Returns what is known of the word or name at a place.
    pub(crate) fn word(&self, place: usize) -> Word {
        let term = self.terms.get(place).copied().unwrap_or_default();
        let rarity = self.rarities.get(term.messages as usize).copied();
        Word {
            rarity: rarity.unwrap_or(FULL_RARITY as i32),
            flags: term.flags,
            name: term.name.checked_sub(1),
        }
    }

    /// Returns the place of a name among the names.
    pub(crate) fn name_place(&self, symbol: Symbol) -> Option<usize> {
        let name = self.terms[self.find(symbol)?].name.checked_sub(1)?;
        Some(name as usize)
    }

    /// Returns true if a kept message other than the system prompt says it.
    pub(crate) fn says_kept(&self, symbol: Symbol) -> bool {
        self.find(symbol).is_some_and(|place| self.terms[place].flags & IN_KEPT != 0)
    }

    /// Returns true if a kept message other than the system prompt says the name.
    pub(crate) fn is_kept(&self, name: &Name<'_>) -> bool {
        self.terms[name.term].flags & IN_KEPT != 0
    }

    /// Returns true if a kept message says the name, or the system prompt.
    pub(crate) fn is_known(&self, name: &Name<'_>) -> bool {
        self.terms[name.term].flags & (IN_KEPT | IN_PROMPT) != 0
    }

    /// Returns true if a kept message names a file of the folder.
    pub(crate) fn keeps_folder(&self, folder: &str) -> bool {
        !self.kept_folders.is_empty() && self.kept_folders.contains_key(&symbol_of(folder))
    }
}
