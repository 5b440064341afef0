//! Every path that is read from a file, as a stranger would write it.

use super::{Outside, hostile_paths};
use crate::faults::strace::{Fault, with_fault};
use crate::harness::Dir;
use crate::requests::{KEY, export, talks};
use crate::server::CLOSED_PORT;
use crate::talk::{CUT, talk};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

const RUN_DIR: &str = ".epitome-run";
/// Replaces what [`CUT`] left.
const OTHER_CUT: &str = "--trigger messages=4 --keep messages=1";

/// A compacted folder, and what the commands do that are tried in it.
fn compacted(dir: &Dir) {
    dir.write("work/in/a.jsonl", talk("a", 8)).write("work/in/b.jsonl", talk("b", 9));
    dir.epitome(&format!("compact in -o out {CUT}")).from("work").ok();
}

/// Runs every command that looks into `out`.
fn try_all(outside: &Outside, what: &str) {
    for words in [
        "restore out --check".to_owned(),
        "restore out -o back --force".to_owned(),
        format!("compact in -o out {CUT} --resume"),
        format!("compact in -o out {OTHER_CUT} --force"),
        format!("compact in/a.jsonl -o out {OTHER_CUT} --force"),
        format!("replay in -o out {CUT} --force"),
        "convert in -o out --to anthropic --force".to_owned(),
        "dataset in -o out --to trl --force".to_owned(),
        "requests export in -o out --model openai:gpt-5.2".to_owned(),
        format!("compact in -o new --archive out {CUT}"),
    ] {
        outside.run(&words, what);
    }
}

#[test]
fn a_journal_of_a_stranger_is_not_carried_out() {
    let outside = Outside::new();
    for path in hostile_paths(&outside) {
        for entry in [
            json!({"publish": {"staged": 0, "path": path, "part": "result", "replaces": true}}),
            json!({"publish": {"staged": 0, "path": path, "part": "archive", "replaces": false}}),
            json!({"remove": {"path": path}}),
        ] {
            for header in [
                json!({"run": "x"}),
                json!({"run": "x", "decides": [path]}),
                json!({"run": "x", "decided_in": path}),
            ] {
                let dir = &outside.dir;
                for name in ["commit", "journal"] {
                    dir.write(
                        &format!("work/out/{RUN_DIR}/{name}"),
                        format!("{header}\n{entry}\n"),
                    );
                }
                dir.write(&format!("work/out/{RUN_DIR}/new/0"), "pwned");
                outside.run("restore out --check", "journal");
                outside.run("restore out -o back", "journal");
                outside.run(&format!("compact in -o out {CUT} --force"), "journal");
            }
        }
    }
}

#[test]
fn a_journal_within_its_directory_needs_its_seal_too() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("a", 8)).write(".git/config", "ours");
    for entry in [
        json!({"publish": {"staged": 0, "path": ".git/config", "part": "result", "replaces": true}}),
        json!({"remove": {"path": ".git/config"}}),
    ] {
        dir.write(&format!("{RUN_DIR}/commit"), format!("{{\"run\":\"x\"}}\n{entry}\n"))
            .write(&format!("{RUN_DIR}/new/0"), "pwned");
        let before = dir.tree("");
        for words in ["restore . -o back", "compact in.jsonl -o ."] {
            dir.epitome(words).fails(2).says([RUN_DIR, "not known as a run of yours", "remove it"]);
        }
        assert_eq!(dir.read(".git/config"), "ours");
        assert!(dir.exists(&format!("{RUN_DIR}/new/0")));
        fs::remove_file(dir.path(format!("{RUN_DIR}/lock"))).unwrap();
        assert_eq!(dir.tree(""), before);
    }
}

/// A folder whose run died when it had decided what to publish. None where strace is not there.
fn dead_run() -> Option<Dir> {
    let dir = Dir::new();
    dir.write("in/a.jsonl", talk("a", 8)).write("in/b.jsonl", talk("b", 9));
    dir.epitome(&format!("compact in -o out {CUT}")).ok();
    let words = format!("compact in -o out -j1 --force {OTHER_CUT}");
    for rename in 2..9 {
        with_fault(&dir, &words, "?rename,?renameat,?renameat2", rename, Fault::Kill)?;
        if dir.exists(&format!("out/{RUN_DIR}/commit")) {
            return Some(dir);
        }
    }
    None
}

#[test]
fn a_journal_of_ours_is_carried_out_where_it_was_written_and_as_it_was() {
    let Some(dir) = dead_run() else {
        return;
    };
    // A copy is not the place that it was written for, and a changed one is not what was written.
    let copied = Command::new("cp").args(["-a", "out", "copy"]).current_dir(dir.path("")).status();
    assert!(copied.unwrap().success());
    let copy = dir.tree("copy");
    dir.epitome("restore copy -o back")
        .fails(2)
        .says(["not known as a run of yours", "was moved since the run was killed, move it back"]);
    dir.epitome("restore copy --check").run();
    fs::remove_file(dir.path(format!("copy/{RUN_DIR}/lock"))).unwrap();
    let mut left = copy.clone();
    left.remove(&format!("{RUN_DIR}/lock"));
    assert_eq!(dir.tree("copy"), left);
    let commit = format!("out/{RUN_DIR}/commit");
    let whole = dir.read(&commit);
    for changed in [
        whole.replacen("\n", "\n{\"remove\":{\"path\":\"b.jsonl\"}}\n", 1),
        whole.replace("a.jsonl\"", "c.jsonl\""),
        whole[..whole.trim_end().rfind('\n').unwrap() + 1].to_owned(),
    ] {
        assert_ne!(changed, whole);
        dir.write(&commit, changed);
        dir.epitome("restore out -o back").fails(2).says(["not known as a run of yours"]);
    }
    dir.write(&commit, whole);
    // Looking changes nothing.
    let before = dir.tree("out");
    dir.epitome("restore out --check").run().1.says(["did not finish"]);
    assert_eq!(dir.tree("out"), before);
    dir.epitome("restore out -o back").ok().says(["its publication was completed"]);
    assert_eq!(dir.tree("back"), dir.tree("in"));
    assert!(!dir.exists(&format!("out/{RUN_DIR}")));
}

/// What the error advises helps: the same directory in its place is known again.
#[test]
fn a_run_whose_directory_was_moved_is_completed_once_it_is_back() {
    let Some(dir) = dead_run() else {
        return;
    };
    fs::rename(dir.path("out"), dir.path("moved")).unwrap();
    dir.epitome("restore moved -o back").fails(2).says(["move it back"]);
    fs::rename(dir.path("moved"), dir.path("out")).unwrap();
    dir.epitome("restore out -o back").ok().says(["its publication was completed"]);
    assert_eq!(dir.tree("back"), dir.tree("in"));
}

#[test]
fn a_check_writes_nothing_in_a_directory_without_a_run_either() {
    let dir = Dir::new();
    dir.write("in/a.jsonl", talk("a", 8));
    dir.epitome(&format!("compact in -o out {CUT}")).ok();
    let dead = format!("out/{RUN_DIR}");
    dir.write(&format!("{dead}/new/0"), "half").write(&format!("{dead}/journal"), "{\"run\"");
    let before = dir.tree("");
    dir.epitome("restore out --check").ok();
    assert_eq!(dir.tree(""), before);
    dir.epitome("restore out -o back").ok();
    assert!(!dir.exists(&dead));
}

#[test]
fn a_manifest_of_a_stranger_removes_nothing() {
    let outside = Outside::new();
    compacted(&outside.dir);
    let whole = outside.dir.read("work/out/originals/manifest.jsonl");
    let mut paths = hostile_paths(&outside);
    // Within the directory, but nothing that a run keeps in an archive.
    paths.push("in/a.jsonl".to_owned());
    for path in paths {
        for line in [
            json!({"file": path, "of": "a.jsonl"}),
            json!({"file": path, "of": path}),
            json!({"file": "conversation_history/a.md", "of": path}),
            json!({"output": path, "bytes": 9, "xxh3": "0"}),
            json!({"output": path, "bytes": 9, "originals": {"bytes": 1, "xxh3": "0"}}),
        ] {
            let manifest = format!("{whole}{line}\n");
            for words in [
                format!("compact in -o out {OTHER_CUT} --force"),
                format!("compact in -o out {OTHER_CUT} --resume"),
                "restore out --check".to_owned(),
                "restore out -o back --force".to_owned(),
            ] {
                outside.dir.write("work/out/originals/manifest.jsonl", &manifest);
                outside.run(&words, &line.to_string());
            }
        }
    }
}

#[test]
fn originals_of_a_stranger_are_restored_below_the_directory() {
    let outside = Outside::new();
    compacted(&outside.dir);
    let path = "work/out/originals/a.jsonl.originals";
    let whole = outside.dir.bytes(path);
    let behind = whole.iter().position(|byte| *byte == b'\n').unwrap();
    for name in hostile_paths(&outside) {
        let header = json!({"version": 2, "output": "a.jsonl", "input": name}).to_string();
        outside.dir.write(path, [header.as_bytes(), &whole[behind..]].concat());
        outside.run("restore out -o back --force", &name);
        outside.run("restore out --check", &name);
    }
}

#[test]
fn requests_of_a_stranger_hand_over_nothing_else() {
    let outside = Outside::new();
    let dir = talks();
    export(&dir, "");
    let copied = Command::new("cp")
        .arg("-r")
        .arg(dir.path("requests"))
        .arg(outside.dir.path("work"))
        .status();
    assert!(copied.unwrap().success());
    let manifest: Value = serde_json::from_slice(&dir.bytes("requests/manifest.json")).unwrap();
    for path in hostile_paths(&outside) {
        let mut hostile = manifest.clone();
        hostile["files"][0]["name"] = path.clone().into();
        outside.dir.write("work/requests/manifest.json", hostile.to_string());
        for command in ["submit", "status", "fetch"] {
            // Nobody listens there: a file that was opened would be told.
            let words = format!(
                "requests {command} requests --set summarizer.base_url=http://127.0.0.1:{CLOSED_PORT}/v1"
            );
            let stderr = outside.run_with(&words, &path, &[("OPENAI_API_KEY", KEY)]);
            assert!(stderr.contains("damaged"), "{stderr}");
        }
        outside.dir.write("work/requests/manifest.json", manifest.to_string());
        for note in ["batches.json", "submission.json"] {
            let noted = json!({"file": path, "id": "b", "key": "k", "started": "now"});
            let noted = if note == "batches.json" { json!([noted]) } else { noted };
            outside.dir.write(&format!("work/requests/{note}"), noted.to_string());
            let words = format!(
                "requests fetch requests --set summarizer.base_url=http://127.0.0.1:{CLOSED_PORT}/v1"
            );
            outside.run_with(&words, &path, &[("OPENAI_API_KEY", KEY)]);
            fs::remove_file(outside.dir.path(format!("work/requests/{note}"))).unwrap();
        }
    }
}

#[test]
fn requests_of_a_stranger_read_no_input_outside() {
    let outside = Outside::new();
    let dir = &outside.dir;
    dir.write("secret/a.jsonl", talk("a", 8));
    let words = format!("requests export in -o requests --model openai:gpt-5.2 {CUT}");
    dir.epitome(&words).from("work").ok();
    dir.write("work/none.jsonl", "");
    let apply =
        "requests apply requests none.jsonl -o applied --force --set summarizer.on_failure=extract";
    let manifest: Value =
        serde_json::from_slice(&dir.bytes("work/requests/manifest.json")).unwrap();
    let with_input = |path: &str, seal: &Value| {
        let mut changed = manifest.clone();
        changed["inputs"] = json!([path]);
        changed["seal"] = seal.clone();
        dir.write("work/requests/manifest.json", changed.to_string());
    };
    symlink(dir.path("secret"), dir.path("work/in/way")).unwrap();
    let absolute = |path: &str| dir.path(path).display().to_string();
    for path in [
        absolute("secret/a.jsonl"),
        absolute("secret"),
        absolute("work/in/way"),
        absolute("work/in/../../secret"),
        "../secret/a.jsonl".to_owned(),
        "/dev/zero".to_owned(),
        "in/way/a.jsonl".to_owned(),
    ] {
        // The seal of other inputs proves nothing.
        for seal in [&Value::Null, &manifest["seal"]] {
            with_input(&path, seal);
            let refused = dir.epitome(apply).from("work").fails(2);
            assert!(refused.stderr.contains("lies outside of"), "{path}");
            assert!(!dir.exists("work/applied"), "{path}");
        }
    }
    // Nor by a link in a folder below.
    let mut following = manifest.clone();
    (following["follow_links"], following["seal"]) = (true.into(), Value::Null);
    dir.write("work/requests/manifest.json", following.to_string());
    let refused = dir.epitome(apply).from("work").fails(2);
    assert!(refused.stderr.contains("follows links"), "{}", refused.stderr);
    assert!(!dir.exists("work/applied"));
    // What lies below is read; the user's own export reads what the user named.
    with_input(&absolute("work/in/a.jsonl"), &Value::Null);
    dir.epitome(apply).from("work").ok();
    fs::remove_file(dir.path("work/in/way")).unwrap();
    dir.write("work/requests/manifest.json", manifest.to_string());
    dir.epitome("requests apply ../work/requests ../work/none.jsonl -o ../applied --set summarizer.on_failure=extract")
        .from("secret")
        .ok();
}

#[test]
fn rows_of_a_stranger_are_unpacked_below_the_directory() {
    let outside = Outside::new();
    let dir = &outside.dir;
    dir.write("work/in.jsonl", talk("a", 8));
    let made = dir.epitome(&format!("stream {CUT}")).stdin(talk("a", 8)).ok();
    let row: Value = serde_json::from_str(made.stdout().lines().next().unwrap()).unwrap();
    for path in hostile_paths(&outside) {
        let mut hostile = row.clone();
        hostile["removed"][0]["name"] = path.clone().into();
        dir.write("work/rows.jsonl", format!("{hostile}\n"));
        for words in ["unpack rows.jsonl -o rows --force", "restore rows.jsonl -o back --force"] {
            let stderr = outside.run(words, &path);
            assert!(
                !words.starts_with("unpack") || stderr.contains("leads out"),
                "{path}: {stderr}"
            );
        }
    }
}

/// All that is read in a folder of results or requests.
const READ_BACK: [&str; 13] = [
    "out",
    "out/.epitome-run",
    "out/.epitome-run/commit",
    "out/.epitome-run/journal",
    "out/.epitome-run/lock",
    "out/.epitome-run/new",
    "out/.epitome-answers",
    "out/originals",
    "out/originals/manifest.jsonl",
    "out/originals/a.jsonl.originals",
    "out/conversation_history",
    "out/report.json",
    "out/a.jsonl",
];

#[test]
fn a_link_or_a_device_in_the_place_of_a_file_is_not_followed() {
    let outside = Outside::new();
    let slow = outside.dir.script("work/sums", "cat >/dev/null; echo '## SUMMARY'; echo said");
    for place in READ_BACK {
        for (kind, target) in [
            ("file", outside.dir.path("outside/victim")),
            ("folder", outside.dir.path("outside")),
            ("nothing", outside.dir.path("outside/new")),
            ("device", "/dev/zero".into()),
        ] {
            let _ = fs::remove_dir_all(outside.dir.path("work/out"));
            let _ = fs::remove_file(outside.dir.path("work/out"));
            compacted(&outside.dir);
            let path = outside.dir.path(format!("work/{place}"));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            let _ = fs::remove_dir_all(&path);
            let _ = fs::remove_file(&path);
            symlink(&target, &path).unwrap();
            let what = format!("{place} is a link to a {kind}");
            outside.run(
                &format!("compact in -o out --force {OTHER_CUT} --summarizer command:{slow}"),
                &what,
            );
            if kind == "device" || kind == "folder" {
                try_all(&outside, &what);
            } else {
                outside.run("restore out --check", &what);
                outside.run("restore out -o back --force", &what);
            }
        }
    }
}

#[test]
fn a_pipe_in_the_place_of_a_file_is_not_waited_for() {
    let outside = Outside::new();
    for place in &READ_BACK[2..] {
        let _ = fs::remove_dir_all(outside.dir.path("work/out"));
        compacted(&outside.dir);
        let path = outside.dir.path(format!("work/{place}"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let _ = fs::remove_dir_all(&path);
        let _ = fs::remove_file(&path);
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        try_all(&outside, &format!("{place} is a pipe"));
    }
}
