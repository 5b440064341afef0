//! Places of a conversation that name a reference.

/// A set of places, as bits.
pub(crate) type Places = u8;
/// The argument of a call.
pub(crate) const IN_CALL: Places = 1;
/// The user's words.
pub(crate) const IN_USER_TEXT: Places = 2;
/// The assistant's words.
pub(crate) const IN_ASSISTANT_TEXT: Places = 4;
/// The result of a tool.
pub(crate) const IN_RESULT: Places = 8;
/// An earlier summary, together with the place that the summary stands for.
pub(crate) const IN_EARLIER_SUMMARY: Places = 16;
/// The places where somebody names a reference on purpose.
pub(crate) const IN_SPEECH: Places = IN_CALL | IN_USER_TEXT | IN_ASSISTANT_TEXT;
