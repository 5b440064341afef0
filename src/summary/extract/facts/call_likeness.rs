//! Tells calls that say what others say: one like a newer one, one that failed for the same reason, a file
//! that a shell writes, a line that is printed in any case.

use super::exchanges::Exchange;
use super::inline_scripts::is_bare_script;
use super::shell_lines::plain_command;
use std::borrow::Cow;

/// Number of bytes at the start of a call that tell it from others.
const SIGNATURE: usize = 48;
/// Minimum length in bytes of a line that is looked for in the calls before, and the number of these.
const LEAST_SCRIPTED: usize = 12;
const SEARCHED_CALLS: usize = 12;
/// Number of bytes of each that are searched.
const LONGEST_SEARCHED: usize = 32 * 1024;

/// Returns the beginning of a line of a call, by which others like it are known. Scripts that nothing
/// describes are not alike.
pub(super) fn signature_of(line: &str, index: usize) -> Cow<'_, str> {
    if is_bare_script(line) {
        return Cow::Owned(format!("{line} {index}"));
    }
    let length = line.chars().take(SIGNATURE).map(char::len_utf8).sum();
    Cow::Borrowed(&line[..length])
}

/// Returns how a call failed: its first word and the outcome, without the names in it.
pub(super) fn failure_of(line: &str, outcome: &str) -> String {
    let name = line.split(' ').next().unwrap_or_default();
    let words = outcome
        .split(' ')
        .filter(|word| !word.contains(['.', '/', '\'', '"']));
    std::iter::once(name)
        .chain(words)
        .collect::<Vec<_>>()
        .join(" ")
}

/// The command of PowerShell that writes a file.
const SETTING_CONTENT: &str = "Set-Content ";

/// Returns true for a command that does nothing but write what stands below it to a file.
pub(super) fn writes_document(command: &str) -> bool {
    // PowerShell writes what stands above the command.
    let mut lines = command.lines().filter(|line| !line.trim().is_empty());
    if command.starts_with(SETTING_CONTENT) && lines.all(|line| line.starts_with(SETTING_CONTENT)) {
        return true;
    }
    plain_command(command)
        .strip_prefix("cat >")
        .is_some_and(|rest| {
            let (first, _) = rest.split_once('\n').unwrap_or((rest, ""));
            first.contains("<<") && !first.contains(['|', ';', '&'])
        })
}

/// Returns true if a line of the result of a call stands in an earlier call: what a script prints in any
/// case, like `All done`, says nothing of how it went.
pub(super) fn is_written_before(exchanges: &[Exchange<'_>], index: usize, line: &str) -> bool {
    if line.len() < LEAST_SCRIPTED {
        return false;
    }
    let newest = exchanges[..index].iter().rev().take(SEARCHED_CALLS);
    let finder = memchr::memmem::Finder::new(line);
    let mut texts = newest.map(|exchange| exchange.call.text().as_bytes());
    texts.any(|text| {
        finder
            .find(&text[..text.len().min(LONGEST_SEARCHED)])
            .is_some()
    })
}
