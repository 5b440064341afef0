//! Effects of calls on files, by the names of tools and arguments.

use crate::summary::extract::lex::argument_leaves::{LeafValue, visit_leaves};
use crate::summary::extract::lex::snake_case::to_snake_case;
use crate::summary::extract::lexicon::argument_names::OLD_NAME_KEYS;
use crate::summary::extract::lexicon::tool_words::{
    CHANGING_WORDS, DELETING_WORDS, FILE_PART_WORDS, FOLDER_WORDS, LOOKING_WORDS, MOVING_WORDS,
    READING_WORDS, SEARCHING_WORDS, WEB_WORDS, WRITING_WORDS,
};

/// Maximum length in bytes of the sub-command of an editor.
const LONGEST_SUB_COMMAND: usize = 19;

/// An action on a file, in ascending order of importance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FileAction {
    /// Named by a call that failed, or listed by an earlier summary without an action.
    Named,
    /// Read.
    Read,
    /// Deleted, or moved to another name.
    Deleted,
    /// Written.
    Written,
}

/// The effect of a call on the files that its arguments name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallEffect {
    /// The same action on all of them.
    All(FileAction),
    /// A move from an old name to a new name.
    Move,
}

impl CallEffect {
    /// Returns the action on the file in the argument `key`.
    pub(crate) fn action_for_key(self, key: &str) -> FileAction {
        match self {
            Self::All(action) => action,
            Self::Move if OLD_NAME_KEYS.contains(&to_snake_case(key).as_ref()) => {
                FileAction::Deleted
            }
            Self::Move => FileAction::Written,
        }
    }
}

/// Returns the effect of a call: that of the tool's name, unless the arguments hold the sub-command
/// of an editor.
pub(crate) fn effect_of_call(tool: &str, by_name: CallEffect, arguments: &str) -> CallEffect {
    let mut effect = by_name;
    if is_editor(tool) {
        visit_leaves(arguments, &mut |key, leaf| {
            if let LeafValue::String(value) = leaf {
                effect = effect_of_sub_command(tool, key.name, value).unwrap_or(effect);
            }
        });
    }
    effect
}

/// Returns the effect of an argument that holds the sub-command of an editor.
pub(crate) fn effect_of_sub_command(tool: &str, key: &str, value: &str) -> Option<CallEffect> {
    (is_editor(tool) && key == "command" && value.len() <= LONGEST_SUB_COMMAND)
        .then(|| effect_of_name(value))
}

/// Returns true for the name of an editor, whose command is a sub-command.
pub(super) fn is_editor(tool: &str) -> bool {
    tool.contains("edit")
}

/// Returns the effect of a tool, a sub-command or a function by the words of its name.
pub(crate) fn effect_of_name(name: &str) -> CallEffect {
    let name = to_snake_case(name);
    let (mut moves, mut writes, mut deletes, mut names_parts) = (false, false, false, false);
    let (mut reads, mut searches, mut names_folder) = (false, false, false);
    for word in name.split(|c: char| !c.is_alphanumeric()) {
        moves |= MOVING_WORDS.contains(&word);
        writes |= WRITING_WORDS.contains(&word);
        deletes |= DELETING_WORDS.contains(&word);
        names_parts |= FILE_PART_WORDS.contains(&word);
        reads |= READING_WORDS.contains(&word);
        searches |= SEARCHING_WORDS.contains(&word);
        names_folder |= FOLDER_WORDS.contains(&word);
    }
    if moves {
        CallEffect::Move
    } else if deletes && !names_parts && !writes {
        CallEffect::All(FileAction::Deleted)
    } else if (writes || deletes) && !names_folder {
        CallEffect::All(FileAction::Written)
    } else if (searches || names_folder) && !reads {
        CallEffect::All(FileAction::Named)
    } else {
        CallEffect::All(FileAction::Read)
    }
}

/// Returns true for a tool that shows pages of the web, by the words of its name.
pub(super) fn is_web_tool(name: &str) -> bool {
    let name = to_snake_case(name);
    name.split(|c: char| !c.is_alphanumeric())
        .any(|word| WEB_WORDS.contains(&word))
}

/// Returns `None` for a word that means neither a change nor a look.
pub(crate) fn is_changing_word(word: &str) -> Option<bool> {
    if LOOKING_WORDS.contains(&word) {
        return Some(false);
    }
    [CHANGING_WORDS, WRITING_WORDS, DELETING_WORDS, MOVING_WORDS]
        .iter()
        .any(|words| words.contains(&word))
        .then_some(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_decide_the_effect() {
        for (name, wanted) in [
            ("read_file", CallEffect::All(FileAction::Read)),
            ("MultiEdit", CallEffect::All(FileAction::Written)),
            ("delete_file", CallEffect::All(FileAction::Deleted)),
            ("removeDirectory", CallEffect::All(FileAction::Deleted)),
            ("delete_lines", CallEffect::All(FileAction::Written)),
            ("move_file", CallEffect::Move),
            ("find_file", CallEffect::All(FileAction::Named)),
            ("Grep", CallEffect::All(FileAction::Named)),
            ("create_directory", CallEffect::All(FileAction::Named)),
            ("search_and_replace", CallEffect::All(FileAction::Written)),
        ] {
            assert_eq!(effect_of_name(name), wanted, "{name}");
        }
        assert_eq!(
            ["source", "destination"].map(|key| CallEffect::Move.action_for_key(key)),
            [FileAction::Deleted, FileAction::Written]
        );
    }
}
