//! Tells calls that change something or run something from calls that only look.

use super::argument_keys::is_command_key;
use super::call_form::{CallForm, CalledTool};
use super::file_actions::{effect_of_sub_command, is_changing_word, is_editor, is_web_tool};
use super::here_strings::opens_here_string;
use super::inline_commands::split_tagged_call;
use super::path_ends::file_name;
use crate::summary::extract::lex::argument_leaves::{LeafValue, visit_leaves};
use crate::summary::extract::lex::clip::floor_char;
use crate::summary::extract::lex::snake_case::to_snake_case;
use crate::summary::extract::lexicon::shell_words::{
    COMMANDING_PROGRAMS, COPYING_COMMANDS, DELETING_COMMANDS, EDITING_COMMANDS, GROUPING_PROGRAMS,
    IDLE_COMMANDS, IDLE_GIT_COMMANDS, LOOKING_SUB_COMMANDS, READING_COMMANDS, SEARCHING_COMMANDS,
    WRITING_COMMANDS,
};
use crate::summary::extract::lexicon::tool_words::{LOOKING_WORDS, READING_WORDS};
use std::borrow::Cow;

/// Maximum length in bytes that is read of a command.
const LONGEST_COMMAND: usize = 400;
/// The same of a command that writes a text which stands in it.
pub(super) const LONGEST_WRITING: usize = 64 * 1024;

/// What a call does to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallWeight {
    /// It changes or runs something.
    Changes,
    /// Its name does not tell.
    Unknown,
    /// It only looks.
    Looks,
}

/// Returns what a call does to the world.
pub(crate) fn weight_of_call(call: CallForm<'_>) -> CallWeight {
    match call {
        CallForm::Heading(_) => CallWeight::Looks,
        CallForm::Command(command) => match split_tagged_call(command) {
            None => weight_of_command(command),
            Some((name, parameters)) => {
                let mut weight = weight_of_name(name);
                for (key, value) in parameters {
                    weight = weight_of_argument(name, key, value).unwrap_or(weight);
                }
                weight
            }
        },
        CallForm::Tool(call) => {
            let mut weight = weight_of_name(call.name);
            let mut words = String::new();
            visit_leaves(call.arguments, &mut |key, leaf| {
                if !is_command_key(key.name) || words.len() > LONGEST_COMMAND {
                    return;
                }
                if let LeafValue::String(_) = leaf
                    && let Some(text) = leaf.decode_start(LONGEST_COMMAND + 1)
                {
                    words.push_str(if words.is_empty() { "" } else { " " });
                    words.push_str(&text);
                    weight = weight_of_argument(call.name, key.name, &words).unwrap_or(weight);
                }
            });
            weight
        }
    }
}

/// Returns true if a call only reads files or thinks, by its name or by the first word of its
/// command.
pub(crate) fn only_reads(call: CallForm<'_>) -> bool {
    let name = match call {
        CallForm::Heading(_) => return false,
        CallForm::Command(command) => match split_tagged_call(command) {
            None => return READING_COMMANDS.contains(&first_word(command)),
            Some((name, parameters)) => {
                return parameters.iter().any(|(key, value)| {
                    is_command_key(key)
                        && (*value == "view" || READING_COMMANDS.contains(&first_word(value)))
                }) || name.contains("view");
            }
        },
        CallForm::Tool(call) => match command_of(call) {
            Some(command) => {
                return command == "view" || READING_COMMANDS.contains(&first_word(&command));
            }
            None => call.name,
        },
    };
    let name = to_snake_case(name);
    name.split(|c: char| !c.is_alphanumeric())
        .find_map(|word| {
            if READING_WORDS.contains(&word) {
                Some(true)
            } else {
                (LOOKING_WORDS.contains(&word) || is_changing_word(word).is_some()).then_some(false)
            }
        })
        .unwrap_or(false)
}

/// Returns true for a call whose result is what others wrote, as it stands: pages of the web, and files that
/// a command prints. A tool that reads files numbers the lines, or says what they are.
pub(super) fn shows_foreign_text(call: CallForm<'_>) -> bool {
    match call {
        CallForm::Tool(called) if command_of(called).is_none() => is_web_tool(called.name),
        CallForm::Tool(_) | CallForm::Command(_) => only_reads(call),
        CallForm::Heading(_) => false,
    }
}

/// Returns the beginning of the command that a tool runs. Returns `None` if it runs none.
pub(super) fn command_of(call: CalledTool<'_>) -> Option<String> {
    let mut command = None;
    visit_leaves(call.arguments, &mut |key, leaf| {
        if command.is_none() && is_command_key(key.name) && matches!(leaf, LeafValue::String(_)) {
            command = leaf.decode_start(LONGEST_COMMAND + 1).map(Cow::into_owned);
            // PowerShell says what it writes before where.
            if command.as_deref().is_some_and(opens_here_string) {
                command = leaf.decode_start(LONGEST_WRITING).map(Cow::into_owned);
            }
        }
    });
    command
}

/// Returns the beginning of the command that a tool runs in a shell. The sub-command of an editor is none:
/// `str_replace` says nothing of what is replaced.
pub(super) fn shell_command_of(call: CalledTool<'_>) -> Option<String> {
    command_of(call).filter(|command| !is_editor(call.name) || command.contains(' '))
}

/// Returns true for a program that writes, copies, moves, deletes or edits files.
pub(super) fn is_file_program(program: &str) -> bool {
    [
        EDITING_COMMANDS,
        WRITING_COMMANDS,
        COPYING_COMMANDS,
        DELETING_COMMANDS,
    ]
    .iter()
    .any(|commands| commands.contains(&program))
}

fn first_word(command: &str) -> &str {
    let command = strip_shell(command);
    command.split_whitespace().next().unwrap_or_default()
}

fn weight_of_argument(tool: &str, key: &str, value: &str) -> Option<CallWeight> {
    if !is_command_key(key) {
        return None;
    }
    Some(if effect_of_sub_command(tool, key, value).is_some() {
        weight_of_name(value)
    } else {
        weight_of_command(value)
    })
}

/// Returns what a tool or the sub-command of an editor does by the words of its name. The first
/// word with a meaning decides.
pub(crate) fn weight_of_name(name: &str) -> CallWeight {
    to_snake_case(name)
        .split(|c: char| !c.is_alphanumeric())
        .find_map(|word| {
            if LOOKING_WORDS.contains(&word) {
                Some(CallWeight::Looks)
            } else {
                is_changing_word(word).map(|_| CallWeight::Changes)
            }
        })
        .unwrap_or(CallWeight::Unknown)
}

/// Returns what a shell command does. It only looks if each of its parts does.
fn weight_of_command(command: &str) -> CallWeight {
    let command = &command[..floor_char(command, LONGEST_COMMAND)];
    let command = strip_shell(command);
    if redirects_to_file(command) {
        return CallWeight::Changes;
    }
    let is_part = |part: &&str| {
        // `2>&1` and a comment are no parts of their own.
        !part.is_empty()
            && !part.starts_with('#')
            && !part.bytes().all(|byte| byte.is_ascii_digit())
    };
    let parts = split_commands(command);
    if parts
        .into_iter()
        .map(str::trim)
        .filter(is_part)
        .all(only_looks)
    {
        CallWeight::Looks
    } else {
        CallWeight::Changes
    }
}

/// Returns the simple commands of a command that change or run something, without the shell, a change of
/// folder and `git`, whose commands say what they do where they stand.
pub(super) fn changing_parts(command: &str) -> impl Iterator<Item = &str> {
    let command = &command[..floor_char(command, LONGEST_COMMAND)];
    // The lines behind the mark of a here-document are data.
    let command = command
        .split_once("<<")
        .map_or(command, |(before, _)| before);
    let parts = split_commands(strip_shell(command)).into_iter();
    // `2>&1` is split at its `&`.
    parts
        .map(|part| part.trim().trim_end_matches("2>").trim_end())
        .filter(|part| part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '.' || c == '/'))
        .filter(|part| !part.starts_with("git ") && !only_looks(part))
}

/// Splits a command at what stands between simple commands, but not in quotation marks:
/// `grep "a\|b" c` is one. A mark without its end quotes nothing.
fn split_commands(command: &str) -> Vec<&str> {
    let bytes = command.as_bytes();
    let mut parts = Vec::new();
    let (mut start, mut at) = (0, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            quote @ (b'\'' | b'"') => {
                let end = memchr::memchr(quote, &bytes[at + 1..]);
                at += end.map_or(0, |length| length + 1);
            }
            b'\n' | b';' | b'|' | b'&' => {
                parts.push(&command[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    parts.push(&command[start.min(command.len())..]);
    parts
}

/// Strips `bash -lc` from the words of a command.
pub(crate) fn strip_shell(command: &str) -> &str {
    let command = strip_comments(command);
    let inner = [
        "bash -lc ",
        "bash -c ",
        "zsh -lc ",
        "sh -c ",
        "powershell.exe -Command ",
    ]
    .iter()
    .find_map(|shell| command.strip_prefix(shell));
    inner.unwrap_or(command)
}

/// Strips the lines of comments before a command: they say what is meant, not what was done.
fn strip_comments(command: &str) -> &str {
    let mut command = command.trim_start();
    while command.starts_with('#')
        && let Some((_, rest)) = command.split_once('\n')
        && !rest.trim_start().is_empty()
    {
        command = rest.trim_start();
    }
    command
}

/// Returns true if a command writes its output to a file.
fn redirects_to_file(command: &str) -> bool {
    let bytes = command.as_bytes();
    memchr::memchr_iter(b'>', bytes).any(|at| {
        let before = at.checked_sub(1).map(|place| bytes[place]);
        let rest = command[at + 1..].trim_start_matches('>').trim_start();
        !matches!(
            before,
            Some(b'-' | b'=' | b'<' | b'2' | b'&' | b'>' | b'\'')
        ) && !rest.starts_with(['&', '=', '\'', '"'])
            && !rest.starts_with("/dev/null")
            && rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '~' | '$'))
    })
}

/// Strips `$name =` of PowerShell before a command.
fn strip_variable(part: &str) -> &str {
    part.split_once('=')
        .filter(|(name, _)| {
            name.trim_end().strip_prefix('$').is_some_and(|name| {
                name.bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            })
        })
        .map_or(part, |(_, value)| value.trim_start())
}

/// Splits the quoted path of a program from what stands behind it: `"C:\Program Files\gh.exe" auth status`.
fn split_quoted(part: &str) -> (Option<&str>, &str) {
    let quoted = part.strip_prefix('"').and_then(|rest| rest.split_once('"'));
    quoted.map_or((None, part), |(path, rest)| (Some(path), rest))
}

/// Returns the name of a program without its folder. A variable of PowerShell is named after what it holds.
fn program_name(path: &str) -> &str {
    let name = file_name(path).trim_matches(['(', ')', '"', '\'', '$']);
    name.strip_suffix(".exe").unwrap_or(name)
}

/// Returns the number of words behind a program that may be its sub-command. Returns `None` for a program
/// whose operands are something else: `rm list` deletes a file.
fn sub_command_words(program: &str) -> Option<usize> {
    if GROUPING_PROGRAMS.contains(&program) {
        Some(2)
    } else {
        COMMANDING_PROGRAMS.contains(&program).then_some(1)
    }
}

/// Returns true if a simple command changes nothing.
fn only_looks(part: &str) -> bool {
    let part = strip_variable(part);
    let (quoted, rest) = split_quoted(part);
    let mut words = rest
        .split_whitespace()
        .skip_while(|word| word.contains('=') && !word.contains('/'));
    let Some(path) = quoted.or_else(|| words.next()) else {
        return true;
    };
    let name = program_name(path);
    if name == "git" {
        let command = words
            .find(|word| !word.starts_with('-'))
            .unwrap_or_default();
        return IDLE_GIT_COMMANDS.contains(&command);
    }
    if let Some(most) = sub_command_words(name) {
        let mut sub_commands = words.take(most);
        return sub_commands.any(|word| LOOKING_SUB_COMMANDS.contains(&word));
    }
    if EDITING_COMMANDS.contains(&name) && words.any(|word| word.starts_with("-i")) {
        return false;
    }
    name.is_empty()
        || IDLE_COMMANDS.contains(&name)
        || READING_COMMANDS.contains(&name)
        || (SEARCHING_COMMANDS.contains(&name) && name != "mkdir")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_looks_only_if_all_its_parts_do() {
        for command in [
            "cd /srv && ls -la",
            "cat a.py | grep x",
            "bash -lc sed -n '1,20p' a.c",
            "git log --oneline | head -3 2>&1",
            "find . -name '*.py' 2>/dev/null",
            "open a.py 12",
            r#"cd a && grep -r "x\|y" src | head -20"#,
            r#"$base = Join-Path $env:A "b"; Get-ChildItem $base | Select-Object Name"#,
            "# look at it\nls",
            "gh pr view 12 --json title",
            "npm ls --depth 0; docker compose ps",
            "winget.exe list",
            r#"& "C:\Program Files\gh.exe" auth status; & $gh pr list"#,
            "",
        ] {
            assert_eq!(weight_of_command(command), CallWeight::Looks, "{command}");
        }
        for command in [
            "cd /srv && cargo test",
            "cat a.py > b.py",
            "sed -i s/a/b/ c.rs",
            "git -C /srv commit -m x",
            "edit 1:1\nx\nend_of_edit",
            "python reproduce.py",
            "mkdir -p a/b",
            "grep it's a.txt; cargo test",
            "$x = cargo test",
            "rm list",
            "cp info b",
            "go get example.com/valve",
            "npm run list",
            "gh pr merge 12",
            r#"& "C:\a b\gh.exe" pr merge 12"#,
        ] {
            assert_eq!(weight_of_command(command), CallWeight::Changes, "{command}");
        }
    }

    #[test]
    fn names_tell_what_a_tool_does() {
        assert_eq!(weight_of_name("get_order_updates"), CallWeight::Looks);
        assert_eq!(weight_of_name("book_reservation"), CallWeight::Changes);
        assert_eq!(weight_of_name("TodoWrite"), CallWeight::Looks);
        assert_eq!(weight_of_name("frobnicate"), CallWeight::Unknown);
    }
}
