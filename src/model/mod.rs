//! Input limits and prices of models. A name is looked up exactly, in the
//! user's own table first and then in the embedded one; only a name that is in
//! neither is looked up by another spelling. `docs/reference/formats.md` has the
//! rules.

mod lookup;
mod prices;
mod providers;
mod spelling;
mod table;

pub(crate) use lookup::{KnownModel, Models, ResolvedModel};
pub(crate) use prices::{ModelPrice, Prices};
pub(crate) use table::{LimitsError, ModelLimits, parse_limits, table_origin};
