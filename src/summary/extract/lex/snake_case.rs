//! Names of tools and arguments in a common spelling.

use std::borrow::Cow;

/// Returns a name in snake case: `filePath` as `file_path`.
pub(crate) fn to_snake_case(name: &str) -> Cow<'_, str> {
    if !name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Cow::Borrowed(name);
    }
    let mut snake = String::with_capacity(name.len() + 4);
    let mut after_lower = false;
    for c in name.chars() {
        if after_lower && c.is_ascii_uppercase() {
            snake.push('_');
        }
        after_lower = c.is_ascii_lowercase();
        snake.push(c.to_ascii_lowercase());
    }
    Cow::Owned(snake)
}
