//! The exact original bytes of everything that was taken out of a file, with
//! their place in the output: all that is needed to get the input back.
//!
//! JSON lines. The first is a [`Header`], the last a [`Trailer`], all between
//! are [`Original`]s in the order of their places. To restore: read the output
//! (decompressed), and at each `at` replace `len` bytes by `original`.

use crate::transcript::splice::{Undo, unsplice};
use serde::{Deserialize, Serialize};

/// Version of this file's shape.
pub const VERSION: u32 = 1;

/// The first line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// [`VERSION`].
    pub version: u32,
    /// The output file that the places belong to, below the output directory.
    pub output: String,
}

/// The last line: tells whether an output is the one that the places belong to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trailer {
    /// Bytes of the output, decompressed.
    pub output_bytes: u64,
}

/// What stood at one place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Original {
    /// Where it goes.
    #[serde(flatten)]
    pub undo: Undo,
    /// The line of the input where the record begins.
    pub line: u64,
    /// The thread; none for bytes between records.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub thread_id: Option<String>,
}

/// The input's bytes, from the output's and the lines of the originals file.
///
/// # Errors
/// If a line can't be read, or they do not belong together.
pub fn restore(output: &[u8], originals: &str) -> Result<Vec<u8>, String> {
    let lines: Vec<&str> = originals.lines().collect();
    let [header, places @ .., trailer] = lines.as_slice() else { return Err("the originals have no header or no trailer".to_owned()) };
    let header: Header = parse(header)?;
    if header.version != VERSION {
        return Err(format!("version {} of the originals is not known", header.version));
    }
    let trailer: Trailer = parse(trailer)?;
    if trailer.output_bytes != output.len() as u64 {
        return Err(format!("the output has {} bytes, but the originals belong to one of {}", output.len(), trailer.output_bytes));
    }
    let undos: Result<Vec<Undo>, String> = places.iter().map(|line| parse::<Original>(line).map(|original| original.undo)).collect();
    unsplice(output, &undos?)
}

fn parse<'l, T: Deserialize<'l>>(line: &'l str) -> Result<T, String> {
    serde_json::from_str(line).map_err(|error| error.to_string())
}
