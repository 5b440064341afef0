//! A message whose text is cut.

use serde::{Deserialize, Serialize};

/// A message whose text is cut.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextCut {
    /// The index of the message.
    pub message: usize,
    /// What is left of its text.
    pub text: String,
}
