//! Each trick for speed beside the plain way to the same answer, over the same input.
//!
//!     cargo bench --features benching --bench tricks -- [--quick] [--only WORD] [FILE]
//!
//! The input is generated (prose, Chinese, source code and its escapes, always the same), or a
//! JSONL file of chat transcripts. The two ways take turns, and the table has the medians of their
//! CPU time. Each answer of the one is compared with that of the other first. `--quick` takes less
//! input and fewer turns: for a check of the answers, not of the times. `--only` picks the rows
//! whose trick contains a word.
//!
//! A trick with a ratio below 1.1 does not earn its code. The exact counters have a bench of their
//! own, `counters`, beside tiktoken-rs.

#![allow(clippy::print_stdout, reason = "a report is printed")]
#![allow(clippy::unwrap_used, reason = "a bench may panic")]

use cpu_time::ThreadTime;
use epitome::benching::{self, CallNumbers};
use regex::bytes::Regex as BytesRegex;
use serde::Serialize;
use serde::de::IgnoredAny;
use std::borrow::Cow;
use std::fmt::Debug;
use std::hint::black_box;
use std::ops::Range;
use std::time::Duration;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (mut quick, mut only, mut file) = (false, None, None);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--quick" => quick = true,
            "--only" => only = arguments.next(),
            // Cargo passes this one.
            "--bench" => {}
            _ => file = Some(argument),
        }
    }
    let table = Table {
        turns: if quick { 3 } else { 15 },
        least: Duration::from_millis(if quick { 1 } else { 20 }),
        only,
    };
    let input = match &file {
        Some(file) => Input::from_jsonl(&std::fs::read_to_string(file).expect(file)),
        None => Input::generate(if quick { 300_000 } else { 4_000_000 }),
    };
    println!("| trick | where | plain way | MB | plain, ms | trick, ms | ratio |");
    println!("|---|---|---|---:|---:|---:|---:|");
    json_rows(&table, &input);
    python_rows(&table, &input);
    record_rows(&table, &input);
    chat_rows(&table, &input);
    token_rows(&table, &input);
}

/// How rows are measured and printed.
struct Table {
    /// The number of times that each way has its turn.
    turns: usize,
    /// The least CPU time of a turn.
    least: Duration,
    /// Only rows whose trick contains this word are measured.
    only: Option<String>,
}

/// The first columns of a row.
struct Row {
    trick: &'static str,
    /// The file of the trick.
    place: &'static str,
    /// The plain way.
    plain: &'static str,
}

impl Table {
    /// Measures both ways over all items and prints a row. `size` returns the bytes of an item.
    ///
    /// # Panics
    /// Panics if the answers to an item differ.
    fn compare<'i, I: Debug, A: PartialEq + Debug>(
        &self,
        row: &Row,
        items: &'i [I],
        size: impl Fn(&I) -> usize,
        plain: impl Fn(&'i I) -> A,
        trick: impl Fn(&'i I) -> A,
    ) {
        let Row { trick: name, place, plain: plain_name } = row;
        if self.only.as_ref().is_some_and(|word| !name.contains(word)) {
            return;
        }
        assert!(!items.is_empty(), "{name}: the input has nothing of this");
        for item in items {
            assert_eq!(plain(item), trick(item), "{name}: {item:?}");
        }
        let once = time_turn(items, &plain, 1).min(time_turn(items, &trick, 1));
        let passes = (self.least.as_secs_f64() / once.as_secs_f64().max(1e-9)).ceil();
        let passes = passes.clamp(1.0, 1e6) as u32;
        let times = (0..self.turns)
            .map(|_| [time_turn(items, &plain, passes), time_turn(items, &trick, passes)]);
        let times: Vec<[Duration; 2]> = times.collect();
        let [plain, trick] = [0, 1].map(|way| {
            let mut times: Vec<Duration> = times.iter().map(|both| both[way]).collect();
            times.sort();
            times[times.len() / 2].as_secs_f64() * 1e3 / f64::from(passes)
        });
        let megabytes = items.iter().map(size).sum::<usize>() as f64 / 1e6;
        println!(
            "| {name} | `{place}` | {plain_name} | {megabytes:.2} | {plain:.3} | {trick:.3} | {:.2} |",
            plain / trick.max(1e-9)
        );
    }
}

/// Returns the CPU time of some passes over the items.
fn time_turn<'i, I, A>(items: &'i [I], way: &impl Fn(&'i I) -> A, passes: u32) -> Duration {
    let start = ThreadTime::now();
    for _ in 0..passes {
        for item in items {
            black_box(way(black_box(item)));
        }
    }
    start.elapsed()
}

// The rows.

/// The strings of a record.
#[derive(Debug)]
struct RecordStrings<'r> {
    record: &'r [u8],
    /// The ranges of their content.
    contents: Vec<Range<usize>>,
}

fn json_rows(table: &Table, input: &Input) {
    let strings = |least: usize, most: usize| -> Vec<RecordStrings<'_>> {
        let strings = input.records.iter().map(|record| RecordStrings {
            record,
            contents: string_contents(record)
                .into_iter()
                .filter(|content| (least..most).contains(&content.len()))
                .collect(),
        });
        strings.collect()
    };
    let scan_all = |strings: &RecordStrings<'_>, scan: fn(&[u8], usize) -> ScannedString| {
        let starts = strings.contents.iter().map(|content| content.start);
        let scanned = starts.map(|start| scan(strings.record, start));
        scanned.fold((0, 0, 0), |sums, (quote, points, escaped)| {
            (sums.0 ^ quote, sums.1 + points, sums.2 + usize::from(escaped))
        })
    };
    for (trick, least, most) in [
        ("scan of long strings, 64 bytes at a time", 64, usize::MAX),
        ("scan of short strings, 16 bytes at a time", 0, 64),
    ] {
        table.compare(
            &Row { trick, place: "json/string_scan.rs", plain: "a loop over bytes" },
            &strings(least, most),
            |strings| strings.contents.iter().map(Range::len).sum(),
            |strings| scan_all(strings, scan_by_bytes),
            |strings| {
                scan_all(strings, |record, start| benching::scan_string(record, start).unwrap())
            },
        );
    }
    table.compare(
        &Row {
            trick: "check of a record",
            place: "json/scanner/mod.rs",
            plain: "serde_json, `IgnoredAny`",
        },
        &input.records,
        Vec::len,
        |record| serde_json::from_slice::<IgnoredAny>(record).is_ok(),
        |record| benching::is_json(record),
    );
    let literals = input.literals(64);
    table.compare(
        &Row {
            trick: "best instruction set of the CPU",
            place: "json/lanes.rs",
            plain: "the same blocks for any CPU",
        },
        &literals,
        Vec::len,
        |literal| benching::count_points_at_baseline(&literal[1..literal.len() - 1]),
        |literal| benching::count_points(&literal[1..literal.len() - 1]),
    );
    table.compare(
        &Row {
            trick: "escapes decoded in blocks",
            place: "json/unescape.rs",
            plain: "serde_json, `Cow<str>`",
        },
        &literals,
        Vec::len,
        |literal| decode_by_serde(literal),
        |literal| benching::decode(literal),
    );
    table.compare(
        &Row {
            trick: "escapes decoded in blocks",
            place: "json/unescape.rs",
            plain: "memchr for each backslash",
        },
        &literals,
        Vec::len,
        |literal| decode_by_memchr(literal),
        |literal| benching::decode(literal),
    );
    let texts = input.texts(32);
    table.compare(
        &Row {
            trick: "check of UTF-8 by simdutf8",
            place: "conversation/reading.rs",
            plain: "`std::str::from_utf8`",
        },
        &texts,
        String::len,
        |text| std::str::from_utf8(text.as_bytes()).is_ok(),
        |text| simdutf8::compat::from_utf8(text.as_bytes()).is_ok(),
    );
    table.compare(
        &Row {
            trick: "code points by bytecount",
            place: "json/wtf8.rs",
            plain: "`chars().count()`",
        },
        &texts,
        String::len,
        |text| text.chars().count(),
        |text| benching::count_text_points(text),
    );
}

fn python_rows(table: &Table, input: &Input) {
    table.compare(
        &Row {
            trick: "length of arguments in Python's `repr`",
            place: "json/repr_length.rs",
            plain: "parse, and count the `repr`",
        },
        &input.arguments,
        Vec::len,
        |literal| benching::parsed_repr_length(literal),
        |literal| {
            benching::measured_repr_length(literal)
                .or_else(|| benching::parsed_repr_length(literal))
        },
    );
    table.compare(
        &Row {
            trick: "plain text in Python's `repr`, 64 bytes at a time",
            place: "tokens/python.rs",
            plain: "a loop over characters",
        },
        &input.texts(8),
        String::len,
        |text| text_repr_length(text),
        |text| benching::text_repr_length(text),
    );
    let text = input.texts(8).join("");
    let beyond_ascii = text.chars().filter(|c| !c.is_ascii());
    table.compare(
        &Row {
            trick: "common ranges of printable characters",
            place: "json/python_printable.rs",
            plain: "the table of categories",
        },
        &beyond_ascii.collect::<Vec<char>>(),
        |c| c.len_utf8(),
        |c| is_printable_category(*c),
        |c| benching::is_printable(*c),
    );
}

fn record_rows(table: &Table, input: &Input) {
    let objects: Vec<(&Vec<u8>, Vec<Range<usize>>)> = input
        .records
        .iter()
        .flat_map(|record| objects_of(record).into_iter().map(move |keys| (record, keys)))
        .collect();
    let key_bytes = |keys: &[Range<usize>]| keys.iter().map(Range::len).sum::<usize>();
    table.compare(
        &Row {
            trick: "fingerprints of an object's keys",
            place: "json/seen_keys.rs",
            plain: "each key compared with all before it",
        },
        &objects,
        |(_, keys)| key_bytes(keys),
        |(record, keys)| {
            let mut seen: Vec<&[u8]> = Vec::with_capacity(keys.len());
            keys.iter().position(|key| {
                let key = &record[key.clone()];
                let repeated = seen.contains(&key);
                seen.push(key);
                repeated
            })
        },
        |(record, keys)| benching::first_repeated_key(record, keys),
    );
    table.compare(
        &Row {
            trick: "a key compared before it is decoded",
            place: "format/tree.rs",
            plain: "decode, then compare",
        },
        &objects,
        |(_, keys)| key_bytes(keys),
        |(record, keys)| {
            let equal =
                |key: &&Range<usize>| benching::decode(&record[(*key).clone()]) == "content";
            keys.iter().filter(equal).count()
        },
        |(record, keys)| {
            let equal = |key: &&Range<usize>| benching::is_key(&record[(*key).clone()], "content");
            keys.iter().filter(equal).count()
        },
    );
    // A pair, a lone half, or any other escape.
    let escape = r"(?s-u)\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u([dD][89a-fA-F]..)|\\.";
    let escape = BytesRegex::new(escape).unwrap();
    table.compare(
        &Row {
            trick: "search for lone surrogates",
            place: "json/unescape.rs",
            plain: "a regex for escapes",
        },
        &input.records,
        Vec::len,
        |record| {
            let mut escapes = escape.captures_iter(record);
            escapes.any(|escape| escape.get(1).is_some())
        },
        |record| benching::has_lone_surrogate(record),
    );
    let time_key = BytesRegex::new(r#""(?:timestamp|created_at|createdAt|created|time)""#).unwrap();
    table.compare(
        &Row {
            trick: "two searches for the keys of times",
            place: "transcript/message_time.rs",
            plain: "a regex for the keys",
        },
        &input.records,
        Vec::len,
        |record| time_key.is_match(record),
        |record| benching::contains_time_key(record),
    );
}

fn chat_rows(table: &Table, input: &Input) {
    let row =
        |trick| Row { trick, place: "format/message_prefix.rs", plain: "every message key by key" };
    let known = row("plain chat read by known prefixes");
    let (plain, trick) = (benching::read_chat_by_keys, benching::read_chat);
    table.compare(&known, &input.chats, Vec::len, |list| plain(list), |list| trick(list));
    let known = row("chat with tool calls read by known prefixes");
    table.compare(&known, &input.lists, Vec::len, |list| plain(list), |list| trick(list));
    let calls: Vec<Vec<CallNumbers>> = (1..200)
        .map(|thread| {
            let calls = (0..thread).map(|call| CallNumbers {
                call,
                at: 2 * call + 1,
                n_sent: 2 * call + 1,
                tokens: 57 * call + thread,
                cached_tokens: 57 * call,
            });
            calls.collect()
        })
        .collect();
    let place = ["thread-17", "logs/sessions.jsonl"];
    table.compare(
        &Row {
            trick: "lines of a replay from constant keys",
            place: "replay/json_lines.rs",
            plain: "serde_json, a struct",
        },
        &calls,
        |calls| benching::replay_lines(place, 12, calls).len(),
        |calls| replay_lines_by_serde(place, 12, calls),
        |calls| benching::replay_lines(place, 12, calls),
    );
}

fn token_rows(table: &Table, input: &Input) {
    let texts = input.texts(32);
    table.compare(
        &Row {
            trick: "cache of pieces, in batches",
            place: "tokens/bpe/cache.rs",
            plain: "each piece looked up alone",
        },
        &texts,
        String::len,
        |text| benching::count_tokens_uncached(text),
        |text| benching::count_tokens(text),
    );
    let points: Vec<usize> = texts.iter().map(|text| text.chars().count()).collect();
    table.compare(
        &Row {
            trick: "division of integers",
            place: "tokens/approx.rs",
            plain: "division of floats",
        },
        &[points],
        |points| points.len() * 8,
        |points| {
            let tokens = |points: &usize| (*points as f64 / black_box(4.0)).ceil() as usize;
            points.iter().map(tokens).sum::<usize>()
        },
        |points| {
            let tokens = |points: &usize| benching::approx_tokens(*points, black_box(4.0));
            points.iter().map(tokens).sum::<usize>()
        },
    );
}

// The plain ways.

/// The offset of the closing quote, the code points, and true if there is a `\uXXXX`.
type ScannedString = (usize, usize, bool);

/// Scans the content of a valid string that begins at `start`.
fn scan_by_bytes(record: &[u8], start: usize) -> ScannedString {
    let (mut at, mut points, mut has_unicode_escape) = (start, 0, false);
    let is_low = |digits: &[u8]| matches!(digits, [b'd' | b'D', b'c'..=b'f' | b'C'..=b'F', ..]);
    let is_high = |digits: &[u8]| {
        matches!(digits, [b'd' | b'D', b'8' | b'9' | b'a' | b'b' | b'A' | b'B', ..])
    };
    let mut after_high = false;
    loop {
        let byte = record[at];
        let mut high = false;
        match byte {
            b'"' => return (at, points, has_unicode_escape),
            b'\\' if record[at + 1] == b'u' => {
                has_unicode_escape = true;
                let digits = &record[at + 2..at + 6];
                assert!(digits.iter().all(u8::is_ascii_hexdigit));
                points += usize::from(!(after_high && is_low(digits)));
                high = is_high(digits);
                at += 6;
            }
            b'\\' => {
                assert!(matches!(
                    record[at + 1],
                    b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't'
                ));
                points += 1;
                at += 2;
            }
            _ => {
                assert!(byte >= 0x20);
                points += usize::from(byte & 0xC0 != 0x80);
                at += 1;
            }
        }
        after_high = high;
    }
}

/// Decodes a literal. Lone surrogates become U+FFFD.
fn decode_by_serde(literal: &[u8]) -> Cow<'_, str> {
    /// A string that borrows from its literal if it can.
    #[derive(serde::Deserialize)]
    struct Text<'t>(#[serde(borrow)] Cow<'t, str>);
    serde_json::from_slice::<Text<'_>>(literal).unwrap().0
}

/// Decodes a literal, with a search for each backslash.
fn decode_by_memchr(literal: &[u8]) -> Cow<'_, str> {
    let mut rest = &literal[1..literal.len() - 1];
    let Some(mut plain) = memchr::memchr(b'\\', rest) else {
        return Cow::Borrowed(std::str::from_utf8(rest).unwrap());
    };
    let mut out = Vec::with_capacity(rest.len());
    loop {
        out.extend_from_slice(&rest[..plain]);
        rest = &rest[plain..];
        let Some(escape) = rest.get(1) else {
            return Cow::Owned(String::from_utf8(out).unwrap());
        };
        let mut length = 2;
        match escape {
            b'n' => out.push(b'\n'),
            b't' => out.push(b'\t'),
            b'r' => out.push(b'\r'),
            b'b' => out.push(0x8),
            b'f' => out.push(0xC),
            b'u' => {
                let unit = |at: usize| {
                    let digits = rest.get(at + 2..at + 6)?;
                    let is_escape = rest[at..].starts_with(b"\\u");
                    is_escape.then(|| {
                        u16::from_str_radix(std::str::from_utf8(digits).unwrap(), 16).unwrap()
                    })
                };
                let units = [unit(0), unit(6)];
                let c = char::decode_utf16(units.into_iter().flatten()).next().unwrap();
                let c = c.unwrap_or(char::REPLACEMENT_CHARACTER);
                length = 6 * c.len_utf16();
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
            other => out.push(*other),
        }
        rest = &rest[length..];
        plain = memchr::memchr(b'\\', rest).unwrap_or(rest.len());
    }
}

/// Returns the length of Python's `repr` of a text.
fn text_repr_length(text: &str) -> usize {
    let double = text.contains('\'') && !text.contains('"');
    let quote = if double { '"' } else { '\'' };
    let lengths = text.chars().map(|c| match c {
        '\n' | '\r' | '\t' | '\\' => 2,
        c if c == quote => 2,
        ' '..='~' => 1,
        c if !c.is_ascii() && benching::is_printable(c) => 1,
        '\0'..='\u{ff}' => 4,
        '\u{100}'..='\u{ffff}' => 6,
        _ => 10,
    });
    lengths.sum::<usize>() + 2
}

/// Returns Python's `str.isprintable` for a character beyond ASCII.
fn is_printable_category(c: char) -> bool {
    use GeneralCategory::{
        Control, Format, LineSeparator, ParagraphSeparator, PrivateUse, SpaceSeparator, Surrogate,
        Unassigned,
    };
    !matches!(
        c.general_category(),
        Control
            | Format
            | Surrogate
            | PrivateUse
            | Unassigned
            | LineSeparator
            | ParagraphSeparator
            | SpaceSeparator
    )
}

fn replay_lines_by_serde(
    [thread_id, file]: [&str; 2],
    line: u64,
    calls: &[CallNumbers],
) -> Vec<u8> {
    /// The keys of a call that is not summarized.
    #[derive(Serialize)]
    struct Line<'l> {
        thread_id: &'l str,
        file: &'l str,
        line: u64,
        call: usize,
        at: usize,
        n_sent: usize,
        total_tokens: usize,
        tokens_sent: usize,
        tokens_logged: usize,
        summarized: bool,
        cutoff_index: Option<usize>,
        truncated_args: usize,
        cache: &'l str,
        cached_tokens: usize,
        refused: bool,
    }
    let mut lines = Vec::with_capacity(calls.len() * 320);
    for call in calls {
        let line = Line {
            thread_id,
            file,
            line,
            call: call.call,
            at: call.at,
            n_sent: call.n_sent,
            total_tokens: call.tokens,
            tokens_sent: call.tokens,
            tokens_logged: call.tokens,
            summarized: false,
            cutoff_index: None,
            truncated_args: 0,
            cache: "hit",
            cached_tokens: call.cached_tokens,
            refused: false,
        };
        serde_json::to_writer(&mut lines, &line).unwrap();
        lines.push(b'\n');
    }
    lines
}

// The input.

/// What the rows read.
struct Input {
    /// Transcripts as JSON.
    records: Vec<Vec<u8>>,
    /// Their lists of messages.
    lists: Vec<Vec<u8>>,
    /// Lists of short messages without calls.
    chats: Vec<Vec<u8>>,
    /// The literals of tool-call arguments.
    arguments: Vec<Vec<u8>>,
}

impl Input {
    /// Returns the literals of at least `least` bytes that hold no lone surrogate.
    fn literals(&self, least: usize) -> Vec<Vec<u8>> {
        let literals = self.records.iter().flat_map(|record| {
            let contents = string_contents(record).into_iter();
            contents.map(|content| record[content.start - 1..=content.end].to_vec())
        });
        literals
            .filter(|literal| literal.len() >= least && !benching::has_lone_surrogate(literal))
            .collect()
    }

    /// Returns the texts of literals of at least `least` bytes.
    fn texts(&self, least: usize) -> Vec<String> {
        let literals = self.literals(least).into_iter();
        literals.map(|literal| benching::decode(&literal).into_owned()).collect()
    }

    /// Takes the transcripts of a JSONL file. Its plain chat is made of its longer texts.
    fn from_jsonl(jsonl: &str) -> Self {
        let records: Vec<Vec<u8>> = jsonl
            .lines()
            .filter(|line| serde_json::from_str::<IgnoredAny>(line).is_ok())
            .map(|line| line.as_bytes().to_vec())
            .collect();
        let (mut lists, mut arguments, mut chats) = (Vec::new(), Vec::new(), Vec::new());
        for record in &records {
            let Ok(value) = serde_json::from_slice::<serde_json::Value>(record) else {
                continue;
            };
            if let Some(list) = value["messages"].as_array() {
                lists.push(serde_json::to_vec(list).unwrap());
                let mut texts = Vec::new();
                for message in list {
                    texts.extend(message["content"].as_str().map(str::to_owned));
                    for call in message["tool_calls"].as_array().into_iter().flatten() {
                        let literal = call["function"]["arguments"].as_str();
                        arguments.extend(literal.map(|text| literal_of(text, false)));
                    }
                }
                chats.push(chat_list(&texts, false));
            }
        }
        arguments.retain(|literal| benching::parsed_repr_length(literal).is_some());
        Self { records, lists, chats, arguments }
    }

    /// Generates transcripts of about `size` bytes, and an eighth of that as plain chat.
    fn generate(size: usize) -> Self {
        let mut writer = Writer::new();
        let (mut records, mut lists) = (Vec::new(), Vec::new());
        let (mut chats, mut arguments) = (Vec::new(), Vec::new());
        let mut bytes = 0;
        while bytes < size {
            // Every fourth transcript is spelled as Python spells it by default: in ASCII.
            let is_ascii = records.len() % 4 == 3;
            let list = writer.tool_list(is_ascii, &mut arguments);
            let record = format!(
                "{{\"thread_id\": \"thread-{}\", \"model\": \"gpt-4o\", \"messages\": {list}}}",
                records.len()
            );
            bytes += record.len();
            records.push(record.into_bytes());
            lists.push(list.into_bytes());
        }
        bytes = 0;
        while bytes < size / 8 {
            let texts: Vec<String> = (0..400).map(|_| writer.prose(120)).collect();
            let chat = chat_list(&texts, false);
            bytes += chat.len();
            chats.push(chat);
        }
        Self { records, lists, chats, arguments }
    }
}

/// Returns a list of messages of users and assistants in turns.
fn chat_list(texts: &[String], is_ascii: bool) -> Vec<u8> {
    let mut list = b"[".to_vec();
    for (number, text) in texts.iter().enumerate() {
        let role = ["user", "assistant"][number % 2];
        list.extend_from_slice(if number > 0 { b", " } else { b"" });
        list.extend_from_slice(format!("{{\"role\": \"{role}\", \"content\": ").as_bytes());
        list.extend_from_slice(&literal_of(text, is_ascii));
        list.push(b'}');
    }
    list.push(b']');
    list
}

/// Returns the literal of a text, with all characters beyond ASCII escaped if `is_ascii`.
fn literal_of(text: &str, is_ascii: bool) -> Vec<u8> {
    let literal = serde_json::to_string(text).unwrap();
    if !is_ascii {
        return literal.into_bytes();
    }
    let mut escaped = String::with_capacity(literal.len());
    for c in literal.chars() {
        if c.is_ascii() {
            escaped.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                escaped.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    escaped.into_bytes()
}

/// Returns the ranges of the contents of all strings in a record.
fn string_contents(record: &[u8]) -> Vec<Range<usize>> {
    let (mut contents, mut at) = (Vec::new(), 0);
    while at < record.len() {
        if record[at] == b'"' {
            let (end, _, _) = scan_by_bytes(record, at + 1);
            contents.push(at + 1..end);
            at = end;
        }
        at += 1;
    }
    contents
}

/// Returns the ranges of the key literals of each object in a record.
fn objects_of(record: &[u8]) -> Vec<Vec<Range<usize>>> {
    let (mut ended, mut open, mut at) = (Vec::new(), Vec::new(), 0);
    while at < record.len() {
        match record[at] {
            b'{' => open.push(Vec::new()),
            b'}' => ended.extend(open.pop()),
            b'"' => {
                let (end, _, _) = scan_by_bytes(record, at + 1);
                let literal = at..end + 1;
                at = end;
                let is_key = record[end + 1..].trim_ascii_start().starts_with(b":");
                if let Some(keys) = open.last_mut().filter(|_| is_key) {
                    keys.push(literal);
                }
            }
            _ => {}
        }
        at += 1;
    }
    ended
}

/// A writer of transcripts: the same at every run.
struct Writer {
    state: u64,
    words: Vec<&'static str>,
    code: Vec<&'static str>,
    chinese: Vec<char>,
}

const CHINESE: &str = "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后多定行学法所民得经十三之进着等部度家电力里如水化高自二理起小物现实加量都两体制机当使点从业本去把性好应开它合还因由其些然前外天政四日那社义事平形相全表间样与关各重新线内数正心反你明看原又么利比或但质气第向道命此变条只没结解问意建月公无系军很情者最立代想已通并提直题党程展五果料象员革位入常文总次品式活设及管特件长求老头基资边流路级少图山统接知较将组见计别她手角期根论运农指几九区强放决西被干做必战先回则任取据处队南给色光门即保治北造百规热领七海口东导器压志世金增争济阶油思术极交受联什认六共权收证改清己美再采转更单风切打白教速花带安场身车例真务具万每目至达走积示议声报斗完类八离华名确才科张信马节话米整空元况今集温传土许步群广石记需段研界拉林律叫且究观越织装影算低持音众书布复容儿须际商非验连断深难近矿千周委素技备半办青省列习响约支般史感劳便团往酸历市克何除消构府称太准精值号率族维划选标写存候毛亲快效斯院查江型眼王按格养易置派层片始却专状育厂京识适属圆包火住调满县局照参红细引听该铁价严";

impl Writer {
    fn new() -> Self {
        let prose = [
            include_str!("../README.md"),
            include_str!("../CONTRIBUTING.md"),
            include_str!("../docs/ARCHITECTURE.md"),
        ];
        let code = [
            include_str!("../src/running/apply.rs"),
            include_str!("../src/deciding/planner/mod.rs"),
            include_str!("../src/reading/json/scanner/mod.rs"),
            include_str!("measure.py"),
        ];
        Self {
            state: 17,
            words: prose.iter().flat_map(|text| text.split_whitespace()).collect(),
            code: code.iter().flat_map(|text| text.split_inclusive('\n')).collect(),
            chinese: CHINESE.chars().collect(),
        }
    }

    fn number(&mut self, below: usize) -> usize {
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) as usize % below
    }

    /// Returns consecutive words, at least `bytes` bytes, with a line end now and then.
    fn prose(&mut self, bytes: usize) -> String {
        let mut at = self.number(self.words.len());
        let mut text = String::new();
        while text.len() < bytes {
            text.push_str(self.words[at]);
            text.push_str(if self.number(12) == 0 { "\n" } else { " " });
            at = (at + 1) % self.words.len();
        }
        text
    }

    /// Returns Chinese sentences with some codes and emoji.
    fn chinese(&mut self, sentences: usize) -> String {
        let mut text = String::new();
        for _ in 0..sentences {
            for _ in 0..8 + self.number(16) {
                let c = self.number(self.chinese.len());
                text.push(self.chinese[c]);
            }
            let end = ["。", "，订单号为 INV-2041。", "！😀", "？\n"];
            text.push_str(end[self.number(end.len())]);
        }
        text
    }

    /// Returns consecutive lines of source code, or a listing that ends with an error.
    fn tool_output(&mut self, lines: usize) -> String {
        let start = self.number(self.code.len());
        let mut text = String::new();
        let is_listing = self.number(2) == 0;
        for number in start..start + lines {
            if is_listing {
                text.push_str(&format!("{number:6}\t"));
            }
            text.push_str(self.code[number % self.code.len()]);
        }
        if self.number(5) == 0 {
            text.push_str("Traceback (most recent call last):\n  File \"src/run.py\", line 7\nValueError: no such row");
        }
        text
    }

    /// Returns a transcript's list of messages, and adds the literals of its arguments.
    fn tool_list(&mut self, is_ascii: bool, arguments: &mut Vec<Vec<u8>>) -> String {
        let literal = |text: &str| String::from_utf8(literal_of(text, is_ascii)).unwrap();
        let system = self.prose(1500);
        let mut list = format!("[{{\"role\": \"system\", \"content\": {}}}", literal(&system));
        let is_chinese = self.number(3) == 0;
        for turn in 0..12 {
            let question = if is_chinese { self.chinese(6) } else { self.prose(200) };
            let (answer, summary) = (self.prose(90), self.prose(400));
            let lines = 10 + self.number(90);
            let (written, output) = (self.tool_output(12), self.tool_output(lines));
            let input = serde_json::json!({
                "path": format!("/srv/app/src/module_{turn}/file.rs"),
                "content": written,
                "note": question,
                "range": [turn, turn + 40],
                "overwrite": true,
                "mode": null,
            });
            let input = literal(&serde_json::to_string(&input).unwrap());
            list.push_str(&format!(
                ", {{\"role\": \"user\", \"content\": {}}}, {{\"role\": \"assistant\", \"content\": {}, \"tool_calls\": [{{\"id\": \"call_{turn}\", \"type\": \"function\", \"function\": {{\"name\": \"write_file\", \"arguments\": {input}}}}}]}}, {{\"role\": \"tool\", \"tool_call_id\": \"call_{turn}\", \"content\": {}}}, {{\"role\": \"assistant\", \"content\": {}}}",
                literal(&question), literal(&answer), literal(&output), literal(&summary)
            ));
            arguments.push(input.into_bytes());
        }
        list.push(']');
        list
    }
}
