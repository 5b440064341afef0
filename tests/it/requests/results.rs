//! `requests apply`: the results of a batch become summaries.

use super::support::{KEY, export, requests, result, talks};
use crate::models::SUMMARY;
use crate::server::{Server, answer};
use crate::talk::CUT;
use serde_json::json;

#[test]
fn results_in_any_order_give_what_live_calls_give() {
    let dir = talks();
    export(&dir, "--max-requests 3");
    let all = requests(&dir);
    let lines: Vec<String> = all.iter().map(|request| result(request, SUMMARY)).collect();
    dir.write("one.jsonl", lines[3..].iter().rev().cloned().collect::<String>())
        .write("two.jsonl", lines[..3].concat());
    dir.epitome("requests apply requests one.jsonl two.jsonl -o out")
        .ok()
        .says(["9 summaries written, 0 failed, 0 missing"]);
    let server = Server::answering(|_, _| {
        answer(
            "200 OK",
            "",
            &json!({"choices": [{"message": {"content": SUMMARY}, "finish_reason": "stop"}]})
                .to_string(),
        )
    });
    let url = server.url();
    let live = format!(
        "compact logs -o live {CUT} --summarizer http --set summarizer.model=openai:gpt-5.2 --set summarizer.base_url={url} --set summarizer.cache="
    );
    dir.epitome(&live).env("OPENAI_API_KEY", KEY).ok();
    assert_eq!(dir.read("out/in.jsonl"), dir.read("live/in.jsonl"));
    assert_eq!(dir.tree("out/conversation_history"), dir.tree("live/conversation_history"));
    // Again, with the files the other way round.
    dir.epitome("requests apply requests two.jsonl one.jsonl -o again -j1").ok();
    assert_eq!(dir.read("out/in.jsonl"), dir.read("again/in.jsonl"));
}

#[test]
fn partial_failed_duplicate_and_foreign_results_are_each_told() {
    let dir = talks();
    export(&dir, "");
    let all = requests(&dir);
    let error = json!({"custom_id": all[1]["custom_id"], "response": {"status_code": 400, "body": {"error": {"message": "too long"}}}, "error": null});
    let foreign = json!({"custom_id": "somebody-elses", "response": {"status_code": 200, "body": {}}, "error": null});
    let results = [
        result(&all[0], SUMMARY),
        // A failure and a success for the same request: the success counts.
        error
            .to_string()
            .replace(all[1]["custom_id"].as_str().unwrap(), all[0]["custom_id"].as_str().unwrap())
            + "\n",
        error.to_string() + "\n",
        result(&all[2], "no headings"),
        result(&all[3], SUMMARY),
        result(&all[3], &format!("{SUMMARY} once more")),
        foreign.to_string() + "\n",
        "{\"custom_id\": \"cut of".to_owned(),
    ];
    dir.write("results.jsonl", results.concat());
    let ran = dir.epitome("requests apply requests results.jsonl -o out").fails(3);
    let ran = ran.says([
        "too long",
        "lacks the heading",
        "no result for its request",
        "results.jsonl:8: no result line",
    ]);
    ran.says(["3 summaries written, 2 failed, 4 missing; 2 duplicates, 0 of requests that no longer occur, 1 foreign, 1 malformed"]);
    let statuses: Vec<String> =
        dir.entries().iter().map(|entry| entry["status"].as_str().unwrap().to_owned()).collect();
    assert_eq!(
        statuses,
        [
            "compacted", "failed", "failed", "compacted", "failed", "compacted", "failed",
            "failed", "failed", "unchanged"
        ]
    );
    let (out, input) = (dir.read("out/in.jsonl"), dir.read("logs/in.jsonl"));
    for ((out, input), status) in out.lines().zip(input.lines()).zip(&statuses) {
        assert_eq!(out == input, status != "compacted");
    }
    // Which of two good answers counts does not hang on their order.
    let reversed: Vec<String> = results[..7].iter().rev().cloned().collect();
    dir.write("reversed.jsonl", reversed.concat());
    dir.epitome("requests apply requests reversed.jsonl -o out2").fails(3);
    assert_eq!(dir.read("out/in.jsonl"), dir.read("out2/in.jsonl"));
    dir.epitome(
        "requests apply requests results.jsonl -o filled --set summarizer.on_failure=extract",
    )
    .ok();
    assert!(!dir.read("filled/report.json").contains("\"status\":\"failed\""));
}

#[test]
fn a_result_whose_question_has_changed_is_not_used() {
    let dir = talks();
    export(&dir, "");
    dir.write(
        "results.jsonl",
        requests(&dir).iter().map(|request| result(request, SUMMARY)).collect::<String>(),
    );
    dir.write("logs/in.jsonl", dir.read("logs/in.jsonl").replace("Step 3 of b", "Step three of b"));
    let ran = dir.epitome("requests apply requests results.jsonl -o out").fails(3);
    ran.says([
        "1 missing",
        "1 of requests that no longer occur",
        "the input has changed since the export",
    ]);
    assert_eq!(dir.entries()[1]["status"], "failed");
}

#[test]
fn results_that_are_named_count_and_not_those_in_the_export() {
    let dir = talks();
    export(&dir, "");
    let older = SUMMARY.replace("Book.", "Pay an old bill.");
    let results = |text: &str| -> String {
        requests(&dir).iter().map(|request| result(request, text)).collect()
    };
    dir.write("requests/results-0.jsonl", results(&older)).write("fresh.jsonl", results(SUMMARY));
    for (words, text) in [
        ("requests fresh.jsonl", "Book."),
        ("fresh.jsonl requests", "Book."),
        ("requests", "Pay an old bill."),
    ] {
        dir.epitome(&format!("requests apply {words} -o out --force")).ok().says(["0 duplicates"]);
        assert!(dir.read("out/in.jsonl").contains(text), "{words}");
    }
}

#[test]
fn wrong_places_are_named() {
    let dir = talks();
    dir.write("results.jsonl", "").write("empty/note.txt", "");
    dir.epitome("requests apply results.jsonl -o out")
        .fails(2)
        .says(["where is the export? . has no manifest.json"]);
    dir.epitome("requests apply empty -o out")
        .fails(2)
        .says(["where is the export? empty has no manifest.json"]);
    dir.epitome("requests submit logs").fails(2).says(["manifest.json", "requests export"]);
    export(&dir, "");
    dir.epitome("requests apply requests -o out").fails(2).says(["no results", "requests fetch"]);
    dir.epitome("requests apply requests nowhere.jsonl -o out").fails(2).says(["nowhere.jsonl"]);
    dir.epitome("requests submit requests").fails(2).says(["OPENAI_API_KEY"]);
    assert!(!dir.exists("out"));
}

#[test]
fn a_line_beyond_the_limit_ends_the_run_and_names_it() {
    let dir = talks();
    export(&dir, "");
    let mut lines: Vec<String> =
        requests(&dir).iter().map(|request| result(request, SUMMARY)).collect();
    let long = format!("{{\"custom_id\": \"{}\"}}\n", "x".repeat(100_000));
    lines.insert(3, long);
    dir.write("results.jsonl", lines.concat());
    let words = "requests apply requests results.jsonl -o out";
    let limited = format!("{words} --max-record-bytes 50000");
    dir.epitome(&limited)
        .fails(2)
        .says(["results.jsonl:4: the line is longer than 50000 bytes", "--max-record-bytes"]);
    assert!(!dir.exists("out"));
    dir.epitome(words).ok().says(["1 malformed line"]);
    assert!(dir.exists("out/in.jsonl"));
}
