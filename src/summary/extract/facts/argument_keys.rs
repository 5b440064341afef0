//! Roles of arguments by their names.

use crate::summary::extract::lex::snake_case::to_snake_case;
use crate::summary::extract::lexicon::argument_names::{CODE_KEYS, COMMAND_KEYS, FILE_KEYS};

/// Maximum length in bytes of the name of an argument that holds a file.
const LONGEST_FILE_KEY: usize = 30;

/// Returns true if an argument of this name holds a file.
pub(crate) fn is_file_key(name: &str) -> bool {
    name.len() <= LONGEST_FILE_KEY
        && (FILE_KEYS.contains(&name)
            || (name.bytes().any(|byte| byte.is_ascii_uppercase())
                && FILE_KEYS.contains(&to_snake_case(name).as_ref())))
}

/// Returns true if an argument of this name holds a shell command.
pub(crate) fn is_command_key(name: &str) -> bool {
    COMMAND_KEYS.contains(&name)
}

/// Returns true if an argument of this name holds a program.
pub(crate) fn is_code_key(name: &str) -> bool {
    CODE_KEYS.contains(&name)
}
