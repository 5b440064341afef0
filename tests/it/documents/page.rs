//! Pages in Markdown, their fenced blocks, and the comments that say what a block is.

use crate::harness::tree;
use std::fs;
use std::path::Path;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// A page, by its path from the root of the repository.
pub(super) struct Page {
    pub(super) path: String,
    pub(super) lines: Vec<String>,
}

impl Page {
    pub(super) fn open(path: &str) -> Self {
        let text = fs::read_to_string(Path::new(ROOT).join(path)).unwrap();
        Self { path: path.to_owned(), lines: text.lines().map(str::to_owned).collect() }
    }

    /// Replaces the file by these lines.
    pub(super) fn save(&self) {
        let text = self.lines.join("\n") + "\n";
        fs::write(Path::new(ROOT).join(&self.path), text).unwrap();
    }

    /// Returns the fenced blocks from top to bottom.
    pub(super) fn blocks(&self) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut open: Option<Block> = None;
        for (index, line) in self.lines.iter().enumerate() {
            match (&mut open, line.strip_prefix("```")) {
                (None, Some(language)) => {
                    open = Some(Block {
                        place: format!("{}:{}", self.path, index + 1),
                        language: language.trim().to_owned(),
                        comments: self.comments_above(index),
                        first: index + 1,
                        lines: Vec::new(),
                    });
                }
                (Some(_), Some(_)) => blocks.extend(open.take()),
                (Some(block), None) => block.lines.push(line.clone()),
                (None, None) => {}
            }
        }
        assert!(open.is_none(), "{}: a block does not end", self.path);
        blocks
    }

    /// Returns the comments on the lines directly above a line, each without its marks.
    fn comments_above(&self, index: usize) -> Vec<String> {
        let comment = |line: &String| {
            let inner = line.strip_prefix("<!-- ")?.strip_suffix(" -->")?;
            Some(inner.to_owned())
        };
        self.lines[..index].iter().rev().map_while(comment).collect()
    }
}

/// A fenced block.
pub(super) struct Block {
    /// Where it begins, as `path:line`.
    pub(super) place: String,
    pub(super) language: String,
    /// The comments above it, the nearest first.
    pub(super) comments: Vec<String>,
    /// The index of its first line in the page.
    pub(super) first: usize,
    pub(super) lines: Vec<String>,
}

impl Block {
    /// Returns true if a comment above the block is this word.
    pub(super) fn is_marked(&self, word: &str) -> bool {
        self.comments.iter().any(|comment| comment == word)
    }

    /// Returns what follows `name: ` in a comment above the block.
    pub(super) fn mark(&self, name: &str) -> Option<&str> {
        self.comments.iter().find_map(|comment| comment.strip_prefix(name)?.strip_prefix(": "))
    }

    pub(super) fn text(&self) -> String {
        self.lines.join("\n") + "\n"
    }
}

/// Returns the README and every page below `docs/`.
pub(super) fn pages() -> Vec<Page> {
    let docs = tree(&Path::new(ROOT).join("docs"));
    let names = docs.keys().filter(|name| name.ends_with(".md"));
    let below_docs = names.map(|name| format!("docs/{name}"));
    ["README.md".to_owned()].into_iter().chain(below_docs).map(|path| Page::open(&path)).collect()
}
