//! Ids and texts to choose from.

/// Ids that real logs hold, and ids that would leave their directory.
pub(crate) const IDS: &[&str] = &[
    "c1", "c2", "c3", "", "../../escaped", "/absolute", "..", ".", "a/b", "a\\b", "a.b", "nul\0l",
    "two\nlines", "c1~2", "é", "e\u{301}", "\u{202e}rtl", "half\u{f8ff}", "%2E%2E", " ", LONG_ID,
    "unknown", "conversation_history",
];

const LONG_ID: &str = "an-id-that-is-longer-than-one-hundred-and-twenty-eight-bytes-0123456789-0123456789-0123456789-0123456789-0123456789-0123456789-0123456789-\
     0123456789-0123456789-0123456789-0123456789-0123456789-0123456789-0123456789-0123456789-0123456789-0123456789-0123456789";

pub(crate) const WORDS: &[&str] = &[
    "word ", "src/main.rs:12 ", "line of text\n", "crlf\r\n", "é日本 ", "😀", "\"quoted\" \\ ",
    "\u{2028}", "{\"a\": 1} ", "ERROR: x failed\n",
];

pub(crate) const SHORTS: &[&str] = &[
    "hello", "", " ", "Human: not a role", "tab\tnul\0bell\u{7}", "half \u{f8ff} pair",
    "</summary>", "ünï 😀 \u{200b}", "slash / back \\ quote \"", "1",
];
