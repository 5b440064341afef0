//! Stage cut: a long result is shortened in its structure. JSON stays JSON, a table keeps its head,
//! a log its first, its last and its error lines.

use crate::deciding::strategy::pin::{is_of_tool, is_pinned};
use crate::deciding::strategy::prelude::*;
use crate::deciding::strategy::prune::plan_pruning;
use crate::deciding::strategy::replaceable::{is_left_by_stage, is_replaceable_result};
use crate::deciding::strategy::shorten_json::{is_json_container, shorten_json};
use regex::Regex;
use std::sync::LazyLock;

/// The characters that a token has at first guess.
const CHARS_PER_TOKEN: usize = 4;
/// How often a text is shortened anew because it still has too many tokens.
const ROUNDS: usize = 4;
/// The characters of a line that stay at least, where lines are long.
const LINE_CHARS: usize = 400;
/// The lines at either end of a text that stay before all others.
const END_LINES: usize = 2;

/// Lines that say what went wrong.
static ERROR_LINE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let words = "error|errors|failed|failure|failures|fatal|exception|traceback|panicked|panic|denied|undefined|cannot|aborted";
    Regex::new(&format!(r"(?i:\b(?:{words})\b)|\w(?:Error|Exception)\b")).ok()
});

/// Finds the results that are shortened: those of more tokens than the policy allows, but for the
/// newest. Results that an edit replaced before stay as they are.
pub(crate) fn find_shortened(
    view: TranscriptView<'_, '_>,
    ledger: &Ledger<'_>,
    policy: &Policy,
) -> Vec<Pruning> {
    let cut = &policy.cut;
    let transcript = view.transcript;
    let results: Vec<usize> = (0..transcript.messages.len())
        .filter(|&index| transcript.messages[index].role.is_result())
        .collect();
    let keep = usize::try_from(cut.keep).unwrap_or(usize::MAX);
    let old = &results[..results.len().saturating_sub(keep)];
    let most = usize::try_from(cut.tokens).unwrap_or(usize::MAX);
    let mut found = Vec::new();
    for &index in old {
        let is_short = ledger.messages[index] <= most;
        if is_short
            || !is_replaceable_result(view, index)
            || is_of_tool(transcript, index, &cut.exclude)
            || is_pinned(transcript, index, &policy.pin)
        {
            continue;
        }
        let text = view.joined_text(index, "\n");
        if is_left_by_stage(&text, policy) {
            continue;
        }
        let tokens = ledger.counter.count_text(&text);
        if tokens > most
            && let Some(short) = shorten_to_tokens(&text, most, tokens, ledger.counter)
        {
            found.push(Pruning {
                placeholder: short,
                cause: PruneCause::Shortened,
                ..plan_pruning(transcript, &policy.prune, index, tokens as u64)
            });
        }
    }
    found
}

/// Returns a text of at most `most` tokens with the same structure, or the shortest that was found.
/// Returns `None` if it is no shorter than the `tokens` of the original.
fn shorten_to_tokens(
    text: &str,
    most: usize,
    tokens: usize,
    counter: &dyn TokenCounter,
) -> Option<String> {
    let mut chars = most.saturating_mul(CHARS_PER_TOKEN);
    let mut shortest: Option<(usize, String)> = None;
    for _ in 0..ROUNDS {
        let short = shorten(text, chars);
        let left = counter.count_text(&short);
        if shortest.as_ref().is_none_or(|(least, _)| left < *least) {
            shortest = Some((left, short));
        }
        if left <= most {
            break;
        }
        // A little less than in proportion, as notes on what is left out take room, too.
        chars = chars * most / left * 9 / 10;
    }
    shortest.filter(|(left, _)| *left < tokens).map(|(_, short)| short)
}

/// Returns a text of about `most` characters with the same structure.
fn shorten(text: &str, most: usize) -> String {
    let trimmed = text.trim();
    if is_json_container(trimmed)
        && let Some(short) = shorten_json(trimmed, most)
    {
        return short;
    }
    let lines: Vec<&str> = text.lines().collect();
    // A line costs one character more, for its end.
    let line_chars = LINE_CHARS.max(most / lines.len().max(1)).min(most.saturating_sub(1));
    let choice = LineChoice::new(&lines, line_chars, most);
    render_lines(&lines, &choice.kept, line_chars)
}

/// The lines of a text that stay, within a number of characters.
struct LineChoice<'l> {
    lines: &'l [&'l str],
    /// The characters of a line beyond which its middle is left out.
    line_chars: usize,
    kept: Vec<bool>,
    /// The characters that are left.
    left: usize,
}

impl<'l> LineChoice<'l> {
    fn new(lines: &'l [&'l str], line_chars: usize, most: usize) -> Self {
        let mut choice = Self { lines, line_chars, kept: vec![false; lines.len()], left: most };
        choice.take_ends();
        choice.take_heads();
        choice.take_errors();
        choice.fill();
        choice
    }

    /// Takes a line if there is room for it.
    fn take(&mut self, index: usize) -> bool {
        let cost = self.lines[index].chars().count().min(self.line_chars) + 1;
        if self.kept[index] || cost > self.left {
            return false;
        }
        self.kept[index] = true;
        self.left -= cost;
        true
    }

    /// Takes the first lines, which hold the head of a table or of a log, and the last.
    fn take_ends(&mut self) {
        let count = self.lines.len();
        for number in 0..END_LINES.min(count) {
            self.take(number);
            self.take(count - 1 - number);
        }
    }

    /// Takes the heads of tables further down: the line that rules off a head, and the one above.
    fn take_heads(&mut self) {
        for index in 1..self.lines.len() {
            if self.left == 0 {
                break;
            }
            if is_rule(self.lines[index]) {
                self.take(index - 1);
                self.take(index);
            }
        }
    }

    /// Takes lines that name errors, until half of the room is taken.
    fn take_errors(&mut self) {
        let Some(pattern) = ERROR_LINE.as_ref() else {
            return;
        };
        let floor = self.left / 2;
        for index in 0..self.lines.len() {
            if self.left <= floor {
                break;
            }
            if pattern.is_match(self.lines[index]) {
                self.take(index);
            }
        }
    }

    /// Takes lines from both ends in turn until the first that has no room.
    fn fill(&mut self) {
        let count = self.lines.len();
        for number in 0..count.div_ceil(2) {
            for index in [number, count - 1 - number] {
                if !self.kept[index] && !self.take(index) {
                    return;
                }
            }
        }
    }
}

/// Returns true for a line that rules off the head of a table.
fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.contains("--") && line.chars().all(|c| "-|+:= ".contains(c))
}

/// Returns the lines that stay. Each gap says how many lines are left out.
fn render_lines(lines: &[&str], kept: &[bool], line_chars: usize) -> String {
    let mut out: Vec<String> = Vec::new();
    let mut gap = 0;
    let ends = std::iter::once(("", false));
    let all = lines.iter().copied().zip(kept.iter().copied()).chain(ends);
    for (number, (line, is_kept)) in all.enumerate() {
        let is_end = number == lines.len();
        if !is_kept && !is_end {
            gap += 1;
            continue;
        }
        if gap > 0 {
            out.push(format!("[... {gap} lines left out ...]"));
            gap = 0;
        }
        if !is_end {
            out.push(shorten_line(line, line_chars));
        }
    }
    out.join("\n")
}

/// Returns a line whose middle is left out if it is too long; a line of JSON stays JSON.
fn shorten_line(line: &str, most: usize) -> String {
    let count = line.chars().count();
    if count <= most {
        return line.to_owned();
    }
    if is_json_container(line.trim())
        && let Some(short) = shorten_json(line.trim(), most)
    {
        return short;
    }
    let half = most / 2;
    let begin: String = line.chars().take(half).collect();
    let end: String = line.chars().skip(count - half).collect();
    format!("{begin}[... {} characters left out ...]{end}", count - 2 * half)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_near(short: &str, most: usize) -> bool {
        short.len() < most + most / 3
    }

    #[test]
    fn a_log_keeps_its_ends_and_its_errors() {
        let mut lines: Vec<String> = (0..500).map(|n| format!("line {n} is all right")).collect();
        lines[250] = "src/a.rs:7: error: it is not".to_owned();
        lines[300] = "raise ParserError".to_owned();
        let short = shorten(&lines.join("\n"), 600);
        let kept =
            "line 0 |line 1 |error: it is not|ParserError|line 498 |line 499 |lines left out";
        for wanted in kept.split('|') {
            assert!(short.contains(wanted), "{wanted}: {short}");
        }
        assert!(is_near(&short, 600), "{short}");
    }

    #[test]
    fn tables_keep_their_heads() {
        let rows: String = (0..200).map(|n| format!("| {n} | value {n} |\n")).collect();
        let text = format!("Found:\n\nfirst\nsecond\n| id | text |\n|----|:----|\n{rows}");
        let short = shorten(&text, 400);
        assert!(short.contains("| id | text |\n|----|:----|\n"), "{short}");
        let csv: String = (0..200).map(|n| format!("{n},value {n}\n")).collect();
        let short = shorten(&format!("id,text\n{csv}"), 200);
        assert!(short.starts_with("id,text\n0,value 0\n"), "{short}");
        assert!(short.ends_with("\n199,value 199"), "{short}");
    }

    #[test]
    fn a_single_long_line_keeps_both_ends() {
        let short = shorten(&format!("begin{}end", "x".repeat(5000)), 600);
        assert!(short.starts_with("begin") && short.ends_with("end"));
        assert!(is_near(&short, 600), "{short}");
    }

    #[test]
    fn lines_of_json_stay_json() {
        let line = format!("{{\"id\":1,\"text\":\"{}\"}}", "y".repeat(3000));
        let short = shorten(&format!("{line}\n{line}\n{line}"), 900);
        for line in short.lines().filter(|line| line.starts_with('{')) {
            assert!(serde_json::from_str::<serde_json::Value>(line).is_ok(), "{line}");
        }
    }
}
