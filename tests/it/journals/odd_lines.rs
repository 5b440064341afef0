//! Lines that refer to each other in a circle or to nothing, and lines that cannot be read.

use super::support::{file, line, plans, session};
use crate::harness::Dir;
use crate::talk::CUT;
use serde_json::json;

#[test]
fn lines_whose_parents_form_a_circle_or_are_missing_and_repeated_lines_are_reported() {
    let dir = Dir::new();
    let mut circle = session(8);
    circle[0]["parentUuid"] = json!("u5");
    dir.write("circle.jsonl", file(&circle));
    dir.epitome("count circle.jsonl").ok();
    assert!(plans(&dir, "circle.jsonl")[0]["warnings"].to_string().contains("form a circle"));
    let mut orphan = session(8);
    orphan[3]["parentUuid"] = json!("gone");
    dir.write("orphan.jsonl", file(&orphan));
    let plan = &plans(&dir, "orphan.jsonl")[0];
    assert_eq!(plan["messages_before"], 5);
    assert!(
        plan["warnings"].to_string().contains("the parent gone of line u3 is missing in the file"),
        "{plan}"
    );
    let mut twice = session(8);
    twice.insert(4, line("u3", Some("u2"), 3));
    twice[4]["message"]["content"] = json!("written again");
    dir.write("twice.jsonl", file(&twice));
    let plan = &plans(&dir, "twice.jsonl")[0];
    assert_eq!(plan["messages_before"], 8);
    assert!(
        dir.epitome("plan --full --trigger messages=2 --keep messages=1 twice.jsonl")
            .ok()
            .stdout()
            .contains("written again")
    );
}

#[test]
fn a_message_that_can_t_be_read_costs_that_line() {
    let dir = Dir::new();
    let mut lines = session(10);
    lines[4]["message"]["content"] = json!({"no": "content"});
    let input = file(&lines);
    dir.write("in.jsonl", format!("{input}[1]\n"));
    let said = [
        "in.jsonl:5: messages[0].content is an object",
        "in.jsonl:11:1: the record is an array, it must be an object",
    ];
    dir.epitome(&format!("compact in.jsonl -o out {CUT}")).fails(3).says(said);
    assert!(dir.read("out/in.jsonl").starts_with(&input));
    let good = dir.entries().into_iter().find(|entry| entry["status"] == "compacted").unwrap();
    assert_eq!((&good["messages_before"], &good["messages_after"]), (&json!(9), &json!(3)));
}
