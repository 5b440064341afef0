//! Tells which file a call changes, and whether it writes all of it.

use super::argument_keys::{is_command_key, is_file_key};
use super::call_form::CallForm;
use super::inline_commands::split_tagged_call;
use crate::summary::extract::lex::argument_leaves::visit_leaves;
use crate::summary::extract::lexicon::argument_names::{QUIET_KEYS, WHOLE_TEXT_KEYS};

/// Maximum length in bytes of a path.
const LONGEST_PATH: usize = 300;

/// The change of a file by a call that does nothing else.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FileChange {
    pub(super) path: String,
    /// The call writes the whole file.
    pub(super) is_whole: bool,
}

impl FileChange {
    /// Returns the change that a call makes. Returns `None` if its arguments name no single file.
    pub(super) fn of(call: CallForm<'_>) -> Option<Self> {
        let mut change = Self::default();
        // An argument with another meaning says more than that a file was written.
        let mut says_more = false;
        let mut observe = |key: &str, value: &str| {
            if is_file_key(key) && change.path.is_empty() {
                change.path.push_str(value);
            } else if WHOLE_TEXT_KEYS.contains(&key) {
                change.is_whole = true;
            } else {
                says_more |= !QUIET_KEYS.contains(&key) && !is_command_key(key);
            }
        };
        match call {
            CallForm::Tool(call) => visit_leaves(call.arguments, &mut |key, leaf| {
                if let Some(value) = leaf.decode_start(LONGEST_PATH) {
                    observe(key.name, &value);
                }
            }),
            CallForm::Command(command) => {
                let (_, parameters) = split_tagged_call(command)?;
                for (key, value) in parameters {
                    observe(key, value);
                }
            }
            CallForm::Heading(_) => return None,
        }
        change.is_whole &= !says_more;
        (!change.path.is_empty()).then_some(change)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::extract::facts::call_form::CalledTool;

    #[test]
    fn a_whole_file_is_told_from_an_edit() {
        for (arguments, wanted) in [
            (r#"{"path": "a.c", "content": "int x;"}"#, Some(true)),
            (
                r#"{"file_path": "a.c", "old_string": "x", "new_string": "y"}"#,
                Some(false),
            ),
            (
                r#"{"command": "create", "path": "a.c", "file_text": "int x;"}"#,
                Some(true),
            ),
            (
                r#"{"path": "a.c", "content": "int x;", "branch": "main"}"#,
                Some(false),
            ),
            (r#"{"content": "hello"}"#, None),
            (r#"{"path": "a.c"}"#, Some(false)),
        ] {
            let call = CallForm::Tool(CalledTool {
                name: "edit",
                arguments,
            });
            let change = FileChange::of(call);
            assert_eq!(
                change.as_ref().map(|change| change.is_whole),
                wanted,
                "{arguments}"
            );
            assert!(change.is_none_or(|change| change.path == "a.c"));
        }
    }
}
