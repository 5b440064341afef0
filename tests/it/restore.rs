use crate::harness::Dir;
use crate::talk::{CUT, log, talk, with_result};

const POLICY: &str = "[evict]\ntokens = 100\n";

/// Files that change, one that does not, one in a folder; all as a compaction leaves them.
fn compacted() -> Dir {
    let dir = Dir::new();
    dir.write("in/a.jsonl", talk("a", 8) + "bad\r\n" + &talk("b", 9))
        .write("in/sub/b.jsonl", with_result("r", "call", &log(40)));
    dir.write("in/short.jsonl", talk("short", 2)).write("policy.toml", POLICY);
    dir.epitome(&format!("compact in -o out --max-errors all --config policy.toml {CUT}")).ok();
    dir
}

#[test]
fn all_files_come_back() {
    let dir = compacted();
    assert_ne!(dir.tree("in"), dir.tree("out"));
    dir.epitome("restore out -o back").ok().says(["2 restored, 1 unchanged and copied, 0 failed"]);
    assert_eq!(dir.tree("back"), dir.tree("in"));
    dir.epitome("restore out -o back").fails(2).says(["--force"]);
    assert_eq!(dir.epitome("restore out -o back --force --quiet").ok().stderr, "");
}

#[test]
fn files_come_back_whatever_their_names_end_with() {
    let dir = Dir::new();
    dir.write("in/log.txt", talk("a", 8))
        .write("in/session", talk("b", 8))
        .write("in/short.log", talk("c", 2))
        .write("in/d.jsonl", talk("d", 8));
    dir.epitome(&format!("compact in/log.txt in/session in/short.log in/d.jsonl -o out {CUT}"))
        .ok();
    dir.epitome("restore out -o back").ok().says(["3 restored, 1 unchanged and copied, 0 failed"]);
    assert_eq!(dir.tree("back"), dir.tree("in"));
    // The manifest tells what was written, whatever else lies there.
    dir.write("out/notes.txt", "no output");
    dir.epitome("restore out -o again").ok().says([
        "out/notes.txt: not an output of epitome; not restored",
        "3 restored, 1 unchanged and copied, 0 failed",
    ]);
    assert!(!dir.exists("again/notes.txt"));
    // Without the manifest and the report only originals do, and what else there was is not known.
    std::fs::remove_file(dir.path("out/report.json")).unwrap();
    std::fs::remove_file(dir.path("out/originals/manifest.jsonl")).unwrap();
    dir.epitome("restore out -o third")
        .fails(3)
        .says(["the manifest is missing", "3 restored, 0 unchanged and copied, 1 failed"]);
    assert!(!dir.exists("third/notes.txt"));
}

/// JSON can't spell such a name: it is told by its file.
#[cfg(target_os = "linux")]
#[test]
fn a_file_comes_back_whose_name_is_no_text() {
    use std::os::unix::ffi::OsStrExt;
    let dir = Dir::new();
    let name = std::ffi::OsStr::from_bytes(b"a\xFF.jsonl");
    dir.write("in/b.jsonl", talk("b", 2));
    std::fs::write(dir.path("in").join(name), talk("a", 8)).unwrap();
    dir.epitome(&format!("compact in -o out {CUT}")).ok();
    dir.epitome("restore out -o back").ok().says(["1 restored, 1 unchanged and copied, 0 failed"]);
    assert_eq!(std::fs::read(dir.path("back").join(name)).unwrap(), talk("a", 8).into_bytes());
}

#[test]
fn archives_may_lie_elsewhere() {
    let dir = compacted();
    dir.epitome(&format!(
        "compact in -o out2 --archive aside --max-errors all --config policy.toml {CUT}"
    ))
    .ok();
    dir.epitome("restore out2 -o back --archive aside").ok();
    assert_eq!(dir.tree("back"), dir.tree("in"));
    dir.epitome("restore out2 -o none").fails(2).says(["no manifest", "no originals", "--archive"]);
    assert!(!dir.exists("none"));
}

#[test]
fn compressed_files_come_back_compressed() {
    let dir = Dir::new();
    let text = talk("a", 8);
    dir.write("in.jsonl.zst", zstd::encode_all(text.as_bytes(), 1).unwrap());
    dir.epitome(&format!("compact in.jsonl.zst -o out {CUT}")).ok();
    dir.epitome("restore out -o back").ok();
    assert_eq!(
        zstd::decode_all(dir.bytes("back/in.jsonl.zst").as_slice()).unwrap(),
        text.as_bytes()
    );
}

#[test]
fn files_that_left_under_another_name_come_back_under_their_own() {
    let dir = Dir::new();
    let traj = format!(
        "{{\"messages\": [{}, {}]}}",
        crate::talk::message("t", 0),
        crate::talk::message("t", 1)
    );
    dir.write("in/x.ndjson", talk("x", 8))
        .write("in/sub/agent.traj", traj)
        .write("in/plain.jsonl", talk("p", 2))
        .write("in/empty.json", "");
    dir.epitome(&format!("compact in -o out --to openai {CUT}")).ok();
    assert!(dir.exists("out/x.jsonl") && dir.exists("out/sub/agent.jsonl"));
    dir.epitome("restore out -o back").ok().says(["4 restored"]);
    assert_eq!(dir.tree("back"), dir.tree("in"));
    dir.epitome("restore out -o back").fails(2).says(["back/", "--force"]);
    // Originals of before this was told, and such as lead elsewhere.
    let originals = "out/originals/x.jsonl.originals";
    let lines = without_checksums(&dir.read(originals)).into_bytes();
    std::fs::remove_file(dir.path("out/originals/manifest.jsonl")).unwrap();
    let behind = lines.iter().position(|byte| *byte == b'\n').unwrap();
    let with = |header: &str| dir.write(originals, [header.as_bytes(), &lines[behind..]].concat());
    with(r#"{"version":2,"output":"x.jsonl"}"#)
        .epitome("restore out -o old")
        .fails(3)
        .says(["the manifest is missing", "4 restored"]);
    assert_eq!(dir.bytes("old/x.jsonl"), dir.bytes("in/x.ndjson"));
    with(r#"{"version":2,"output":"x.jsonl","input":"../x.ndjson"}"#)
        .epitome("restore out -o new")
        .fails(3)
        .says(["x.jsonl", "leads out", "3 restored"]);
    assert!(!dir.exists("x.ndjson") && !dir.exists("new/x.jsonl"));
}

/// The originals as version 2 wrote them.
fn without_checksums(originals: &str) -> String {
    let mut pieces = originals.split("xxh3\":\"");
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let key = text.rfind(",\"").expect("a key");
        text.truncate(key);
        text += &piece[piece.find('"').expect("an end") + 1..];
    }
    text
}

#[test]
fn a_compressed_file_of_another_name_comes_back_under_its_own() {
    let dir = Dir::new();
    let text = talk("a", 8);
    dir.write("in.json.zst", zstd::encode_all(text.as_bytes(), 1).unwrap());
    dir.epitome(&format!("compact in.json.zst -o out --to openai {CUT}")).ok();
    dir.epitome("restore out -o back").ok();
    assert_eq!(
        zstd::decode_all(dir.bytes("back/in.json.zst").as_slice()).unwrap(),
        text.as_bytes()
    );
}

#[test]
fn what_does_not_belong_together_is_refused_and_the_rest_comes_back() {
    let dir = compacted();
    dir.write("out/a.jsonl", dir.read("out/a.jsonl") + "one more\n");
    dir.epitome("restore out -o back").fails(3).says(["a.jsonl", "bytes", "not written"]);
    assert!(!dir.exists("back/a.jsonl"));
    assert_eq!(dir.bytes("back/sub/b.jsonl"), dir.bytes("in/sub/b.jsonl"));
    let originals = dir.bytes("out/originals/sub/b.jsonl.originals");
    dir.write("out/originals/sub/b.jsonl.originals", &originals[..originals.len() - 5]);
    dir.epitome("restore out -o again").fails(3).says(["b.jsonl", "cut off"]);
    std::fs::remove_file(dir.path("out/sub/b.jsonl")).unwrap();
    dir.epitome("restore out -o without").fails(3).says([
        "sub/b.jsonl",
        "the file is missing",
        "0 restored, 1 unchanged and copied, 2 failed",
    ]);
}

#[test]
fn a_manifest_that_is_gone_or_cut_is_told() {
    let dir = compacted();
    let manifest = dir.read("out/originals/manifest.jsonl");
    std::fs::remove_file(dir.path("out/originals/manifest.jsonl")).unwrap();
    dir.epitome("restore out -o back").fails(3).says(["the manifest is missing", "2 restored"]);
    let first = manifest.lines().next().unwrap();
    dir.write("out/originals/manifest.jsonl", format!("{first}\n"));
    dir.epitome("restore --check out").fails(3).says(["a.jsonl", "it was cut"]);
    dir.write("out/originals/manifest.jsonl", format!("{first}\n{{\"output\": 3}}\n"));
    let run = dir.epitome("restore --check out").fails(2);
    run.says(["line 2 names neither an output"]);
}

#[test]
fn a_directory_is_wanted() {
    let dir = compacted();
    dir.epitome("restore in/a.jsonl -o back").fails(2).says(["neither the directory"]);
    dir.epitome("restore out -o out").fails(2);
}

#[test]
fn names_as_long_as_file_systems_take_are_restored() {
    let dir = Dir::new();
    let names = [
        format!("{}.jsonl", "a".repeat(249)),
        format!("{}b.jsonl", "a".repeat(248)),
        format!("{}.jsonl", "\u{e9}".repeat(122)),
        format!("{}.jsonl", "c".repeat(239)),
    ];
    for name in &names {
        dir.write(&format!("in/{name}"), talk(&name[..2], 8));
    }
    dir.epitome(&format!("compact in -o out {CUT}")).ok();
    dir.epitome("restore out -o back").ok();
    assert_eq!(dir.tree("back"), dir.tree("in"));
    assert_ne!(dir.tree("out")[&names[0]], dir.tree("in")[&names[0]]);
}
