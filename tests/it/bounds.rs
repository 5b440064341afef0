//! Memory is bounded by `--max-record-bytes`, whatever the compression and the framing; where it
//! runs out the run says so; and a signal ends any run.
#![cfg(unix)]

use crate::harness::{Dir, PROGRAM, environment};
use crate::talk::{CUT, talk};
use std::process::{Command, Output, Stdio};

/// The address space of a run with little memory, in KiB: twice what a small run takes.
const LITTLE: usize = 120 << 10;
/// Returns zstd of `head`, of `fill` repeated to `megabytes`, and of `tail`.
fn bomb(head: &str, fill: &str, megabytes: usize, tail: &str) -> Vec<u8> {
    let block = fill.repeat((1 << 20) / fill.len());
    compressed(head, &block, megabytes, tail)
}

/// Returns zstd of `head`, of `megabytes` of the two letters in no order, and of `tail`: so little
/// of it repeats that it is no bomb.
fn padding(head: &str, letters: [char; 2], megabytes: usize, tail: &str) -> Vec<u8> {
    let mut state = 1_u32;
    let mut toss = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        letters[(state >> 16) as usize & 1]
    };
    let noise: String = (0..1 << 15).map(|_| toss()).collect();
    let rest = letters[0].to_string().repeat((1 << 20) - noise.len());
    compressed(head, &(noise + &rest), megabytes, tail)
}

fn compressed(head: &str, block: &str, megabytes: usize, tail: &str) -> Vec<u8> {
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
    let blocks = std::iter::repeat_n(block, megabytes);
    for text in std::iter::once(head).chain(blocks).chain([tail]) {
        std::io::Write::write_all(&mut encoder, text.as_bytes()).unwrap();
    }
    encoder.finish().unwrap()
}

/// Returns a long line of blanks, with its end.
fn blanks() -> String {
    " ".repeat(1023) + "\n"
}

/// Runs the program in an address space of `kib` KiB.
///
/// glibc tries to reserve 64 MiB for each thread that allocates. Whether it gets them, and whether a
/// thread starts meanwhile, is chance in so small a space, so all threads share one arena.
fn run_within(dir: &Dir, kib: usize, words: &str) -> Output {
    Command::new("sh")
        .args(["-c", &format!("ulimit -v {kib}; exec '{PROGRAM}' {words}")])
        .current_dir(dir.path(""))
        .env_clear()
        .envs(environment())
        .env("MALLOC_ARENA_MAX", "1")
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// Runs the program with little memory; it must end with this status. Returns stderr.
fn ends_with(dir: &Dir, words: &str, status: i32) -> String {
    let output = run_within(dir, LITTLE, words);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(status), "{words}: {stderr}");
    stderr
}

#[test]
fn a_document_above_the_limit_is_not_held() {
    let dir = Dir::new();
    // The first line is no record, so that the file may be a document.
    let text = "{\"messages\": [\n{\"role\": \"user\", \"content\": \"";
    dir.write("in.json.zst", padding(text, ['a', 'b'], 200, "\"}]}"));
    for command in
        ["count", "compact -o out", "convert --to openai -o converted", "replay -o replayed"]
    {
        let words = format!("{command} in.json.zst --max-record-bytes 1000000 -j1");
        let stderr = ends_with(&dir, &words, 3);
        assert!(stderr.contains("--max-record-bytes"), "{words}: {stderr}");
    }
}

#[test]
fn blank_lines_before_the_first_record_are_not_held() {
    let dir = Dir::new();
    let record = talk("a", 8);
    dir.write("in.jsonl.zst", padding("", [' ', '\n'], 100, &record));
    let words = format!("compact in.jsonl.zst -o out {CUT} -j1");
    ends_with(&dir, &words, 0);
    assert_eq!(dir.entries()[0]["status"], "compacted");
    let blank = blanks().repeat(2000) + &record;
    let counted = dir.epitome("count - --json").stdin(blank).ok();
    assert!(counted.stdout().contains("\"thread_id\":\"a\""), "{}", counted.stdout());
    // So are those before an array.
    let array = format!("[{}]", record.trim_end());
    dir.write("in.json.zst", padding("", [' ', '\n'], 100, &array));
    ends_with(&dir, "count in.json.zst --max-record-bytes 2000000", 0);
}

#[test]
fn what_decompresses_to_far_more_than_its_size_is_refused() {
    let dir = Dir::new();
    let long_blanks = " ".repeat((1 << 20) - 1) + "\n";
    dir.write("in.jsonl.zst", bomb(&talk("a", 8), &long_blanks, 80, ""));
    dir.epitome(&format!("compact in.jsonl.zst -o out {CUT}")).fails(3).says([
        "in.jsonl.zst",
        "more than 1000 times its size",
        "decompress it first",
    ]);
    assert!(!dir.exists("out/in.jsonl.zst"));
    let plain = zstd::decode_all(dir.bytes("in.jsonl.zst").as_slice()).unwrap();
    dir.epitome("count -").stdin(plain).ok();
    dir.write("in.jsonl.zst", padding(&talk("a", 8), [' ', '\n'], 80, ""));
    dir.epitome(&format!("compact in.jsonl.zst -o out --force {CUT}")).ok();
    dir.epitome("restore out -o back").ok();
    assert_eq!(
        zstd::decode_all(dir.bytes("back/in.jsonl.zst").as_slice()).unwrap(),
        zstd::decode_all(dir.bytes("in.jsonl.zst").as_slice()).unwrap()
    );
    // A small file may decompress to much.
    dir.write("small.jsonl.zst", bomb(&talk("a", 8), &long_blanks, 40, ""));
    dir.epitome("count small.jsonl.zst").ok();
}

#[test]
fn journals_and_open_threads_are_within_the_limit() {
    let dir = Dir::new();
    let line = |uuid: &str, parent: &str, text: &str| {
        format!(
            "{{\"parentUuid\": {parent}, \"isSidechain\": false, \"sessionId\": \"s\", \"type\": \"user\", \"uuid\": \"{uuid}\", \"message\": {{\"role\": \"user\", \"content\": \"{text}\"}}}}\n"
        )
    };
    let long = "x".repeat(2000);
    let journal: String = line("u0", "null", "begin")
        + &(1..2000)
            .map(|at| line(&format!("u{at}"), &format!("\"u{}\"", at - 1), &long))
            .collect::<String>();
    let said = |thread: usize, text: &str| {
        format!("{{\"thread_id\": \"t{thread}\", \"role\": \"user\", \"content\": \"{text}\"}}\n")
    };
    // The thread of the first line goes on in the last.
    let threads: String = (0..2000).map(|at| said(at % 1999, &long)).collect();
    dir.write("journal.jsonl", &journal).write("threads.jsonl", &threads);
    for (file, what) in
        [("journal", "the journal is longer"), ("threads", "threads that are still open")]
    {
        dir.epitome(&format!("compact {file}.jsonl -o {file} --max-record-bytes 2000000"))
            .fails(3)
            .says([what, "2000000 bytes", "--max-record-bytes"]);
        assert!(!dir.exists(&format!("{file}/{file}.jsonl")));
        dir.epitome(&format!("count {file}.jsonl --max-record-bytes 20000000")).ok();
    }
}

/// A row holds what was removed and what restores it: there is no further copy of a long message.
#[test]
fn a_row_of_a_long_message_takes_little_more_than_what_it_says() {
    let dir = Dir::new();
    let said = "word and more text here ".repeat(20_000_000 / 24);
    let others = r#"{"role": "user", "content": "ok"}, {"role": "assistant", "content": "fine"}"#;
    dir.write(
        "in.jsonl",
        format!("{{\"messages\": [{{\"role\": \"user\", \"content\": \"{said}\"}}, {others}]}}\n"),
    );
    ends_with(&dir, "stream --trigger tokens=4000 --keep messages=1 < in.jsonl", 0);
}

/// The standard library aborts where memory runs out; the run ends with a message and a status.
#[test]
fn where_memory_runs_out_the_run_says_so() {
    let dir = Dir::new();
    let record = "{\"messages\": [{\"role\": \"user\", \"content\": \"";
    // It can't be read.
    dir.write("long.jsonl.zst", padding(record, ['a', 'b'], 200, "\"}]}\n"));
    let stderr = ends_with(&dir, "compact long.jsonl.zst -o out -j1", 3);
    assert!(
        stderr.contains("not enough memory") && stderr.contains("--max-record-bytes"),
        "{stderr}"
    );
    // It can be read, and not be worked on.
    let message = "{\"role\": \"user\", \"content\": \"x\"}, ";
    let many = format!("{{\"messages\": [{message}");
    let end = "{\"role\": \"user\", \"content\": \"x\"}]}\n";
    dir.write("many.jsonl.zst", bomb(&many, message, 20, end));
    let stderr = ends_with(&dir, "compact many.jsonl.zst -o out2 -j1", 4);
    assert!(stderr.contains("memory"), "{stderr}");
}

/// Neither the first signal nor the message about it ends a run that waits for its input, or works
/// on a long record: it is ended.
#[test]
fn a_signal_ends_a_run_that_does_not_end_by_itself() {
    for command in ["compact", "convert --to openai", "replay"] {
        let dir = Dir::new();
        let path = dir.path("in.jsonl");
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        let run = Command::new(PROGRAM)
            .args(command.split_whitespace())
            .args(["in.jsonl", "-o", "out"])
            .current_dir(dir.path(""))
            .env_clear()
            .envs(environment())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Held open, and nothing is written. The open returns when the run has begun to read.
        let pipe = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
        let killed = Command::new("kill").args(["-TERM", &run.id().to_string()]).status().unwrap();
        assert!(killed.success());
        let output = run.wait_with_output().unwrap();
        drop(pipe);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(143), "{command}: {stderr}");
        assert!(stderr.contains("interrupted"), "{command}: {stderr}");
        assert!(!dir.exists("out/in.jsonl"));
    }
}
