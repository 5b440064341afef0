//! Stage dedup: a result that is repeated further down becomes a reference to the newest one,
//! if a later result has the same text, or shows the same file or call again.

use crate::base::sha256::Sha256;
use crate::deciding::strategy::pin::pinned_before;
use crate::deciding::strategy::prelude::*;
use crate::deciding::strategy::prune::plan_pruning;
use crate::deciding::strategy::replaceable::{
    REPEATED, REPLACED, is_left_by_stage, is_replaceable_result,
};
use crate::deciding::strategy::tail::first_behind;
use crate::reading::json::python_value::entry_at;
use crate::reading::json::stringify_json;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

/// The arguments that name a file.
const PATH_KEYS: &str = "\
    path file_path filePath filepath filename target_file absolute_path dir_path";
/// The arguments that name a part of a file.
const RANGE_KEYS: &str = "\
    offset limit start_line end_line start_line_one_indexed end_line_one_indexed_inclusive \
    should_read_entire_file view_range line_start line_end pages";
/// The arguments that change nothing about what is shown.
const SIDE_KEYS: &str = "command description security_risk summary task_progress";
/// The commands of tools that also edit which only show a file.
const SHOWING_COMMANDS: [&str; 2] = ["view", "open"];
/// The hexadecimal digits of a text's hash.
const HASH_DIGITS: usize = 64;
/// The most results of one file that an older one is compared with.
const MOST_COMPARED: usize = 16;

/// The subject of a result: two results with the same subject show the same thing, at two times.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ResultSubject {
    /// The file, or the tool with its arguments.
    name: String,
    /// The part of the file, as the arguments of the call name it; empty for all of it.
    range: String,
}

/// A result that stays, and what it shows.
struct StandingResult {
    message: usize,
    range: String,
    lines: ShownLines,
}

/// The results that stay, from the newest to the oldest seen so far.
#[derive(Default)]
struct StandingResults {
    by_hash: HashMap<String, usize>,
    by_name: HashMap<String, Vec<StandingResult>>,
}

/// A later result that makes an earlier one dispensable.
#[derive(Debug, Clone, Copy)]
enum LaterResult {
    /// It has the same text.
    Same(usize),
    /// It shows the same thing anew.
    Newer(usize),
}

/// Finds the results that a later one repeats or replaces, in order. Results that an edit replaced
/// before are neither replaced nor referred to.
pub(crate) fn find_repeated(
    view: TranscriptView<'_, '_>,
    ledger: &Ledger<'_>,
    policy: &Policy,
) -> Vec<Pruning> {
    let transcript = view.transcript;
    let least = usize::try_from(policy.dedup.least).unwrap_or(usize::MAX);
    let staying = staying_messages(transcript, policy);
    let mut standing = StandingResults::default();
    let mut found = Vec::new();
    for index in (0..transcript.messages.len()).rev() {
        if ledger.messages[index] < least || !is_replaceable_result(view, index) {
            continue;
        }
        let text = view.joined_text(index, "\n");
        if is_left_by_stage(&text, policy) {
            continue;
        }
        let hash = Sha256::from_bytes(text.as_bytes()).hex_prefix(HASH_DIGITS);
        let subject = subject_of(transcript, index, &policy.dedup.tools);
        let lines = subject.as_ref().map(|_| ShownLines::from_text(&text));
        let shown = subject.zip(lines);
        if !staying.contains(&index)
            && let Some(later) = standing.find_later(&hash, shown.as_ref())
        {
            let tokens = ledger.counter.count_text(&text);
            let placeholder = reference_text(transcript, later);
            if tokens >= least && ledger.counter.count_text(&placeholder) < tokens {
                found.push(Pruning {
                    placeholder,
                    cause: PruneCause::Repeated,
                    ..plan_pruning(transcript, &policy.prune, index, tokens as u64)
                });
                // The newest result stays the one that is referred to.
                continue;
            }
        }
        standing.add(index, hash, shown);
    }
    found.reverse();
    found
}

/// Returns the messages that stay before a summary: a reference in them would lead to a result that
/// the summary may replace.
fn staying_messages(transcript: &Transcript<'_>, policy: &Policy) -> BTreeSet<usize> {
    let count = transcript.messages.len();
    let mut staying = pinned_before(transcript, &policy.pin, count);
    if policy.summarize.keep_first > 0 {
        let first = usize::try_from(policy.summarize.keep_first).unwrap_or(usize::MAX);
        staying.extend(0..first_behind(transcript, first, policy.count.system));
    }
    staying
}

impl StandingResults {
    /// Finds a later result that can replace one with this hash, subject and lines.
    fn find_later(
        &self,
        hash: &str,
        shown: Option<&(ResultSubject, ShownLines)>,
    ) -> Option<LaterResult> {
        if let Some(same) = self.by_hash.get(hash) {
            return Some(LaterResult::Same(*same));
        }
        let (subject, lines) = shown?;
        let candidates = self.by_name.get(&subject.name)?;
        candidates
            .iter()
            .find(|later| {
                if later.range == subject.range {
                    later.lines.replace(lines)
                } else {
                    later.lines.cover(lines)
                }
            })
            .map(|later| LaterResult::Newer(later.message))
    }

    fn add(&mut self, message: usize, hash: String, shown: Option<(ResultSubject, ShownLines)>) {
        self.by_hash.entry(hash).or_insert(message);
        let Some((subject, lines)) = shown else {
            return;
        };
        let results = self.by_name.entry(subject.name).or_default();
        if results.len() < MOST_COMPARED {
            results.push(StandingResult { message, range: subject.range, lines });
        }
    }
}

/// Returns the subject of a result, if the policy says that its tool shows things as they are.
fn subject_of(
    transcript: &Transcript<'_>,
    index: usize,
    tools: &[String],
) -> Option<ResultSubject> {
    let tool = transcript.tool_name_of(index)?;
    if !tools.iter().any(|name| *name == tool) {
        return None;
    }
    let arguments = arguments_of(transcript, index)?;
    let entries = parse_python_object(&arguments)?;
    let text_of = |key: &str| text_at(&entries, &[key]);
    if text_of("command").is_some_and(|command| !SHOWING_COMMANDS.contains(&command.as_ref())) {
        return None;
    }
    // A call with other arguments shows something else of the file, such as lines that match.
    let is_plain = entries.iter().all(|entry| {
        let mut names =
            [PATH_KEYS, RANGE_KEYS, SIDE_KEYS].into_iter().flat_map(|keys| keys.split(' '));
        names.any(|key| key.as_bytes() == entry.key.as_ref())
    });
    let path = PATH_KEYS.split(' ').find_map(text_of);
    let Some(path) = path.filter(|_| is_plain) else {
        return Some(ResultSubject {
            name: format!("{tool} {}", stringify_json(&arguments)),
            range: String::new(),
        });
    };
    let parts: Vec<String> = RANGE_KEYS
        .split(' ')
        .filter_map(|key| {
            let entry = entry_at(&entries, key)?;
            let is_given = !matches!(entry.value, PythonValue::Null);
            is_given.then(|| format!("{key}={}", stringify_json(entry.span.slice(&arguments))))
        })
        .collect();
    Some(ResultSubject {
        name: path.strip_prefix("./").unwrap_or(&path).to_owned(),
        range: parts.join(","),
    })
}

/// Returns the arguments of the call that a result answers, as they were logged.
fn arguments_of<'t>(transcript: &'t Transcript<'_>, index: usize) -> Option<Cow<'t, [u8]>> {
    let place = transcript.call_place_of(index)?;
    let call = &transcript.messages[place.message].calls[place.call];
    Some(transcript.logged_arguments(place.message, call))
}

/// Returns the text that refers to a later result.
fn reference_text(transcript: &Transcript<'_>, later: LaterResult) -> String {
    let (words, later) = match later {
        LaterResult::Same(later) => (REPEATED, later),
        LaterResult::Newer(later) => (REPLACED, later),
    };
    let call = transcript
        .answered_id(&transcript.messages[later])
        .filter(|id| !id.is_empty())
        .map(|id| format!(", for call {id}"))
        .unwrap_or_default();
    format!("{words}{call}]")
}

/// The lines of a text, as hashes. Blank lines, indents and line numbers do not count.
#[derive(Debug, Clone, Default)]
struct ShownLines(HashSet<u64>);

impl ShownLines {
    pub(crate) fn from_text(text: &str) -> Self {
        let hasher = BuildHasherDefault::<DefaultHasher>::default();
        let lines = text.lines().map(without_number);
        Self(lines.filter(|line| !line.is_empty()).map(|line| hasher.hash_one(line)).collect())
    }

    /// Returns true if these lines can replace earlier ones of the same part of a file: at least
    /// half of them stand here. An error message, or a note that nothing changed, can't.
    pub(crate) fn replace(&self, earlier: &Self) -> bool {
        let shared = earlier.0.intersection(&self.0).count();
        shared > 0 && shared * 2 >= earlier.0.len()
    }

    /// Returns true if these lines hold earlier ones of another part of the file, but for a few that
    /// have changed since: nine of ten stand here.
    pub(crate) fn cover(&self, earlier: &Self) -> bool {
        let missing = earlier.0.difference(&self.0).count();
        !earlier.0.is_empty() && missing * 10 <= earlier.0.len()
    }
}

/// Returns a line without blanks around it and without a number in front, as `cat -n` and the
/// readers of agents write it.
fn without_number(line: &str) -> &str {
    let line = line.trim();
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.len() == line.len() {
        return line;
    }
    match rest.trim_start_matches(' ').chars().next() {
        Some(mark @ ('\t' | '→' | '|' | ':')) => {
            let behind = rest.trim_start_matches(' ');
            behind[mark.len_utf8()..].trim()
        }
        _ => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_indents_do_not_count() {
        let plain = ShownLines::from_text("fn main() {\n    run();\n}\n");
        let numbered = ShownLines::from_text("  10→fn main() {\n  11→    run();\n\n  12→}");
        assert!(numbered.cover(&plain) && plain.cover(&numbered));
        assert_eq!(without_number("2024 was long"), "2024 was long");
        assert_eq!(without_number(" 7: let x = 1;"), "let x = 1;");
    }

    #[test]
    fn half_of_the_lines_replace_and_nine_of_ten_cover() {
        let lines = |range: Range<u32>| {
            let lines: Vec<String> = range.map(|number| format!("line of {number}")).collect();
            ShownLines::from_text(&lines.join("\n"))
        };
        assert!(lines(5..15).replace(&lines(0..10)));
        assert!(!lines(6..16).replace(&lines(0..10)));
        assert!(lines(1..90).cover(&lines(0..10)));
        assert!(!lines(2..90).cover(&lines(0..10)));
        // A note in place of the file holds none of its lines.
        assert!(!ShownLines::from_text("File unchanged since last read.").replace(&lines(0..10)));
        assert!(!lines(0..3).replace(&ShownLines::default()));
    }
}
