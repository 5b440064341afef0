//! Text of strangers (names of files, values of a log) reaches no terminal and no report raw.

use crate::harness::Dir;
use crate::talk::text;
use serde_json::{Value, json};

const HOSTILE: [&str; 10] = [
    "\u{1b}[2Jx",
    "\u{1b}]0;title\u{7}x",
    "\u{9b}31mx",
    "\u{9d}0;title\u{9c}x",
    "a\u{202e}b\u{202c}",
    "a\u{2066}b\u{2069}\u{200e}\u{200f}\u{61c}",
    "a\u{2028}b\u{2029}c",
    "a\u{85}b\u{7f}c\u{8}",
    "a\u{ad}b\u{34f}c\u{180e}d\u{3164}e\u{ffa0}f\u{fffa}g\u{e0041}",
    "a\nwarning: all is well\rb",
];

/// The commands that read a folder, with all of their forms of output.
const COMMANDS: [&str; 14] = [
    "plan in",
    "plan in --json",
    "plan in --verbose",
    "count in",
    "count in --json",
    "formats in",
    "evaluate in --compare p.toml",
    "evaluate in --json",
    "audit in --report a.json --report a.md --report a.html --force",
    "audit in --json",
    "compact in -o out --report r.json --report r.md --report r.html --trigger messages=4 --keep messages=2",
    "convert in -o converted --to sharegpt",
    "replay in -o replayed --trigger messages=4 --keep messages=2",
    "requests export in -o exported --trigger messages=4 --keep messages=2 --model gpt-5",
];

fn is_raw(c: char) -> bool {
    let shown_line_end = c == '\n' || c == '\t';
    c.is_control() && !shown_line_end
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        || matches!(
            c,
            '\u{ad}' | '\u{34f}' | '\u{180e}' | '\u{3164}' | '\u{ffa0}' | '\u{fffa}' | '\u{e0041}'
        )
}

fn assert_harmless(place: &str, shown: &[u8]) {
    let shown = std::str::from_utf8(shown).unwrap();
    assert!(!shown.contains(is_raw), "{place}: {shown:?}");
    // A line end in a name can't feign a message.
    assert!(!shown.contains("\nwarning: all is well"), "{place}: {shown}");
}

/// Transcripts with a hostile text in each place of a log that a message may quote.
fn transcripts(hostile: &str) -> Vec<Value> {
    let talk = |role: &str| -> Vec<Value> {
        let mut messages: Vec<Value> = (0..8)
            .map(|number| json!({"role": (["user", "assistant"][number % 2]), "content": text("t", number)}))
            .collect();
        messages[7]["role"] = role.into();
        messages
    };
    let call = json!({"id": hostile, "type": "function", "function": {"name": hostile, "arguments": "{}"}});
    let mut called = talk("assistant");
    called[1]["tool_calls"] = json!([call]);
    called[1]["content"] = Value::Null;
    called.insert(
        2,
        json!({"role": "tool", "tool_call_id": hostile, "name": hostile, "content": hostile}),
    );
    vec![
        json!({"thread_id": hostile, "model": hostile, "messages": called}),
        json!({"thread_id": "role", "messages": talk(hostile)}),
        json!({"messages": talk("user"), hostile: 1}),
        json!({hostile: [hostile]}),
        json!([hostile]),
    ]
}

fn lines(values: &[Value]) -> String {
    values.iter().map(|value| format!("{value}\n")).collect()
}

#[test]
fn no_hostile_text_is_shown_raw() {
    for hostile in HOSTILE {
        let dir = Dir::new();
        let name = hostile.replace('/', "");
        dir.write("p.toml", "[summarize]\ntrigger = [{ messages = 4 }]\nkeep = { messages = 2 }\n");
        dir.write(&format!("in/{name}.jsonl"), lines(&transcripts(hostile)));
        dir.write(&format!("in/{name}-cut.json"), format!("{{\"{name}"));
        for command in COMMANDS {
            let (status, ran) = dir.epitome(command).run();
            assert_ne!(status, 2, "{command}: {}", ran.stderr);
            assert_harmless(command, &ran.stdout);
            assert_harmless(command, ran.stderr.as_bytes());
        }
        for report in [
            "r.json", "r.md", "r.html", "a.json", "a.md", "a.html", "out/report.json",
            "replayed/report.json",
        ] {
            assert_harmless(report, &dir.bytes(report));
        }
        let (_, again) = dir.epitome("compact in -o out").run();
        assert_harmless("compact again", again.stderr.as_bytes());
        let (_, restored) = dir.epitome("restore out -o back").run();
        assert_harmless("restore", restored.stderr.as_bytes());
        let (_, missing) = dir.epitome("count").arg(format!("{name}.none")).run();
        assert_harmless("count of a missing file", missing.stderr.as_bytes());
    }
}

#[test]
fn escapes_in_json_mean_the_same() {
    let dir = Dir::new();
    let id = "\u{9b}2J\u{202e}";
    let messages = json!([{"role": "user", "content": "x"}]);
    dir.write("s.jsonl", format!("{}\n", json!({"thread_id": id, "messages": messages})));
    for command in ["plan s.jsonl --json", "count s.jsonl --json"] {
        let ran = dir.epitome(command).ok();
        assert!(ran.stdout().contains("\\u009b2J\\u202e"), "{}", ran.stdout());
        let first: Value = serde_json::from_str(ran.stdout().lines().next().unwrap()).unwrap();
        assert_eq!(first["thread_id"], id);
    }
}

#[test]
fn data_stays_as_it_is() {
    let dir = Dir::new();
    let record =
        format!("{}\n", json!({"messages": [{"role": "user", "content": HOSTILE.concat()}]}));
    dir.write("s.jsonl", &record);
    assert_eq!(dir.epitome("compact s.jsonl -o -").ok().stdout(), record);
}

#[test]
fn quoted_values_are_short_and_hold_no_secret() {
    let token = ["ghp_", "0123456789abcdefghijABCDEFGHIJ012345"].concat();
    let long = "r".repeat(2 << 20);
    let role = |role: &str| json!({"messages": [{"role": role, "content": "x"}]});
    let key = |key: &str| format!("{{\"messages\": [], \"{key}\": 1, \"{key}\": 2}}\n");
    let dir = Dir::new();
    dir.write("s.jsonl", lines(&[role(&token), role(&long)]) + &key(&token) + &key(&long));
    let (_, ran) = dir.epitome("compact s.jsonl -o out --redact").run();
    let report = dir.read("out/report.json");
    for shown in [&ran.stderr, &report] {
        assert!(!shown.contains(&token), "{shown}");
        assert!(shown.contains("[REDACTED") && shown.contains("rrr…"), "{shown}");
        assert!(shown.len() < 10_000, "{} bytes", shown.len());
    }
    let (_, ran) = dir.epitome("count s.jsonl").run();
    assert!(ran.stderr.len() < 10_000 && !ran.stderr.contains(&token));
}

/// Every command that masks secrets, with all of its forms of output.
const MASKING_COMMANDS: [&str; 6] = [
    "plan s.jsonl --redact --verbose",
    "plan s.jsonl --redact --json",
    "compact s.jsonl -o out --redact --report r.json --report r.md --report r.html --config p.toml",
    "replay s.jsonl -o replayed --redact --config p.toml",
    "evaluate s.jsonl --redact --config p.toml",
    "requests export s.jsonl -o exported --redact --config p.toml --model gpt-5",
];

#[test]
fn no_secret_is_shown_where_secrets_are_masked() {
    let token = ["ghp_", "0123456789abcdefghijABCDEFGHIJ012345"].concat();
    let dir = Dir::new();
    dir.write(
        "p.toml",
        "[summarize]\ntrigger = [{ messages = 4 }]\nkeep = { messages = 2 }\n[evict]\ntokens = 10\n",
    );
    dir.write("s.jsonl", lines(&transcripts(&token)));
    for command in MASKING_COMMANDS {
        let (status, ran) = dir.epitome(command).run();
        assert_ne!(status, 2, "{command}: {}", ran.stderr);
        let shown = String::from_utf8(ran.stdout).unwrap() + &ran.stderr;
        assert!(!shown.contains(&token), "{command}: {shown}");
    }
    for report in ["r.json", "r.md", "r.html", "out/report.json", "replayed/report.json"] {
        let report_text = dir.read(report);
        assert!(!report_text.contains(&token), "{report}: {report_text}");
    }
    for name in dir.tree("").into_keys() {
        assert!(!name.contains(&token), "{name}");
    }
}

#[test]
fn utf_16_is_named() {
    let record = "{\"messages\": []}\n".repeat(2);
    for mark in ["\u{feff}", ""] {
        for to_bytes in [u16::to_le_bytes, u16::to_be_bytes] {
            let dir = Dir::new();
            let units = format!("{mark}{record}");
            let bytes: Vec<u8> = units.encode_utf16().flat_map(to_bytes).collect();
            dir.write("s.jsonl", bytes);
            let ran = dir.epitome("count s.jsonl").fails(3);
            ran.says(["s.jsonl: can't read it: it is text in UTF-16", "iconv -f UTF-16 -t UTF-8"]);
        }
    }
}
