//! What else a name names: a path its file and its folders, a member of a class the member.

/// Calls `found` with a text and with the ends and the beginnings of it that slashes mark off, or the
/// dots between names: whoever reads `src/core/index.ts` knows `core/index.ts` and `src/core`, and
/// whoever reads `Card.cardSlot` knows `cardSlot`.
pub(crate) fn visit_parts<'t>(text: &'t str, found: &mut impl FnMut(&'t str)) {
    found(text);
    for at in memchr::memchr2_iter(b'/', b'.', text.as_bytes()) {
        let (before, after) = (&text[..at], &text[at + 1..]);
        // `4.7` is another number than `4.7.1`.
        if text.as_bytes()[at] == b'/' || !after.starts_with(|first: char| first.is_ascii_digit()) {
            found(before);
            found(after);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts_of(text: &str) -> Vec<&str> {
        let mut parts = Vec::new();
        visit_parts(text, &mut |part| parts.push(part));
        parts
    }

    #[test]
    fn a_path_names_its_file_and_a_class_its_member() {
        assert_eq!(
            parts_of("src/core.ts"),
            ["src/core.ts", "src", "core.ts", "src/core", "ts"]
        );
        assert_eq!(
            parts_of("Card.cardSlot"),
            ["Card.cardSlot", "Card", "cardSlot"]
        );
        assert_eq!(parts_of("4.7.1"), ["4.7.1"]);
    }
}
