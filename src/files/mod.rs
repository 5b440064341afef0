//! Files and archives: inputs, outputs that are published as a whole, archives of what left a
//! conversation, and restoring from them.

pub(crate) mod archive;
pub(crate) mod input;
pub(crate) mod output;
pub(crate) mod restoration;
