//! Rows: a record in, a row out, so that an engine can run the program as a filter.
//!
//! A row depends on its record and the policy and on nothing else: no clock, no other record, no
//! file. Everything that a run would write for the record is in the row, which restores it.

mod piece_reader;
mod row;
mod row_reader;
mod row_schema;
mod stream_row_maker;
mod unpacked_row;

pub(crate) use piece_reader::{PieceKind, PieceReader};
pub(crate) use row::StreamRow;
pub(crate) use row_reader::{RowReader, StreamRowError};
pub(crate) use row_schema::render_schema;
pub(crate) use stream_row_maker::StreamRowMaker;
pub(crate) use unpacked_row::last_unit;
