//! The forms in which a log writes a call.

use super::code_calls::call_in_code;
use super::shell_lines::PATCH_OPENING;
use crate::transcript::view::ViewedCall;

/// A call as the log writes it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum CallForm<'r> {
    /// The call of a tool.
    Tool(CalledTool<'r>),
    /// A shell command, or a call in tags, at the end of the assistant's text.
    Command(&'r str),
    /// The heading of a result without a call: `search_class("A")`.
    Heading(&'r str),
}

impl<'r> CallForm<'r> {
    /// Returns the text of a call as the log writes it.
    pub(crate) fn text(self) -> &'r str {
        match self {
            Self::Tool(call) => call.arguments,
            Self::Command(text) | Self::Heading(text) => text,
        }
    }

    /// Returns true for two calls with the same words.
    pub(super) fn is_same(self, other: CallForm<'_>) -> bool {
        match (self, other) {
            (Self::Tool(call), CallForm::Tool(other)) => {
                call.name == other.name && call.arguments == other.arguments
            }
            (Self::Command(call), CallForm::Command(other))
            | (Self::Heading(call), CallForm::Heading(other)) => call == other,
            _ => false,
        }
    }
}

/// The call of a tool.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CalledTool<'r> {
    pub(crate) name: &'r str,
    /// The arguments as JSON. Empty if they are none.
    pub(crate) arguments: &'r str,
}

impl<'r> CalledTool<'r> {
    /// Returns a call as the log has it. `arguments` are its arguments if they are text. Of a script, it is
    /// the call that the script makes.
    pub(crate) fn new(call: &'r ViewedCall<'_>, arguments: Option<&'r str>) -> Self {
        let whole = Self {
            name: &call.name,
            arguments: arguments.filter(|_| call.valid).unwrap_or_default(),
        };
        if call.valid {
            return whole;
        }
        arguments.and_then(call_in_code).unwrap_or(whole)
    }
}

/// Returns the form of a call: a patch without JSON around it stands for itself.
pub(super) fn form_of_call<'r>(call: &'r ViewedCall<'_>) -> CallForm<'r> {
    let arguments = std::str::from_utf8(&call.arguments).ok();
    match arguments {
        Some(patch) if !call.valid && patch.trim_start().starts_with(PATCH_OPENING) => {
            CallForm::Command(patch)
        }
        _ => CallForm::Tool(CalledTool::new(call, arguments)),
    }
}
