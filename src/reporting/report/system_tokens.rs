//! The parts of the system prompt that the live agent would have sent.

use serde::Serialize;

/// The tokens of the parts of a system prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct SystemTokens {
    /// The prompt without sections: that of the log, else the policy's.
    pub base: usize,
    /// The section of the memory.
    pub memory: usize,
    /// The section of the skills.
    pub skills: usize,
    /// The tool schemas.
    pub tools: usize,
    /// True if triggers and limits count what the log lacks.
    pub counted: bool,
    /// Tokens that every call is counted with for what the log lacks.
    pub added: usize,
}
