//! Decisions of live agents: `scripts/check-agents.py` compares the presets with what the real programs
//! did (`fixtures/presets/`). Each preset has cases in which it acts.

use std::process::Command;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/check-agents.py");

#[test]
#[expect(clippy::print_stderr, reason = "says what was skipped")]
fn presets_decide_as_the_real_programs() {
    let python = Command::new("python3").arg("--version").output();
    if !python.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: python3 is not installed");
        return;
    }
    let checked =
        Command::new("python3").args([SCRIPT, env!("CARGO_BIN_EXE_epitome")]).output().unwrap();
    let said = String::from_utf8_lossy(&checked.stdout).into_owned();
    let errors = String::from_utf8_lossy(&checked.stderr);
    assert!(checked.status.success(), "{said}{errors}");
    for preset in [
        "deepagents-0.7", "langchain-context-editing", "claude-code", "cline", "codex", "pi",
        "gemini-cli", "openhands", "swe-agent-last-n",
    ] {
        let line = said.lines().find(|line| line.starts_with(&format!("{preset}: ")));
        let line = line.unwrap_or_else(|| panic!("no cases of {preset}: {said}"));
        assert!(!line.contains(": 0 same"), "{line}");
    }
}
