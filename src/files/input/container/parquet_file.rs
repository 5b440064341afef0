//! Parquet files, as the data sets of Hugging Face come: each row is read as a record of JSON.
//!
//! Parquet has every key in every struct, so that an absent value is a null. Nulls in structs are
//! left out: else each call would have the arguments of all other calls. Those of whole columns stay.

use crate::files::input::container::Container;
use crate::reading::json::write_literal;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use parquet::basic::{ConvertedType, LogicalType, Repetition};
use parquet::errors::ParquetError;
use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::SerializedFileReader;
use parquet::record::reader::RowIter;
use parquet::record::{Field, List, Map, Row};
use parquet::schema::types::Type;
use serde::Serialize;
use serde::de::IgnoredAny;
use std::io::{self, Cursor, Read, Seek};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

pub(super) struct ParquetFile;

/// The first bytes of a file.
const MAGIC: &[u8] = b"PAR1";

impl Container for ParquetFile {
    fn begins(&self, head: &[u8]) -> bool {
        head.starts_with(MAGIC)
    }

    fn is_table(&self) -> bool {
        true
    }

    fn open(&self, mut file: Box<dyn Read + Send>, _: usize) -> io::Result<Box<dyn Read + Send>> {
        // The list of its columns is at its end, and not every input can be read from there.
        let mut copy = tempfile::tempfile()?;
        io::copy(&mut file, &mut copy)?;
        copy.rewind()?;
        let opened = catch_panic(|| SerializedFileReader::new(copy))?;
        let schema = opened.metadata().file_metadata().schema_descr().root_schema_ptr();
        let rows = catch_panic(|| Ok(RowIter::from_file_into(Box::new(opened))))?;
        Ok(Box::new(RowReader { rows, schema, row: Cursor::default() }))
    }
}

/// Runs a function of the library, which panics at some damaged files.
fn catch_panic<T>(work: impl FnOnce() -> Result<T, ParquetError>) -> io::Result<T> {
    let outcome = catch_unwind(AssertUnwindSafe(work));
    let damaged = |why: String| io::Error::other(format!("a damaged Parquet file: {why}"));
    outcome
        .map_err(|_| damaged("its columns do not fit together".to_owned()))?
        .map_err(|error| damaged(error.to_string()))
}

/// A reader of the rows of a file, each ended by a line feed. It holds a page of each column.
struct RowReader {
    rows: RowIter<'static>,
    schema: Arc<Type>,
    /// The row that is being read.
    row: Cursor<Vec<u8>>,
}

impl Read for RowReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.row.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            let rows = &mut self.rows;
            let Some(row) = catch_panic(|| rows.next().transpose())? else {
                return Ok(0);
            };
            let mut json = std::mem::take(self.row.get_mut());
            json.clear();
            write_row(&row, &self.schema, &mut json);
            json.push(b'\n');
            self.row = Cursor::new(json);
        }
    }
}

/// Appends a row as an object with all columns.
fn write_row(row: &Row, schema: &Type, out: &mut Vec<u8>) {
    write_members(row, Some(schema), |_| true, out);
}

/// Appends the members of a struct that `is_kept` accepts.
fn write_members(row: &Row, kind: Option<&Type>, is_kept: fn(&Field) -> bool, out: &mut Vec<u8>) {
    let group = kind.filter(|kind| kind.is_group());
    let kinds = group.map_or(&[][..], Type::get_fields);
    let mut separator = b'{';
    for (index, (name, value)) in row.get_column_iter().enumerate() {
        if is_kept(value) {
            out.push(separator);
            separator = b',';
            write_literal(name, out);
            out.push(b':');
            write_value(value, kinds.get(index).map(AsRef::as_ref), out);
        }
    }
    if separator == b'{' {
        out.push(b'{');
    }
    out.push(b'}');
}

/// Appends a value. `kind` is its type, if that is known.
fn write_value(value: &Field, kind: Option<&Type>, out: &mut Vec<u8>) {
    match value {
        Field::Null => out.extend_from_slice(b"null"),
        Field::Bool(value) => write_json(value, out),
        Field::Byte(value) => write_json(value, out),
        Field::Short(value) => write_json(value, out),
        Field::Int(value) => write_json(value, out),
        Field::Long(value) => write_json(value, out),
        Field::UByte(value) => write_json(value, out),
        Field::UShort(value) => write_json(value, out),
        Field::UInt(value) => write_json(value, out),
        Field::ULong(value) => write_json(value, out),
        Field::Float16(value) => write_json(&value.to_f32(), out),
        Field::Float(value) => write_json(value, out),
        Field::Double(value) => write_json(value, out),
        Field::Str(text) if kind.is_some_and(is_json) => write_embedded(text, out),
        Field::Str(text) => write_literal(text, out),
        Field::Bytes(bytes) => match std::str::from_utf8(bytes.data()) {
            Ok(text) => write_literal(text, out),
            Err(_) => write_literal(&BASE64_STANDARD.encode(bytes.data()), out),
        },
        Field::Group(row) => {
            write_members(row, kind, |value| !matches!(value, Field::Null), out);
        }
        Field::ListInternal(list) => write_list(list, kind.and_then(element_type), out),
        Field::MapInternal(map) => write_map(map, out),
        // Times, dates and decimals have no form of their own in JSON.
        other => write_literal(&other.to_string(), out),
    }
}

fn write_list(list: &List, kind: Option<&Type>, out: &mut Vec<u8>) {
    out.push(b'[');
    for (index, element) in list.elements().iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write_value(element, kind, out);
    }
    out.push(b']');
}

fn write_map(map: &Map, out: &mut Vec<u8>) {
    out.push(b'{');
    for (index, (key, value)) in map.entries().iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        match key {
            Field::Str(key) => write_literal(key, out),
            key => write_literal(&key.to_string(), out),
        }
        out.push(b':');
        write_value(value, None, out);
    }
    out.push(b'}');
}

/// Appends a number or a boolean. What is no number of JSON is null.
fn write_json(value: &impl Serialize, out: &mut Vec<u8>) {
    // Writing into memory can't fail.
    let _ = serde_json::to_writer(out, value);
}

/// Appends a value that is JSON in a text, on one line.
fn write_embedded(text: &str, out: &mut Vec<u8>) {
    if serde_json::from_str::<IgnoredAny>(text).is_err() {
        return write_literal(text, out);
    }
    // Between values of JSON all blanks are alike, and in texts no line ends stand.
    let line = text.bytes().map(|byte| match byte {
        b'\n' | b'\r' => b' ',
        byte => byte,
    });
    out.extend(line);
}

fn is_json(kind: &Type) -> bool {
    let facts = kind.get_basic_info();
    facts.logical_type_ref() == Some(&LogicalType::Json)
        || facts.converted_type() == ConvertedType::JSON
}

/// Returns the type of the elements of a list, if the list is spelled in a known way.
fn element_type(list: &Type) -> Option<&Type> {
    if list.get_basic_info().converted_type() != ConvertedType::LIST {
        // A repeated field is a list by itself.
        return Some(list);
    }
    let repeated = list.get_fields().first()?.as_ref();
    let is_wrapped = repeated.is_group()
        && repeated.get_fields().len() == 1
        && repeated.get_basic_info().repetition() == Repetition::REPEATED
        && repeated.name() != "array"
        && repeated.name() != format!("{}_tuple", list.name());
    if is_wrapped { repeated.get_fields().first().map(AsRef::as_ref) } else { Some(repeated) }
}
