//! Finds identifiers, keys and lines in the text of messages.

pub(crate) mod argument_leaves;
pub(crate) mod identifier_kinds;
pub(crate) mod identifier_runs;
pub(crate) mod identifiers;
pub(crate) mod line;
pub(crate) mod numbers;
pub(crate) mod printed_prefix;
pub(crate) mod value_keys;
