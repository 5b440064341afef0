//! Words of source code.

/// Words that stand before the name that they define.
pub(crate) const DEFINING_WORDS: &[&str] = &[
    "class",
    "const",
    "def",
    "enum",
    "fn",
    "func",
    "fun",
    "function",
    "interface",
    "let",
    "mod",
    "module",
    "namespace",
    "record",
    "static",
    "struct",
    "trait",
    "type",
    "union",
    "val",
    "var",
    "void",
    "int",
    "bool",
];

/// The openings of lines that name what others define.
pub(crate) const PASSING_LINES: &[&str] = &[
    "import ", "from ", "use ", "using ", "#include", "require", "export {", "export *",
    "package ", "pub use ", "} from ",
];
