//! What `restore` refuses, because it is not what was written.

use super::compacted;
use std::fs;
use std::process::Command;

#[test]
fn a_changed_output_is_refused_with_its_place() {
    let dir = compacted();
    for name in ["a.jsonl", "short.jsonl"] {
        let bytes = dir.bytes(&format!("out/{name}"));
        let mut changed = bytes.clone();
        let at = changed.len() / 2;
        changed[at] ^= 1;
        dir.write(&format!("out/{name}"), &changed);
        dir.epitome(&format!("restore out -o without-{name}"))
            .fails(3)
            .says([name, "was changed", "bytes 1 to ", "not written"]);
        assert!(!dir.exists(&format!("without-{name}/{name}")));
        dir.epitome("restore out --check").fails(3).says([name]);
        dir.write(&format!("out/{name}"), bytes);
    }
    let check = dir.epitome("restore out --check").ok();
    assert_eq!(check.stdout(), "1 can be restored, 1 unchanged, 0 failed, 0 unknown\n");
}

#[test]
fn originals_that_are_changed_missing_or_a_pipe_are_refused() {
    let dir = compacted();
    let originals = "out/originals/a.jsonl.originals";
    let bytes = dir.bytes(originals);
    for at in [9, bytes.len() / 2, bytes.len() - 9] {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        dir.write(originals, changed);
        dir.epitome("restore out --check").fails(3).says(["a.jsonl"]);
    }
    fs::remove_file(dir.path(originals)).unwrap();
    dir.epitome("restore out --check").fails(3).says(["its originals are missing"]);
    let made = Command::new("mkfifo").arg(dir.path(originals)).status();
    assert!(made.unwrap().success());
    dir.epitome("restore out --check").fails(3).says(["not a regular file"]);
    fs::remove_file(dir.path("out/short.jsonl")).unwrap();
    dir.epitome("restore out --check")
        .fails(3)
        .says(["short.jsonl: the file is missing, but the manifest names it"]);
}
