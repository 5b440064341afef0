//! `--redact`: secrets in every place of a transcript, on every way out.

use crate::harness::Dir;
use crate::models::{KEY, good};
use crate::server::Server;
use crate::talk::{CUT, log, quoted, text};
use serde_json::{Value, json};

/// Put together here, so that no scanner takes this file for a leak.
fn made(parts: &[&str]) -> String {
    parts.concat()
}

/// Secrets by the place where they stand; no two are the same.
fn secrets() -> Vec<(&'static str, String)> {
    let token = |number: usize| {
        made(&["ghp_", &format!("{number:02}"), "23456789abcdefghijABCDEFGHIJ012345"])
    };
    vec![
        ("user", token(1)),
        ("assistant", made(&["AKIA", "ABCDEFGHIJKLMNOP"])),
        ("argument", token(2)),
        ("line of an argument", made(&["sk-proj-", "0123456789abcdefghijABCDEFGHIJ"])),
        ("url", "pa55w0rd!of%20url".to_owned()),
        ("pem", made(&["MIIEvQIBADANBgkqhkiG9w0BAQ", "EFAASCBKcwggSjAgEAAoIBAQ"])),
        ("result", token(3)),
        ("long result", token(4)),
        ("schema", token(5)),
        ("system", token(6)),
    ]
}

fn transcript() -> Value {
    let secret = |place: &str| secrets().into_iter().find(|(name, _)| *name == place).unwrap().1;
    let env = json!({"path": ".env", "content": format!("A=1\n{}\nTOKEN={}\n", secret("line of an argument"), secret("argument"))});
    let call = |id: &str, name: &str, arguments: &Value| json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments.to_string()}});
    let result =
        |id: &str, content: &str| json!({"role": "tool", "tool_call_id": id, "content": content});
    let pem = made(&[
        "-----BEGIN ",
        "PRIVATE KEY-----\n",
        &secret("pem"),
        "\n-----END ",
        "PRIVATE KEY-----\n",
    ]);
    let long = format!("{}{}\n{}", log(100), secret("long result"), log(100));
    json!({
        "thread_id": "t",
        "tools": [{"type": "function", "function": {"name": "fetch", "parameters": {"properties": {"token": {"default": secret("schema")}}}}}],
        "messages": [
            {"role": "system", "content": format!("Deploy with {}.", secret("system"))},
            {"role": "user", "content": format!("Use {} for the import.", secret("user"))},
            {"role": "assistant", "content": format!("With {}.", secret("assistant")), "tool_calls": [call("a", "write_note", &env)]},
            result("a", &format!("wrote postgres://app:{}@db/x and {}", secret("url"), secret("result"))),
            {"role": "assistant", "content": null, "tool_calls": [call("b", "read_key", &json!({})), call("c", "read_log", &json!({}))]},
            result("b", &pem),
            result("c", &long),
            {"role": "assistant", "content": text("t", 7)},
            {"role": "user", "content": text("t", 8)},
            {"role": "assistant", "content": text("t", 9)},
        ],
    })
}

fn none_of(bytes: &[u8], place: &str, but: &[&str]) {
    let text = String::from_utf8_lossy(bytes);
    for (name, secret) in secrets().iter().filter(|(name, _)| !but.contains(name)) {
        assert!(!text.contains(secret.as_str()), "{place} holds the secret of the {name}: {text}");
    }
}

#[test]
fn no_way_out_lets_a_secret_through() {
    let dir = Dir::new();
    dir.write("in.jsonl", format!("{}\n", transcript()))
        .write("policy.toml", "[evict]\ntokens = 500\n");
    let server = Server::start(&[&good()]);
    let model = format!(
        "--summarizer http --set summarizer.model=small --set summarizer.base_url={} --set summarizer.cache=cache",
        server.url()
    );
    let reports = "--report out/r.md --report out/r.html";
    let ran = dir
        .epitome(&format!(
            "compact in.jsonl -o out {CUT} --config policy.toml --redact {model} {reports}"
        ))
        .env("OPENAI_API_KEY", KEY)
        .fails(1)
        .says(["left in messages that stay: "]);
    assert_eq!(dir.entries()[0]["status"], "compacted");
    // The dry run says the same, and ends alike.
    let plan = format!("plan in.jsonl {CUT} --config policy.toml --redact");
    let left = dir.entries()[0]["redacted"]["left"].clone();
    let line = format!("left in messages that stay: {left}");
    dir.epitome(&plan).fails(1).says([line.as_str()]);
    none_of(ran.stderr.as_bytes(), "stderr", &[]);
    assert_eq!(server.calls(), 1);
    none_of(server.requests()[0].as_bytes(), "the request", &[]);
    assert!(server.requests()[0].matches("[REDACTED ").count() >= 6, "{}", server.requests()[0]);
    for (name, bytes) in dir.tree("out").into_iter().chain(dir.tree("cache")) {
        match name.as_str() {
            // What stays has its exact bytes, and so has what `restore` needs.
            "in.jsonl" => none_of(&bytes, &name, &["system", "schema"]),
            name if name.starts_with("originals/") => {}
            name => none_of(&bytes, name, &[]),
        }
    }
    assert!(
        dir.tree("out/large_tool_results")
            .values()
            .any(|bytes| String::from_utf8_lossy(bytes).contains("[REDACTED github_token]"))
    );
    dir.epitome("restore out -o back").ok();
    assert_eq!(dir.read("back/in.jsonl"), dir.read("in.jsonl"));
    // The same for batch files, and for a program that repeats in its error what it was asked.
    dir.epitome(&format!("requests export in.jsonl -o requests {CUT} --config policy.toml --redact --set summarizer.model=small --set summarizer.cache=")).ok();
    for (name, bytes) in dir.tree("requests") {
        none_of(&bytes, &name, &[]);
    }
}

/// Where the first message reaches the model only from some line on, a key's other half is no less
/// a secret.
#[test]
fn half_a_key_is_a_secret() {
    let dir = Dir::new();
    let lines: String = (0..60)
        .map(|line| {
            format!(
                "{}{line:02}\n",
                made(&["MIIEvQIBADANBgkqhkiG9w0BAQ", "EFAASCBKcwggSjAgEAAoIBAQC7"])
            )
        })
        .collect();
    let pem = made(&[
        "-----BEGIN RSA ",
        "PRIVATE KEY-----\n",
        &lines,
        "-----END RSA ",
        "PRIVATE KEY-----\nIs that the right key?",
    ]);
    let mut messages = vec![json!({"role": "user", "content": pem})];
    messages.extend(
        (1..8).map(|number| {
            serde_json::from_str::<Value>(&crate::talk::message("t", number)).unwrap()
        }),
    );
    dir.write("in.jsonl", format!("{}\n", json!({"thread_id": "t", "messages": messages})));
    dir.write("policy.toml", "[summarize]\ntrim_tokens = 600\n");
    let server = Server::start(&[&good()]);
    let model = format!(
        "--summarizer http --set summarizer.model=small --set summarizer.base_url={} --set summarizer.cache=",
        server.url()
    );
    dir.epitome(&format!("compact in.jsonl -o plain {CUT} --config policy.toml {model}")).ok();
    assert!(
        server.requests()[0].contains("C759") && !server.requests()[0].contains("C700"),
        "cut within the key"
    );
    dir.epitome(&format!("compact in.jsonl -o out {CUT} --config policy.toml --redact {model}"))
        .ok();
    assert!(
        server.requests()[1].contains("[REDACTED private_key]")
            && !server.requests()[1].contains("MIIE"),
        "{}",
        server.requests()[1]
    );
    assert_eq!(dir.entries()[0]["redacted"]["request"], 1);
}

#[cfg(unix)]
#[test]
fn a_program_learns_no_secret_and_so_tells_none() {
    let dir = Dir::new();
    dir.write("in.jsonl", format!("{}\n", transcript()));
    let program = dir.script("blab", "tee seen | tr '\\n' ' ' >&2; exit 1");
    let ran = dir
        .epitome(&format!("compact in.jsonl -o out {CUT} --redact --summarizer command:{program}"))
        .fails(3)
        .says(["[REDACTED "]);
    none_of(ran.stderr.as_bytes(), "stderr", &[]);
    none_of(&dir.bytes("seen"), "its stdin", &[]);
    none_of(&dir.bytes("out/report.json"), "the report", &[]);
    assert!(quoted(&dir.read("seen")).len() > 500, "it was asked");
}

#[test]
fn rows_and_converted_logs_hold_no_secret() {
    let dir = Dir::new();
    dir.write("in.jsonl", format!("{}\n", transcript()));
    dir.epitome("convert in.jsonl -o converted --to anthropic --redact").ok();
    dir.epitome("dataset in.jsonl -o rows --to trl --redact").ok();
    for (name, bytes) in dir.tree("converted").into_iter().chain(dir.tree("rows/data")) {
        none_of(&bytes, &name, &[]);
    }
    assert!(dir.read("rows/data/train-00000-of-00001.jsonl").contains("[REDACTED github_token]"));
}

#[test]
fn personal_data_is_masked_where_that_is_asked_for() {
    let dir = Dir::new();
    let said = "Mail anna.berg@post.example.org or call +49 30 901820-11.";
    let chat = json!({"id": "t", "messages": [
        {"role": "user", "content": said}, {"role": "assistant", "content": "From 81.2.69.142, I will."},
    ]});
    dir.write("in.jsonl", format!("{chat}\n"));
    for (option, left) in [("", 3), ("--redact", 3), ("--redact=pii", 0)] {
        dir.epitome(&format!("dataset in.jsonl -o out --force --to openai {option}")).ok();
        let row = dir.read("out/data/train-00000-of-00001.jsonl");
        let data = ["anna.berg@", "901820", "81.2.69"];
        let found = data.iter().filter(|data| row.contains(**data)).count();
        assert_eq!(found, left, "{option}: {row}");
    }
    dir.epitome("dataset in.jsonl -o out --force --to openai --redact=all").fails(2);
}
