//! Variables of the environment that look like those of options, and are none.

use crate::files::output::print_message;
use crate::settings::cli::misspelt_variables;

/// Says which variables of the environment look like a misspelling of one that sets an option.
pub(crate) fn report() {
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    for (name, nearest) in misspelt_variables(names) {
        print_message(&format!(
            "epitome: warning: no option has the variable {name}; did you mean {nearest}?"
        ));
    }
}
