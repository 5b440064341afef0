//! Recognizes scripts that stand in a command of the shell: `python3 - <<'EOF'` with a program below.
//!
//! The first line of such a program is an import that says nothing of what it does. Its first comment
//! says it, or what it printed.

use super::path_ends::file_name;
use crate::summary::extract::lex::fold::fold_line;
use crate::summary::extract::lexicon::shell_words::SCRIPTING_PROGRAMS;

/// Maximum length in bytes of the comment that stands for a script.
const LONGEST_COMMENT: usize = 72;
/// Minimum length in bytes of a comment that says what a script does.
const LEAST_COMMENT: usize = 12;
/// Maximum number of lines of a script that are searched for a comment.
const MOST_LINES: usize = 12;
/// Behind the name of the program if nothing says what its script does.
const SCRIPT: &str = " (script)";
/// The mark before the lines of a document that a command reads.
const HERE_DOCUMENT: &str = "<<";

/// Returns the line that stands for a command that runs a script of several lines: the program with the
/// comment that says what the script does, if there is one. Returns `None` for other commands.
pub(super) fn script_line(command: &str) -> Option<String> {
    let (first, script) = command.split_once('\n')?;
    let mut words = first.split_whitespace();
    let program = words.find(|word| !word.contains('='))?;
    let name = file_name(program);
    if !SCRIPTING_PROGRAMS.contains(&name) || !words.all(opens_script) {
        return None;
    }
    let comment = script.lines().take(MOST_LINES).find_map(comment_of);
    Some(match comment {
        Some(comment) => format!("{name} # {}", fold_line(comment, LONGEST_COMMENT)),
        None => format!("{name}{SCRIPT}"),
    })
}

/// Returns true for the line of a script that nothing describes: only what it printed says something.
pub(super) fn is_bare_script(line: &str) -> bool {
    line.ends_with(SCRIPT)
}

/// Returns true for a word that may stand between the name of a program and its script.
fn opens_script(word: &str) -> bool {
    word.starts_with(['-', '"', '\'', '2', '>']) || word.contains(HERE_DOCUMENT)
}

/// Returns the comment in a line, if it says something.
fn comment_of(line: &str) -> Option<&str> {
    let line = line.trim();
    let comment = (line.strip_prefix('#').or_else(|| line.strip_prefix("//")))?
        .trim_matches(|c: char| matches!(c, '#' | '=' | '-' | '/' | '─' | ' '));
    let says_something =
        comment.len() >= LEAST_COMMENT && comment.contains(' ') && !comment.starts_with('!');
    says_something.then_some(comment)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_told_by_its_comment() {
        for (command, line) in [
            (
                "python3 - <<'EOF'\nimport re\n# count the valves of each pump\nx = 1\nEOF",
                Some("python3 # count the valves of each pump"),
            ),
            (
                "python3 -c \"\nimport json\nprint(1)\"",
                Some("python3 (script)"),
            ),
            (
                "A=1 /opt/bin/python -u - 2>&1 <<EOF\nimport re\nEOF",
                Some("python (script)"),
            ),
            ("node -e '\nconst a = 1\n'", Some("node (script)")),
            ("python3 run.py \\\n  --all", None),
            ("python3 - <<< 'print(1)'", None),
            ("cat > a.py <<'EOF'\nimport re\nEOF", None),
        ] {
            assert_eq!(script_line(command).as_deref(), line, "{command}");
        }
    }
}
