//! Work grows with the size of a record and not with its square, in every dimension of a record and
//! for every command.
//!
//! The measure is the processor time of the program in user mode, at one size and at four times
//! that: a square would be sixteen times as long. The bound is generous, and short runs always
//! pass, so that neither the machine nor its load matters. Where the output itself grows more than
//! the input, as that of sessions which share their beginning does, the work may grow with it.
#![cfg(unix)]

use crate::harness::{Dir, PROGRAM, environment};
use crate::talk::quoted;
use std::process::{Command, Stdio};

/// The growth of the work when the size grows fourfold, at most.
const MAX_GROWTH: f64 = 9.0;
/// The seconds that a run may take in any case.
const FREE_SECONDS: f64 = 0.8;
/// The records before sessions part.
const SHARED: usize = 60;

/// The commands. `{}` stands for the input; `out` is the output. Their limits are such that both sizes
/// are acted on alike: a size below the trigger would be compared with one that is summarized.
const COMMANDS: [&str; 16] = [
    "count {}",
    "plan {} --trigger messages=4 --keep messages=2 -v",
    "compact {} -o out --trigger messages=4 --keep messages=2 --report out/r.md --redact",
    "compact {} -o out --trigger messages=4 --keep messages=2 --max-tokens 50",
    "compact {} -o out --preset opencode --trigger tokens=100",
    "convert {} -o out --to openai",
    "convert {} -o out --to anthropic",
    "convert {} -o out --to sharegpt",
    "convert {} -o out --to langchain",
    "replay {} -o out --trigger messages=6 --keep messages=3",
    "dataset {} -o out --to trl --max-tokens 20000",
    "evaluate {} --json",
    "audit {}",
    "requests export {} -o out --model openai:gpt-4o --trigger messages=4 --keep messages=2 --set summarizer.cache=",
    "restore kept-{} -o out",
    "stream --trigger messages=4 --keep messages=2 < {}",
];

/// Returns the parts made for the numbers below `count`, separated by commas.
fn list(count: usize, part: impl Fn(usize) -> String) -> String {
    (0..count).map(part).collect::<Vec<_>>().join(", ")
}

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}

fn said(role: &str, text: &str) -> String {
    format!(r#"{{"role": "{role}", "content": {}}}"#, quoted(text))
}

fn call(id: &str, arguments: &str) -> String {
    let arguments = quoted(arguments);
    format!(
        r#"{{"id": "{id}", "type": "function", "function": {{"name": "edit_file", "arguments": {arguments}}}}}"#
    )
}

fn calling(calls: &str) -> String {
    format!(r#"{{"role": "assistant", "content": null, "tool_calls": [{calls}]}}"#)
}

fn result(id: &str, text: &str) -> String {
    let text = quoted(text);
    format!(r#"{{"role": "tool", "tool_call_id": "{id}", "content": {text}}}"#)
}

/// A conversation with these messages in the middle, and further keys.
fn around(messages: &str, keys: &str) -> String {
    let head = [said("user", "Fix src/main.rs"), said("assistant", "I look at it.")].join(", ");
    let tail: Vec<String> = (0..4)
        .flat_map(|number| [said("user", &format!("Go on {number}")), said("assistant", "Done.")])
        .collect();
    let separator = if messages.is_empty() { "" } else { ", " };
    format!("{{\"messages\": [{head}{separator}{messages}, {}]{keys}}}\n", tail.join(", "))
}

/// A text that stands in the middle of a conversation and, used, at its end.
fn with_text(text: &str) -> String {
    let arguments = format!("{{\"content\": {}}}", quoted(text));
    let messages = [
        said("user", text),
        calling(&call("a", &arguments)),
        result("a", text),
        said("assistant", text),
    ];
    around(&messages.join(", "), "")
}

/// A line of a Claude Code session.
fn claude(uuid: &str, parent: &str, chain: &str, text: &str) -> String {
    let text = quoted(text);
    format!(
        "{{\"parentUuid\": \"{parent}\", \"uuid\": \"{uuid}\", {chain}, \"type\": \"user\", \"message\": {{\"role\": \"user\", \"content\": {text}}}}}\n"
    )
}

/// A dimension: a name, the smaller size, and the input of a size.
type Dimension = (&'static str, usize, fn(usize) -> String);

const DIMENSIONS: [Dimension; 32] = [
    ("keys of the record", 3200, |n| around("", &lines(n, |at| format!(", \"key{at}\": {at}")))),
    ("keys of a message", 3200, |n| {
        let keys = lines(n, |at| format!(", \"key{at}\": {at}"));
        around(&format!(r#"{{"role": "assistant", "content": "x"{keys}}}"#), "")
    }),
    ("keys of a call", 3200, |n| {
        let arguments = list(n, |at| format!("\"key{at}\": \"value {at}\""));
        around(&[calling(&call("a", &format!("{{{arguments}}}"))), result("a", "x")].join(", "), "")
    }),
    ("calls", 800, |n| {
        let calls = calling(&list(n, |at| call(&format!("a{at}"), "{}")));
        around(&format!("{calls}, {}", list(n, |at| result(&format!("a{at}"), "x"))), "")
    }),
    ("parallel calls with one id", 800, |n| {
        let calls = calling(&list(n, |_| call("a", "{}")));
        around(&format!("{calls}, {}", list(n, |_| result("a", "x"))), "")
    }),
    ("successive calls with one id", 800, |n| {
        around(&list(n, |_| [calling(&call("a", "{}")), result("a", "x")].join(", ")), "")
    }),
    ("calls without ids", 800, |n| {
        let one = r#"{"type": "function", "function": {"name": "f", "arguments": "{}"}}"#;
        let calls = calling(&list(n, |_| one.to_owned()));
        let results = list(n, |_| r#"{"role": "tool", "content": "x"}"#.to_owned());
        around(&format!("{calls}, {results}"), "")
    }),
    ("calls without results", 1200, |n| {
        around(&list(n, |at| calling(&call(&format!("a{at}"), "{}"))), "")
    }),
    // Samples, in which results stand at their calls, are longer than the calls that were made.
    ("results far behind their calls", 500, |n| {
        let calls = list(n, |at| calling(&call(&format!("a{at}"), "{}")));
        around(&format!("{calls}, {}", list(n, |at| result(&format!("a{at}"), "x"))), "")
    }),
    ("results without calls", 1200, |n| around(&list(n, |_| result("a", "x")), "")),
    ("messages", 1200, |n| {
        around(
            &list(n, |at| [said("user", &format!("Fix {at}")), said("assistant", "ok")].join(", ")),
            "",
        )
    }),
    ("messages of unknown roles", 2400, |n| {
        around(&list(n, |at| said("critic", &format!("Part {at}"))), "")
    }),
    ("system messages", 4000, |n| around(&list(n, |at| said("system", &format!("Rule {at}"))), "")),
    ("blocks", 2400, |n| {
        let blocks = list(n, |at| format!(r#"{{"type": "text", "text": "{at}"}}"#));
        around(&format!(r#"{{"role": "user", "content": [{blocks}]}}"#), "")
    }),
    ("blocks of unknown types", 1600, |n| {
        let blocks = list(n, |at| format!(r#"{{"type": "kind{at}", "x": "{at}"}}"#));
        around(&format!(r#"{{"role": "assistant", "content": [{blocks}]}}"#), "")
    }),
    ("results in one message", 800, |n| {
        let calls =
            list(n, |_| r#"{"type": "tool_use", "id": "a", "name": "f", "input": {}}"#.to_owned());
        let results = list(n, |_| {
            r#"{"type": "tool_result", "tool_use_id": "a", "content": "x"}"#.to_owned()
        });
        around(
            &format!(
                r#"{{"role": "assistant", "content": [{calls}]}}, {{"role": "user", "content": [{results}]}}"#
            ),
            ", \"system\": \"x\"",
        )
    }),
    ("nesting", 40, |n| {
        around(
            &[
                calling(&call("a", &format!("{}1{}", "{\"a\":".repeat(n), "}".repeat(n)))),
                result("a", "x"),
            ]
            .join(", "),
            "",
        )
    }),
    ("agents within agents", 400, |n| {
        lines(n, |at| {
            let chain =
                format!(r#""sessionId": "s", "isSidechain": {}, "agentId": "{at}""#, at > 0);
            claude(&format!("u{at}"), &format!("u{}", at as i64 - 1), &chain, "x")
        })
    }),
    ("a long side chain", 400, |n| {
        lines(n, |at| {
            let chain = format!(r#""sessionId": "s", "isSidechain": {}"#, at > 0);
            claude(&format!("u{at}"), &format!("u{}", at as i64 - 1), &chain, "x")
        })
    }),
    // The part that all sessions share is of one length: each of them is written with it.
    ("sessions that part", 80, |n| {
        lines(SHARED, |at| {
            claude(&format!("u{at}"), &format!("u{}", at as i64 - 1), r#""sessionId": "s""#, "x")
        }) + &lines(n, |at| {
            claude(
                &format!("v{at}"),
                &format!("u{}", SHARED - 1),
                &format!(r#""sessionId": "s{at}""#),
                "x",
            )
        })
    }),
    ("identifiers", 2400, |n| {
        with_text(&lines(n, |at| format!("src/d{}/file_{at}.rs {:08x} ", at % 97, at * 40503)))
    }),
    ("dense identifiers", 4000, |n| with_text(&lines(n, |at| format!("a{at}b-")))),
    ("a long word", 24000, |n| with_text(&"x".repeat(n))),
    ("a long sentence", 4000, |n| {
        with_text(&format!("Never {}", lines(n, |at| format!("touch{at} "))))
    }),
    ("compactions of an agent", 80, |n| {
        lines(n, |at| {
            let session = r#""sessionId": "s""#;
            let boundary = format!(r#"{session}, "subtype": "compact_boundary""#);
            let summary = format!(r#"{session}, "isCompactSummary": true"#);
            claude(&format!("b{at}"), "", &boundary, "x")
                + &claude(
                    &format!("s{at}"),
                    &format!("b{at}"),
                    &summary,
                    &format!("so far: src/f{at}.rs"),
                )
                + &claude(
                    &format!("u{at}"),
                    &format!("s{at}"),
                    session,
                    &format!("go on with src/f{at}.rs"),
                )
        })
    }),
    ("compactions that preserve one segment", 1000, |n| {
        let session = r#""sessionId": "s""#;
        claude("kept0", "", session, "x")
            + &claude("kept1", "kept0", session, "x")
            + &lines(n, |at| {
                let segment = format!(
                    r#"{{"headUuid": "kept0", "anchorUuid": "s{at}", "tailUuid": "kept1"}}"#
                );
                let boundary = format!(
                    r#"{session}, "subtype": "compact_boundary", "compactMetadata": {{"preservedSegment": {segment}}}"#
                );
                let summary = format!(r#"{session}, "isCompactSummary": true"#);
                [
                    claude(&format!("b{at}"), "", &boundary, "x"),
                    claude(&format!("s{at}"), &format!("b{at}"), &summary, "so far"),
                    claude(&format!("u{at}"), "kept1", session, "go on"),
                ]
                .concat()
            })
    }),
    ("compactions that keep everything", 600, |n| {
        let line = |id: String, parent: Option<String>, rest: &str| {
            let parent = parent.map_or("null".to_owned(), |parent| format!("\"{parent}\""));
            format!("{{\"id\": \"{id}\", \"parentId\": {parent}, \"timestamp\": \"t\", {rest}}}\n")
        };
        let head = r#"{"type": "session", "id": "s", "cwd": "/w", "timestamp": "t"}"#.to_owned();
        let said =
            r#""type": "message", "message": {"role": "user", "content": "go on", "timestamp": 1}"#;
        let kept = r#""type": "compaction", "summary": "so far", "firstKeptEntryId": "e0""#;
        head + "\n"
            + &lines(n, |at| {
                let before = at.checked_sub(1).map(|before| format!("c{before}"));
                line(format!("e{at}"), before, said)
                    + &line(format!("c{at}"), Some(format!("e{at}")), kept)
            })
    }),
    ("ranges of forgotten events", 600, |n| {
        let events = list(n, |at| {
            let (said, condensed) = (at * 2, at * 2 + 1);
            format!(
                r#"{{"id": {said}, "source": "user", "action": "message", "args": {{"content": "x"}}}}, {{"id": {condensed}, "source": "agent", "action": "condensation", "args": {{"forgotten_events_start_id": 1, "forgotten_events_end_id": {said}, "summary": "so far"}}}}"#
            )
        });
        format!("[{events}]\n")
    }),
    ("headings", 2400, |n| with_text(&lines(n, |at| format!("## Part {at}\nText {at}.\n")))),
    ("errors", 1600, |n| with_text(&lines(n, |at| format!("error: cannot open file{at}.rs\n")))),
    ("earlier summaries", 400, |n| {
        around(
            &list(n, |at| {
                said(
                    "user",
                    &format!(
                        "Here is a summary of the conversation to date:\n\n## SESSION INTENT\nfix {at}\n"
                    ),
                )
            }),
            "",
        )
    }),
    ("files and todos", 400, |n| {
        around(
            &list(n, |at| {
                let edit = format!(
                    "{{\"file_path\": \"src/f{at}.rs\", \"old_string\": \"a\", \"new_string\": \"b\"}}"
                );
                let todos = format!(
                    "{{\"todos\": [{{\"content\": \"do {at}\", \"status\": \"pending\"}}]}}"
                );
                let todos = call("t", &todos).replace("edit_file", "write_todos");
                [
                    calling(&call("a", &edit)),
                    result("a", "edited"),
                    calling(&todos),
                    result("t", "ok"),
                ]
                .join(", ")
            }),
            "",
        )
    }),
];

/// Returns the bytes that the last command wrote below `out`.
fn output_bytes(dir: &Dir) -> f64 {
    if !dir.exists("out") {
        return 0.0;
    }
    let files = dir.tree("out");
    files.values().map(|bytes| bytes.len() as f64).sum()
}

/// Returns the processor seconds in user mode that a command takes.
fn user_seconds(dir: &Dir, command: &str, input: &str) -> f64 {
    let words = command.replace("{}", input);
    let script = format!("rm -rf out; TIMEFORMAT=%3U; time '{PROGRAM}' {words} >/dev/null 2>err");
    let output = Command::new("bash")
        .args(["-c", &script])
        .current_dir(dir.path(""))
        .env_clear()
        .envs(environment())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    let code = output.status.code();
    // Some records are not of the command's kind, or lose something in a conversion.
    assert!(matches!(code, Some(0 | 1 | 3)), "{words}: {code:?}: {stderr}{}", dir.read("err"));
    stderr.trim().parse().unwrap_or_else(|_| panic!("{words}: {stderr}"))
}

#[test]
#[ignore = "measures CPU time, which needs a quiet machine: cargo test --test it -- growth --ignored"]
fn work_grows_with_the_size_of_a_record() {
    let failures: Vec<String> = std::thread::scope(|scope| {
        let halves = DIMENSIONS.chunks(DIMENSIONS.len().div_ceil(2));
        let running: Vec<_> = halves.map(|half| scope.spawn(|| growing(half))).collect();
        running.into_iter().flat_map(|half| half.join().unwrap()).collect()
    });
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
#[ignore = "measures CPU time, which needs a quiet machine: cargo test --test it -- growth --ignored"]
fn work_of_a_replay_grows_with_the_calls_under_every_preset() {
    let results = |count| {
        let pads = "pad ".repeat(250);
        let exchange = |at: usize| {
            let id = format!("a{at}");
            [calling(&call(&id, "{}")), result(&id, &format!("{at} {pads}"))].join(", ")
        };
        around(&list(count, exchange), "")
    };
    let dir = Dir::new();
    dir.write("small.jsonl", results(500)).write("large.jsonl", results(2000));
    let mut failures = Vec::new();
    for preset in presets() {
        for limit in ["", "--max-input-tokens 40000"] {
            let command = format!("replay {{}} -o out --preset {preset} {limit}");
            failures.extend(growth_failure(&dir, &command));
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

/// A log of OpenCode whose summaries keep everything: all but the last messages are older than the
/// newest summary.
fn kept_by_summaries(count: usize) -> String {
    let kept = r#"{"type": "compaction", "auto": true, "tail_start_id": "msg_000000"}"#;
    let messages = list(count, |at| opencode_compaction(at, kept));
    format!(r#"{{"info": {{"id": "s"}}, "messages": [{messages}]}}"#)
}

/// A conversation with a system message, which stays in any case, before each question.
fn kept_system_messages(count: usize) -> String {
    let rule = |at: usize| said("system", &format!("rule {at} is long enough"));
    let turn = |at| [rule(at), said("user", "Go on"), said("assistant", "ok")].join(", ");
    around(&list(count, turn), "")
}

#[test]
#[ignore = "measures CPU time, which needs a quiet machine: cargo test --test it -- growth --ignored"]
fn work_of_a_replay_grows_with_what_no_summary_replaces() {
    let dir = Dir::new();
    dir.write("small.jsonl", kept_by_summaries(2000)).write("large.jsonl", kept_by_summaries(8000));
    let limited = |preset| format!("replay {{}} -o out --preset {preset} --max-input-tokens 40000");
    let mut failures: Vec<String> = ["opencode", "pi", "claude-code"]
        .iter()
        .filter_map(|preset| growth_failure(&dir, &limited(preset)))
        .collect();
    let (small, large) = (kept_system_messages(300), kept_system_messages(1200));
    dir.write("small.jsonl", small).write("large.jsonl", large);
    let command = "replay {} -o out --preset opencode --trigger tokens=1000 --keep messages=4";
    failures.extend(growth_failure(&dir, command));
    assert!(failures.is_empty(), "{failures:#?}");
}

/// The messages of a compaction of OpenCode with this number, which is described by `part`.
fn opencode_compaction(at: usize, part: &str) -> String {
    let message = |id: usize, rest: &str, part: &str| {
        format!(r#"{{"info": {{"id": "msg_{id:06}", {rest}}}, "parts": [{part}]}}"#)
    };
    let (said, question) = (at * 3, at * 3 + 1);
    let answers = format!(
        r#""role": "assistant", "parentID": "msg_{question:06}", "summary": true, "finish": "stop""#
    );
    [
        message(said, r#""role": "user""#, r#"{"type": "text", "text": "go on"}"#),
        message(question, r#""role": "user""#, part),
        message(question + 1, &answers, r#"{"type": "text", "text": "so far"}"#),
    ]
    .join(", ")
}

/// The parts of a session of an agent.
struct Session {
    /// The line before all others.
    head: String,
    /// A compaction with this number, and what was said before it.
    compaction: fn(usize) -> String,
    /// The name of the file.
    file: &'static str,
}

/// A session of each agent that notes compactions.
fn sessions() -> [Session; 5] {
    [
        Session {
            head: String::new(),
            compaction: |at| {
                let main = r#""sessionId": "s""#;
                let aside = format!(r#"{main}, "isSidechain": true"#);
                let agent = format!(r#"{aside}, "agentId": "a{at}""#);
                let boundary = format!(r#"{main}, "subtype": "compact_boundary""#);
                let summary = format!(r#"{main}, "isCompactSummary": true"#);
                let said = format!("go on with src/f{at}.rs");
                [
                    // A side chain that begins at a line which an earlier compaction replaced.
                    claude(&format!("x{at}"), "u0", &aside, "x"),
                    claude(&format!("a{at}"), "", &agent, "x"),
                    claude(&format!("b{at}"), "", &boundary, "x"),
                    claude(&format!("s{at}"), &format!("b{at}"), &summary, "so far"),
                    claude(&format!("u{at}"), &format!("s{at}"), main, &said),
                ]
                .concat()
            },
            file: "claude.jsonl",
        },
        Session {
            head: r#"{"type": "session_meta", "payload": {"id": "s", "cwd": "/w"}}"#.to_owned()
                + "\n",
            compaction: |at| {
                let item = |role: &str, text: String| {
                    let text = format!(r#"{{"type": "input_text", "text": "{text}"}}"#);
                    format!(r#"{{"type": "message", "role": "{role}", "content": [{text}]}}"#)
                };
                let line = |kind: &str, payload: String| {
                    format!(
                        "{{\"timestamp\": \"t\", \"type\": \"{kind}\", \"payload\": {payload}}}\n"
                    )
                };
                let said = item("user", format!("go on with src/f{at}.rs"));
                let kept = item("user", format!("so far {at}"));
                let payload =
                    format!(r#"{{"message": "so far {at}", "replacement_history": [{kept}]}}"#);
                line("response_item", said) + &line("compacted", payload)
            },
            file: "codex.jsonl",
        },
        Session {
            head: r#"{"type": "session", "id": "s", "cwd": "/w", "timestamp": "t"}"#.to_owned()
                + "\n",
            compaction: |at| {
                let before = (at * 2).checked_sub(1);
                let parent = before.map_or("null".to_owned(), |before| format!("\"e{before}\""));
                let (said, id) = (at * 2, at * 2 + 1);
                let message = r#""message": {"role": "user", "content": "go on", "timestamp": 1}"#;
                format!(
                    "{{\"type\": \"message\", \"id\": \"e{said}\", \"parentId\": {parent}, \"timestamp\": \"t\", {message}}}\n\
                     {{\"type\": \"compaction\", \"id\": \"e{id}\", \"parentId\": \"e{said}\", \"timestamp\": \"t\", \"summary\": \"so far {at}\", \"firstKeptEntryId\": \"e{said}\"}}\n"
                )
            },
            file: "pi.jsonl",
        },
        Session {
            head: r#"{"sessionId": "s", "projectHash": "p"}"#.to_owned() + "\n",
            compaction: |at| {
                let said = |id: String| {
                    let content = format!(r#"[{{"text": "go on with src/f{at}.rs"}}]"#);
                    format!(
                        r#"{{"id": "{id}", "timestamp": "t", "type": "user", "content": {content}}}"#
                    )
                };
                let messages: Vec<String> =
                    (0..3).map(|part| said(format!("m{at}-{part}"))).collect();
                let kept = said(format!("s{at}"));
                messages.join("\n") + &format!("\n{{\"$set\": {{\"messages\": [{kept}]}}}}\n")
            },
            file: "gemini.jsonl",
        },
        Session {
            head: String::new(),
            compaction: |at| opencode_compaction(at, r#"{"type": "compaction", "auto": true}"#),
            file: "opencode.json",
        },
    ]
}

#[test]
#[ignore = "measures CPU time, which needs a quiet machine: cargo test --test it -- growth --ignored"]
fn work_of_an_audit_grows_with_the_compactions_of_every_agent() {
    let mut failures = Vec::new();
    for session in sessions() {
        let dir = Dir::new();
        for (name, count) in [("small", 600), ("large", 2400)] {
            let mut compactions = (0..count).map(session.compaction);
            let log = if session.file.ends_with(".json") {
                let messages: Vec<String> = compactions.collect();
                format!(r#"{{"info": {{"id": "s"}}, "messages": [{}]}}"#, messages.join(", "))
            } else {
                compactions.by_ref().fold(session.head.clone(), |log, part| log + &part)
            };
            dir.write(&format!("{name}.jsonl"), log);
        }
        let audit = dir.epitome("audit small.jsonl --json").ok();
        let audit: serde_json::Value = serde_json::from_str(audit.stdout()).unwrap();
        let found = audit["compactions"].as_array().unwrap().len();
        assert!(found > 500, "{}: {found}", session.file);
        failures.extend(growth_failure(&dir, "audit {}"));
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

/// Returns the names of the presets.
fn presets() -> Vec<String> {
    let output = Command::new(PROGRAM).arg("presets").output().unwrap();
    let table = String::from_utf8(output.stdout).unwrap();
    let headings = table.lines().filter_map(|line| line.strip_prefix("# "));
    let names: Vec<String> = headings
        .filter(|heading| heading.starts_with(char::is_lowercase) && !heading.contains(' '))
        .map(str::to_owned)
        .collect();
    assert!(names.len() > 10, "{names:?}");
    names
}

/// Returns what grows too much if the work of a command on `large.jsonl`, which is four times as
/// large as `small.jsonl`, does.
fn growth_failure(dir: &Dir, command: &str) -> Option<String> {
    let large = user_seconds(dir, command, "large.jsonl");
    if large <= FREE_SECONDS {
        return None;
    }
    let large_output = output_bytes(dir);
    let small = user_seconds(dir, command, "small.jsonl");
    let output_growth = large_output / output_bytes(dir).max(1.0);
    let allowed = MAX_GROWTH * (output_growth / 4.0).max(1.0);
    (large > small * allowed)
        .then(|| format!("{command}: {small} s, then {large} s (output {output_growth:.1} times)"))
}

/// Returns the dimensions and commands whose work grows too much.
fn growing(dimensions: &[Dimension]) -> Vec<String> {
    let mut failures = Vec::new();
    for (name, size, input) in dimensions {
        let dir = Dir::new();
        dir.write("small.jsonl", input(*size)).write("large.jsonl", input(size * 4));
        for file in ["small.jsonl", "large.jsonl"] {
            let cut = "--trigger messages=4 --keep messages=2";
            user_seconds(&dir, &format!("compact {{}} -o kept-{{}} {cut}"), file);
        }
        for command in COMMANDS {
            let failure = growth_failure(&dir, command);
            failures.extend(failure.map(|failure| format!("{name}: {failure}")));
        }
    }
    failures
}
