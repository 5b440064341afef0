use crate::harness::Dir;
use serde_json::{Value, json};

/// Two conversations: of a model whose encoding is public, and of one whose is not.
fn two_models() -> Dir {
    let dir = Dir::new();
    let talk = |model: &str| json!({ "model": model, "messages": [{ "role": "user", "content": "Don't panic: count 12345 tokens, 你好！" }] });
    dir.write(
        "in.jsonl",
        format!(
            "{}\n{}\n",
            talk("openai:gpt-4o"),
            talk("anthropic:claude-opus-4-5")
        ),
    );
    dir
}

fn rows(stdout: &str) -> Vec<Value> {
    stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn an_exact_counter_counts_text_role_and_frame() {
    let rows = rows(
        two_models()
            .epitome("count --json --counter o200k_base in.jsonl")
            .ok()
            .stdout(),
    );
    let text = tiktoken_rs::o200k_base_singleton()
        .encode_ordinary("Don't panic: count 12345 tokens, 你好！")
        .len();
    assert_eq!(rows[0]["counts"]["tokens"], text + 3 + 1);
    assert_eq!(rows[0]["counter"], "o200k_base");
}

#[test]
fn auto_is_exact_where_the_encoding_is_known() {
    let rows = rows(
        two_models()
            .epitome("count --json --counter auto in.jsonl")
            .ok()
            .stdout(),
    );
    assert_eq!(
        [&rows[0]["counter"], &rows[1]["counter"]],
        ["o200k_base", "approx"]
    );
}

#[test]
fn compact_and_report_name_the_counter() {
    let dir = two_models();
    dir.epitome("compact in.jsonl -o out --counter cl100k_base")
        .ok();
    assert!(
        dir.entries()
            .iter()
            .all(|entry| entry["counter"] == "cl100k_base")
    );
}

#[test]
fn the_pages_of_a_report_name_the_counters() {
    let dir = two_models();
    dir.write(
        "in.jsonl",
        crate::talk::talk("a", 8).replacen('{', "{\"model\": \"gpt-4o\", ", 1)
            + &crate::talk::talk("b", 8),
    );
    let cut = crate::talk::CUT;
    dir.epitome(&format!(
        "compact in.jsonl -o out {cut} --report one.md --report one.html"
    ))
    .ok();
    assert!(
        dir.read("one.md")
            .contains("\nTokens are counted by `approx`.\n")
            && dir.read("one.html").contains("<code>approx</code>.</p>"),
        "{}",
        dir.read("one.html")
    );
    assert!(!dir.read("one.md").contains("| counter |"));
    dir.epitome(&format!(
        "compact in.jsonl -o more {cut} --counter auto --report more.md"
    ))
    .ok();
    let page = dir.read("more.md");
    for wanted in [
        "Tokens are counted by `approx`, `o200k_base`, each",
        "| place | counter | tokens before |",
        "| `in.jsonl:1` | `o200k_base` | ",
    ] {
        assert!(page.contains(wanted), "{page}");
    }
}

#[test]
fn an_estimate_is_shown_beside_the_exact_count() {
    let dir = two_models();
    let plain = dir.epitome("count --compare in.jsonl").ok();
    assert!(
        plain.stdout().contains("by o200k_base (")
            && plain
                .stdout()
                .contains("approx against o200k_base on 1 transcripts"),
        "{}",
        plain.stdout()
    );
    let rows = rows(
        dir.epitome("count --json --compare=r50k_base in.jsonl")
            .ok()
            .stdout(),
    );
    assert_eq!(rows[2]["compared"][0]["transcripts"], 2);
    assert_eq!(
        (
            &rows[0]["compared"]["counter"],
            &rows[2]["compared"][0]["against"]
        ),
        (&json!("r50k_base"), &json!("r50k_base"))
    );
    let rows = self::rows(dir.epitome("count --json --compare in.jsonl").ok().stdout());
    assert_eq!(
        (&rows[1]["compared"], &rows[2]["not_compared"]),
        (&Value::Null, &json!(1))
    );
}

#[test]
fn every_number_of_a_mix_names_its_counter() {
    let dir = two_models();
    dir.write(
        "more.jsonl",
        dir.read("in.jsonl").replace("gpt-4o", "gpt-4"),
    );
    let text = dir
        .epitome("count --compare in.jsonl more.jsonl")
        .ok()
        .stdout()
        .to_owned();
    for wanted in [
        "\ncounted by approx\n",
        "\napprox against cl100k_base on 1 transcripts: ",
        "\napprox against o200k_base on 1 transcripts: ",
        "\n2 were not compared\n",
    ] {
        assert!(text.contains(wanted), "{text}");
    }
    let text = dir
        .epitome("count --counter auto in.jsonl more.jsonl")
        .ok()
        .stdout()
        .to_owned();
    let counters = ["o200k_base", "approx", "cl100k_base", "approx"];
    assert!(
        text.lines()
            .zip(counters)
            .all(|(line, counter)| line.contains(&format!("tokens by {counter} "))),
        "{text}"
    );
    assert!(
        text.ends_with("counted by approx, cl100k_base, o200k_base\n"),
        "{text}"
    );
    let rows = rows(
        dir.epitome("count --json --compare --counter cjk in.jsonl more.jsonl")
            .ok()
            .stdout(),
    );
    let total = rows.last().unwrap();
    let pairs: Vec<_> = total["compared"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pair| {
            (
                pair["counter"].as_str().unwrap(),
                pair["against"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        pairs,
        [
            ("cjk", "approx"),
            ("cjk", "cl100k_base"),
            ("cjk", "o200k_base")
        ]
    );
    assert_eq!(total["counters"], json!(["cjk"]));
}

#[test]
fn a_dry_run_names_its_counter() {
    let dir = two_models();
    let first = |command: &str| {
        dir.epitome(command)
            .ok()
            .stdout()
            .lines()
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    assert!(first("plan in.jsonl --counter cjk").ends_with(" tokens by cjk"));
    assert!(first("plan in.jsonl --counter auto").ends_with(" tokens by o200k_base"));
    dir.write("in.jsonl", crate::talk::talk("t", 8));
    let cut = first(&format!("plan in.jsonl --counter cjk {}", crate::talk::CUT));
    assert!(
        cut.contains(" tokens by cjk and a summary of at most "),
        "{cut}"
    );
}

#[test]
fn a_counter_is_not_compared_with_itself() {
    let dir = two_models();
    for words in [
        "--compare=approx",
        "--compare=cl100k_base --counter cl100k_base",
        "--compare --counter auto",
    ] {
        dir.epitome(&format!("count in.jsonl {words}"))
            .fails(2)
            .says(["--compare", "that is the counter itself"]);
    }
    // Where it only happens to be the same, a transcript is not said to have none.
    let text = dir
        .epitome("count --compare --counter o200k_base in.jsonl")
        .ok()
        .stdout()
        .to_owned();
    assert!(
        !text.lines().next().unwrap().contains("no exact counter"),
        "{text}"
    );
}

#[test]
fn where_no_exact_counter_is_known_it_is_said_at_once() {
    let dir = two_models();
    // Of the models in the log it is said where they stand; of one that the user names, before
    // anything is counted.
    let lines = dir
        .epitome("count --compare in.jsonl")
        .ok()
        .stdout()
        .to_owned();
    let lines: Vec<&str> = lines.lines().collect();
    assert!(
        lines[1].contains("no exact counter is known for its model")
            && lines.last().unwrap().ends_with("1 were not compared"),
        "{lines:#?}"
    );
    dir.epitome("count --compare --model anthropic:claude-opus-4-5 in.jsonl")
        .fails(2)
        .says(["anthropic:claude-opus-4-5", "--compare=o200k_base"]);
    dir.epitome("count --compare=cl100k_base --model anthropic:claude-opus-4-5 in.jsonl")
        .ok();
}

#[test]
fn reported_usage_stands_beside_the_count() {
    let dir = Dir::new();
    let answer = json!({ "role": "assistant", "content": "Two.", "usage_metadata": { "input_tokens": 90, "output_tokens": 10, "total_tokens": 100 } });
    dir.write("in.jsonl", json!({ "messages": [{ "role": "user", "content": "One?" }, answer, { "role": "user", "content": "Three?" }] }).to_string());
    let row = &rows(
        dir.epitome("count --json --counter o200k_base in.jsonl")
            .ok()
            .stdout(),
    )[0];
    let counted = row["usage"]["counted"].as_u64().unwrap();
    assert!(
        (5..20).contains(&counted)
            && row["usage"]["reported"] == 100
            && row["usage"]["message"] == 1,
        "{row}"
    );
    assert!((row["usage"]["ratio"].as_f64().unwrap() - 100.0 / counted as f64).abs() < 0.001);
    let text = dir.epitome("count --counter o200k_base in.jsonl").ok();
    assert!(
        text.stdout().contains(&format!(
            "the log reports 100 for {counted} of them (ratio "
        )),
        "{}",
        text.stdout()
    );
    let plan = &rows(
        dir.epitome("plan --json --counter o200k_base in.jsonl")
            .ok()
            .stdout(),
    )[0];
    assert_eq!(plan["usage"], row["usage"]);
}

#[test]
fn count_knows_limits() {
    let dir = two_models();
    dir.write(
        "mine.tsv",
        "provider\tmodel\tcontext\tinput\toutput\nopenai\tgpt-4o\t9000\t7000\t\n",
    );
    let rows = rows(
        dir.epitome("count --json --limits mine.tsv in.jsonl")
            .ok()
            .stdout(),
    );
    assert_eq!(
        (&rows[0]["model"], &rows[0]["input_limit"]),
        (&"openai:gpt-4o".into(), &7000.into())
    );
    dir.epitome("count --limits nowhere.tsv in.jsonl")
        .fails(2)
        .says(["--limits", "nowhere.tsv"]);
    dir.epitome("count --strict-model in.jsonl").ok();
    dir.epitome("count --strict-model --model gpt-5-2 in.jsonl")
        .fails(2)
        .says(["--strict-model", "gpt-5.2"]);
    dir.write(
        "unknown.jsonl",
        r#"{"model": "gtp-4o", "messages": [{"role": "user", "content": "hi"}]}"#,
    );
    dir.epitome("count --strict-model unknown.jsonl")
        .fails(3)
        .says(["unknown.jsonl:1", "--strict-model"]);
    dir.epitome("count unknown.jsonl").ok().says([
        "unknown.jsonl:1: warning:",
        "gtp-4o",
        "\"gpt-4o\"",
    ]);
    assert_eq!(dir.epitome("count --quiet unknown.jsonl").ok().stderr, "");
    // Each name once.
    dir.write(
        "unknown.jsonl",
        "{\"model\": \"gtp-4o\", \"messages\": [{\"role\": \"user\", \"content\": \"hi\"}]}\n"
            .repeat(3),
    );
    let told = dir
        .epitome("count unknown.jsonl")
        .ok()
        .says(["2 more times"]);
    assert_eq!(
        told.stderr.matches("unknown.jsonl:").count(),
        1,
        "{}",
        told.stderr
    );
    // However many there are: no report has the rest.
    let record = |number: usize| {
        json!({ "model": format!("gtp-{number}x"), "messages": [{ "role": "user", "content": "hi" }] }).to_string() + "\n"
    };
    dir.write("unknown.jsonl", (0..30).map(record).collect::<String>());
    assert_eq!(
        dir.epitome("count unknown.jsonl")
            .ok()
            .stderr
            .matches("warning: ")
            .count(),
        30
    );
}

#[test]
fn special_tokens_are_plain_text() {
    let dir = Dir::new();
    let text = "<|endoftext|><|im_start|>user<|fim_prefix|>";
    dir.write(
        "in.jsonl",
        json!({ "messages": [{ "role": "user", "content": text }] }).to_string(),
    );
    let row = &rows(
        dir.epitome("count --json --counter cl100k_base in.jsonl")
            .ok()
            .stdout(),
    )[0];
    assert_eq!(
        row["counts"]["tokens"],
        tiktoken_rs::cl100k_base_singleton()
            .encode_ordinary(text)
            .len()
            + 3
            + 1
    );
}

/// Where the tokenizer of the tests lies.
const TOKENIZER: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/fixtures/tokenizer/tokenizer.json"
);

#[cfg(feature = "tokenizers")]
#[test]
fn a_tokenizer_json_counts_everywhere() {
    let dir = two_models();
    dir.write("tokenizer.json", std::fs::read(TOKENIZER).unwrap());
    let rows = rows(
        dir.epitome("count --json --counter file:tokenizer.json in.jsonl")
            .ok()
            .stdout(),
    );
    let role = 2; // "us" and "er" are tokens of this tokenizer
    assert_eq!(
        (&rows[0]["counter"], &rows[0]["counts"]["tokens"]),
        (&"file:tokenizer.json".into(), &(28 + 3 + role).into())
    );
    dir.write("policy.toml", "counter = \"file:tokenizer.json\"\n");
    dir.epitome("compact in.jsonl -o out --config policy.toml")
        .ok();
    assert!(
        dir.entries()
            .iter()
            .all(|entry| entry["counter"] == "file:tokenizer.json")
    );
    dir.epitome("plan in.jsonl --config policy.toml").ok();
    dir.epitome("replay in.jsonl -o replayed --counter file:tokenizer.json")
        .ok();
    assert!(
        dir.epitome("compact in.jsonl -o out --config policy.toml --print-config")
            .ok()
            .stdout()
            .contains("counter = \"file:tokenizer.json\"")
    );
    dir.write("broken.json", "{\"model\": 3}");
    dir.epitome("compact in.jsonl -o none --counter file:broken.json")
        .fails(2)
        .says(["file:broken.json", "not a tokenizer.json"]);
    assert!(!dir.exists("none"));
}

#[cfg(not(feature = "tokenizers"))]
#[test]
fn without_tokenizers_it_is_said_how_to_get_them() {
    let dir = two_models();
    dir.epitome(&format!(
        "compact in.jsonl -o none --counter file:{TOKENIZER}"
    ))
    .fails(2)
    .says(["file:", "cargo install", "--features tokenizers"]);
    assert!(!dir.exists("none"));
}

#[test]
fn a_missing_tokenizer_is_named() {
    let dir = two_models();
    dir.epitome("compact in.jsonl -o none --counter file:nowhere.json")
        .fails(2)
        .says(["file:nowhere.json", "can't read"]);
    assert!(!dir.exists("none"));
}

#[test]
fn an_unknown_counter_names_the_nearest() {
    two_models()
        .epitome("count --counter o200k in.jsonl")
        .fails(2)
        .says(["--counter", "o200k_base"]);
    two_models()
        .epitome("count --compare=o200k in.jsonl")
        .fails(2)
        .says(["--compare", "o200k_base"]);
}
