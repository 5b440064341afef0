//! Paths that stand beside another path below the same folders: `/home/mia/app/src/a.rs …/src/b.rs`.

use std::borrow::Cow;

/// In place of the folders that a path shares with the one before.
const SHARED: &str = "…/";
/// Minimum length in bytes of the folders that are left out.
const LEAST_SHARED: usize = 36;

/// Returns a path as it stands behind `anchor`: without the long root that both share, from the last
/// folder of the root on.
pub(super) fn path_beside<'p>(anchor: &str, path: &'p str) -> Cow<'p, str> {
    let common = anchor
        .bytes()
        .zip(path.bytes())
        .take_while(|(left, right)| left == right)
        .count();
    // Ends behind a slash, so it cuts no character.
    let Some(root) = path.as_bytes()[..common]
        .iter()
        .rposition(|byte| *byte == b'/')
    else {
        return Cow::Borrowed(path);
    };
    let Some(folder) = path[..root].rfind('/') else {
        return Cow::Borrowed(path);
    };
    let short = &path[folder + 1..];
    if folder >= LEAST_SHARED && path_from(anchor, short).as_deref() == Some(path) {
        Cow::Owned(format!("{SHARED}{short}"))
    } else {
        Cow::Borrowed(path)
    }
}

/// Returns the path that `shown` stands for behind `anchor`.
pub(super) fn read_path<'p>(anchor: Option<&str>, shown: &'p str) -> Cow<'p, str> {
    let full = shown
        .strip_prefix(SHARED)
        .and_then(|short| path_from(anchor?, short));
    full.map_or(Cow::Borrowed(shown), Cow::Owned)
}

/// Returns `short` below the folder of `anchor` that holds the last folder of its first name.
fn path_from(anchor: &str, short: &str) -> Option<String> {
    let first = &short[..=short.find('/')?];
    let at = anchor.rfind(&format!("/{first}"))?;
    Some(format!("{}/{short}", &anchor[..at]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_root_is_written_once() {
        let anchor = "/home/mia/workspaces/a-very-long-name/app/src/main.rs";
        for (path, shown) in [
            (
                "/home/mia/workspaces/a-very-long-name/app/src/lib.rs",
                "…/src/lib.rs",
            ),
            (
                "/home/mia/workspaces/a-very-long-name/app/src/é/b.rs",
                "…/src/é/b.rs",
            ),
            (
                "/home/mia/workspaces/a-very-long-name/app/README.md",
                "…/app/README.md",
            ),
            ("/home/mia/other/src/lib.rs", "/home/mia/other/src/lib.rs"),
            ("src/lib.rs", "src/lib.rs"),
            ("a", "a"),
        ] {
            assert_eq!(path_beside(anchor, path), shown);
            assert_eq!(read_path(Some(anchor), shown), path);
        }
        assert_eq!(read_path(None, "…/src/lib.rs"), "…/src/lib.rs");
    }
}
