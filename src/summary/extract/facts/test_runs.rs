//! Reads how a run of tests went from a line that it printed.

/// Returns whether all tests passed that a line counts: unittest, pytest, cargo, jest and mocha.
pub(super) fn passed_by_line(line: &str) -> Option<bool> {
    if line == UNITTEST_OK || line.starts_with(UNITTEST_OK_WITH) {
        return Some(true);
    }
    if line.starts_with(UNITTEST_FAILED) {
        return Some(false);
    }
    let words: Vec<&str> = (line.split(|c: char| !c.is_alphanumeric()))
        .filter(|word| !word.is_empty())
        .collect();
    let counted = |name: &str| {
        let counts = words.windows(2).filter(|pair| pair[1] == name);
        counts.filter_map(|pair| pair[0].parse::<u32>().ok()).max()
    };
    let failed = counted("failed").or_else(|| counted("failing"));
    let passed = counted("passed").or_else(|| counted("passing"));
    let failed = failed
        .or_else(|| counted("error"))
        .or_else(|| counted("errors"));
    match (passed, failed.filter(|count| *count > 0)) {
        // A count of failures alone is one of tests if it says how long they took.
        (None, Some(_)) => (line.contains(" in ") || counted("failing").is_some()).then_some(false),
        (Some(_), Some(_)) => Some(false),
        (passed, None) => passed.map(|_| true),
    }
}

/// What unittest prints at the end.
const UNITTEST_OK: &str = "OK";
const UNITTEST_OK_WITH: &str = "OK (";
const UNITTEST_FAILED: &str = "FAILED (";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_told_by_its_counts() {
        for (line, passed) in [
            ("OK", Some(true)),
            ("OK (skipped=1)", Some(true)),
            ("FAILED (failures=1)", Some(false)),
            ("test result: ok. 3 passed; 0 failed; 0 ignored", Some(true)),
            ("test result: FAILED. 1 passed; 1 failed", Some(false)),
            ("== 2 failed, 3 passed in 0.1s ==", Some(false)),
            ("== 3 passed in 0.1s ==", Some(true)),
            ("18 passing (2s)", Some(true)),
            ("2 failing", Some(false)),
            ("all is well", None),
            ("login failed", None),
        ] {
            assert_eq!(passed_by_line(line), passed, "{line}");
        }
    }
}
