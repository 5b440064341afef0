//! Finds the files in shell commands: reads enough of the shell to see which
//! words of `cat`, `sed`, `rm` or a redirection are files, and which are written.

use super::file_actions::FileAction;
use super::here_strings::strip_here_strings;
use super::path_ends::file_name;
use super::shell_folder::{ShellFile, ShellFolder, is_on_drive, is_special};
use super::shell_split::{ShellWord, behind_quote, heredoc_word, split_words};
use crate::summary::extract::lex::clip::floor_char;
use crate::summary::extract::lex::identifier_kinds::{PATH, has_file_extension, kinds_of};
use crate::summary::extract::lexicon::shell_words::{
    CONDITIONAL_WORDS, COPYING_COMMANDS, DELETING_COMMANDS, EDITING_COMMANDS, MODE_COMMANDS,
    PATTERN_COMMANDS, POWERSHELL_FILE_COMMANDS, PREFIX_WORDS, READING_COMMANDS, RUNNING_COMMANDS,
    SEARCHING_COMMANDS, WRITING_COMMANDS,
};
use std::borrow::Cow;

/// Maximum length in bytes that is read of a command. Longer commands hold data.
const LONGEST_COMMAND: usize = 16 * 1024;
/// Maximum length of a file name in bytes.
const LONGEST_NAME: usize = 200;

/// Calls `found` with each file of a command and the action on it.
pub(crate) fn scan_shell_files<'l>(
    command: &'l str,
    found: &mut impl FnMut(ShellFile<'l>, FileAction),
) {
    if let Cow::Owned(plain) = strip_here_strings(command) {
        return scan_plain_command(&plain, &mut |file, action| {
            let path = Cow::Owned(file.path.into_owned());
            found(ShellFile { path, ..file }, action);
        });
    }
    scan_plain_command(command, found);
}

/// The same for a command that holds no text of PowerShell.
fn scan_plain_command<'l>(command: &'l str, found: &mut impl FnMut(ShellFile<'l>, FileAction)) {
    let mut heredoc_end: Option<&str> = None;
    let mut open_quote = None;
    let mut folder = ShellFolder::default();
    for line in command[..floor_char(command, LONGEST_COMMAND)].lines() {
        if let Some(end) = heredoc_end {
            heredoc_end = (line.trim() != end).then_some(end);
            continue;
        }
        // The lines within quotation marks are the text of a script.
        let Some(line) = behind_quote(line, &mut open_quote) else {
            continue;
        };
        heredoc_end = heredoc_word(line);
        let words = split_words(line);
        let (mut start, mut is_alternative) = (0, false);
        for (at, word) in words.iter().enumerate() {
            if word.is_operator && !word.text.starts_with(['>', '<']) {
                // What stands behind `||` runs only if the command before it fails.
                if !is_alternative {
                    scan_simple_command(&words[start..at], &mut folder, found);
                }
                is_alternative = word.text.starts_with("||")
                    || (is_alternative && !word.text.contains([';', ')']));
                folder.observe_operator(word.text);
                start = at + 1;
            }
        }
        if !is_alternative {
            scan_simple_command(&words[start..], &mut folder, found);
        }
    }
}

/// The word that follows a redirection.
enum RedirectionTarget {
    /// A file with this action.
    File(FileAction),
    /// A descriptor (`2>&1`) or the end of a here-document.
    NoFile,
}

impl RedirectionTarget {
    fn from_operator(operator: &str) -> Self {
        if operator.contains("<<") || operator.contains('&') {
            Self::NoFile
        } else if operator.starts_with('>') {
            Self::File(FileAction::Written)
        } else {
            Self::File(FileAction::Read)
        }
    }
}

/// Reports the files of a simple command and its redirections.
fn scan_simple_command<'l>(
    words: &[ShellWord<'l>],
    folder: &mut ShellFolder,
    found: &mut impl FnMut(ShellFile<'l>, FileAction),
) {
    let mut arguments: Vec<&'l str> = Vec::new();
    let mut redirection: Option<RedirectionTarget> = None;
    for word in words {
        if word.is_operator {
            redirection = Some(RedirectionTarget::from_operator(word.text));
        } else if let Some(target) = redirection.take() {
            if let RedirectionTarget::File(action) = target
                && can_be_name(word.text)
            {
                folder.report(word.text, action, found);
            }
        } else {
            arguments.push(word.text);
        }
    }
    scan_arguments(arguments, folder, found);
}

/// Reports the files among the arguments of a command. The first argument is the command's name.
fn scan_arguments<'l>(
    arguments: Vec<&'l str>,
    folder: &mut ShellFolder,
    found: &mut impl FnMut(ShellFile<'l>, FileAction),
) {
    // Whether what stands behind `then` ran, nobody knows.
    let mut prefixes = arguments.iter().take_while(|word| is_prefix(word));
    let is_conditional = prefixes.any(|word| CONDITIONAL_WORDS.contains(word));
    let mut arguments = arguments.into_iter().skip_while(|word| is_prefix(word));
    let Some(path) = arguments.next() else {
        return;
    };
    let mut name = path.rsplit('/').next().unwrap_or(path);
    let mut arguments = arguments.peekable();
    if name == "git"
        && let Some(command) = arguments.next_if(|word| matches!(*word, "rm" | "mv"))
    {
        name = command;
    }
    let (options, mut operands): (Vec<&'l str>, Vec<&'l str>) =
        arguments.partition(|word| word.starts_with('-'));
    match name {
        "cd" => return folder.change(operands.first().copied().unwrap_or_default()),
        "pushd" | "popd" => return folder.lose(),
        _ => {}
    }
    if EDITING_COMMANDS.contains(&name) {
        // The empty suffix of `sed -i '' …`.
        operands.retain(|word| !word.is_empty());
    }
    // It only says what it would do.
    let is_dry = |option: &&str| matches!(*option, "-n" | "--dry-run");
    let may_be_dry = name == "rsync" || path == "git";
    if options.contains(&"-WhatIf") || (may_be_dry && options.iter().any(is_dry)) {
        return;
    }
    let is_powershell = POWERSHELL_FILE_COMMANDS.contains(&name);
    if is_powershell {
        operands.retain(|word| word.contains(['\\', '/', '.']));
    }
    let takes_mode = MODE_COMMANDS.contains(&name);
    if (PATTERN_COMMANDS.contains(&name) || takes_mode) && !operands.is_empty() {
        operands.remove(0);
    }
    // Of a search, only what it prints was seen.
    let default_action =
        if SEARCHING_COMMANDS.contains(&name) || RUNNING_COMMANDS.contains(&name) || takes_mode {
            FileAction::Named
        } else {
            action_of_command(name, &options)
        };
    let target = if options
        .iter()
        .any(|option| matches!(*option, "-t" | "--target-directory"))
    {
        0
    } else {
        operands.len().saturating_sub(1)
    };
    let is_copy = COPYING_COMMANDS.contains(&name);
    // Several files, or a folder by its look, can only be a folder's new files.
    let target_folder = operands.get(target).copied().filter(|target| {
        can_be_name(target) && is_copy && (operands.len() > 2 || target.ends_with('/'))
    });
    for (at, operand) in operands.into_iter().enumerate() {
        let is_target = at == target && is_copy;
        let action = match name {
            _ if is_target => FileAction::Written,
            "mv" | "Move-Item" => FileAction::Deleted,
            _ => default_action,
        };
        let expects_file = action > FileAction::Read || READING_COMMANDS.contains(&name);
        let is_file = looks_like_file(operand)
            || (expects_file && can_be_name(operand))
            || (is_powershell && is_windows_path(operand));
        if !is_file || (is_target && target_folder.is_some()) {
            continue;
        }
        let action = if is_conditional && action > FileAction::Read {
            FileAction::Named
        } else {
            action
        };
        folder.report(operand, action, found);
        if let Some(target) = target_folder.filter(|_| !folder.is_unknown && !is_conditional) {
            let name = operand.trim_end_matches('/').rsplit('/').next();
            let copy = format!(
                "{}/{}",
                target.trim_end_matches('/'),
                name.unwrap_or(operand)
            );
            found(folder.file_of(copy), FileAction::Written);
        }
    }
}

/// Returns true if a word stands before the name of a command: an assignment, a word of the shell, or a command
/// that runs another.
pub(super) fn is_prefix(word: &str) -> bool {
    (word.contains('=') && !word.contains('/')) || PREFIX_WORDS.contains(&word)
}

/// Returns the action of a command on its operands.
fn action_of_command(name: &str, options: &[&str]) -> FileAction {
    let writes_in_place = EDITING_COMMANDS.contains(&name)
        && options
            .iter()
            .any(|option| option.starts_with("-i") || option.starts_with("--in-place"));
    if WRITING_COMMANDS.contains(&name) || writes_in_place {
        FileAction::Written
    } else if DELETING_COMMANDS.contains(&name) && !options.contains(&"--cached") {
        FileAction::Deleted
    } else {
        FileAction::Read
    }
}

/// Returns true if a word can be the name of a file.
fn can_be_name(word: &str) -> bool {
    word.len() > 1
        && word.len() <= LONGEST_NAME
        && !is_windows_option(word)
        && !word.starts_with(DEVICES)
        && !word.starts_with('@')
        && !is_null_device(word)
        && !word.contains(|c| is_special(c) && !(c == '\\' && is_on_drive(word)))
        && word.chars().any(char::is_alphabetic)
}

/// Returns true for a path of Windows to a file: `src\\pump.py`.
fn is_windows_path(word: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty()
            && (part.chars())
                .all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '[' | ']'))
    };
    word.len() <= LONGEST_NAME
        && word.contains('\\')
        && word.split('\\').all(is_part)
        && has_file_extension(word)
}

/// Returns true for an option of Windows: `rd /s /q`.
fn is_windows_option(word: &str) -> bool {
    word.len() == 2 && word.starts_with('/')
}

/// Returns true for the device of Windows that swallows what is written to it.
fn is_null_device(word: &str) -> bool {
    file_name(word).eq_ignore_ascii_case("nul")
}

/// The folder of the devices of a system: `/dev/null`.
pub(super) const DEVICES: &str = "/dev/";

/// Returns true for the name of a program with its version, as a browser gives it: `Mozilla/5.0`.
fn is_program_version(word: &str) -> bool {
    word.split_once('/').is_some_and(|(name, version)| {
        name.starts_with(|c: char| c.is_ascii_uppercase())
            && version
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'.')
    })
}

fn looks_like_file(word: &str) -> bool {
    can_be_name(word)
        && !is_program_version(word)
        && !word.contains("://")
        && (has_file_extension(word)
            || kinds_of(word).is_some_and(|kinds| kinds & PATH != 0 && word.contains('/')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files_with_action(command: &str, wanted: FileAction) -> Vec<String> {
        let mut files = Vec::new();
        scan_shell_files(command, &mut |file, action| {
            files.extend((action == wanted).then(|| file.path.into_owned()))
        });
        files
    }

    fn read_and_written(command: &str) -> (Vec<String>, Vec<String>) {
        (
            files_with_action(command, FileAction::Read),
            files_with_action(command, FileAction::Written),
        )
    }

    #[test]
    fn a_deleted_file_is_not_written() {
        let command = "rm -f gone.txt; mv from.c to.c && git rm old.rs && git mv a.rs b.rs; mv -t dir/x c.rs; git rm --cached d.rs";
        assert_eq!(
            files_with_action(command, FileAction::Deleted),
            ["gone.txt", "from.c", "old.rs", "a.rs", "c.rs"]
        );
        assert_eq!(
            read_and_written(command),
            (
                vec!["d.rs".to_owned()],
                ["to.c", "b.rs", "dir/x"].map(str::to_owned).to_vec()
            )
        );
    }

    #[test]
    fn files_move_into_a_folder_below_the_folder_of_the_shell() {
        let command =
            "cd /srv/app && mv a.rs lib/b.rs core/ && (cd src; rm c.rs); rm d.rs; cd .. && rm e.rs";
        assert_eq!(
            files_with_action(command, FileAction::Deleted),
            [
                "/srv/app/a.rs",
                "/srv/app/lib/b.rs",
                "/srv/app/src/c.rs",
                "/srv/app/d.rs"
            ]
        );
        assert_eq!(
            files_with_action(command, FileAction::Written),
            ["/srv/app/core/a.rs", "/srv/app/core/b.rs"]
        );
    }

    #[test]
    fn power_shell_deletes_and_moves() {
        let command = r#"Remove-Item -LiteralPath "C:\srv\a.gd" -Force -ErrorAction SilentlyContinue; Move-Item C:\b.gd C:\c.gd"#;
        assert_eq!(
            files_with_action(command, FileAction::Deleted),
            [r"C:\srv\a.gd", r"C:\b.gd"]
        );
        assert_eq!(
            files_with_action(command, FileAction::Written),
            [r"C:\c.gd"]
        );
    }

    #[test]
    fn read_and_written_files_are_told_apart() {
        let (read, written) = read_and_written(
            "cd /srv && cat src/main.rs README | grep -n 'a/b' lib.rs > out.txt 2>/dev/null; rm -rf build; cp a.py dir/b.py",
        );
        // What was searched was not read.
        assert_eq!(read, ["/srv/src/main.rs", "/srv/README", "/srv/a.py"]);
        assert_eq!(written, ["/srv/out.txt", "/srv/dir/b.py"]);
        assert_eq!(
            read_and_written("sed -i '' 's/a-b/c/g' d.py"),
            (vec![], vec!["d.py".to_owned()])
        );
        let (read, written) = read_and_written(
            "sed -n '1,20p' a.c; sed -i 's/x/y/' b.c && mkdir -p new/dir; python tests/run.py --fast 2>&1",
        );
        // What is run is not read.
        assert_eq!(read, ["a.c"]);
        // A folder is no file.
        assert_eq!(written, ["b.c"]);
    }

    #[test]
    fn what_a_search_looks_for_was_not_read() {
        let command = r#"find . -type f \( -name "a.py" -o -name b.py \) -exec cat {} \;"#;
        assert_eq!(read_and_written(command), (vec![], vec![]));
    }

    #[test]
    fn a_script_in_quotation_marks_is_data() {
        let (read, written) = read_and_written(
            "cat a.txt; python3 -c \"\nimport re\nt = re.sub('<style>', open('x'))\ncat b.txt > c.txt\n\" > out.txt && cat d.txt # don't\ncurl -A \"Mozilla/5.0\" -o /dev/null; cat e.txt",
        );
        assert_eq!(read, ["a.txt", "d.txt", "e.txt"]);
        assert_eq!(written, ["out.txt"]);
    }

    #[test]
    fn what_is_tested_or_stands_behind_a_condition_was_not_changed() {
        let mut files = Vec::new();
        let command = "if [ -f a.yml ]; then cat b.yml; else rm -f c.pem; fi";
        scan_shell_files(command, &mut |file, action| {
            files.push((file.path.into_owned(), action))
        });
        let wanted = [
            ("a.yml", FileAction::Named),
            ("b.yml", FileAction::Read),
            ("c.pem", FileAction::Named),
        ];
        assert_eq!(
            files,
            wanted.map(|(path, action)| (path.to_owned(), action))
        );
    }

    #[test]
    fn what_runs_only_after_a_failure_is_left_out() {
        let command = "cat a.tgz || (mv a.tgz b.gz && rm b.gz); cat c.txt || cat d.txt";
        assert_eq!(
            read_and_written(command),
            (vec!["a.tgz".to_owned(), "c.txt".to_owned()], vec![])
        );
        assert!(files_with_action(command, FileAction::Deleted).is_empty());
    }

    #[test]
    fn here_documents_are_data() {
        let (read, written) =
            read_and_written("cat > notes.md <<'EOF'\ncat other.txt\nEOF\ncat last.txt");
        assert_eq!(
            (read, written),
            (vec!["last.txt".to_owned()], vec!["notes.md".to_owned()])
        );
    }
}
