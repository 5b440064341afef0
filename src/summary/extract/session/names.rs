//! All names of a conversation, with what is known of each: who named it, when, in what company.

use super::SymbolMap;
use crate::summary::extract::text::{JsonValue, NameKind, Symbol, Token, symbol_of, visit_names};

/// Who says a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Speaker {
    /// The user.
    User,
    /// The assistant in its text.
    Assistant,
    /// The assistant in the arguments of a call.
    Call,
    /// A result.
    Result,
    /// A result of a call that failed.
    FailedResult,
}

/// What is known of a name.
#[derive(Debug)]
pub(crate) struct Name<'t> {
    /// As it is spelled first.
    pub text: &'t str,
    /// The same for all spellings.
    pub symbol: Symbol,
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
    /// The member, argument or label before it.
    pub key: Option<&'t str>,
    /// The least number of names in a message and on a line that name it.
    pub crowd: u32,
    pub line_crowd: u32,
    /// The result that named it before the assistant did.
    pub first_result: Option<u32>,
    /// True if the assistant wrote it after a result had named it.
    pub used: bool,
}

/// All names, in the order in which they came.
#[derive(Debug, Default)]
pub(crate) struct Names<'t> {
    /// The names.
    pub list: Vec<Name<'t>>,
    places: SymbolMap<u32>,
    /// The names of the message at hand.
    touched: Vec<u32>,
    line: Vec<u32>,
}

/// The most names of a conversation. More of them are data.
const MOST_NAMES: usize = 20_000;

impl<'t> Names<'t> {
    /// Returns a name.
    pub(crate) fn get(&self, symbol: Symbol) -> Option<&Name<'t>> {
        self.places
            .get(&symbol)
            .map(|&place| &self.list[place as usize])
    }

    /// Returns the place of a name in the list.
    pub(crate) fn place(&self, symbol: Symbol) -> Option<usize> {
        self.places.get(&symbol).map(|&place| place as usize)
    }

    /// Adds a name of a message.
    pub(crate) fn add(
        &mut self,
        token: Token<'t>,
        kind: NameKind,
        message: usize,
        speaker: Speaker,
        key: Option<&'t str>,
    ) {
        let message = message as u32;
        let place = match self.places.get(&token.symbol) {
            Some(&place) => place,
            None if self.list.len() >= MOST_NAMES => return,
            None => self.push_new(token, kind, message),
        };
        let name = &mut self.list[place as usize];
        name.count += 1;
        if name.messages == 0 || name.last != message {
            name.messages += 1;
            name.last = message;
        }
        name.said[speaker as usize] = name.said[speaker as usize].saturating_add(1);
        if key.is_some() && (name.key.is_none() || speaker == Speaker::Call) {
            name.key = key;
        }
        match speaker {
            Speaker::Assistant | Speaker::Call => {
                name.used |= name.first_result.is_some_and(|first| first < message)
            }
            Speaker::User => {}
            Speaker::Result | Speaker::FailedResult => {
                let said =
                    name.said[Speaker::Assistant as usize] + name.said[Speaker::Call as usize];
                if said == 0 {
                    name.first_result.get_or_insert(message);
                }
            }
        }
        self.touched.push(place);
        self.line.push(place);
    }

    fn push_new(&mut self, token: Token<'t>, kind: NameKind, message: u32) -> u32 {
        let place = self.list.len() as u32;
        self.places.insert(token.symbol, place);
        self.list.push(Name {
            text: token.text,
            symbol: token.symbol,
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
        });
        place
    }

    /// Ends a line.
    pub(crate) fn end_line(&mut self) {
        let crowd = self.line.len() as u32;
        for place in self.line.drain(..) {
            let name = &mut self.list[place as usize];
            name.line_crowd = name.line_crowd.min(crowd);
        }
    }

    /// Ends a message.
    pub(crate) fn end_message(&mut self) {
        self.end_line();
        let crowd = self.touched.len() as u32;
        for place in self.touched.drain(..) {
            let name = &mut self.list[place as usize];
            name.crowd = name.crowd.min(crowd);
        }
    }

    /// Adds the names of a text, line by line.
    pub(crate) fn add_text(&mut self, text: &'t str, message: usize, speaker: Speaker) {
        let mut line_end = 0;
        visit_names(text, &mut |token, kind| {
            if token.start >= line_end {
                self.end_line();
                let rest = &text.as_bytes()[token.start..];
                line_end = memchr::memchr(b'\n', rest).map_or(text.len(), |at| token.start + at);
            }
            self.add(token, kind, message, speaker, None);
        });
        self.end_line();
    }

    /// Adds the names of a value of JSON, each with its member.
    pub(crate) fn add_json(
        &mut self,
        value: &'t JsonValue<'t>,
        key: &'t str,
        message: usize,
        speaker: Speaker,
    ) {
        match value {
            JsonValue::Object(members) => {
                for (name, value) in members {
                    if name.len() >= 4 && name.bytes().any(|byte| byte.is_ascii_digit()) {
                        let token = Token {
                            text: name,
                            start: 0,
                            symbol: symbol_of(name),
                            kind: crate::summary::extract::text::TokenKind::Word,
                        };
                        self.add(
                            token,
                            NameKind::Mixed,
                            message,
                            speaker,
                            (!key.is_empty()).then_some(key),
                        );
                    }
                    self.add_json(value, name, message, speaker);
                }
                self.end_line();
            }
            JsonValue::List(items) => {
                for item in items {
                    self.add_json(item, key, message, speaker);
                }
            }
            JsonValue::Text(text) => self.add_value(text, key, message, speaker),
            JsonValue::Plain(text) => self.add_value(text, key, message, speaker),
            JsonValue::Null => {}
        }
    }

    fn add_value(&mut self, text: &'t str, key: &'t str, message: usize, speaker: Speaker) {
        let end = crate::summary::extract::text::floor_char(text, 2000);
        let key = (!key.is_empty()).then_some(key);
        visit_names(&text[..end], &mut |token, kind| {
            self.add(token, kind, message, speaker, key)
        });
    }
}
