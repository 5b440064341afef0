//! Decisions of live agents: `scripts/check-agents.py` compares the presets with what the real programs
//! did (`fixtures/presets/`). Each preset has cases in which it acts.

use crate::harness::run_script;

#[test]
fn presets_decide_as_the_real_programs() {
    let Some(checked) = run_script("check-agents.py", &[]) else {
        return;
    };
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
