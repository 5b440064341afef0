//! Long texts that a conversation keeps beside its messages, which point to them.

use crate::reading::format::prelude::*;

/// The row of such texts.
pub(crate) struct PointerRow {
    /// The key of the object that holds the texts by their hexadecimal hashes.
    pub(crate) key: &'static str,
    /// What goes before a hash in a pointer.
    pub(crate) start: &'static str,
    /// The description of texts to which nothing points.
    pub(crate) unused: &'static str,
}

pub(crate) struct PointedTexts<'t> {
    start: &'static str,
    texts: HashMap<Cow<'t, str>, JsonNode<'t>>,
    /// The places of those to which messages point.
    used: HashSet<usize>,
}

impl<'t> PointedTexts<'t> {
    pub(super) fn new(row: &PointerRow, conversation: JsonNode<'t>) -> Self {
        let texts = conversation.get(row.key);
        let entries = texts.into_iter().flat_map(JsonNode::entries);
        let texts = entries
            .filter(|(_, text)| text.is_kind(JsonKind::String))
            .map(|(key, text)| (decode_literal(key.slice(text.record_bytes())), text));
        Self { start: row.start, texts: texts.collect(), used: HashSet::new() }
    }

    /// Returns the number of texts to which no message points.
    pub(super) fn unused(&self) -> usize {
        self.texts.len() - self.used.len()
    }

    /// Returns a literal with the texts in the place of their pointers.
    pub(super) fn resolve<'n>(
        &mut self,
        element: &mut MessageBuilder,
        literal: &'n [u8],
    ) -> Cow<'n, [u8]> {
        if memchr::memmem::find(literal, self.start.as_bytes()).is_none() {
            return Cow::Borrowed(literal);
        }
        let decoded = decode_literal(literal);
        let mut pieces = decoded.split(self.start);
        let mut resolved = pieces.next().unwrap_or_default().to_owned();
        let mut used = Vec::new();
        for piece in pieces {
            let end = piece.find(|c: char| !c.is_ascii_hexdigit());
            let (hash, rest) = piece.split_at(end.unwrap_or(piece.len()));
            match self.texts.get(hash) {
                Some(text) => {
                    element.add_place(text.place());
                    used.push(*text);
                    self.used.insert(text.span().start);
                    resolved.push_str(&decode_literal(text.bytes()));
                }
                None => {
                    resolved.push_str(self.start);
                    resolved.push_str(hash);
                }
            }
            resolved.push_str(rest);
        }
        // A text that is the whole content is found there.
        for text in used {
            if decode_literal(text.bytes()) != resolved {
                element.keep_spelling(text.bytes());
            }
        }
        element.keep_spelling(literal);
        Cow::Owned(encode_literal(&resolved))
    }
}
