//! Finds the message of a commit: in it the assistant says what is done.

use crate::summary::extract::lex::clip::floor_char;
use crate::summary::extract::lex::result_text::result_lines;

/// The command that commits, and the one that hands the commits on.
const COMMIT: &str = "git commit";
pub(super) const PUSH: &str = "git push";
/// The option of a command that only says what it would do.
const DRY_RUN: &str = "--dry-run";
/// The options before a message.
const MESSAGE_OPTIONS: [&str; 6] = [
    " -m ",
    " -am ",
    " -qm ",
    " -qam ",
    " --message ",
    " --message=",
];
/// The options of a commit that prints nothing.
const QUIET_OPTIONS: [&str; 3] = [" -q", " --quiet", " -aq"];
/// The start of a message that stands in the lines behind the command.
const HERE_DOCUMENT: &str = "$(cat <<";
/// The mark before a text that stands in the lines behind a command.
const HERE_OPENING: &str = "<<";
/// Before the message on the line of a call.
pub(super) const COMMIT_LABEL: &str = "git commit: ";

/// Returns the branch and the hash that `git` prints for a commit with a message: `main 6c9a264`.
pub(super) fn commit_name<'r>(result: &'r str, message: &str) -> Option<&'r str> {
    let message = &message[..floor_char(message, KNOWN_LENGTH)];
    let mut lines = result.lines().filter(|line| line.starts_with('['));
    lines.find_map(|line| {
        let line = &line[..floor_char(line, LONGEST_LINE)];
        let (name, rest) = line[1..].split_once("] ")?;
        let (branch, hash) = name.rsplit_once(' ')?;
        let is_hash = (LEAST_HASH..=LONGEST_HASH).contains(&hash.len())
            && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        (is_hash && branch.len() <= LONGEST_BRANCH && rest.starts_with(message)).then_some(name)
    })
}

/// Returns the message in the line of a call that commits.
pub(super) fn message_in_line(line: &str) -> Option<&str> {
    let (_, message) = line.split_once(COMMIT_LABEL)?;
    let pushed = message.strip_suffix(PUSH);
    Some(pushed.map_or(message, |text| text.trim_end_matches([' ', '&'])))
}

/// Returns true if a command commits without a word of it.
fn commits_quietly(command: &str) -> bool {
    command.split_once(COMMIT).is_some_and(|(_, options)| {
        // Behind its mark stands the message.
        let options = options.split(['"', '\'']).next().unwrap_or_default();
        QUIET_OPTIONS.iter().any(|quiet| options.contains(quiet))
    })
}

/// Returns true if the result of a commit says that it was made, or nothing. What else the `command` prints
/// tells nothing of a commit that is quiet.
pub(super) fn is_committed(command: &str, result: &str, message: &str) -> bool {
    if commits_quietly(command) {
        return !NOT_COMMITTED.iter().any(|words| result.contains(words));
    }
    commit_name(result, message).is_some()
        || result_lines(result).next().is_none()
        || COMMITTED.iter().any(|words| result.contains(words))
}

/// Returns true if a server refused the commits that were handed on.
pub(super) fn is_push_refused(result: &str) -> bool {
    REFUSED_PUSHES.iter().any(|words| result.contains(words))
}

/// What `git` prints if it did not commit.
const NOT_COMMITTED: [&str; 4] = [
    "nothing to commit",
    "nothing added to commit",
    "no changes added",
    "fatal:",
];
/// What `git` prints for a commit, and for a push that was refused.
const COMMITTED: [&str; 3] = [" file changed", " files changed", "create mode"];
const REFUSED_PUSHES: [&str; 3] = ["[rejected]", "[remote rejected]", "failed to push"];
/// Number of bytes at the start of a message by which it is known, and the part of a line that is read.
const KNOWN_LENGTH: usize = 24;
const LONGEST_LINE: usize = 160;

/// The length in bytes of a hash, and the maximum length of the name of a branch.
const LEAST_HASH: usize = 6;
const LONGEST_HASH: usize = 16;
const LONGEST_BRANCH: usize = 60;

/// Returns the line of a command that commits with a message: the first line of the message, and
/// whether the commits are handed on.
pub(super) fn commit_line(command: &str) -> Option<String> {
    let (before, options) = command.split_once(COMMIT)?;
    if !ends_command(before) || options.contains(DRY_RUN) {
        return None;
    }
    let message = MESSAGE_OPTIONS
        .iter()
        .filter_map(|option| options.find(option).map(|at| at + option.len()))
        .min()?;
    let (message, rest) = first_line_of_message(options[message..].trim_start())?;
    let pushed = if rest.contains(PUSH) {
        format!(" && {PUSH}")
    } else {
        String::new()
    };
    // In quotation marks a shell takes a mark behind a backslash as it is.
    let message = message.replace("\\\"", "\"");
    Some(format!("{COMMIT_LABEL}{message}{pushed}"))
}

/// Returns true if another command can begin behind a text. Text that is written to a file or searched
/// for may name a commit, too.
fn ends_command(before: &str) -> bool {
    let before = before.trim_end_matches([' ', '\t']);
    !before.contains(HERE_OPENING)
        && (before.is_empty() || before.ends_with(['&', ';', '|', '\n', '(']))
}

/// Returns the first line of the message that a text begins with, and what stands behind that line.
fn first_line_of_message(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next()?;
    if !matches!(quote, '"' | '\'') {
        return None;
    }
    let quoted = &text[1..];
    let body = if quoted.starts_with(HERE_DOCUMENT) {
        quoted.split_once('\n')?.1
    } else {
        quoted
    };
    let mut ends = body.match_indices([quote, '\n']).map(|(at, _)| at);
    let end = ends.find(|at| !body[..*at].ends_with('\\'));
    let end = end.unwrap_or(body.len());
    let message = body[..end].trim();
    (!message.is_empty()).then(|| (message, &body[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_of_a_commit_is_found() {
        for (command, line) in [
            (
                "git add -A && git commit -m \"Split main\" && git push",
                Some("git commit: Split main && git push"),
            ),
            (
                "git commit -am 'Fix the pump'\ngit log",
                Some("git commit: Fix the pump"),
            ),
            (
                "git commit -m \"$(cat <<'EOF'\nAdd pumps\n\n* one\nEOF\n)\"",
                Some("git commit: Add pumps"),
            ),
            (
                r#"git commit -m "Fix \"parse\" at last""#,
                Some(r#"git commit: Fix "parse" at last"#),
            ),
            ("git -C /srv status", None),
            ("grep -rn \"git commit -m 'x'\" docs", None),
            ("cat > a.md <<'EOF'\ngit commit -m 'Release'\nEOF", None),
            ("git commit --amend --no-edit", None),
            ("git commit -m", None),
            ("git commit -m \"", None),
            ("git commit -m 'é", Some("git commit: é")),
        ] {
            assert_eq!(commit_line(command).as_deref(), line, "{command}");
        }
    }

    #[test]
    fn git_names_a_commit_by_its_branch_and_hash() {
        assert_eq!(
            commit_name(
                "ok [a]\n[INFO 20240101] x\n[feature/x 6c9a264] Split main\n 1 file",
                "Split main"
            ),
            Some("feature/x 6c9a264")
        );
        assert_eq!(
            commit_name("[main (root-commit) 4d4458a] x", "x"),
            Some("main (root-commit) 4d4458a")
        );
        assert_eq!(commit_name("[ok] done [1 of 2]", "done"), None);
        assert_eq!(commit_name("[main 0a1b2c3] Second", "First"), None);
        let loud = "git commit -m 'x -q'";
        assert!(is_committed(loud, "", "x") && is_committed(loud, " 2 files changed", "x"));
        let clean = "nothing to commit, working tree clean";
        assert!(!is_committed(loud, clean, "x") && !is_committed(loud, "6c9a264 x", "x"));
        let quiet = "make test; git commit -q -m 'x' && git log --oneline";
        assert!(is_committed(quiet, "6c9a264 x", "x") && !is_committed(quiet, clean, "x"));
    }
}
