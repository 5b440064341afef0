//! Reads the lines of lists: the mark or the number before an item, and how far it is indented.

/// A line of a list.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ListItem<'t> {
    /// The mark before it; `1` for any number.
    pub(crate) mark: char,
    /// Number of bytes of blanks before it.
    pub(crate) indent: usize,
    pub(crate) text: &'t str,
}

impl<'t> ListItem<'t> {
    /// Reads a line that begins with a mark or a number, and a space. Returns `None` for any other.
    pub(crate) fn read(line: &'t str) -> Option<Self> {
        let trimmed = line.trim();
        let text = behind_list_mark(trimmed)?.strip_prefix(' ')?.trim();
        let first = trimmed.chars().next()?;
        let mark = if first.is_ascii_digit() { '1' } else { first };
        let indent = indent_of(line);
        (!text.is_empty()).then_some(Self { mark, indent, text })
    }
}

/// Returns what stands behind the number or the bullet at the start of a line.
pub(crate) fn behind_list_mark(line: &str) -> Option<&str> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 {
        line[digits..].strip_prefix(['.', ')'])
    } else {
        line.strip_prefix(['-', '*', '•'])
    }
}

/// Returns the number of bytes of blanks that a line begins with.
pub(crate) fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_has_a_mark_and_a_blank_before_it() {
        let item = ListItem::read("  12) oil it ").unwrap();
        assert_eq!((item.mark, item.indent, item.text), ('1', 2, "oil it"));
        assert_eq!(ListItem::read("* oil it").map(|item| item.mark), Some('*'));
        for line in ["2.5 GB", "-x", "-", "oil it", ""] {
            assert_eq!(ListItem::read(line), None, "{line}");
        }
        assert_eq!(behind_list_mark("-x"), Some("x"));
    }
}
