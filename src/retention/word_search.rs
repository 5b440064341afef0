//! Finds identifiers as whole words of a text.

/// Returns the byte offsets of an identifier in a text, both in lowercase.
///
/// Occurrences next to a letter, digit or `_` are left out.
pub(super) fn find_occurrences<'t>(
    identifier: &'t str,
    text: &'t str,
) -> impl Iterator<Item = usize> + 't {
    // Occurrences may overlap: in `xa-a-a`, only the second `a-a` stands apart.
    let finder = memchr::memmem::Finder::new(identifier.as_bytes());
    let mut from = 0;
    let starts = std::iter::from_fn(move || {
        let rest = text.as_bytes().get(from..)?;
        let at = from + finder.find(rest)?;
        from = at + 1;
        Some(at)
    });
    starts.filter(move |&at| {
        !text[..at].chars().next_back().is_some_and(is_word_char)
            && !text[at + identifier.len()..]
                .chars()
                .next()
                .is_some_and(is_word_char)
    })
}

fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns true if `text` contains the identifier, both in lowercase.
pub(super) fn contains_identifier(text: &str, identifier: &str) -> bool {
    find_occurrences(identifier, text).next().is_some()
}
