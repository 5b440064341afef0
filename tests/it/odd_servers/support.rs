//! Runs that ask a server for summaries.

use crate::harness::{Dir, Epitome};
use crate::models::{KEY, keeps_the_key, one_talk};
use crate::server::Server;
use crate::talk::CUT;

pub(super) fn compact(dir: &Dir, url: &str, options: &str) -> Epitome {
    dir.epitome(&format!("compact in.jsonl -o out {CUT} --summarizer http --set summarizer.model=small --set summarizer.base_url={url} --set summarizer.cache=cache {options}"))
        .env("OPENAI_API_KEY", KEY)
}

/// The transcript must be as it came and be marked, with this reason, after so many calls.
pub(super) fn fails(server: &Server, options: &str, reason: &str, calls: usize) {
    let dir = one_talk();
    let ran = compact(&dir, &server.url(), options).fails(3).says(["in.jsonl:1: ", reason]);
    assert_eq!(server.calls(), calls, "{}", ran.stderr);
    assert_eq!(dir.read("out/in.jsonl"), dir.read("in.jsonl"));
    assert_eq!(dir.entries()[0]["status"], "failed");
    keeps_the_key(&dir, &[&ran.stderr, ran.stdout()]);
}
