//! A shard of rows as a Parquet file. Rows come as lines of JSON, and leave in groups, so that few
//! are in memory.

use crate::dataset::target::{Feature, FeatureKind};
use parquet::basic::{Compression, LogicalType, Repetition, Type as Storage, ZstdLevel};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{Type, TypePtr};
use serde_json::Value;
use std::io::{self, Write};
use std::sync::Arc;

/// The most rows of a group, as `datasets` has it.
const GROUP_ROWS: usize = 1000;
/// The size in bytes of JSON that ends a group.
const GROUP_BYTES: usize = 16 << 20;

/// A Parquet file that is being written.
pub(super) struct ParquetShard<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    columns: Vec<LeafColumn>,
    /// The rows of the next group.
    rows: Vec<Value>,
    /// The size of these rows in bytes.
    bytes: usize,
}

impl<W: Write + Send> ParquetShard<W> {
    /// Begins a file with these columns. Fails if the file can't be written.
    pub(super) fn new(file: W, features: &[Feature]) -> io::Result<Self> {
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .build();
        let schema = row_type(features).map_err(io::Error::other)?;
        let writer = SerializedFileWriter::new(file, schema, Arc::new(properties));
        let mut columns = Vec::new();
        find_leaves(features, &[], &mut columns);
        Ok(Self { writer: writer.map_err(io::Error::other)?, columns, rows: Vec::new(), bytes: 0 })
    }

    /// Adds a row, given as a line of JSON. Fails if the file can't be written.
    pub(super) fn push(&mut self, line: &[u8]) -> io::Result<()> {
        self.rows.push(serde_json::from_slice(line)?);
        self.bytes += line.len();
        if self.rows.len() >= GROUP_ROWS || self.bytes >= GROUP_BYTES {
            self.end_group().map_err(io::Error::other)?;
        }
        Ok(())
    }

    pub(super) fn file(&self) -> &W {
        self.writer.inner()
    }

    /// Returns the bytes written so far, with those of the rows that wait.
    pub(super) fn size(&self) -> u64 {
        (self.writer.bytes_written() + self.bytes) as u64
    }

    /// Writes what is left, and returns the file. Fails if the file can't be written.
    pub(super) fn finish(mut self) -> io::Result<W> {
        self.end_group().map_err(io::Error::other)?;
        self.writer.into_inner().map_err(io::Error::other)
    }

    fn end_group(&mut self) -> Result<(), ParquetError> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let mut group = self.writer.next_row_group()?;
        for column in &self.columns {
            write_column(&mut group, column, &self.rows)?;
        }
        group.close()?;
        self.rows.clear();
        self.bytes = 0;
        Ok(())
    }
}

/// The way from a row to the values of a column.
struct LeafColumn {
    steps: Vec<LeafStep>,
    /// The type of the values.
    dtype: &'static str,
}

/// A step into a value.
#[derive(Clone)]
enum LeafStep {
    Member(String),
    Elements,
}

fn find_leaves(features: &[Feature], above: &[LeafStep], leaves: &mut Vec<LeafColumn>) {
    for feature in features {
        let mut steps = above.to_vec();
        steps.push(LeafStep::Member(feature.name.clone().into_owned()));
        match &feature.kind {
            FeatureKind::Value(dtype) => leaves.push(LeafColumn { steps, dtype }),
            FeatureKind::Struct(fields) => find_leaves(fields, &steps, leaves),
            FeatureKind::List(fields) => {
                steps.push(LeafStep::Elements);
                find_leaves(fields, &steps, leaves);
            }
        }
    }
}

fn row_type(features: &[Feature]) -> Result<TypePtr, ParquetError> {
    let fields = features.iter().map(feature_type);
    let fields: Vec<TypePtr> = fields.collect::<Result<_, _>>()?;
    let row = Type::group_type_builder("schema").with_fields(fields);
    row.build().map(Arc::new)
}

/// Returns the type of a feature, whose values may be absent.
fn feature_type(feature: &Feature) -> Result<TypePtr, ParquetError> {
    let name = &*feature.name;
    let built = match &feature.kind {
        FeatureKind::Value(dtype) => {
            let (storage, logical) = match *dtype {
                "bool" => (Storage::BOOLEAN, None),
                "int64" => (Storage::INT64, None),
                "float64" => (Storage::DOUBLE, None),
                "json" => (Storage::BYTE_ARRAY, Some(LogicalType::Json)),
                _ => (Storage::BYTE_ARRAY, Some(LogicalType::String)),
            };
            Type::primitive_type_builder(name, storage)
                .with_repetition(Repetition::OPTIONAL)
                .with_logical_type(logical)
                .build()
        }
        FeatureKind::Struct(fields) => struct_type(name, fields),
        FeatureKind::List(fields) => {
            let repeated = Type::group_type_builder("list")
                .with_repetition(Repetition::REPEATED)
                .with_fields(vec![Arc::new(struct_type("element", fields)?)])
                .build()?;
            Type::group_type_builder(name)
                .with_repetition(Repetition::OPTIONAL)
                .with_logical_type(Some(LogicalType::List))
                .with_fields(vec![Arc::new(repeated)])
                .build()
        }
    };
    built.map(Arc::new)
}

fn struct_type(name: &str, fields: &[Feature]) -> Result<Type, ParquetError> {
    let fields = fields.iter().map(feature_type);
    Type::group_type_builder(name)
        .with_repetition(Repetition::OPTIONAL)
        .with_fields(fields.collect::<Result<_, _>>()?)
        .build()
}

/// The values of a column, with Parquet's levels: how many steps to each value exist, and how many
/// of its lists it continues.
#[derive(Default)]
struct ShreddedColumn<'r> {
    values: Vec<&'r Value>,
    definitions: Vec<i16>,
    repetitions: Vec<i16>,
}

/// The place of a value: the steps that exist, the lists that it continues, and the lists it is in.
#[derive(Clone, Copy, Default)]
struct ValueLevels {
    definition: i16,
    repetition: i16,
    lists: i16,
}

impl<'r> ShreddedColumn<'r> {
    fn walk(&mut self, value: &'r Value, steps: &[LeafStep], levels: ValueLevels) {
        match steps {
            [] => {
                self.values.push(value);
                self.push_levels(levels);
            }
            [LeafStep::Member(name), rest @ ..] => {
                match value.get(name).filter(|value| !value.is_null()) {
                    None => self.push_levels(levels),
                    Some(value) => {
                        let definition = levels.definition + 1;
                        self.walk(value, rest, ValueLevels { definition, ..levels });
                    }
                }
            }
            [LeafStep::Elements, rest @ ..] => {
                let elements = value.as_array().map_or(&[][..], Vec::as_slice);
                if elements.is_empty() {
                    self.push_levels(levels);
                }
                let lists = levels.lists + 1;
                for (index, element) in elements.iter().enumerate() {
                    let repetition = if index == 0 { levels.repetition } else { lists };
                    // An element that is null exists, and its members do not.
                    let definition = levels.definition + 1 + i16::from(!element.is_null());
                    let levels = ValueLevels { definition, repetition, lists };
                    self.walk(element, rest, levels);
                }
            }
        }
    }

    fn push_levels(&mut self, levels: ValueLevels) {
        self.definitions.push(levels.definition);
        self.repetitions.push(levels.repetition);
    }
}

fn write_column<W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    column: &LeafColumn,
    rows: &[Value],
) -> Result<(), ParquetError> {
    let Some(mut writer) = group.next_column()? else {
        return Ok(());
    };
    let mut shredded = ShreddedColumn::default();
    for row in rows {
        shredded.walk(row, &column.steps, ValueLevels::default());
    }
    let definitions = Some(&shredded.definitions[..]);
    let repetitions = Some(&shredded.repetitions[..]);
    let values = shredded.values.iter();
    match writer.untyped() {
        ColumnWriter::BoolColumnWriter(writer) => {
            let values: Vec<bool> = values.map(|value| value.as_bool() == Some(true)).collect();
            writer.write_batch(&values, definitions, repetitions)?;
        }
        ColumnWriter::Int64ColumnWriter(writer) => {
            let values: Vec<i64> = values.filter_map(|value| value.as_i64()).collect();
            writer.write_batch(&values, definitions, repetitions)?;
        }
        ColumnWriter::DoubleColumnWriter(writer) => {
            let values: Vec<f64> = values.filter_map(|value| value.as_f64()).collect();
            writer.write_batch(&values, definitions, repetitions)?;
        }
        ColumnWriter::ByteArrayColumnWriter(writer) => {
            let values: Vec<ByteArray> = values
                .map(|value| match value {
                    Value::String(text) if column.dtype != "json" => text.as_str().into(),
                    value => value.to_string().as_str().into(),
                })
                .collect();
            writer.write_batch(&values, definitions, repetitions)?;
        }
        _ => {}
    }
    writer.close()
}
