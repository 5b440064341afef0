//! The roles of speakers.

use serde::{Deserialize, Serialize};

/// The role of a message's speaker.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The system prompt.
    System,
    /// The system prompt, as newer models call it.
    Developer,
    /// The person or program that asks.
    #[default]
    User,
    /// The model.
    Assistant,
    /// The result of a tool call.
    Tool,
    /// The result of a legacy function call.
    Function,
}

impl Role {
    /// All roles, in the order in which reports list them.
    pub const ALL: [Self; 6] =
        [Self::System, Self::Developer, Self::User, Self::Assistant, Self::Tool, Self::Function];

    /// Returns the name that logs and reports use.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Developer => "developer",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
            Self::Function => "function",
        }
    }

    /// Returns the role with this name.
    #[must_use]
    pub fn from_name(name: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name().as_bytes() == name)
    }

    /// Returns true for the roles of a system prompt. Their messages are never summarized away.
    #[must_use]
    pub fn is_system(self) -> bool {
        matches!(self, Self::System | Self::Developer)
    }

    /// Returns true if messages of this role answer a call.
    #[must_use]
    pub fn is_result(self) -> bool {
        matches!(self, Self::Tool | Self::Function)
    }
}
