//! Files in shell commands: enough of the shell to see which words of `cat`,
//! `sed`, `rm` or a redirection are files, and which of them are written.

use crate::summary::extract::facts::tool_effects::Touch;

/// Commands all of whose operands are written.
const WRITERS: &[&str] = &[
    "mkdir", "touch", "tee", "create", "truncate", "chmod", "chown",
];
/// Commands all of whose operands are gone then.
const DELETERS: &[&str] = &["rm", "rmdir", "unlink"];
/// Commands whose last operand is written.
const COPIERS: &[&str] = &["mv", "cp", "ln", "install", "rsync", "scp"];
/// Commands that write in place when given `-i`.
const EDITORS: &[&str] = &["sed", "perl", "awk"];
/// Commands whose first operand is a pattern or a script, not a file.
const PATTERNS: &[&str] = &[
    "sed", "perl", "awk", "grep", "egrep", "rg", "ag", "jq", "echo", "printf",
];
/// Commands whose operands are files also when they don't look like it.
const READERS: &[&str] = &[
    "cat", "head", "tail", "less", "more", "open", "source", "wc", "nl", "bat",
];
/// A command is a line for the shell, not a program: beyond this it is data.
const LONGEST: usize = 16 * 1024;

/// Calls `found` with each file and what is done to it.
pub(crate) fn files<'l>(command: &'l str, found: &mut impl FnMut(&'l str, Touch)) {
    let mut heredoc: Option<String> = None;
    for line in command[..crate::summary::extract::lex::line::floor_char(command, LONGEST)].lines()
    {
        if let Some(end) = heredoc {
            heredoc = (line.trim() != end).then_some(end);
            continue;
        }
        heredoc = line
            .split_once("<<")
            .map(|(_, rest)| rest.trim_start_matches(['-', '<', ' ']))
            .and_then(|rest| {
                let word: String = rest
                    .trim_start_matches(['\'', '"'])
                    .chars()
                    .take_while(|c| c.is_alphanumeric() || *c == '_')
                    .collect();
                (!word.is_empty()).then_some(word)
            });
        let words = words(line);
        words
            .split(|word| word.operator && !word.text.starts_with(['>', '<']))
            .for_each(|command| simple(command, found));
    }
}

/// A word of a command, or an operator between them.
struct ShellWord<'l> {
    text: &'l str,
    operator: bool,
}

/// Splits a line as a shell does, quotes kept whole. Words that need expansion stay as they are.
fn words(line: &str) -> Vec<ShellWord<'_>> {
    let mut words = Vec::new();
    let bytes = line.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        match bytes[at] {
            byte if byte.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'#' => break,
            b'|' | b';' | b'&' | b'>' | b'<' | b'(' | b')' => {
                while at < bytes.len()
                    && matches!(bytes[at], b'|' | b';' | b'&' | b'>' | b'<' | b'(' | b')')
                {
                    at += 1;
                }
                words.push(ShellWord {
                    text: &line[start..at],
                    operator: true,
                });
            }
            quote @ (b'\'' | b'"') => {
                let end = memchr::memchr(quote, &bytes[at + 1..])
                    .map_or(bytes.len(), |length| at + 1 + length);
                words.push(ShellWord {
                    text: &line[at + 1..end],
                    operator: false,
                });
                at = (end + 1).min(bytes.len());
            }
            _ => {
                while at < bytes.len()
                    && !bytes[at].is_ascii_whitespace()
                    && !matches!(bytes[at], b'|' | b';' | b'&' | b'>' | b'<' | b'(' | b')')
                {
                    at += 1;
                }
                words.push(ShellWord {
                    text: &line[start..at],
                    operator: false,
                });
            }
        }
    }
    words
}

/// One simple command with its redirections.
fn simple<'l>(words: &[ShellWord<'l>], found: &mut impl FnMut(&'l str, Touch)) {
    let mut operands: Vec<&'l str> = Vec::new();
    // The word after a redirection is its target: written, read, or no file at all.
    let mut redirection: Option<Option<Touch>> = None;
    for word in words {
        if word.operator {
            // `2>&1` and here-documents name no file.
            redirection = Some(
                (!word.text.contains("<<") && !word.text.contains('&')).then(|| {
                    if word.text.starts_with('>') {
                        Touch::Written
                    } else {
                        Touch::Read
                    }
                }),
            );
        } else if let Some(target) = redirection.take() {
            if let Some(touch) = target
                && !matches!(word.text, "/dev/null" | "/dev/stderr" | "/dev/stdout")
                && is_name(word.text)
            {
                found(word.text, touch);
            }
        } else {
            operands.push(word.text);
        }
    }
    let is_assignment = |word: &&str| word.contains('=') && !word.contains('/');
    let mut operands = operands.into_iter().skip_while(|word| {
        is_assignment(word) || matches!(*word, "sudo" | "env" | "time" | "nohup")
    });
    let Some(mut name) = operands
        .next()
        .map(|path| path.rsplit('/').next().unwrap_or(path))
    else {
        return;
    };
    let mut operands = operands.peekable();
    if name == "git"
        && let Some(command) = operands.next_if(|word| matches!(*word, "rm" | "mv"))
    {
        name = command;
    }
    let (options, mut operands): (Vec<&'l str>, Vec<&'l str>) =
        operands.partition(|word| word.starts_with('-'));
    if name == "cd" {
        return;
    }
    if EDITORS.contains(&name) {
        // `sed -i '' …`: what the old file is called.
        operands.retain(|word| !word.is_empty());
    }
    if PATTERNS.contains(&name) && !operands.is_empty() {
        operands.remove(0);
    }
    let in_place = EDITORS.contains(&name)
        && options
            .iter()
            .any(|option| option.starts_with("-i") || option.starts_with("--in-place"));
    let all = if WRITERS.contains(&name) || in_place {
        Touch::Written
    } else if DELETERS.contains(&name) && !options.contains(&"--cached") {
        Touch::Deleted
    } else {
        Touch::Read
    };
    let target = if options
        .iter()
        .any(|option| matches!(*option, "-t" | "--target-directory"))
    {
        0
    } else {
        operands.len().saturating_sub(1)
    };
    for (at, operand) in operands.into_iter().enumerate() {
        let touch = match name {
            _ if at == target && COPIERS.contains(&name) => Touch::Written,
            "mv" => Touch::Deleted,
            _ => all,
        };
        let named = touch != Touch::Read || READERS.contains(&name);
        if looks_like_file(operand) || (named && is_name(operand)) {
            found(operand, touch);
        }
    }
}

/// Whether a word can name a file at all.
fn is_name(word: &str) -> bool {
    let odd = |c: char| {
        c.is_whitespace()
            || matches!(
                c,
                '$' | '*' | '?' | '=' | '{' | '}' | '`' | '\\' | ',' | '"' | '\'' | '!' | '%'
            )
    };
    word.len() > 1
        && word.len() <= 200
        && !word.contains(odd)
        && word.chars().any(char::is_alphabetic)
}

fn looks_like_file(word: &str) -> bool {
    is_name(word)
        && !word.contains("://")
        && (crate::summary::extract::lex::identifier_kinds::is_file(word)
            || crate::summary::extract::lex::identifier_kinds::kinds_of(word).is_some_and(
                |kinds| {
                    kinds & crate::summary::extract::lex::identifier_kinds::PATH != 0
                        && word.contains('/')
                },
            ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touched(command: &str, wanted: Touch) -> Vec<String> {
        let mut touched = Vec::new();
        files(command, &mut |file, touch| {
            touched.extend((touch == wanted).then(|| file.to_owned()))
        });
        touched
    }

    fn all(command: &str) -> (Vec<String>, Vec<String>) {
        (
            touched(command, Touch::Read),
            touched(command, Touch::Written),
        )
    }

    #[test]
    fn what_is_gone_is_not_written() {
        let command = "rm -f gone.txt; mv from.c to.c && git rm old.rs && git mv a.rs b.rs; mv -t dir/x c.rs; git rm --cached d.rs";
        assert_eq!(
            touched(command, Touch::Deleted),
            ["gone.txt", "from.c", "old.rs", "a.rs", "c.rs"]
        );
        assert_eq!(
            all(command),
            (
                vec!["d.rs".to_owned()],
                ["to.c", "b.rs", "dir/x"].map(str::to_owned).to_vec()
            )
        );
    }

    #[test]
    fn read_and_written_apart() {
        let (read, written) = all(
            "cd /srv && cat src/main.rs README | grep -n 'a/b' lib.rs > out.txt 2>/dev/null; rm -rf build; cp a.py dir/b.py",
        );
        assert_eq!(read, ["src/main.rs", "README", "lib.rs", "a.py"]);
        assert_eq!(written, ["out.txt", "dir/b.py"]);
        assert_eq!(
            all("sed -i '' 's/a-b/c/g' d.py"),
            (vec![], vec!["d.py".to_owned()])
        );
        let (read, written) = all(
            "sed -n '1,20p' a.c; sed -i 's/x/y/' b.c && mkdir -p new/dir; python tests/run.py --fast 2>&1",
        );
        assert_eq!(read, ["a.c", "tests/run.py"]);
        assert_eq!(written, ["b.c", "new/dir"]);
    }

    #[test]
    fn here_documents_are_data() {
        let (read, written) = all("cat > notes.md <<'EOF'\ncat other.txt\nEOF\ncat last.txt");
        assert_eq!(
            (read, written),
            (vec!["last.txt".to_owned()], vec!["notes.md".to_owned()])
        );
    }
}
