//! Compactions that are appended to a session.

use super::support::{file, line, plans, session};
use crate::harness::Dir;
use crate::originals::restored;
use crate::talk::CUT;
use serde_json::{Value, json};

#[test]
fn what_was_compacted_reads_as_the_summary_and_what_was_kept() {
    let dir = Dir::new();
    dir.write("in.jsonl", file(&session(10)));
    dir.epitome(&format!("compact in.jsonl -o out {CUT}")).ok();
    let out = dir.read("out/in.jsonl");
    let lines: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(out.starts_with(&file(&session(10))) && lines.len() == 12, "{out}");
    let [boundary, summary] = &lines[10..] else { panic!("{out}") };
    assert_eq!(
        (&boundary["subtype"], &boundary["parentUuid"], &boundary["logicalParentUuid"]),
        (&json!("compact_boundary"), &Value::Null, &json!("u9"))
    );
    assert_eq!(
        (&summary["isCompactSummary"], &summary["parentUuid"]),
        (&json!(true), &boundary["uuid"])
    );
    let segment = json!({"headUuid": "u8", "anchorUuid": summary["uuid"], "tailUuid": "u9"});
    assert_eq!(boundary["compactMetadata"]["preservedSegment"], segment);
    assert_eq!(boundary["compactMetadata"]["preservedMessages"]["uuids"], json!(["u8", "u9"]));
    let plan = &plans(&dir, "out/in.jsonl")[0];
    let entry = &dir.entries()[0];
    assert_eq!(entry["messages_after"], 3);
    assert_eq!(
        (&plan["messages_before"], &plan["tokens_before"]),
        (&entry["messages_after"], &entry["tokens_after"])
    );
}

#[test]
fn a_session_goes_on_behind_what_was_appended_and_is_compacted_again() {
    let dir = Dir::new();
    dir.write("in.jsonl", file(&session(10)));
    dir.epitome(&format!("compact in.jsonl -o out {CUT}")).ok();
    let mut out = dir.read("out/in.jsonl");
    let summary: Value = serde_json::from_str(out.lines().last().unwrap()).unwrap();
    let mut parent = summary["uuid"].as_str().unwrap().to_owned();
    for number in 10..18 {
        let next = line(&format!("v{number}"), Some(&parent), number);
        parent = format!("v{number}");
        out.push_str(&format!("{next}\n"));
    }
    dir.write("more.jsonl", &out);
    let before = &plans(&dir, &format!("more.jsonl {CUT}"))[0];
    assert_eq!(before["messages_before"], 11, "the summary, two that were kept, eight new ones");
    dir.epitome(&format!("compact more.jsonl -o again {CUT}")).ok();
    assert!(dir.read("again/more.jsonl").starts_with(&out));
    let after = &plans(&dir, "again/more.jsonl")[0];
    assert_eq!(after["messages_before"], 3);
    let told = dir.read("again/conversation_history/s.md");
    assert!(told.contains("Step 8 of s") && !told.contains("Step 0 of s"), "{told}");
}

#[test]
fn a_preserved_line_that_was_written_again_behind_the_summary_is_sent_once() {
    let dir = Dir::new();
    let mut lines = session(8);
    let mut boundary = line("b", None, 0);
    (boundary["type"], boundary["subtype"]) = (json!("system"), json!("compact_boundary"));
    boundary["compactMetadata"] = json!({
        "preservedSegment": {"headUuid": "u5", "anchorUuid": "c", "tailUuid": "u7"},
        "preservedMessages": {"anchorUuid": "c", "uuids": ["u5", "u6", "u7"]},
    });
    let mut summary = line("c", Some("b"), 0);
    (summary["isCompactSummary"], summary["message"]["content"]) =
        (json!(true), json!("What was before."));
    lines.extend([boundary, summary, line("u7", Some("c"), 7), line("v8", Some("u7"), 8)]);
    dir.write("in.jsonl", file(&lines));
    let plan = dir.epitome("plan in.jsonl --trigger messages=2 --keep messages=1").ok();
    let shown = plan.stdout();
    let at =
        |text: &str| shown.find(text).unwrap_or_else(|| panic!("{text} is missing in {shown}"));
    assert!(shown.contains("5 -> ") || shown.contains("5 messages"), "{shown}");
    assert!(
        at("What was before.") < at("Step 5")
            && at("Step 5") < at("Step 6")
            && at("Step 6") < at("Step 7")
            && at("Step 7") < at("Step 8"),
        "{shown}"
    );
}

#[test]
fn every_thread_of_a_file_has_its_own_entry_and_is_compacted_by_itself() {
    let dir = Dir::new();
    let mut lines = session(10);
    for number in 0..8_usize {
        let mut side_line = line(
            &format!("x{number}"),
            number.checked_sub(1).map(|before| format!("x{before}")).as_deref(),
            number,
        );
        (side_line["isSidechain"], side_line["agentId"]) = (json!(true), json!("ag1"));
        lines.push(side_line);
    }
    dir.write("in.jsonl", file(&lines));
    dir.epitome(&format!("compact in.jsonl -o out {CUT}")).ok();
    let ids: Vec<Value> = dir
        .entries()
        .iter()
        .map(|entry| {
            json!([entry["thread_id"], entry["line"], entry["status"], entry["messages_after"]])
        })
        .collect();
    assert_eq!(ids, [json!(["s", 1, "compacted", 3]), json!(["s-agent-ag1", 11, "compacted", 3])]);
    let again: Vec<Value> = plans(&dir, "out/in.jsonl")
        .iter()
        .map(|plan| json!([plan["thread_id"], plan["messages_before"]]))
        .collect();
    assert_eq!(again, [json!(["s", 3]), json!(["s-agent-ag1", 3])]);
    assert_eq!(
        restored(&dir.bytes("out/in.jsonl"), &dir.path("out/originals/in.jsonl.originals")),
        file(&lines).as_bytes()
    );
    dir.epitome("restore out -o back").ok();
    assert_eq!(dir.read("back/in.jsonl"), file(&lines));
}

#[test]
fn a_file_that_is_still_written_keeps_its_half_line_and_the_rest_is_compacted() {
    let dir = Dir::new();
    let whole = file(&session(10));
    dir.write("in.jsonl", format!("{whole}{{\"parentUuid\": \"u9\", \"type\": \"us"));
    dir.epitome(&format!("compact in.jsonl -o out {CUT}"))
        .fails(3)
        .says(["in.jsonl:11:", "the file may still be written"]);
    let out = dir.read("out/in.jsonl");
    assert!(
        out.starts_with(&whole)
            && out.contains("compact_boundary")
            && out.contains("{\"parentUuid\": \"u9\", \"type\": \"us"),
        "{out}"
    );
    assert_eq!(plans(&dir, "out/in.jsonl")[0]["messages_before"], 3);
}

#[test]
fn a_preserved_tail_that_is_written_again_leads_to_no_circle() {
    let dir = Dir::new();
    let mut lines = session(8);
    let mut boundary = line("b", None, 0);
    (boundary["type"], boundary["subtype"]) = (json!("system"), json!("compact_boundary"));
    // Without the list of the lines: only their ends are known.
    boundary["compactMetadata"] = json!({
        "preservedSegment": {"headUuid": "u5", "anchorUuid": "c", "tailUuid": "u7"},
    });
    let mut summary = line("c", Some("b"), 0);
    (summary["isCompactSummary"], summary["message"]["content"]) =
        (json!(true), json!("What was before."));
    lines.extend([boundary, summary, line("u7", Some("c"), 7), line("v8", Some("u7"), 8)]);
    let mut beheaded = lines.clone();
    let mut again = lines[8].clone();
    again["compactMetadata"]["preservedSegment"]["headUuid"] = json!("nowhere");
    beheaded.insert(10, again);
    dir.write("in.jsonl", file(&lines))
        .write("twice.jsonl", file(&lines).repeat(2))
        .write("beheaded.jsonl", file(&beheaded));
    let plans = plans(&dir, "in.jsonl twice.jsonl beheaded.jsonl");
    assert_eq!(plans.len(), 3, "{plans:?}");
    assert_eq!(plans[0]["messages_before"], 5, "{}", plans[0]);
}

/// The answer that stays was of the longer list: what it used says nothing of the new one.
#[test]
fn the_usage_of_a_kept_answer_does_not_fire_again() {
    let dir = Dir::new();
    let mut lines = session(6);
    lines[5]["message"]["usage"] = json!({"input_tokens": 39_000, "output_tokens": 500});
    let options = "in.jsonl --preset claude-code --max-input-tokens 60000";
    dir.write("in.jsonl", file(&lines));
    let before = &plans(&dir, options)[0];
    assert_eq!(before["status"], "compacted", "{before}");
    let mut boundary = line("b", None, 6);
    boundary["type"] = json!("system");
    boundary["subtype"] = json!("compact_boundary");
    boundary["compactMetadata"] = json!({
        "trigger": "auto",
        "preservedSegment": {"headUuid": "u5", "anchorUuid": "c", "tailUuid": "u5"},
        "preservedMessages": {"anchorUuid": "c", "uuids": ["u5"]},
    });
    let mut summary = line("c", Some("b"), 8);
    summary["isCompactSummary"] = json!(true);
    lines.extend([boundary, summary, line("u9", Some("u5"), 10)]);
    dir.write("in.jsonl", file(&lines));
    let after = &plans(&dir, options)[0];
    assert_eq!(after["status"], "unchanged", "{after}");
}
