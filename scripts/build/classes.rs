//! The class of each character that the patterns ask for: from the tables of the regex library with which the
//! encodings were defined.

use crate::character;
use regex_syntax::hir::{Class, HirKind};
use std::io;
use std::path::Path;

/// Characters of a block.
const BLOCK: usize = 1 << character::BLOCK_BITS;

/// The character classes.
const PATTERNS: [(&str, u8); 7] = [
    (r"[\p{Lu}\p{Lt}]", character::UPPER),
    (r"\p{Ll}", character::LOWER),
    (r"[\p{Lm}\p{Lo}]", character::CASELESS),
    (r"\p{M}", character::MARK),
    (r"\p{N}", character::NUMBER),
    (r"\s", character::SPACE),
    (r"[\r\n]", character::LINE_END),
];

/// Writes the classes of all code points as a table of different blocks, and for each block of code
/// points which of them it is.
pub(crate) fn write(out: &Path) -> io::Result<()> {
    let mut classes = vec![0; char::MAX as usize + 1];
    for (pattern, class) in PATTERNS {
        let hir = regex_syntax::parse(pattern).expect("a pattern of ours");
        let HirKind::Class(Class::Unicode(ranges)) = hir.kind() else {
            panic!("{pattern} is no class")
        };
        for range in ranges.ranges() {
            classes[range.start() as usize..=range.end() as usize]
                .iter_mut()
                .for_each(|one| *one |= class);
        }
    }
    let mut blocks: Vec<&[u8]> = Vec::new();
    let mut index = Vec::new();
    for block in classes.chunks(BLOCK) {
        let number = blocks.iter().position(|known| *known == block).unwrap_or_else(|| {
            blocks.push(block);
            blocks.len() - 1
        });
        index.push(u8::try_from(number).expect("most blocks are alike"));
    }
    std::fs::write(out.join("classes.index"), index)?;
    std::fs::write(out.join("classes.blocks"), blocks.concat())
}
