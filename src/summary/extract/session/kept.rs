//! What the messages say that stay beside the summary.

use super::SymbolMap;
use crate::summary::extract::text::{Symbol, TokenKind, floor_char, visit_names, visit_tokens};
use crate::transcript::view::ViewedTurn;

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
    /// The texts of the user's kept messages, to see what they say again.
    pub user_texts: Vec<String>,
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
            if turn.role == crate::transcript::Role::User {
                kept.user_texts.push(turn.text.trim().to_owned());
            }
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
