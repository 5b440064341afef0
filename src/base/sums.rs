//! Sums that are structs.

use std::ops::AddAssign;

/// Implements `+=` for a struct that holds sums: adds each field.
macro_rules! add_fields {
    ($sums:ident: $($field:ident),+) => {
        impl std::ops::AddAssign for $sums {
            fn add_assign(&mut self, other: Self) {
                // A field that is forgotten does not compile.
                let Self { $($field),+ } = other;
                $(self.$field += $field;)+
            }
        }
    };
}
pub(crate) use add_fields;

/// Adds to a sum that reports leave out as long as nothing was added.
pub(crate) fn add_some<S: AddAssign<A> + Default, A>(sum: &mut Option<S>, added: Option<A>) {
    if let Some(added) = added {
        *sum.get_or_insert_default() += added;
    }
}
