//! gzip and zstd: told by their first bytes, whatever the name says; the output is compressed as
//! the input was.

use crate::harness::Dir;
use crate::talk::{CUT, talk};
use std::io::{Read, Write};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn gunzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    flate2::read::MultiGzDecoder::new(bytes).read_to_end(&mut out).unwrap();
    out
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 3).unwrap()
}

fn unzstd(bytes: &[u8]) -> Vec<u8> {
    zstd::decode_all(bytes).unwrap()
}

/// The compacted form of `text`.
fn compacted(text: &str) -> Vec<u8> {
    let dir = Dir::new();
    dir.write("in.jsonl", text).epitome(&format!("compact in.jsonl -o out {CUT}")).ok();
    dir.bytes("out/in.jsonl")
}

#[test]
fn the_content_tells_and_not_the_name() {
    let text = talk("a", 8) + &talk("b", 3);
    let wanted = compacted(&text);
    let compact = |name: &str, bytes: &[u8]| {
        let dir = Dir::new();
        dir.write(name, bytes).epitome(&format!("compact {name} -o out {CUT}")).ok();
        dir.bytes(&format!("out/{name}"))
    };
    assert_eq!(compact("plain.jsonl.gz", text.as_bytes()), wanted);
    assert_eq!(gunzip(&compact("gzip.jsonl", &gzip(text.as_bytes()))), wanted);
    assert_eq!(unzstd(&compact("zstd.jsonl.gz", &zstd(text.as_bytes()))), wanted);
}

#[test]
fn a_file_of_several_gzip_members_is_one() {
    let (a, b) = (talk("a", 8), talk("b", 8));
    let dir = Dir::new();
    dir.write("in.jsonl.gz", [gzip(a.as_bytes()), gzip(b.as_bytes())].concat());
    dir.epitome(&format!("compact in.jsonl.gz -o out {CUT}")).ok();
    assert_eq!(gunzip(&dir.bytes("out/in.jsonl.gz")), compacted(&(a + &b)));
}

/// Tapes and block devices fill up with zeros; gzip passes over them, and so does this. Anything
/// else behind a member is damage.
#[test]
fn zeros_behind_a_gzip_member_are_no_member() {
    let (first, second) = (talk("a", 8), talk("b", 9));
    let padded = |zeros: usize| {
        [gzip(first.as_bytes()), vec![0; zeros], gzip(second.as_bytes()), vec![0; 100_000]].concat()
    };
    for zeros in [0, 1, 70_000] {
        let dir = Dir::new();
        dir.write("in.gz", padded(zeros)).epitome(&format!("compact in.gz -o out {CUT}")).ok();
        assert_eq!(gunzip(&dir.bytes("out/in.gz")), compacted(&format!("{first}{second}")));
    }
    let dir = Dir::new();
    dir.write("in.gz", [padded(0), b"x".to_vec()].concat())
        .epitome("count in.gz")
        .fails(3)
        .says(["in.gz: can't read it"]);
}

#[test]
fn stdin_may_be_compressed() {
    let text = talk("a", 8);
    for bytes in [gzip(text.as_bytes()), zstd(text.as_bytes())] {
        let dir = Dir::new();
        let ran = dir.epitome(&format!("compact - -o - {CUT}")).stdin(bytes).ok();
        assert_eq!(ran.stdout, compacted(&text), "stdout is plain JSONL");
    }
}

#[test]
fn a_truncated_stream_is_not_published_and_the_others_are() {
    let text = (0..200).map(|number| talk(&format!("t{number}"), 8)).collect::<String>();
    for (name, bytes) in
        [("bad.jsonl.gz", gzip(text.as_bytes())), ("bad.jsonl.zst", zstd(text.as_bytes()))]
    {
        let dir = Dir::new();
        dir.write(&format!("in/{name}"), &bytes[..bytes.len() - 20]);
        dir.write("in/a.jsonl", talk("a", 8)).write("in/c.jsonl", talk("c", 8));
        dir.epitome(&format!("compact in -o out {CUT} -j2")).fails(3).says([name]);
        assert!(!dir.exists(&format!("out/{name}")), "a partial output was published");
        assert!(
            !dir.exists(&format!("out/originals/{name}.originals")),
            "originals of an output that does not exist"
        );
        assert!(
            dir.read("out/a.jsonl").contains("<summary>")
                && dir.read("out/c.jsonl").contains("<summary>")
        );
        let tree = dir.tree("out");
        assert!(
            tree.keys().all(|path| !path.contains(".epitome-")),
            "temporary files are left: {:?}",
            tree.keys()
        );
        let failed: Vec<_> =
            dir.entries().into_iter().filter(|entry| entry["status"] == "failed").collect();
        assert_eq!(failed.len(), 1, "one entry for the file, whatever was read of it");
        assert!(failed[0]["file"].as_str().unwrap().ends_with(name));
        assert_eq!(dir.report()["totals"]["compacted"], 2);
    }
}

#[test]
fn a_damaged_stream_is_not_published() {
    let text = (0..50).map(|number| talk(&format!("t{number}"), 8)).collect::<String>();
    let mut bytes = gzip(text.as_bytes());
    let middle = bytes.len() / 2;
    bytes[middle..middle + 8].fill(0xFF);
    let dir = Dir::new();
    dir.write("in.jsonl.gz", bytes);
    dir.epitome(&format!("compact in.jsonl.gz -o out {CUT}")).fails(3).says(["in.jsonl.gz"]);
    assert!(!dir.exists("out/in.jsonl.gz"));
    dir.epitome("count in.jsonl.gz").fails(3).says(["in.jsonl.gz"]);
}

#[test]
fn a_stream_of_nothing_holds_no_record() {
    for bytes in [gzip(b""), zstd(b"")] {
        let dir = Dir::new();
        dir.write("in.jsonl", bytes).epitome("compact in.jsonl -o out").ok();
        assert_eq!(dir.entries().len(), 0);
    }
}
