//! Finds what stands in marks of code.

/// The mark around code.
pub(crate) const CODE_MARK: char = '`';

/// Returns the names in marks of code of a text.
pub(crate) fn names_in_code(text: &str) -> impl Iterator<Item = &str> {
    // Every second part stands between marks.
    text.split(CODE_MARK).skip(1).step_by(2)
}

/// Returns the parts of a text outside of marks of code.
pub(crate) fn prose_parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(CODE_MARK).step_by(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_prose_alternate() {
        let text = "The `pump` and the `wheel` turn";
        assert_eq!(names_in_code(text).collect::<Vec<_>>(), ["pump", "wheel"]);
        assert_eq!(
            prose_parts(text).collect::<Vec<_>>(),
            ["The ", " and the ", " turn"]
        );
    }
}
