//! The calls of a conversation, each with its result.

use super::call_effects::{CallWeight, command_of, weight_of_call};
use super::call_lines::plain_command;
use crate::transcript::view::ViewedCall;
use std::cell::OnceCell;

/// A call and what came of it.
#[derive(Debug)]
pub(crate) struct Exchange<'r> {
    /// Index of the message that makes the call.
    pub(crate) message: usize,
    pub(crate) call: CallForm<'r>,
    /// The result. `None` if the log has none.
    pub(crate) result: Option<&'r str>,
    /// The result says that the call failed.
    pub(crate) failed: bool,
    /// What the call does to the world, once it was asked for.
    weight: OnceCell<CallWeight>,
    /// The command that the call runs, once it was asked for.
    command: OnceCell<Option<String>>,
}

impl Exchange<'_> {
    /// Returns true for two calls with the same words, or that run the same command.
    fn is_same(&self, other: &Exchange<'_>) -> bool {
        self.call.is_same(other.call)
            || self
                .command()
                .is_some_and(|command| other.command() == Some(command))
    }

    /// Returns the command that the call runs, without what only shortens its output.
    fn command(&self) -> Option<&str> {
        let command = self.command.get_or_init(|| match self.call {
            CallForm::Tool(call) => {
                command_of(call).map(|command| plain_command(&command).to_owned())
            }
            CallForm::Command(command) => Some(plain_command(command).to_owned()),
            CallForm::Heading(_) => None,
        });
        command.as_deref()
    }

    /// Returns what the call does to the world.
    pub(crate) fn weight(&self) -> CallWeight {
        *self.weight.get_or_init(|| weight_of_call(self.call))
    }
}

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

impl CallForm<'_> {
    /// Returns true for two calls with the same words.
    fn is_same(self, other: CallForm<'_>) -> bool {
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
    /// Returns a call as the log has it. `arguments` are its arguments if they are text.
    pub(crate) fn new(call: &'r ViewedCall<'_>, arguments: Option<&'r str>) -> Self {
        Self {
            name: &call.name,
            arguments: arguments.filter(|_| call.valid).unwrap_or_default(),
        }
    }
}

/// The calls of a conversation, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Exchanges<'r> {
    pub(crate) all: Vec<Exchange<'r>>,
}

impl<'r> Exchanges<'r> {
    /// Adds a call. Returns its index.
    pub(crate) fn push_call(&mut self, message: usize, call: CallForm<'r>) -> usize {
        self.all.push(Exchange {
            message,
            call,
            result: None,
            failed: false,
            weight: OnceCell::new(),
            command: OnceCell::new(),
        });
        self.all.len() - 1
    }

    /// Records the result of a call.
    pub(crate) fn set_result(&mut self, index: usize, result: &'r str, failed: bool) {
        if let Some(exchange) = self.all.get_mut(index) {
            (exchange.result, exchange.failed) = (Some(result), failed);
        }
    }

    /// Returns true if the same call was made again later and worked. `error` stands in its result
    /// here, and no more in the later one.
    pub(crate) fn worked_later(&self, index: usize, error: &str) -> bool {
        let Some((first, later)) = self.all.get(index..).and_then(<[_]>::split_first) else {
            return false;
        };
        later.iter().any(|exchange| {
            exchange.is_same(first)
                && !exchange.failed
                && exchange
                    .result
                    .is_some_and(|result| !result.contains(error))
        })
    }

    /// Gives the result of a call to another call of the same message.
    pub(crate) fn move_result(&mut self, from: usize, to: usize) {
        if from == to || to >= self.all.len() || self.all[from].message != self.all[to].message {
            return;
        }
        let source = &mut self.all[from];
        let (result, failed) = (source.result.take(), std::mem::take(&mut source.failed));
        let target = &mut self.all[to];
        (target.result, target.failed) = (result, failed);
    }

    /// Returns the index of the last call if the log has no result of it.
    pub(crate) fn last_open(&self) -> Option<usize> {
        let last = self.all.last()?;
        last.result.is_none().then(|| self.all.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_worked_later_however_its_output_is_cut() {
        let mut exchanges = Exchanges::default();
        for (arguments, result) in [
            (
                r#"{"command": "cd /srv && make 2>&1 | tail -20"}"#,
                "error: no valve",
            ),
            (r#"{"command": "make clean"}"#, "ok"),
            (r#"{"command": "make | head -60"}"#, "ok"),
        ] {
            let call = CalledTool {
                name: "bash",
                arguments,
            };
            let index = exchanges.push_call(0, CallForm::Tool(call));
            exchanges.set_result(index, result, false);
        }
        assert!(exchanges.worked_later(0, "error: no valve"));
        exchanges.all.truncate(2);
        assert!(!exchanges.worked_later(0, "error: no valve"));
    }
}
