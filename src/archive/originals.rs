//! The exact original bytes of everything that was taken out of a file, with
//! their place in the output: all that is needed to get the input back.
//!
//! JSON lines. The first is a [`Header`]; each further one an [`Original`], in
//! the order of their places. To restore: read the output (decompressed), and
//! at each `at` replace `len` bytes by `original`.

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
/// If a line can't be read, or points outside the output.
pub fn restore(output: &[u8], originals: &str) -> Result<Vec<u8>, String> {
    let mut lines = originals.lines();
    let header: Header = lines.next().map_or(Err("no header".to_owned()), |line| serde_json::from_str(line).map_err(|error| error.to_string()))?;
    if header.version != VERSION {
        return Err(format!("version {} of the originals is not known", header.version));
    }
    let undos: Result<Vec<Undo>, _> = lines.map(|line| serde_json::from_str::<Original>(line).map(|original| original.undo)).collect();
    unsplice(output, &undos.map_err(|error| error.to_string())?)
}
