//! Variables of the environment that look like those of options, and are none.

use crate::files::output::print_message;
use crate::settings::cli::{misspelt_variables, option_of_unknown_variable};
use crate::settings::key_like_option;

/// Says which variables of the environment look like a misspelling of one that sets an option, or like
/// a key of the configuration, which none sets.
pub(crate) fn report() {
    let names = || std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    for (name, nearest) in misspelt_variables(names()) {
        print_message(&format!(
            "epitome: warning: no option has the variable {name}; did you mean {nearest}?"
        ));
    }
    for name in names() {
        let option = option_of_unknown_variable(&name);
        if let Some(assignment) = option.and_then(|option| key_like_option(&option)) {
            print_message(&format!(
                "epitome: warning: the variable {name} sets nothing; --set {assignment} does"
            ));
        }
    }
}
