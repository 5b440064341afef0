//! Evaluates policies on logged sessions: compacts the messages before a cut, and
//! measures how many of the identifiers that the messages after it need were kept.

pub(crate) mod gate;
pub(crate) mod rows;
pub(crate) mod session;
