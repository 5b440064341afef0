//! Writes the tables that exact counters use as they lie in the program: the vocabularies of
//! OpenAI's encodings as tiktoken-rs has them (MIT), and what each character is to their patterns.

#![allow(clippy::print_stdout, reason = "a build script speaks to cargo so")]

#[path = "../../src/tokens/bpe/character.rs"]
mod character;
mod classes;
#[path = "../../src/tokens/bpe/layout.rs"]
mod layout;
mod vocabulary;

use std::error::Error;
use std::path::Path;
use tiktoken_rs::CoreBPE;

type Load = fn() -> anyhow::Result<CoreBPE>;

/// Each vocabulary and where its ranks end.
const VOCABULARIES: [(&str, Load, u32); 4] = [
    ("o200k_base", tiktoken_rs::o200k_base, 199_998),
    ("cl100k_base", tiktoken_rs::cl100k_base, 100_256),
    ("p50k_base", tiktoken_rs::p50k_base, 50_281),
    ("r50k_base", tiktoken_rs::r50k_base, 50_256),
];

/// Vocabularies of old models, which are embedded compressed: few need them.
const PACKED: [&str; 2] = ["p50k_base", "r50k_base"];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=scripts/build");
    println!("cargo::rerun-if-changed=src/tokens/bpe/character.rs");
    println!("cargo::rerun-if-changed=src/tokens/bpe/layout.rs");
    let out = std::env::var("OUT_DIR")?;
    let out = Path::new(&out);
    for (name, load, end) in VOCABULARIES {
        vocabulary::write(&load()?, end, &out.join(name))?;
        if PACKED.contains(&name) {
            vocabulary::pack(&out.join(name))?;
        }
    }
    Ok(classes::write(out)?)
}
