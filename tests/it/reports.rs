//! Reports: their kinds, the places where they go, and what CI servers read.

use crate::harness::Dir;
use crate::talk::{CUT, talk};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::read::DeflateDecoder;

fn logs() -> Dir {
    let dir = Dir::new();
    dir.write("in.jsonl", format!("{}{{bad\n{}", talk("long", 40), talk("short", 1)));
    dir
}

#[test]
fn a_report_is_printed_in_place_of_the_plan() {
    let dir = logs();
    let ran = dir.epitome(&format!("plan in.jsonl --report - {CUT}")).fails(3);
    assert!(ran.stdout().starts_with("## Plan of a transcript compaction"));
    assert!(!ran.stdout().contains("would change:"));
    let ran = dir.epitome(&format!("compact in.jsonl -o out --report json:- {CUT}")).fails(3);
    let printed: serde_json::Value = serde_json::from_str(ran.stdout()).expect("JSON");
    assert_eq!(printed, dir.report());
    for words in [
        "plan in.jsonl --json --report -",
        "compact in.jsonl -o - --report -",
        "plan in.jsonl --report - --report -",
        "plan in.jsonl --report summary.txt",
        "plan in.jsonl --report json:",
        "audit in.jsonl --report audit.xml",
    ] {
        let ran = dir.epitome(words).fails(2);
        assert_eq!(ran.stdout(), "", "{words}");
    }
}

#[test]
fn a_report_is_appended_to_the_summary_of_a_step() {
    let dir = logs();
    dir.write("step", "what another command wrote\n");
    for _ in 0..2 {
        dir.epitome(&format!("plan in.jsonl -q --report step {CUT}"))
            .env("GITHUB_STEP_SUMMARY", "step")
            .fails(3);
    }
    let step = dir.read("step");
    assert!(step.starts_with("what another command wrote\n## Plan of"));
    assert_eq!(step.matches("## Plan of").count(), 2);
    // Anywhere else a file is not replaced without a word.
    dir.epitome(&format!("plan in.jsonl --report md:step {CUT}")).fails(2).says(["step exists"]);
}

#[test]
fn junit_has_a_case_for_each_transcript() {
    let dir = logs();
    dir.epitome(&format!("compact in.jsonl -o out --report r.xml {CUT}")).fails(3);
    let report = dir.read("r.xml");
    assert_eq!(report.matches("<testcase ").count(), 3);
    assert_eq!(report.matches("<error ").count(), 1);
    assert!(report.contains("name=\"line 2\" file=\"in.jsonl\" line=\"2\"><error"));
    assert!(report.ends_with("</testsuites>\n"));
    dir.epitome("compact in.jsonl -o limited --report limited.xml --max-tokens 10").fails(3);
    let limited = dir.read("limited.xml");
    assert!(limited.contains("<failure type=\"over-limit\""), "{limited}");
}

#[test]
fn errors_are_annotations_where_a_server_shows_them() {
    let dir = logs();
    for words in [
        "compact in.jsonl -o out --annotations github",
        "plan in.jsonl --annotations github",
        "count in.jsonl --annotations github",
    ] {
        dir.epitome(words)
            .fails(3)
            .says(["::error file=in.jsonl,line=2,col=2,title=epitome::in.jsonl:2:2: not JSON"]);
    }
    dir.epitome("plan in.jsonl --max-tokens 10 --annotations github")
        .fails(3)
        .says(["::error file=in.jsonl,line=1,title=epitome::in.jsonl:1: "]);
}

#[test]
fn the_page_shows_texts_only_if_asked_and_masks_them() {
    let dir = Dir::new();
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    dir.write("in.jsonl", talk("long", 40).replace("Step 3 of", secret));
    dir.epitome(&format!("compact in.jsonl -o out --report out/r.html {CUT}")).ok();
    assert!(!dir.read("out/r.html").contains(secret));
    assert!(
        dir.read("out/r.html").contains("data-archive=\"./\"")
            || dir.read("out/r.html").contains("data-archive=\"\"")
    );
    dir.epitome(&format!("compact in.jsonl -o out2 --report page/r.html --report-texts {CUT}"))
        .ok();
    let page = dir.read("page/r.html");
    let texts = shown_texts(&page);
    assert!(texts.contains(secret));
    assert!(
        texts.contains("\"fate\":\"summarized\"") && texts.contains("\"summary\":{\"before\":")
    );
    assert!(page.contains("data-archive=\"../out2/\""));
    dir.epitome(&format!(
        "compact in.jsonl -o out3 --report masked.html --report-texts --redact {CUT}"
    ))
    .ok();
    let page = dir.read("masked.html");
    let texts = shown_texts(&page);
    assert!(!page.contains(secret) && !texts.contains(secret) && texts.contains("summarized"));
}

/// Returns the texts of a page's first transcript, which are compressed in its line.
fn shown_texts(page: &str) -> String {
    let line = page.lines().find(|line| line.starts_with('[')).unwrap();
    let packed = line.split('\t').nth(2).unwrap();
    let packed = BASE64_STANDARD.decode(packed).unwrap();
    std::io::read_to_string(DeflateDecoder::new(&packed[..])).unwrap()
}

#[test]
fn the_page_names_the_files_of_evicted_results() {
    let dir = Dir::new();
    let demo = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/demo/sessions.jsonl");
    dir.write("in.jsonl", std::fs::read(demo).unwrap());
    dir.epitome("compact in.jsonl -o out --report out/r.html").ok();
    let page = dir.read("out/r.html");
    let named: Vec<&str> =
        page.split("\"evicted\":[\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    assert_eq!(named.len(), 1, "{named:?}");
    assert!(dir.exists(&format!("out/{}", named[0])), "{named:?}");
}
