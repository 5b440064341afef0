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

/// Those of them behind which a signature stands that other code can use.
pub(crate) const SIGNATURE_WORDS: &[&str] = &[
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
    "record",
    "struct",
    "trait",
    "type",
    "var",
];

/// The words before them that say how something is defined, and those that let other files use it.
pub(crate) const SIGNATURE_MODIFIERS: &[&str] = &[
    "abstract",
    "async",
    "default",
    "export",
    "final",
    "internal",
    "open",
    "override",
    "partial",
    "protected",
    "pub",
    "pub(crate)",
    "public",
    "sealed",
    "static",
    "unsafe",
    "virtual",
];
pub(crate) const SHARING_MODIFIERS: &[&str] =
    &["export", "internal", "pub", "pub(crate)", "public"];

/// The openings of lines that name what others define.
pub(crate) const PASSING_LINES: &[&str] = &[
    "import ", "from ", "use ", "using ", "#include", "require", "export {", "export *",
    "package ", "pub use ", "} from ",
];

/// The endings of files that hold text or data, no code.
pub(crate) const TEXT_ENDINGS: &[&str] = &[
    "", "md", "mdx", "txt", "rst", "adoc", "json", "jsonl", "yaml", "yml", "toml", "html", "css",
    "csv", "xml", "lock",
];

/// The beginnings of the names of scripts that an agent writes to try something out, in small letters.
pub(crate) const SCRATCH_OPENINGS: &[&str] = &[
    "reproduce",
    "repro.",
    "repro_",
    "replicate",
    "scratch",
    "tmp_",
];
