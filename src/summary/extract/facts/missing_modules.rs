//! Tells whether a module of Python that a call missed was installed since.

use super::exchanges::Exchange;
use crate::summary::extract::lexicon::shell_words::INSTALLING_COMMANDS;

/// What Python says of a module that is not installed.
const NO_MODULE: &str = "No module named '";

/// Returns true if a call failed for lack of a module that any of the `later` calls installed.
pub(super) fn is_module_installed(call: &Exchange<'_>, later: &[Exchange<'_>]) -> bool {
    let module = call.result.and_then(missing_module);
    module.is_some_and(|module| {
        let mut worked = later.iter().filter(|later| !later.failed);
        worked.any(|later| installs(later, module))
    })
}

/// Returns the name of the module that a program of Python misses.
fn missing_module(result: &str) -> Option<&str> {
    let (_, rest) = result.split_once(NO_MODULE)?;
    let (name, _) = rest.split_once('\'')?;
    name.split('.').next().filter(|name| !name.is_empty())
}

/// Returns true if the command of a call installs a module.
fn installs(call: &Exchange<'_>, module: &str) -> bool {
    call.whole_command().is_some_and(|command| {
        INSTALLING_COMMANDS.iter().any(|install| {
            let installed = command.split_once(install).map_or("", |(_, names)| names);
            installed.replace('-', "_").contains(module)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::extract::facts::call_form::CallForm;
    use crate::summary::extract::facts::exchanges::Exchanges;

    #[test]
    fn only_the_module_that_was_missed_counts() {
        let mut exchanges = Exchanges::default();
        for (command, result, failed) in [
            (
                "python run.py",
                "ModuleNotFoundError: No module named 'pump_lib.core'",
                true,
            ),
            (
                "pip install pump-lib",
                "Successfully installed pump-lib",
                false,
            ),
            (
                "python other.py",
                "ModuleNotFoundError: No module named 'valves'",
                true,
            ),
            ("pip install valves", "no such package", true),
        ] {
            let index = exchanges.push_call(0, CallForm::Command(command));
            exchanges.set_result(index, result, failed);
        }
        let is_installed =
            |at: usize| is_module_installed(&exchanges.all[at], &exchanges.all[at + 1..]);
        assert!(is_installed(0) && !is_installed(1) && !is_installed(2));
    }
}
