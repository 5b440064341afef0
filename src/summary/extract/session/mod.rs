//! The one pass over a conversation: messages become a session of requests, calls with their results,
//! replies and names. Mechanisms look at the session only.

mod binding;
mod call_text;
pub(super) mod calls;
pub(super) mod glossary;
pub(super) mod names;
pub(super) mod pieces;
mod reader;
mod results;
pub(super) mod shell;
mod user_text;

pub(super) use binding::{Binding, binding_of, only_wishes};
pub(super) use calls::Call;
pub(super) use glossary::{Glossary, Word};
pub(super) use names::Name;
pub(super) use pieces::{Pieces, UserPiece};
pub(super) use reader::{read_session, read_texts};
pub(super) use results::{has_error_mark, is_furniture};
pub(super) use shell::{Effect, FileAction};
pub(super) use user_text::RequestPart;

use crate::summary::extract::text::Symbol;
use hashbrown::HashMap;
use std::borrow::Cow;
use std::hash::{BuildHasherDefault, Hasher};

/// A table by symbols, which are hashes already.
pub(crate) type SymbolMap<V> = HashMap<Symbol, V, BuildHasherDefault<SymbolHasher>>;

/// Takes a symbol as its own hash.
#[derive(Debug, Default, Clone)]
pub(crate) struct SymbolHasher(u64);

impl Hasher for SymbolHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}

/// A message of the user.
#[derive(Debug)]
pub(crate) struct Request<'t> {
    /// The index of the message.
    pub message: usize,
    /// What of it the user may have said, in order.
    pub parts: Vec<RequestPart<'t>>,
    /// The assistant's question right before it.
    pub question: Option<String>,
}

/// A message of the assistant.
#[derive(Debug)]
pub(crate) struct Reply<'t> {
    /// The index of the message.
    pub message: usize,
    /// The text without its calls.
    pub text: Cow<'t, str>,
}

/// What a summary is written from.
#[derive(Debug, Default)]
pub(crate) struct Session<'t> {
    /// The number of messages.
    pub length: usize,
    /// The messages of the user, oldest first.
    pub requests: Vec<Request<'t>>,
    /// The calls, oldest first.
    pub calls: Vec<Call<'t>>,
    /// The messages of the assistant, oldest first.
    pub replies: Vec<Reply<'t>>,
    /// The texts of earlier summaries, with the index of their message.
    pub earlier: Vec<(usize, &'t str)>,
}

/// A session with what is derived from it.
pub(crate) struct Reading<'s> {
    pub session: &'s Session<'s>,
    /// All words and names.
    pub glossary: Glossary<'s>,
    /// What the user and the assistant said, sentence by sentence.
    pub pieces: Pieces<'s>,
}
