//! Rows depend on their record and the policy only, and hold everything that a run writes.

use crate::harness::Dir;
use crate::talk::{CUT, log, talk, with_result};
use serde_json::Value;

const EVICTING: &str = "[evict]\ntokens = 100\n";

/// Records of several kinds: long, equal, short, with a result to evict, of another format, bad, blank.
fn records() -> Vec<String> {
    let anthropic =
        r#"{"system":"s","messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}]}"#;
    vec![
        talk("a", 8),
        talk("a", 9),
        talk("a", 8),
        talk("b", 2),
        with_result("r", "call", &log(40)),
        with_result("r/../x", "call", &log(40)),
        format!("{anthropic}\n"),
        "nonsense\n".to_owned(),
        "\n".to_owned(),
        talk("c", 8).replace('\n', "\r\n"),
        "{\"messages\": 1}\n".to_owned(),
        talk("half", 3)[..40].to_owned() + "\n",
    ]
}

fn workplace(input: &str) -> Dir {
    let dir = Dir::new();
    dir.write("in.jsonl", input).write("policy.toml", EVICTING);
    dir
}

/// The rows of an input, without their lines.
fn rows(input: &str, options: &str) -> Vec<Value> {
    let dir = workplace(input);
    let words = format!("stream -q --config policy.toml {CUT} {options}");
    let ran = dir.epitome(&words).stdin(input.as_bytes().to_vec()).ok();
    let rows = ran.stdout().lines().map(|line| {
        let mut row: Value = serde_json::from_str(line).unwrap();
        row.as_object_mut().unwrap().remove("line");
        row
    });
    rows.collect()
}

#[test]
fn rows_unpack_to_what_one_run_writes_and_restore_their_input() {
    let input = records().concat();
    let dir = workplace(&input);
    dir.epitome(&format!(
        "compact in.jsonl -o one --names content --max-errors all --config policy.toml {CUT}"
    ))
    .ok();
    let rows = dir
        .epitome(&format!("stream -q --config policy.toml {CUT}"))
        .stdin(input.clone().into_bytes())
        .ok();
    dir.write("rows.jsonl", rows.stdout()).write("rows/in.jsonl", rows.stdout());
    dir.epitome("unpack in.jsonl -o ../two").from("rows").ok();
    let (one, two) = (dir.tree("one"), dir.tree("two"));
    assert_eq!(one.keys().collect::<Vec<_>>(), two.keys().collect::<Vec<_>>());
    for (name, bytes) in &one {
        assert!(two[name] == *bytes, "{name} differs");
    }
    // Four conversations are long, and two of them are equal.
    let histories = one.keys().filter(|name| name.starts_with("conversation_history/"));
    assert_eq!(histories.count(), 3);
    let results = one.keys().filter(|name| name.starts_with("large_tool_results/"));
    assert_eq!(results.count(), 2);
    dir.epitome("restore rows.jsonl -o back").ok();
    assert_eq!(dir.read("back/rows.jsonl"), input);
    dir.epitome("restore two -o again").ok();
    assert_eq!(dir.read("again/in.jsonl"), input);
}

#[test]
fn a_row_depends_on_its_record_only() {
    let records = records();
    let whole = rows(&records.concat(), "");
    assert_eq!(whole.len(), records.len());
    let reversed: String = records.iter().rev().map(String::as_str).collect();
    let mut backwards = rows(&reversed, "-j3");
    backwards.reverse();
    assert_eq!(whole, backwards);
    for (record, row) in records.iter().zip(&whole) {
        assert_eq!(rows(record, ""), std::slice::from_ref(row), "{record}");
    }
    let statuses: Vec<&str> = whole.iter().map(|row| row["status"].as_str().unwrap()).collect();
    assert_eq!(statuses[0], "compacted");
    assert_eq!(statuses[3], "unchanged");
    assert_eq!(statuses[7..9], ["failed", "unchanged"]);
    assert_eq!(whole[6]["format"], "anthropic");
    // Equal names mean equal contents.
    assert_eq!(whole[0], whole[2]);
    assert_ne!(whole[0]["removed"][0]["name"], whole[1]["removed"][0]["name"]);
}

#[test]
fn lines_that_belong_together_are_refused_by_name_and_have_one_row_with_a_key() {
    let message = |role: &str, text: &str| {
        format!("{{\"thread_id\":\"t\",\"role\":\"{role}\",\"content\":\"{text}\"}}\n")
    };
    let thread: String = (0..8)
        .map(|n| message("user", &format!("question {n}")) + &message("assistant", "answer"))
        .collect();
    let alone = rows(&thread, "");
    let error = alone[0]["error"].as_str().unwrap();
    assert!(error.contains("openai") && error.contains("--thread-key"), "{error}");
    let input = format!("{thread}{}", thread.replace("\"t\"", "\"u\""));
    let keyed = rows(&input, "--thread-key thread_id");
    assert_eq!(keyed.len(), 2);
    assert_eq!((&keyed[0]["lines"], &keyed[0]["status"]), (&16.into(), &"compacted".into()));
    let dir = workplace(&input);
    let ran = dir
        .epitome(&format!("stream --thread-key thread_id {CUT}"))
        .stdin(input.clone().into_bytes())
        .ok();
    dir.write("rows.jsonl", ran.stdout());
    dir.epitome("restore rows.jsonl -o back").ok();
    assert_eq!(dir.read("back/rows.jsonl"), input);
    let documents = format!("{}\n", serde_json::to_string(&thread).unwrap());
    let document = rows(&documents, "--document");
    assert_eq!(document[0]["record"], keyed[0]["record"]);
    dir.epitome("stream --format claude-code")
        .stdin(Vec::new())
        .fails(2)
        .says(["claude-code", "--thread-key"]);
}

#[test]
fn the_status_says_whether_rows_can_be_used() {
    let dir = workplace("");
    let nothing = dir.epitome("stream").stdin(Vec::new()).ok();
    assert_eq!(nothing.stdout(), "");
    let bad = b"nonsense\n".to_vec();
    let ran = dir.epitome("stream").stdin(bad.clone()).ok();
    assert_eq!(ran.stdout().lines().count(), 1);
    dir.epitome("stream -q --max-errors 0")
        .stdin(bad.clone())
        .fails(2)
        .says(["1 of 1 record failed", "stdin:1"]);
    dir.epitome("stream --max-errors 1").stdin(bad.clone()).ok();
    // What is meant for runs ends no task of an engine.
    dir.epitome("stream -q").env("EPITOME_MAX_ERRORS", "0").stdin(bad).ok();
    // A configuration that nobody named is not part of the policy.
    dir.write("epitome.toml", "[summarize]\ntrigger = [{ messages = 1 }]\n");
    let ran = dir.epitome("stream").stdin(talk("a", 2).into_bytes()).ok();
    assert!(ran.stdout().contains("\"status\":\"unchanged\""));
}

#[test]
fn plans_and_counts_are_those_of_their_commands() {
    let input = talk("a", 8);
    let dir = workplace(&input);
    let without_place = |mut value: Value| {
        for key in ["file", "line", "column"] {
            value.as_object_mut().unwrap().remove(key);
        }
        value
    };
    let counted = dir.epitome("count in.jsonl --json").ok();
    let first = serde_json::from_str(counted.stdout().lines().next().unwrap()).unwrap();
    assert_eq!(rows(&input, "count")[0]["report"], without_place(first));
    dir.epitome(&format!(
        "plan in.jsonl -q --names content --report plan.json --config policy.toml {CUT}"
    ))
    .ok();
    let planned: Value = serde_json::from_str(&dir.read("plan.json")).unwrap();
    let row = &rows(&input, "plan")[0];
    assert_eq!(row["report"], without_place(planned["transcripts"][0].clone()));
    assert!(row.get("record").is_none());
}

#[test]
fn references_name_the_bytes_of_the_input() {
    let input = talk("a", 8);
    let row = &rows(&input, "--undo reference --removed none")[0];
    let undo = &row["undo"][0];
    assert!(undo.get("bytes").is_none() && row.get("removed").is_none());
    let bytes = &rows(&input, "")[0]["undo"][0]["bytes"];
    let at = usize::try_from(undo["input"]["at"].as_u64().unwrap()).unwrap();
    let len = usize::try_from(undo["input"]["len"].as_u64().unwrap()).unwrap();
    assert_eq!(&input[at..at + len], bytes.as_str().unwrap());
    let dir = workplace(&input);
    dir.write("rows.jsonl", format!("{}\n", with_line(row)));
    dir.epitome("restore rows.jsonl -o back").fails(3).says(["rows.jsonl:1", "--undo reference"]);
    dir.epitome("restore in.jsonl rows.jsonl -o back")
        .fails(2)
        .says(["in.jsonl is neither the directory", "a file of rows"]);
}

/// A row with its line.
fn with_line(row: &Value) -> Value {
    let mut row = row.clone();
    row["line"] = 1.into();
    row
}

#[test]
fn damaged_rows_are_refused_with_their_place() {
    let whole = with_line(&rows(&talk("a", 8), "")[0]);
    for (pointer, value, says) in [
        ("/removed/0/name", "conversation_history/../../x", "leads out"),
        ("/removed/0/name", "/etc/x", "leads out"),
        ("/removed/0/name", "report.json", "leads out"),
        ("/record", "", "damaged"),
    ] {
        let mut row = whole.clone();
        *row.pointer_mut(pointer).unwrap() = value.into();
        let dir = workplace("");
        dir.write("rows.jsonl", format!("{row}\n"));
        dir.epitome("unpack rows.jsonl -o out").fails(2).says(["rows.jsonl:1", says]);
        assert!(!dir.exists("out/rows.jsonl") && !dir.exists("x"), "{value}");
    }
    let dir = workplace("");
    dir.write("rows.jsonl", "{\"v\":1}\n");
    dir.epitome("unpack rows.jsonl -o out").fails(2).says(["rows.jsonl:1", "not a row"]);
}

#[test]
fn the_schema_fits_the_rows() {
    let dir = workplace("");
    let schema: Value = serde_json::from_str(dir.epitome("schema json").ok().stdout()).unwrap();
    let known = schema["properties"].as_object().unwrap();
    for row in rows(&records().concat(), "") {
        let row = with_line(&row);
        for key in row.as_object().unwrap().keys() {
            assert!(known.contains_key(key), "{key}");
        }
        for key in schema["required"].as_array().unwrap() {
            assert!(row.get(key.as_str().unwrap()).is_some(), "{key}");
        }
    }
    assert!(dir.epitome("schema spark").ok().stdout().starts_with("v BIGINT, "));
    let arrow: Value = serde_json::from_str(dir.epitome("schema arrow").ok().stdout()).unwrap();
    assert_eq!(arrow["fields"].as_array().unwrap().len(), known.len());
    dir.epitome("schema").fails(2);
}
