//! What a shell command does: look, change or run, and to which files.

use crate::summary::extract::lexicon::{
    CHANGE_PROGRAMS, GIT_LOOKS, LOOK_PROGRAMS, READ_PROGRAMS, SEARCHING,
};
use crate::summary::extract::text::floor_char;

/// What a call does, the weakest first.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Effect {
    #[default]
    Search,
    /// It looks at one thing.
    Look,
    Run,
    Change,
}

/// What a call does to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileAction {
    Read,
    /// It was written or edited.
    Written,
    Deleted,
}

/// The most bytes of a command that are read.
const MOST_BYTES: usize = 4096;

/// What a command does.
#[derive(Debug, Default)]
pub(crate) struct ShellReading<'c> {
    /// The strongest effect of its steps.
    pub effect: Effect,
    /// The files that it reads, writes and deletes.
    pub files: Vec<(FileAction, &'c str)>,
}

pub(crate) fn read_command(command: &str) -> ShellReading<'_> {
    let command = &command[..floor_char(command, MOST_BYTES)];
    let mut reading = ShellReading::default();
    push_patch_files(command, &mut reading);
    for step in shell_steps(command) {
        read_step(step, &mut reading);
    }
    reading
}

/// Returns the steps of a command, without the texts of here documents.
fn shell_steps(command: &str) -> Vec<&str> {
    let mut steps = Vec::new();
    let mut ending: Option<&str> = None;
    for line in command.lines() {
        if let Some(end) = ending {
            if line.trim() == end {
                ending = None;
            }
            continue;
        }
        split_line(line, &mut steps);
        ending = here_ending(line);
    }
    steps
}

/// Returns the line that ends a here document which this line opens.
fn here_ending(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("<<")?;
    if rest.starts_with('<') {
        return None;
    }
    let rest = rest.trim_start_matches('-').trim_start();
    let word = rest.split([' ', ';', '|', '>', '&']).next()?;
    let word = word.trim_matches(['\'', '"']);
    (!word.is_empty()).then_some(word)
}

/// Splits a line at the operators between its steps, which don't are in quotation marks.
fn split_line<'c>(line: &'c str, steps: &mut Vec<&'c str>) {
    let bytes = line.as_bytes();
    let (mut start, mut quote) = (0, 0);
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        match byte {
            b'\\' => at += 1,
            b'\'' | b'"' if quote == 0 => quote = byte,
            _ if byte == quote => quote = 0,
            b';' | b'|' if quote == 0 => {
                steps.push(line[start..at].trim());
                start = at + 1;
            }
            b'&' if quote == 0 && bytes.get(at + 1) == Some(&b'&') => {
                steps.push(line[start..at].trim());
                start = at + 2;
                at += 1;
            }
            _ => {}
        }
        at += 1;
    }
    steps.push(line[start.min(line.len())..].trim());
}

/// Words before a program, and words of the shell's own that do nothing.
const PREFIXES: [&str; 8] = ["sudo", "time", "nohup", "timeout", "env", "then", "do", "("];
#[rustfmt::skip]
const SHELL_WORDS: [&str; 9] = ["cd", "export", "set", "source", "fi", "done", "for", "if", "while"];

fn read_step<'c>(step: &'c str, reading: &mut ShellReading<'c>) {
    let mut words = step.split_whitespace().peekable();
    let is_prefix = |word: &&str| is_assignment(word) || PREFIXES.contains(word);
    while words.next_if(is_prefix).is_some() {}
    let Some(program) = words.next() else { return };
    let program = program.rsplit('/').next().unwrap_or(program);
    let program = program.trim_start_matches('(');
    if program.starts_with('#') || SHELL_WORDS.contains(&program) {
        return;
    }
    let arguments: Vec<&str> = words.collect();
    push_redirects(&arguments, reading);
    let is_git = program == "git";
    let first = arguments.first();
    let is_git_look = is_git && first.is_some_and(|word| GIT_LOOKS.contains(word));
    let edits_in_place = program == "sed" && arguments.iter().any(|word| word.starts_with("-i"));
    let changes = edits_in_place || CHANGE_PROGRAMS.contains(&program);
    let effect = if changes || (is_git && !is_git_look) {
        Effect::Change
    } else if SEARCHING.contains(&program) || program == "rg" || program == "fd" {
        Effect::Search
    } else if is_git_look || LOOK_PROGRAMS.contains(&program) {
        Effect::Look
    } else {
        Effect::Run
    };
    reading.effect = reading.effect.max(effect);
    push_named_files(program, &arguments, edits_in_place, reading);
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

/// Pushes the files that a step writes by `>`.
fn push_redirects<'c>(arguments: &[&'c str], reading: &mut ShellReading<'c>) {
    for (at, word) in arguments.iter().enumerate() {
        let Some(target) = word.strip_prefix(">>").or_else(|| word.strip_prefix('>')) else {
            continue;
        };
        let target = if target.is_empty() {
            arguments.get(at + 1).copied().unwrap_or_default()
        } else {
            target
        };
        if is_file(target) && !target.starts_with(['&', '=']) && !target.starts_with("/dev/") {
            reading.effect = reading.effect.max(Effect::Change);
            reading.files.push((FileAction::Written, clean(target)));
        }
    }
}

fn push_named_files<'c>(
    program: &str,
    arguments: &[&'c str],
    edits: bool,
    reading: &mut ShellReading<'c>,
) {
    let action = match program {
        "rm" | "unlink" => FileAction::Deleted,
        "tee" | "touch" | "edit" | "create" => FileAction::Written,
        "sed" if edits => FileAction::Written,
        "mv" | "cp" => FileAction::Written,
        _ if READ_PROGRAMS.contains(&program) => FileAction::Read,
        _ => return,
    };
    let names = arguments.iter().take_while(|word| !word.starts_with(['>', '<']));
    let names = names.map(|word| clean(word));
    let names = names.filter(|word| !word.starts_with('-') && is_file(word));
    let files = names.map(|name| (action, name));
    if matches!(program, "mv" | "cp") {
        reading.files.extend(files.last());
    } else {
        reading.files.extend(files);
    }
}

fn clean(word: &str) -> &str {
    word.trim_matches(['\'', '"', '`', ';', ')', '('])
}

/// Returns true if a word can be the name of a file: it has an ending or folders, and no pattern.
pub(crate) fn is_file(word: &str) -> bool {
    let word = clean(word);
    let is_windows = word.get(1..3).is_some_and(|colon| colon == ":\\");
    if is_windows {
        return !word.contains([';', '|', '*', '"'])
            && word.rsplit('\\').next().is_some_and(is_file);
    }
    let bare = word.trim_end_matches('/');
    let last = bare.rsplit('/').next().unwrap_or(word);
    let has_ending = last.rsplit_once('.').is_some_and(|(name, ending)| {
        let is_ending = (1..=8).contains(&ending.len()) && (!name.is_empty() || ending.len() > 2);
        is_ending && ending.bytes().all(|b| b.is_ascii_alphanumeric())
    });
    let is_plain = !word.contains([
        '*', '$', '{', '(', '=', ',', '\\', '|', '[', '<', '"', '\'', ';', '^', '%', '&', '?', ':',
    ]);
    is_plain
        && !word.contains("://")
        && has_ending
        && !last.bytes().all(|b| b.is_ascii_digit() || b == b'.')
        || is_plain && matches!(last, "Makefile" | "Dockerfile" | "LICENSE" | "Cargo.lock")
}

fn push_patch_files<'c>(command: &'c str, reading: &mut ShellReading<'c>) {
    if !command.contains("*** ") {
        return;
    }
    for line in command.lines() {
        for (opening, action) in [
            ("*** Add File: ", FileAction::Written),
            ("*** Update File: ", FileAction::Written),
            ("*** Delete File: ", FileAction::Deleted),
        ] {
            if let Some(path) = line.strip_prefix(opening) {
                reading.effect = Effect::Change;
                reading.files.push((action, path.trim()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(command: &str) -> Vec<String> {
        let files = read_command(command).files;
        files.iter().map(|(action, path)| format!("{action:?} {path}")).collect()
    }

    #[test]
    fn the_strongest_effect_counts() {
        for (command, effect) in [
            ("cd src && ls -la", Effect::Search),
            ("cat a.rs | head -5", Effect::Look),
            ("git diff", Effect::Look),
            ("git commit -m 'a; b'", Effect::Change),
            ("cat a.rs && cargo test", Effect::Run),
            ("sed -i 's/a/b/' a.rs", Effect::Change),
            ("", Effect::Search),
        ] {
            assert_eq!(read_command(command).effect, effect, "{command}");
        }
    }

    #[test]
    fn files_are_read_written_and_deleted() {
        for (command, expected) in [
            ("cat src/a.rs", "Read src/a.rs"),
            ("ls && rm -f b.txt", "Deleted b.txt"),
            ("cat <<'EOF' > x.py\nopen('y.py')\ncat z.py\nEOF", "Written x.py"),
            ("mv a.rs b.rs; grep foo c.rs", "Written b.rs"),
            ("apply_patch <<E\n*** Update File: a/b.ts\nE", "Written a/b.ts"),
            ("python run.py 2>&1 > /dev/null", ""),
        ] {
            assert_eq!(files(command).join(" "), expected, "{command}");
        }
    }
}
