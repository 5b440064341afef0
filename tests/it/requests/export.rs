//! `requests export`: the batch files that a provider takes.

use super::support::{export, requests, talks};
use crate::models::SUMMARY;
use crate::talk::CUT;
use serde_json::{Value, json};
use std::collections::BTreeSet;

#[test]
fn requests_lie_in_files_that_the_provider_takes() {
    let dir = talks();
    export(
        &dir,
        "--max-requests 3 --set summarizer.temperature=0.1 --set summarizer.max_output_tokens=600",
    );
    let all = requests(&dir);
    assert_eq!(all.len(), 8, "the same question is asked once");
    let ids: BTreeSet<&str> =
        all.iter().map(|request| request["custom_id"].as_str().unwrap()).collect();
    assert!(
        ids.len() == 8
            && ids
                .iter()
                .all(|id| id.len() == 40 && id.bytes().all(|byte| byte.is_ascii_hexdigit()))
    );
    assert_eq!(
        (&all[0]["method"], &all[0]["url"]),
        (&"POST".into(), &"/v1/chat/completions".into())
    );
    let body = &all[0]["body"];
    assert_eq!(
        (&body["model"], &body["temperature"], &body["max_completion_tokens"]),
        (&"gpt-5.2".into(), &0.1.into(), &600.into())
    );
    assert!(body["messages"][1]["content"].as_str().unwrap().contains("Step 0 of a"));
    let manifest: Value = serde_json::from_slice(&dir.bytes("requests/manifest.json")).unwrap();
    let counts: Vec<u64> = manifest["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["requests"].as_u64().unwrap())
        .collect();
    assert_eq!(counts, [3, 3, 2]);
    assert_eq!(manifest["files"][0]["bytes"], dir.bytes("requests/requests-0001.jsonl").len());
    assert_eq!(dir.read("requests/index.jsonl").lines().count(), 8);
    dir.epitome(&format!("requests export logs -o requests {CUT} --set summarizer.model=m"))
        .fails(2)
        .says(["not empty"]);
    dir.epitome(&format!("requests export - -o other {CUT} --set summarizer.model=m"))
        .fails(2)
        .says(["stdin"]);
}

#[test]
fn files_stay_below_the_limit_of_bytes() {
    let dir = talks();
    let most = 30_000;
    export(&dir, &format!("--shard-size {most}"));
    let files: Vec<Vec<u8>> = dir
        .tree("requests")
        .into_iter()
        .filter(|(name, _)| name.starts_with("requests-"))
        .map(|(_, bytes)| bytes)
        .collect();
    assert!(files.len() > 2 && files.iter().all(|bytes| bytes.len() <= most));
    assert_eq!(requests(&dir).len(), 8);
    dir.epitome(&format!(
        "requests export logs -o tight {CUT} --set summarizer.model=m --shard-size 100"
    ))
    .fails(3)
    .says(["logs/in.jsonl:1", "--shard-size 100"]);
}

#[test]
fn anthropics_form() {
    let dir = talks();
    dir.epitome(&format!("requests export logs -o requests {CUT} --set summarizer.model=anthropic:claude-sonnet-4-5 --set summarizer.cache=")).ok().says(["at most about $"]);
    let body: Value = serde_json::from_slice(&dir.bytes("requests/requests-0001.json")).unwrap();
    let all = body["requests"].as_array().unwrap();
    assert_eq!(all.len(), 8);
    assert_eq!(
        (&all[0]["params"]["model"], &all[0]["params"]["max_tokens"]),
        (&"claude-sonnet-4-5".into(), &4096.into())
    );
    assert!(
        all[0]["params"]["system"].is_string() && all[0]["params"]["messages"][0]["role"] == "user"
    );
    let message = json!({"type": "message", "content": [{"type": "text", "text": SUMMARY}], "stop_reason": "end_turn", "usage": {"input_tokens": 9, "output_tokens": 3}});
    let line = |request: &Value| {
        json!({"custom_id": request["custom_id"], "result": {"type": "succeeded", "message": message}}).to_string() + "\n"
    };
    dir.write("requests/results-0001.jsonl", all.iter().map(line).collect::<String>());
    dir.epitome("requests apply requests -o out").ok();
    assert_eq!(dir.report()["totals"]["asked"]["input_tokens"], 9 * 9);
    assert_eq!(dir.report()["totals"]["compacted"], 9);
}
