//! The verdict of a format on one record: the part of a conversation that it holds, and the
//! evidence for it.

/// The part of a conversation that one record holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Conversation,
    /// One message; the conversation continues in other records.
    Message,
    /// One event of a journal; all records of the file together hold one or more conversations.
    Journal,
}

/// The strength of the evidence that a record is of a format, weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Certainty {
    /// The record fits, but plain messages fit other formats as well.
    Fits,
    /// A message holds something that only this format has.
    Message,
    /// The keys around the messages belong to this format only.
    Envelope,
}

/// The evidence that a record is of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Recognition {
    /// The part of a conversation that the record holds.
    pub shape: Shape,
    /// The strength of the evidence.
    pub certainty: Certainty,
    /// The evidence in words, for `epitome formats FILE`.
    pub why: &'static str,
}

impl Recognition {
    /// A record that fits other formats as well.
    pub(super) fn by_fit(shape: Shape, why: &'static str) -> Self {
        Self { shape, certainty: Certainty::Fits, why }
    }

    /// A record recognized by a message in it.
    pub(super) fn by_message(shape: Shape, why: &'static str) -> Self {
        Self { shape, certainty: Certainty::Message, why }
    }

    /// A record recognized by the keys around its messages.
    pub(super) fn by_envelope(shape: Shape, why: &'static str) -> Self {
        Self { shape, certainty: Certainty::Envelope, why }
    }
}
