//! Writes the tables that exact counters use as they lie in the program: the vocabularies of
//! OpenAI's encodings as tiktoken-rs has them (MIT), and what each character is to their patterns.

#![allow(clippy::print_stdout, reason = "a build script speaks to cargo so")]

#[path = "../../src/deciding/tokens/bpe/character.rs"]
mod character;
mod classes;
#[path = "../../src/deciding/tokens/bpe/layout.rs"]
mod layout;
mod vocabulary;

use std::error::Error;
use std::path::Path;
use tiktoken_rs::CoreBPE;

type Load = fn() -> anyhow::Result<CoreBPE>;

/// A vocabulary as it is embedded.
struct Embedding {
    name: &'static str,
    load: Load,
    /// The rank behind its last token.
    end: u32,
    form: EmbeddedForm,
}

enum EmbeddedForm {
    /// The tables as they are used.
    InPlace,
    /// One compressed file. Few need the encodings of older models.
    Packed,
    /// The same, as the difference from another vocabulary.
    PackedAgainst(&'static str),
}

const EMBEDDINGS: [Embedding; 4] = [
    Embedding {
        name: "o200k_base",
        load: tiktoken_rs::o200k_base,
        end: 199_998,
        form: EmbeddedForm::InPlace,
    },
    Embedding {
        name: "cl100k_base",
        load: tiktoken_rs::cl100k_base,
        end: 100_256,
        form: EmbeddedForm::Packed,
    },
    Embedding {
        name: "p50k_base",
        load: tiktoken_rs::p50k_base,
        end: 50_281,
        form: EmbeddedForm::Packed,
    },
    // All but 24 tokens of p50k_base.
    Embedding {
        name: "r50k_base",
        load: tiktoken_rs::r50k_base,
        end: 50_256,
        form: EmbeddedForm::PackedAgainst("p50k_base"),
    },
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=scripts/build");
    println!("cargo::rerun-if-changed=src/deciding/tokens/bpe/character.rs");
    println!("cargo::rerun-if-changed=src/deciding/tokens/bpe/layout.rs");
    let out = std::env::var("OUT_DIR")?;
    let out = Path::new(&out);
    for embedding in EMBEDDINGS {
        let base = out.join(embedding.name);
        vocabulary::write(&(embedding.load)()?, embedding.end, &base)?;
        match embedding.form {
            EmbeddedForm::InPlace => {}
            EmbeddedForm::Packed => vocabulary::pack(&base, None)?,
            EmbeddedForm::PackedAgainst(other) => vocabulary::pack(&base, Some(&out.join(other)))?,
        }
    }
    Ok(classes::write(out)?)
}
