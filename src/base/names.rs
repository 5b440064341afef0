//! Names of the variants of enums.

/// Gives an enum a method that returns the name of each variant, or what else is said of it.
macro_rules! names {
    ($vis:vis $type:ident::$method:ident: $($variant:ident $name:literal),+ $(,)?) => {
        impl $type {
            #[doc = concat!("Returns the ", stringify!($method), " of the variant.")]
            $vis fn $method(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),+
                }
            }
        }
    };
}
pub(crate) use names;
