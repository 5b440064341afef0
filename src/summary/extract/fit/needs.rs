//! What the messages behind a cut needed of those before it.

use crate::summary::extract::session::SymbolMap;
use crate::summary::extract::text::{Symbol, TokenKind, parse_json, visit_tokens};
use crate::transcript::Role;
use crate::transcript::view::ViewedTurn;

/// What is written behind a cut.
#[derive(Debug, Default)]
pub(super) struct Needs {
    /// Names that the assistant writes before anybody else says them again.
    pub names: SymbolMap<()>,
    /// Words that the assistant writes.
    pub words: SymbolMap<()>,
    /// The names in the arguments of each call.
    pub calls: Vec<Vec<Symbol>>,
}

/// The most bytes of a text that are read.
const MOST_BYTES: usize = 20_000;

impl Needs {
    /// Reads the messages behind a cut.
    pub(super) fn read(turns: &[ViewedTurn<'_>]) -> Self {
        let mut needs = Self::default();
        let mut said: SymbolMap<()> = SymbolMap::default();
        for turn in turns {
            let is_assistant = turn.role == Role::Assistant;
            let mut names = Vec::new();
            let text =
                &turn.text[..crate::summary::extract::text::floor_char(&turn.text, MOST_BYTES)];
            let mut read = |text: &str, names: &mut Vec<Symbol>| {
                visit_tokens(text, &mut |token| {
                    if is_assistant {
                        needs.words.insert(token.symbol, ());
                    }
                    if token.kind != TokenKind::Word {
                        names.push(token.symbol);
                    }
                });
            };
            read(text, &mut names);
            for call in &turn.calls {
                let mut of_call = Vec::new();
                let raw = String::from_utf8_lossy(&call.arguments);
                match parse_json(&raw) {
                    Some(json) => json.visit_leaves("", &mut |_, leaf| read(leaf, &mut of_call)),
                    None => read(&raw, &mut of_call),
                }
                names.extend(&of_call);
                needs.calls.push(of_call);
            }
            if is_assistant {
                for name in &names {
                    if !said.contains_key(name) {
                        needs.names.insert(*name, ());
                    }
                }
            }
            said.extend(names.into_iter().map(|name| (name, ())));
        }
        needs
    }
}
