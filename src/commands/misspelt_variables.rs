//! Variables of the environment that look like those of options, and are none.

use crate::files::output::print_message;
use crate::settings::cli::{misspelt_variables, option_of_unknown_variable, tip_for_option};
use crate::settings::key_like_option;

/// Says which variables of the environment spell an option that is gone or a key of the
/// configuration, which none sets, or look like a misspelling of one that sets an option.
pub(crate) fn report() {
    for name in std::env::vars_os().filter_map(|(name, _)| name.into_string().ok()) {
        let option = option_of_unknown_variable(&name);
        let tip = option.and_then(|option| tip_for_option(&option, key_like_option));
        let misspelt = || misspelt_variables(std::iter::once(name.clone())).next();
        if let Some(tip) = tip {
            print_message(&format!("epitome: warning: the variable {name} sets nothing; {tip}"));
        } else if let Some((_, nearest)) = misspelt() {
            print_message(&format!(
                "epitome: warning: no option has the variable {name}; did you mean {nearest}?"
            ));
        }
    }
}
