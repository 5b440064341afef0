//! Input limits and prices of models. A name is looked up exactly, in the user's own table first,
//! then in the embedded one. A name in neither table is retried in other spellings (`spelling.rs`).

mod lookup;
mod prices;
mod profiles;
mod resolved_model;
mod row_search;
mod spelling;
mod table;

pub(crate) use lookup::Models;
pub(crate) use prices::{ModelPrice, Prices};
pub(crate) use profiles::ProfileRelease;
pub(crate) use resolved_model::{KnownModel, ResolvedModel, is_unknown_limit};
pub(crate) use table::{ModelLimits, parse_limits, table_origin};
