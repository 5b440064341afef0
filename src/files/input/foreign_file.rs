//! Files that hold no JSON at all: told as a whole, with the way out, not record by record.

use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

const DATABASE_EXTENSIONS: [&str; 4] = ["db", "sqlite", "sqlite3", "vscdb"];
/// The bytes at the beginning of a file that are looked at.
const LOOKED_AT: usize = 64 << 10;
/// The lines of a text that are looked at.
const LINES_LOOKED_AT: usize = 20;

/// A kind of file that holds no JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ForeignFile {
    /// The kind, with its article.
    kind: &'static str,
    /// The way from such a file to one that can be read.
    remedy: &'static str,
}

/// A file of a directory that holds no JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ForeignEntry {
    /// Its name in the directory.
    pub name: OsString,
    pub kind: ForeignFile,
}

impl fmt::Display for ForeignFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, remedy } = self;
        write!(f, "it is {kind}, not JSON; {remedy}")
    }
}

/// A kind of file that begins with certain bytes.
struct Signature {
    /// The offset of the bytes.
    at: usize,
    bytes: &'static [u8],
    file: ForeignFile,
}

const fn signature(
    at: usize,
    bytes: &'static [u8],
    kind: &'static str,
    remedy: &'static str,
) -> Signature {
    let file = ForeignFile { kind, remedy };
    Signature { at, bytes, file }
}

const UNPACK: &str = "unpack it, and name the directory with its files";
const DECOMPRESS: &str =
    "decompress it and pass it through stdin (gzip and Zstandard are read as they are)";
const DATABASE: &str = "write its rows as JSON, one a line; of OpenCode's database, `opencode export` writes a session";
#[cfg(not(feature = "parquet"))]
const PARQUET: &str = "this epitome was built without Parquet; the wheel and the archives of a release read it, as does a build by: cargo install --locked --features full --path . (or write its rows as JSON, one a line)";
#[cfg(feature = "parquet")]
const PARQUET: &str = COLUMNS;
const COLUMNS: &str =
    "write its rows as JSON, one a line, as DuckDB does: COPY (FROM 'in.parquet') TO 'out.jsonl'";
const CONVERT: &str = "it can't be written back: `convert --to openai` and `compact --to openai` write its conversations as chats";
const AIDER_LOG: &str = "lines with #### are the user's and those with > are Aider's own; write the messages as {\"messages\": [...]} first";
const NO_TEXT: &str = "it holds no transcript that can be read";

/// The kinds that are recognized by their first bytes.
const SIGNATURES: [Signature; 23] = [
    signature(0, b"PAR1", "a Parquet file", PARQUET),
    signature(0, b"ARROW1", "an Arrow file", COLUMNS),
    signature(0, b"Obj\x01", "an Avro file", COLUMNS),
    signature(0, b"\x89HDF\r\n", "an HDF5 file", COLUMNS),
    signature(0, b"SQLite format 3\0", "an SQLite database", DATABASE),
    signature(30, b"_journal/", "an archive of Inspect", CONVERT),
    signature(0, b"PK\x03\x04", "a zip archive", UNPACK),
    signature(257, b"ustar", "a tar archive", UNPACK),
    signature(0, b"7z\xbc\xaf\x27\x1c", "a 7z archive", UNPACK),
    signature(0, b"Rar!\x1a\x07", "a RAR archive", UNPACK),
    signature(0, b"\xfd7zXZ\0", "compressed with xz", DECOMPRESS),
    signature(0, b"BZh", "compressed with bzip2", DECOMPRESS),
    signature(0, b"\x04\x22\x4d\x18", "compressed with LZ4", DECOMPRESS),
    signature(0, b"# aider chat started at", "a history of Aider (Markdown)", CONVERT),
    signature(1, b"# aider chat started at", "a history of Aider (Markdown)", CONVERT),
    signature(0, b"TO LLM 20", "a log of Aider's model calls (text)", AIDER_LOG),
    signature(0, b"%PDF-", "a PDF", NO_TEXT),
    signature(0, b"\x89PNG\r\n", "an image", NO_TEXT),
    signature(0, b"\xff\xd8\xff", "an image", NO_TEXT),
    signature(0, b"GIF8", "an image", NO_TEXT),
    signature(0, b"RIFF", "a recording or an image", NO_TEXT),
    signature(0, b"\x7fELF", "a program", NO_TEXT),
    signature(0, b"MZ\x90\0", "a program", NO_TEXT),
];

const BINARY: ForeignFile = ForeignFile { kind: "binary", remedy: NO_TEXT };
const MARKUP: ForeignFile = ForeignFile {
    kind: "HTML or XML",
    remedy: "export the conversation as JSON, which most programs offer",
};
const TABLE: ForeignFile = ForeignFile {
    kind: "a table (CSV)",
    remedy: "write its rows as JSON, one a line, with the messages of a conversation in one record",
};
const YAML: ForeignFile =
    ForeignFile { kind: "YAML", remedy: "convert it first, as `yq -o json` does" };

const TEXT: ForeignFile = ForeignFile {
    kind: "text",
    remedy: "write each conversation as a line of JSON (`epitome formats` lists what is read)",
};
const UTF16: ForeignFile = ForeignFile {
    kind: "text in UTF-16",
    remedy: "convert it to UTF-8, as `iconv -f UTF-16 -t UTF-8` does",
};
/// Text of fewer lines than this is told line by line: it may be a log whose records are broken.
const MIN_TEXT_LINES: usize = 3;

/// Returns the kind of a file whose first bytes no JSON has, whatever follows: lines of JSON are in
/// archives that are not compressed, too.
pub(super) fn recognize_signature(head: &[u8]) -> Option<ForeignFile> {
    let known = SIGNATURES.iter().find(|signature| {
        let behind = head.get(signature.at..);
        behind.is_some_and(|bytes| bytes.starts_with(signature.bytes))
    });
    let first = head.trim_ascii_start().first();
    known.filter(|_| !matches!(first, Some(b'{' | b'['))).map(|signature| signature.file)
}

/// Returns the kind of a file that holds no JSON, by its beginning. None if the file may hold JSON.
pub(super) fn recognize_foreign_file(head: &[u8]) -> Option<ForeignFile> {
    let head = &head[..head.len().min(LOOKED_AT)];
    if let Some(file) = recognize_signature(head) {
        return Some(file);
    }
    if is_utf16(head) {
        return Some(UTF16);
    }
    let mut lines: Vec<&[u8]> = head
        .split(|byte| *byte == b'\n')
        .map(<[u8]>::trim_ascii)
        .filter(|line| !line.is_empty())
        .collect();
    if lines.iter().any(|line| begins_as_json(line)) {
        return None;
    }
    let is_text = lines.len() >= MIN_TEXT_LINES;
    lines.truncate(LINES_LOOKED_AT);
    if head.contains(&0) {
        return Some(BINARY);
    }
    recognize_text(&lines).or(is_text.then_some(TEXT))
}

/// Returns the first database directly in a directory, by its name.
pub(super) fn database_in(directory: &Path) -> Option<ForeignEntry> {
    let files = std::fs::read_dir(directory).ok()?;
    let mut databases: Vec<PathBuf> = files
        .filter_map(|file| Some(file.ok()?.path()))
        .filter(|path| {
            let extension = path.extension().and_then(|extension| extension.to_str());
            // A pipe would be waited for.
            extension.is_some_and(|extension| DATABASE_EXTENSIONS.contains(&extension))
                && path.is_file()
        })
        .collect();
    databases.sort();
    databases.into_iter().find_map(|path| {
        let mut head = Vec::new();
        let file = File::open(&path).ok()?;
        file.take(LOOKED_AT as u64).read_to_end(&mut head).ok()?;
        let is_database = head.starts_with(b"SQLite format 3\0");
        let kind = recognize_foreign_file(&head).filter(|_| is_database)?;
        Some(ForeignEntry { name: path.file_name()?.to_owned(), kind })
    })
}

/// Returns true if a line begins as an object or a list of JSON does, and not as `[INFO] started`.
fn begins_as_json(line: &[u8]) -> bool {
    let Some((first, rest)) = line.split_first() else {
        return false;
    };
    let next = rest.trim_ascii_start().first();
    match first {
        b'{' => matches!(next, None | Some(b'"' | b'}')),
        b'[' => matches!(next, None | Some(b'{' | b'[' | b'"' | b']')),
        _ => false,
    }
}

/// Returns true if a record begins as UTF-16 does: with a byte order mark, or with every other byte 0.
pub(crate) fn is_utf16(bytes: &[u8]) -> bool {
    matches!(
        bytes,
        [0xff, 0xfe, ..]
            | [0xfe, 0xff, ..]
            | [0, 1..=0x7f, 0, 1..=0x7f, ..]
            | [1..=0x7f, 0, 1..=0x7f, 0, ..]
    )
}

/// Returns the kind of a text by its first lines, of which none begins as JSON does.
fn recognize_text(lines: &[&[u8]]) -> Option<ForeignFile> {
    let (first, second) = (*lines.first()?, lines.get(1).copied().unwrap_or_default());
    let lower = first.to_ascii_lowercase();
    let tags: [&[u8]; 3] = [b"<?xml", b"<!doctype", b"<html"];
    if tags.iter().any(|tag| lower.starts_with(tag)) {
        return Some(MARKUP);
    }
    let separates = |separator: u8| {
        let columns = count_byte(first, separator);
        columns > 0 && is_header(first, separator) && count_byte(second, separator) >= columns
    };
    if [b',', b'\t', b';'].into_iter().any(separates) {
        return Some(TABLE);
    }
    let is_yaml = first == b"---" || is_yaml_entry(first) && is_yaml_entry(second);
    is_yaml.then_some(YAML)
}

fn count_byte(line: &[u8], byte: u8) -> usize {
    bytecount::count(line, byte)
}

/// Returns true if a line holds nothing but the names of columns.
fn is_header(line: &[u8], separator: u8) -> bool {
    line.split(|byte| *byte == separator).all(|name| {
        let name = name.trim_ascii();
        let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.\" ".contains(byte);
        !name.is_empty() && name.iter().all(is_letter)
    })
}

/// Returns true for a line such as `role: user` or `- role: user`.
fn is_yaml_entry(line: &[u8]) -> bool {
    let entry = line.strip_prefix(b"- ").unwrap_or(line);
    let key_length = entry
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(byte))
        .count();
    key_length > 0 && matches!(entry[key_length..], [b':'] | [b':', b' ', ..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind_of(head: &[u8]) -> Option<&'static str> {
        recognize_foreign_file(head).map(|file| file.kind)
    }

    #[test]
    fn files_without_json_are_recognised() {
        let tar = [&[0; 257][..], b"ustar"].concat();
        for (head, wanted) in [
            (&b"PAR1\x15\x04{"[..], "a Parquet file"),
            (b"PK\x03\x04\x14", "a zip archive"),
            (&tar, "a tar archive"),
            (b"\x93NUMPY\x01\0v\0", "binary"),
            (b"role,content\nuser,hi\n", "a table (CSV)"),
            (b"\"role\"\t\"content\"\nuser\thi\n", "a table (CSV)"),
            (b"\xff\xfe{\0", "text in UTF-16"),
            (b"{\0\"\0", "text in UTF-16"),
            (b"- role: user\n  content: hi\n", "YAML"),
            (b"---\nmessages:\n", "YAML"),
            (b"<!DOCTYPE html>\n<p>", "HTML or XML"),
            (b"# Notes\n\nthe pump\nleaks\n", "text"),
            (b"[INFO] started\n[INFO] it went on\n[INFO] done\n", "text"),
            (
                b"\n# aider chat started at 2026-03-02 09:00:00\n\n{}",
                "a history of Aider (Markdown)",
            ),
        ] {
            assert_eq!(kind_of(head), Some(wanted), "{head:?}");
        }
    }

    #[test]
    fn an_archive_that_is_not_compressed_is_one_whatever_lines_it_holds() {
        let tar = [b"logs/a.jsonl", &[0; 245][..], b"ustar", b"\n{\"messages\": []}\n"].concat();
        assert!(recognize_signature(&tar).is_some());
        let text = format!("{{\"a\": \"{}ustar\"}}", " ".repeat(250));
        assert_eq!(text.find("ustar"), Some(257));
        assert_eq!(recognize_signature(text.as_bytes()), None);
    }

    #[test]
    fn json_and_other_text_are_not() {
        for head in [
            &b""[..],
            b"{\"a\": 1}\n",
            b"\n\n  {\"a\": 1}\n",
            b"role,content\n{\"a\": 1}\n",
            b"{\"a\": 1}\0\0\0",
            b"nothing to see\nhere\n",
            b"Hello, world\nand all\n",
            b"INFO: started\nthen it went on\n",
        ] {
            assert_eq!(kind_of(head), None, "{head:?}");
        }
    }
}
