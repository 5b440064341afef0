//! The words of a conversation: in how many messages of the user and the assistant each stands, who
//! says it that matters, and what the messages say that stay beside the summary.

use super::SymbolMap;
use crate::summary::extract::text::fixed::ln;
use crate::summary::extract::text::{Symbol, TokenKind, floor_char, visit_names, visit_tokens};
use crate::transcript::view::ViewedTurn;
use std::hash::BuildHasherDefault;

/// A kept message says it.
pub(crate) const IN_KEPT: u8 = 1;
/// The first request says it.
pub(crate) const IN_GOAL: u8 = 2;
/// The newest request says it.
pub(crate) const IN_NEWEST: u8 = 4;

/// What is known of a word.
#[derive(Debug, Default, Clone, Copy)]
struct WordInfo {
    messages: u32,
    newest: u32,
    /// The newest request that says it, counted from 1.
    asked: u32,
    flags: u8,
}

impl WordInfo {
    fn count(&mut self, message: usize) {
        let message = message as u32 + 1;
        if self.newest != message {
            self.newest = message;
            self.messages += 1;
        }
    }
}

/// A word of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Word {
    /// The same for all spellings.
    pub symbol: Symbol,
    /// 100 for a word of every message, 1000 for one that stands once.
    pub rarity: i32,
    /// Who says it.
    pub flags: u8,
}

/// All words.
#[derive(Debug)]
pub(crate) struct Words {
    known: SymbolMap<WordInfo>,
    /// The rarity of words that stand in so many messages.
    rarities: Vec<i32>,
    /// The number of requests.
    requests: u32,
}

/// The rarity of a word of every message, and of one that stands once.
const LEAST_RARITY: i64 = 100;
const FULL_RARITY: i64 = 1000;

/// The words of a usual conversation: a table of so many does not grow, which takes as long as filling it.
const USUAL_WORDS: usize = 1500;

impl Default for Words {
    fn default() -> Self {
        Self {
            known: SymbolMap::with_capacity_and_hasher(USUAL_WORDS, BuildHasherDefault::default()),
            rarities: Vec::new(),
            requests: 0,
        }
    }
}

impl Words {
    /// Counts the words of a reply.
    pub(crate) fn count(&mut self, text: &str, message: usize) {
        visit_tokens(text, &mut |token| {
            self.known.entry(token.symbol).or_default().count(message);
        });
    }

    /// Begins the next request.
    pub(crate) fn begin_request(&mut self) {
        self.requests += 1;
    }

    /// Counts words of the request at hand.
    pub(crate) fn count_request(&mut self, text: &str, message: usize) {
        let request = self.requests;
        let flags = if request == 1 { IN_GOAL } else { 0 };
        visit_tokens(text, &mut |token| {
            let word = self.known.entry(token.symbol).or_default();
            word.count(message);
            word.asked = request;
            word.flags |= flags;
        });
    }

    /// Marks a word that somebody says.
    pub(crate) fn mark(&mut self, symbol: Symbol, flag: u8) {
        self.known.entry(symbol).or_default().flags |= flag;
    }

    /// Ends the count, after `messages` messages.
    pub(crate) fn finish(&mut self, messages: usize) {
        let all = messages as i64 + 1;
        let whole = ln(all * 1000).max(1);
        let rarity = |count: usize| {
            let share = ln(all * 1000 / count.max(1) as i64);
            (share * FULL_RARITY / whole).clamp(LEAST_RARITY, FULL_RARITY) as i32
        };
        self.rarities = (0..=messages).map(rarity).collect();
    }

    /// Returns what is known of a word.
    pub(crate) fn word(&self, symbol: Symbol) -> Word {
        let info = self.known.get(&symbol).copied().unwrap_or_default();
        let rarity = self
            .rarities
            .get(info.messages as usize)
            .copied()
            .unwrap_or(FULL_RARITY as i32);
        let is_newest = info.asked > 0 && info.asked == self.requests;
        let newest = if is_newest { IN_NEWEST } else { 0 };
        Word {
            symbol,
            rarity,
            flags: info.flags | newest,
        }
    }
}

/// The most bytes of a kept message that are read.
const MOST_BYTES: usize = 4000;

/// The words and names of the kept messages.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    /// The words and names of kept messages other than the system prompt; true for names.
    pub said: SymbolMap<bool>,
    /// The names of the system prompt.
    pub prompt: SymbolMap<()>,
    /// The folders of kept paths.
    pub folders: SymbolMap<()>,
    /// True if there is a message of the user among them.
    pub has_user_text: bool,
}

impl Kept {
    /// Reads the kept messages.
    pub(crate) fn read(turns: &[ViewedTurn<'_>]) -> Self {
        let mut kept = Self::default();
        for turn in turns {
            if turn.role.is_system() {
                let text = &turn.text[..floor_char(&turn.text, MOST_BYTES)];
                visit_names(text, &mut |token, _| {
                    kept.prompt.insert(token.symbol, ());
                });
                continue;
            }
            kept.has_user_text |= turn.role == crate::transcript::Role::User;
            kept.read_text(&turn.text);
            for call in &turn.calls {
                kept.read_text(&String::from_utf8_lossy(&call.arguments));
            }
        }
        kept
    }

    fn read_text(&mut self, text: &str) {
        let text = &text[..floor_char(text, MOST_BYTES)];
        visit_tokens(text, &mut |token| {
            let is_name = token.kind != TokenKind::Word;
            *self.said.entry(token.symbol).or_default() |= is_name;
            if is_name && let Some((folder, _)) = token.text.rsplit_once('/') {
                self.folders
                    .insert(crate::summary::extract::text::symbol_of(folder), ());
            }
        });
    }

    /// Returns true if a kept message or the system prompt has the name.
    pub(crate) fn names(&self, symbol: Symbol) -> bool {
        self.said.contains_key(&symbol) || self.prompt.contains_key(&symbol)
    }
}
