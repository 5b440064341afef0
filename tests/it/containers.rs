//! Files that are no JSON and hold conversations: archives of Inspect and histories of Aider.

use crate::harness::Dir;
use serde_json::{Value, json};
use std::io::{Cursor, Write};
use zip::CompressionMethod;
use zip::write::{SimpleFileOptions, ZipWriter};

const HISTORY: &str = "\n# aider chat started at 2026-03-02 09:00:00\n\n> Aider v0.86.2  \n\n#### check the pump  \n#### twice  \n\nPump 7 runs.\n\n> Tokens: 2k sent.  \n\n#### and now?  \n\nIt stands.\n\n# aider chat started at 2026-03-03 10:00:00\n\n#### why?  \n\nThe fuse.\n";

/// Returns a sample as Inspect writes it, over several lines.
fn sample(id: &str) -> String {
    let sample = json!({"id": id, "epoch": 1, "input": "Check it.", "target": "", "attachments": {"abc1": "P-7 61 C"}, "messages": [
        {"role": "user", "content": "Check it."},
        {"role": "assistant", "content": format!("I look at {id}.")},
        {"role": "user", "content": "Alarms: attachment://abc1"},
        {"role": "assistant", "content": "One."},
    ]});
    serde_json::to_string_pretty(&sample).unwrap()
}

/// Returns an archive with two samples.
fn archive(method: CompressionMethod) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(method);
    let entries = [
        ("_journal/start.json", "{\"version\": 2}".to_owned()),
        ("samples/pump-1_epoch_1.json", sample("pump-1")),
        ("samples/pump-2_epoch_1.json", sample("pump-2")),
        ("summaries.json", "[]".to_owned()),
        ("header.json", "{\"version\": 2, \"eval\": {}}".to_owned()),
    ];
    for (name, text) in entries {
        archive.start_file(name, options).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

fn records(dir: &Dir, file: &str) -> Vec<Value> {
    let text = dir.read(file);
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn each_sample_of_an_archive_of_inspect_is_a_conversation() {
    for method in [CompressionMethod::Deflated, CompressionMethod::Zstd, CompressionMethod::Stored]
    {
        let dir = Dir::new();
        dir.write("logs/a.eval", archive(method));
        dir.epitome("convert logs --to openai -o out").ok();
        let records = records(&dir, "out/a.jsonl");
        assert_eq!(records.len(), 2, "{method}");
        assert_eq!(records[1]["thread_id"], "pump-2-epoch-1");
        assert_eq!(records[1]["messages"][1]["content"], "I look at pump-2.");
        assert_eq!(records[0]["messages"][2]["content"], "Alarms: P-7 61 C");
    }
}

#[test]
fn a_container_is_read_from_a_pipe_too() {
    let dir = Dir::new();
    let ran = dir.epitome("plan - --to openai").stdin(archive(CompressionMethod::Deflated)).ok();
    assert!(ran.stdout().contains("2 transcripts"));
    let ran = dir.epitome("plan - --to openai").stdin(HISTORY.as_bytes().to_vec()).ok();
    assert!(ran.stdout().contains("2 transcripts"));
}

#[test]
fn a_history_of_aider_has_a_conversation_for_each_chat() {
    let dir = Dir::new();
    dir.write(".aider.chat.history.md", HISTORY);
    let ran = dir.epitome("convert .aider.chat.history.md --to openai -o out");
    ran.ok().says(["notes of Aider itself"]);
    let records = records(&dir, "out/.aider.chat.history.md.jsonl");
    assert_eq!(
        records[0],
        json!({"thread_id": "2026-03-02 09:00:00", "messages": [
            {"role": "user", "content": "check the pump\ntwice"},
            {"role": "assistant", "content": "Pump 7 runs."},
            {"role": "user", "content": "and now?"},
            {"role": "assistant", "content": "It stands."},
        ]})
    );
    assert_eq!(records[1]["messages"][1]["content"], "The fuse.");
    // A chat stands in the line where it starts.
    let planned = dir.epitome("plan .aider.chat.history.md --to openai").ok();
    let place = ".md:17  2026-03-03 10:00:00";
    assert!(planned.stdout().contains(place), "{}", planned.stdout());
}

#[test]
fn what_can_not_be_written_back_is_refused_with_the_way_out() {
    let dir = Dir::new();
    dir.write("logs/a.eval", archive(CompressionMethod::Deflated)).write("logs/b.md", HISTORY);
    dir.epitome("compact logs/a.eval logs/b.md -o out")
        .fails(3)
        .says(["an archive of Inspect", "a history of Aider", "--to openai"]);
    assert!(!dir.path("out/a.eval").exists() && !dir.path("out/b.md").exists());
}

#[test]
fn restore_gives_back_the_records_of_a_container_under_a_name_of_their_own() {
    let dir = Dir::new();
    dir.write("a.eval", archive(CompressionMethod::Deflated));
    dir.epitome("compact a.eval --to openai -o out --trigger messages=3 --keep messages=1").ok();
    dir.epitome("restore out -o back").ok();
    let expected = format!("{}\n{}\n", sample("pump-1"), sample("pump-2"));
    assert_eq!(dir.read("back/a.eval.jsonl"), expected);
}

#[test]
fn a_damaged_container_is_told() {
    let dir = Dir::new();
    let mut cut = archive(CompressionMethod::Deflated);
    cut.truncate(cut.len() / 2);
    dir.write("cut.eval", cut).write("odd.md", [HISTORY.as_bytes(), b"#### caf\xe9\n"].concat());
    dir.epitome("plan cut.eval --to openai").fails(3).says(["cut.eval: can't read it", "Zip"]);
    dir.epitome("plan odd.md --to openai").fails(3).says(["odd.md", "UTF-8"]);
}
