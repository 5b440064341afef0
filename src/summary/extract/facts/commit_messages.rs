//! Finds the message of a commit: in it the assistant says what is done.

/// The command that commits, and the one that hands the commits on.
const COMMIT: &str = "git commit";
const PUSH: &str = "git push";
/// The options before a message.
const MESSAGE_OPTIONS: [&str; 4] = [" -m ", " -am ", " --message ", " --message="];
/// The start of a message that stands in the lines behind the command.
const HERE_DOCUMENT: &str = "$(cat <<";
/// The mark before a text that stands in the lines behind a command.
const HERE_OPENING: &str = "<<";
/// Before the message on the line of a call.
pub(super) const COMMIT_LABEL: &str = "git commit: ";

/// Returns the branch and the hash that `git` prints for a commit: `main 6c9a264`.
pub(super) fn commit_name(result: &str) -> Option<&str> {
    let mut starts = memchr::memchr_iter(b'[', result.as_bytes())
        .filter(|at| *at == 0 || result.as_bytes()[at - 1] == b'\n');
    starts.find_map(|at| {
        let (name, _) = result[at + 1..].split_once(']')?;
        let (branch, hash) = name.rsplit_once(' ')?;
        let is_hash = (LEAST_HASH..=LONGEST_HASH).contains(&hash.len())
            && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        (is_hash && branch.len() <= LONGEST_BRANCH && !branch.contains('\n')).then_some(name)
    })
}

/// The length in bytes of a hash, and the maximum length of the name of a branch.
const LEAST_HASH: usize = 6;
const LONGEST_HASH: usize = 16;
const LONGEST_BRANCH: usize = 60;

/// Returns the line of a command that commits with a message: the first line of the message, and
/// whether the commits are handed on.
pub(super) fn commit_line(command: &str) -> Option<String> {
    let (before, options) = command.split_once(COMMIT)?;
    if !ends_command(before) {
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
    let end = body.find([quote, '\n']).unwrap_or(body.len());
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
            commit_name("ok [a]\n[feature/x 6c9a264] Split main\n 1 file"),
            Some("feature/x 6c9a264")
        );
        assert_eq!(
            commit_name("[main (root-commit) 4d4458a] x"),
            Some("main (root-commit) 4d4458a")
        );
        assert_eq!(commit_name("[ok] done [1 of 2]"), None);
    }
}
