//! Tells the lines of tracebacks that users paste.

use crate::summary::extract::facts::tracebacks::TRACEBACK;

/// Returns true for a line of a traceback of Python that names a place: `File "a.py", line 7, in run`, as pytest
/// writes it `a.py:7: in run`, or as IPython does `File a.py:7, in run()`.
pub(super) fn is_frame(line: &str) -> bool {
    let is_place = |place: &str| {
        let (path, number) = place.rsplit_once(':').unwrap_or_default();
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        is_number && path.contains('.') && !path.contains(' ')
    };
    if line.starts_with("File \"") && line.contains("\", line ") {
        return true;
    }
    let of_ipython = line
        .strip_prefix("File ")
        .and_then(|rest| rest.split_once(", in "));
    let of_pytest = line
        .split_once(": in ")
        .filter(|(_, name)| !name.contains(' '));
    of_ipython
        .or(of_pytest)
        .is_some_and(|(place, _)| is_place(place))
}

/// Returns true for the name of an error and nothing else: `AssertionError`.
pub(super) fn is_error_name(line: &str) -> bool {
    !line.contains(' ') && (line.ends_with("Error") || line.ends_with("Exception"))
}

/// Returns true if a line of a traceback names a place in a library.
pub(super) fn is_of_library(line: &str) -> bool {
    LIBRARY_FOLDERS.iter().any(|folder| line.contains(folder))
}

/// Folders of libraries.
const LIBRARY_FOLDERS: [&str; 4] = [
    "site-packages",
    "dist-packages",
    "/lib/python",
    "node_modules",
];

/// Returns true for a line that only tracebacks have, those of pytest too: `E   KeyError: 'a'`.
pub(super) fn is_of_traceback(line: &str) -> bool {
    line.contains(TRACEBACK) || is_frame(line) || line.starts_with("E  ") || line.starts_with("> ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::extract::render::long_requests::fold_request;

    #[test]
    fn places_are_known_in_all_spellings() {
        for line in [
            "File \"a.py\", line 7, in run",
            "File ~/mill/a.py:7, in Pump.run(self)",
            "mill/a.py:7: in run",
        ] {
            assert!(is_frame(line), "{line}");
        }
        for line in [
            "File the report 7, in time",
            "Step 1: in the mill, stop the wheel",
            "Phase 2: in winter",
        ] {
            assert!(!is_frame(line), "{line}");
        }
    }

    #[test]
    fn a_traceback_is_told_by_its_last_place_and_its_error() {
        let story = "It is an old story of the mill, and nobody knows how it will end. ".repeat(9);
        let text = format!(
            "The mill stops.\n{story}\n```\nTraceback (most recent call last):\n  File \"/srv/mill/wheel.py\", line 3, in turn\n    pump.run(now)\n  File \"/srv/mill/pump.py\", line 7, in run\n    valve.open(wide)\nKeyError: 'valve'\n```\n{story}"
        );
        let told = fold_request("", "", &text, 300).unwrap().text;
        assert!(
            told.contains("pump.py\", line 7") && told.contains("KeyError: 'valve'"),
            "{told}"
        );
        assert!(!told.contains("valve.open"), "{told}");
    }
}
