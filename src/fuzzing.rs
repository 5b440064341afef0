//! The entry points of the fuzz targets in `fuzz/`.
//!
//! Each function takes any bytes, and panics where two ways to the same answer differ or a promise
//! is broken. Input that a function is not about is ignored.

use crate::commands::writing_run::WritingRun;
use crate::deciding::plan::Plan;
use crate::deciding::tokens::bpe::{
    CL100K_BASE, Encoding, O200K_BASE, O200K_HARMONY, P50K_BASE, R50K_BASE,
};
use crate::files::archive::names::NameRule;
use crate::files::input::{NamedInputs, PathRules, ReadLimits};
use crate::files::output::WritingTerms;
use crate::files::restoration::RestorationPaths;
use crate::reading::format::journal::{Journal, rebuild_journal};
use crate::reading::format::tree::{JsonNode, JsonTree};
use crate::reading::format::{FORMATS, Format};
use crate::reading::json::{decode_literal, is_unfinished_json, validate_json};
use crate::reading::transcript::view::TranscriptView;
use crate::reading::transcript::{Record, Transcript};
use crate::running::apply::apply;
use crate::running::compaction::Job;
use crate::settings::cli::{MaxErrors, RunArgs, When, WritingArgs};
use crate::settings::{Settings, resolve_reading_of};
use crate::summary::extract::Extract;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;
use tiktoken_rs::CoreBPE;

/// Longer texts are not counted: tiktoken-rs needs long for them, and panics on long runs of white
/// space.
const MAX_COUNTED_BYTES: usize = 3000;

/// A policy under which every stage finds something to do.
const EAGER_POLICY: &str = r#"
[evict]
tokens = 5
[truncate]
trigger = [{ messages = 1 }]
keep = { messages = 1 }
max_length = 30
[prune]
protect = 1
minimum = 0
skip_turns = 0
[summarize]
trigger = [{ messages = 3 }]
keep = { messages = 1 }
on_growth = "allow"
"#;

/// [`EAGER_POLICY`], read once.
static EAGER_SETTINGS: LazyLock<Settings> = LazyLock::new(|| {
    let folder = create_folder();
    let path = folder.path().join("policy.toml");
    write_file(&path, EAGER_POLICY.as_bytes());
    Settings::from_config(&path).unwrap_or_else(|error| panic!("{error}"))
});

/// The first bytes of gzip and zstd files. Restored files are compressed anew, possibly to other
/// bytes.
const COMPRESSED: [&[u8]; 2] = [&[0x1F, 0x8B], &[0x28, 0xB5, 0x2F, 0xFD]];

/// Reads records, one a line, in every format that recognizes the first.
///
/// # Panics
/// Panics if a reader does, if a message is outside its record, or if a plan without edits
/// changes anything.
pub fn formats(data: &[u8]) {
    // Records that are not UTF-8 never reach a reader.
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let lines: Vec<&[u8]> =
        text.split('\n').map(str::as_bytes).filter(|line| validate_json(line).is_ok()).collect();
    let Some(tree) = lines.first().and_then(|line| JsonTree::new(line).ok()) else {
        return;
    };
    for &format in FORMATS {
        let Some(recognition) = format.recognize_record(tree.root()) else {
            continue;
        };
        match format.as_journal() {
            Some(journal) => read_journal(format, journal, &lines),
            None => {
                let record = Record { bytes: lines[0], line: 1 };
                if let Ok(transcript) = format.read_transcript(vec![record], recognition.shape) {
                    check_transcript(&transcript, format);
                }
            }
        }
    }
}

fn read_journal(format: &dyn Format, journal: &dyn Journal, lines: &[&[u8]]) {
    let records: Vec<Record<'_>> =
        lines.iter().zip(1..).map(|(&bytes, line)| Record { bytes, line }).collect();
    for thread in &rebuild_journal(journal, lines).threads {
        if let Ok(thread) = thread.read_transcript(&records) {
            check_transcript(&thread.transcript, format);
        }
    }
}

fn check_transcript(transcript: &Transcript<'_>, format: &dyn Format) {
    let view = TranscriptView::logged(transcript);
    for (index, message) in transcript.messages.iter().enumerate() {
        let record = transcript.records[message.record].bytes;
        assert!(
            record.get(message.span.start..message.span.end).is_some(),
            "{}: message {index} lies outside its record",
            format.name()
        );
        // Decodes all that the message holds.
        let _ = view.viewed_turn(index);
    }
    let outcome = apply(transcript, format, &Plan::default(), None);
    assert!(outcome.records.is_empty(), "{}: a plan without edits changes records", format.name());
}

/// Compares the JSON scanner with serde_json.
///
/// # Panics
/// Panics if only one of the two accepts the text, if a string is decoded to another text, if a
/// value taken out of the text is not JSON, or if a beginning of valid JSON is regarded as broken.
pub fn json(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let accepted = validate_json(data).is_ok();
    let theirs = serde_json::from_str::<serde::de::IgnoredAny>(text);
    assert_eq!(accepted, theirs.is_ok(), "{text:?}: {theirs:?}");
    if !accepted {
        return;
    }
    let tree = JsonTree::new(data).unwrap_or_else(|error| panic!("{text:?}: {error:?}"));
    check_value(tree.root());
    let end = text.trim_end().len() / 2;
    let beginning = &data[..end];
    assert!(
        validate_json(beginning).is_ok() || is_unfinished_json(beginning),
        "{text:?} up to byte {end}"
    );
}

fn check_value(node: JsonNode<'_>) {
    assert!(validate_json(node.bytes()).is_ok(), "{:?}", node.bytes());
    if let Some(literal) = node.as_literal() {
        check_string(literal.slice(node.record_bytes()));
    }
    for (key, value) in node.entries() {
        check_string(key.slice(node.record_bytes()));
        check_value(value);
    }
    node.items().for_each(check_value);
}

fn check_string(literal: &[u8]) {
    // Lone surrogates, which serde_json rejects, have no text to compare.
    if let Ok(theirs) = serde_json::from_slice::<String>(literal) {
        assert_eq!(decode_literal(literal), theirs, "{literal:?}");
    }
}

/// Compacts a file under a policy that changes whatever it can, restores it, and compares.
///
/// # Panics
/// Panics if the file is not compacted or not restored, or if the restored file differs from the
/// input.
pub fn restored(data: &[u8]) {
    if COMPRESSED.iter().any(|magic| data.starts_with(magic)) {
        return;
    }
    let folder = create_folder();
    let [input, compacted, output] =
        ["input.jsonl", "compacted", "restored"].map(|name| folder.path().join(name));
    write_file(&input, data);
    compact_file(&input, &compacted);
    if !compacted.join("input.jsonl").exists() {
        // A file of another kind, such as an image, is refused as a whole.
        let first = data.split(|byte| *byte == b'\n').next().unwrap_or_default();
        assert!(validate_json(first).is_err(), "a log was not written");
        return;
    }
    restore_files(&compacted, &output);
    let restored = fs::read(output.join("input.jsonl"))
        .unwrap_or_else(|error| panic!("the input was not restored: {error}"));
    assert!(
        restored == data,
        "restored {:?}, expected {:?}",
        String::from_utf8_lossy(&restored),
        String::from_utf8_lossy(data)
    );
}

fn create_folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"))
}

fn write_file(path: &Path, bytes: &[u8]) {
    fs::write(path, bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

/// Runs the `compact` command on a file, without signal handlers.
fn compact_file(input: &Path, output: &Path) {
    let settings = &*EAGER_SETTINGS;
    let run = WritingRun {
        job: Job::Compact,
        settings,
        inputs: NamedInputs { paths: &[input.to_path_buf()], rules: PathRules::default() },
        reading: resolve_reading_of(None, ReadLimits::default(), &settings.policy.summarizer.kind),
        output,
        archive: None,
        writing: &WritingArgs::default(),
        run: &RunArgs {
            jobs: Some(1),
            max_errors: MaxErrors::All,
            quiet: true,
            annotations: None,
            progress: When::Never,
        },
        check: false,
        measures_retention: false,
        names: NameRule::Order,
    };
    if let Err(error) = run.execute_without_signals(|_| Ok(Some(Box::new(Extract::default())))) {
        panic!("the input was not compacted: {error:#}");
    }
}

fn restore_files(directory: &Path, output: &Path) {
    let paths = RestorationPaths { directory, archive: directory, output: Some(output) };
    let restoration = paths
        .restore(&WritingTerms::for_library("restore"))
        .unwrap_or_else(|error| panic!("the input was not restored: {error:#}"));
    assert!(
        restoration.failures.is_empty(),
        "the input was not restored: {:?}",
        restoration.failures
    );
}

/// Compares the exact counters with tiktoken-rs.
///
/// # Panics
/// Panics if a count differs.
pub fn counters(data: &[u8]) {
    let encodings: [(&Encoding, &CoreBPE); 5] = [
        (&O200K_BASE, tiktoken_rs::o200k_base_singleton()),
        (&O200K_HARMONY, tiktoken_rs::o200k_harmony_singleton()),
        (&CL100K_BASE, tiktoken_rs::cl100k_base_singleton()),
        (&P50K_BASE, tiktoken_rs::p50k_base_singleton()),
        (&R50K_BASE, tiktoken_rs::r50k_base_singleton()),
    ];
    let text = String::from_utf8_lossy(&data[..data.len().min(MAX_COUNTED_BYTES)]);
    for (encoding, theirs) in encodings {
        assert_eq!(
            encoding.count(&text),
            theirs.encode_ordinary(&text).len(),
            "{} of {text:?}",
            encoding.name
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHAT: &str = r#"{"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Read \u00e9.txt"}, {"role": "assistant", "content": null, "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "write_file", "arguments": "{\"path\": \"a\", \"content\": \"a text of more than thirty characters\"}"}}]}, {"role": "tool", "tool_call_id": "c1", "content": "a result of more than twenty characters"}, {"role": "assistant", "content": "Done."}, {"role": "user", "content": "Thanks"}]}"#;
    const ANTHROPIC: &str = r#"{"system": "s", "messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]}, {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "a result of more than twenty characters"}]}]}"#;
    const CODEX: &str = "{\"timestamp\": \"2026-01-01T00:00:00Z\", \"type\": \"session_meta\", \"payload\": {\"id\": \"s\"}}\n{\"timestamp\": \"2026-01-01T00:00:01Z\", \"type\": \"response_item\", \"payload\": {\"type\": \"message\", \"role\": \"user\", \"content\": [{\"type\": \"input_text\", \"text\": \"Hi\"}]}}\n";

    #[test]
    fn records_of_known_and_unknown_formats_are_read() {
        for seed in [CHAT, ANTHROPIC, CODEX, "", "[]", "{\"messages\": 3}", "\u{feff}{}"] {
            formats(seed.as_bytes());
        }
    }

    #[test]
    fn valid_and_broken_json_is_judged_alike() {
        for seed in [
            CHAT,
            " [1, -0.5e3, \"\\ud83d\", {\"a\": {\"a\": null}}] ",
            "[1,]",
            "\"\\u00e9\\n\"",
            "\"\t\"",
            "1e999",
            "",
        ] {
            json(seed.as_bytes());
        }
        json(b"\"\xff\"");
    }

    #[test]
    fn compacted_files_are_restored() {
        for seed in [
            format!("{CHAT}\n{ANTHROPIC}\r\n\n{CHAT}"),
            format!("\u{feff}{CHAT}\n"),
            format!("[{CHAT},\n {CHAT}]"),
            CODEX.to_owned(),
        ] {
            restored(seed.as_bytes());
        }
    }

    #[test]
    fn texts_count_as_tiktoken_counts_them() {
        for seed in ["", "Hello  world\n\n\tx", "你好😀 don't", "<|endoftext|>"] {
            counters(seed.as_bytes());
        }
        counters(b"\xf0\x28 \xff");
    }
}
