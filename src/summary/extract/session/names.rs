//! What is known of a name: who named it, when, in what company.

use crate::summary::extract::text::{NameKind, Symbol, Token, symbol_of};

/// Who says a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Speaker {
    User,
    /// The assistant in its text.
    Assistant,
    /// The assistant in the arguments of a call.
    Call,
    Result,
    /// A result of a call that failed.
    FailedResult,
}

/// The member, argument or label before a name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NameKey<'s> {
    /// As it is spelled.
    pub text: &'s str,
    /// The same for all spellings.
    pub symbol: Symbol,
}

/// Where a name stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mention<'s> {
    /// The index of the message.
    pub message: u32,
    /// Who says it.
    pub speaker: Speaker,
    /// What comes before it.
    pub key: Option<NameKey<'s>>,
}

impl<'s> Mention<'s> {
    /// Returns the same below a member.
    pub(crate) fn under(self, key: &'s str) -> Self {
        let key = (!key.is_empty()).then(|| NameKey { text: key, symbol: symbol_of(key) });
        Self { key, ..self }
    }
}

#[derive(Debug)]
pub(crate) struct Name<'s> {
    /// As it is spelled first.
    pub text: &'s str,
    /// The same for all spellings.
    pub symbol: Symbol,
    /// Its place among all words and names.
    pub term: usize,
    /// What it looks like.
    pub kind: NameKind,
    /// How often it stands somewhere.
    pub count: u32,
    /// In how many messages it stands.
    pub messages: u32,
    /// The first and the last message that name it.
    pub first: u32,
    pub last: u32,
    /// How often each speaker says it, in the order of `Speaker`.
    pub said: [u16; 5],
    /// What comes before it.
    pub key: Option<NameKey<'s>>,
    /// The least number of names in a message and on a line that name it.
    pub crowd: u32,
    pub line_crowd: u32,
    /// The result that named it before the assistant did.
    pub first_result: Option<u32>,
    /// True if the assistant wrote it after a result had named it.
    pub used: bool,
}

impl<'s> Name<'s> {
    /// Returns a name that nobody has said yet.
    pub(crate) fn new(token: Token<'s>, kind: NameKind, term: usize, message: u32) -> Self {
        Self {
            text: token.text,
            symbol: token.symbol,
            term,
            kind,
            count: 0,
            messages: 0,
            first: message,
            last: message,
            said: [0; 5],
            key: None,
            crowd: u32::MAX,
            line_crowd: u32::MAX,
            first_result: None,
            used: false,
        }
    }

    /// Notes that somebody says it.
    pub(crate) fn mention(&mut self, mention: Mention<'s>) {
        let Mention { message, speaker, key } = mention;
        self.count += 1;
        if self.messages == 0 || self.last != message {
            self.messages += 1;
            self.last = message;
        }
        self.said[speaker as usize] = self.said[speaker as usize].saturating_add(1);
        if key.is_some() && (self.key.is_none() || speaker == Speaker::Call) {
            self.key = key;
        }
        match speaker {
            Speaker::Assistant | Speaker::Call => {
                self.used |= self.first_result.is_some_and(|first| first < message);
            }
            Speaker::User => {}
            Speaker::Result | Speaker::FailedResult => {
                let said =
                    self.said[Speaker::Assistant as usize] + self.said[Speaker::Call as usize];
                if said == 0 {
                    self.first_result.get_or_insert(message);
                }
            }
        }
    }
}

/// The names of the message at hand, and those of its line: how many stand together.
#[derive(Debug, Default)]
pub(crate) struct Company {
    message: Vec<u32>,
    line: Vec<u32>,
}

impl Company {
    pub(crate) fn add(&mut self, name: u32) {
        self.message.push(name);
        self.line.push(name);
    }

    pub(crate) fn end_line(&mut self, names: &mut [Name<'_>]) {
        let crowd = self.line.len() as u32;
        for place in self.line.drain(..) {
            let name = &mut names[place as usize];
            name.line_crowd = name.line_crowd.min(crowd);
        }
    }

    pub(crate) fn end_message(&mut self, names: &mut [Name<'_>]) {
        self.end_line(names);
        let crowd = self.message.len() as u32;
        for place in self.message.drain(..) {
            let name = &mut names[place as usize];
            name.crowd = name.crowd.min(crowd);
        }
    }
}

/// The end of the line at hand of a text.
pub(crate) struct LineScan<'t> {
    bytes: &'t [u8],
    pub end: usize,
}

impl<'t> LineScan<'t> {
    /// Begins before the first line.
    pub(crate) fn new(text: &'t str) -> Self {
        Self { bytes: text.as_bytes(), end: 0 }
    }

    /// Moves on to the line that `at` is in.
    pub(crate) fn pass(&mut self, at: usize) {
        self.end =
            memchr::memchr(b'\n', &self.bytes[at..]).map_or(self.bytes.len(), |end| at + end);
    }
}
