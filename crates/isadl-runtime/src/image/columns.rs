//! Columns of the image: each part lists its own once, and what the engine sees of them follows.

/// A column as its part owns it.
pub(super) trait Column {
    /// The column as the engine sees it.
    type View<'a>
    where
        Self: 'a;

    fn view(&self) -> Self::View<'_>;
}

impl<T> Column for Vec<T> {
    type View<'a>
        = &'a [T]
    where
        T: 'a;

    fn view(&self) -> &[T] {
        self
    }
}

impl Column for String {
    type View<'a> = &'a str;

    fn view(&self) -> &str {
        self
    }
}

/// Numbers are the same to both.
macro_rules! numbers {
    ($($number:ty)*) => {$(
        impl Column for $number {
            type View<'a> = $number;

            fn view(&self) -> $number {
                *self
            }
        }
    )*};
}

numbers!(bool u8 u32 u64 u128);

/// Declares a part of the image. `own` is what the engine does not see, `columns` are the columns that it sees, and
/// `seen` is what it sees besides, computed from the part.
macro_rules! part {
    (
        $(#[$doc:meta])*
        $name:ident for $seen_as:ident;
        own { $($(#[$own_doc:meta])* $own_vis:vis $own:ident: $own_type:ty,)* }
        columns { $($vis:vis $column:ident: $type:ty,)* }
        seen |$part:ident| { $($seen:ident: $value:expr,)* }
    ) => {
        $(#[$doc])*
        #[derive(Debug)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub struct $name {
            $($(#[$own_doc])* $own_vis $own: $own_type,)*
            $($vis $column: $type,)*
        }

        impl $name {
            /// The tables as the engine reads them.
            pub fn view(&self) -> $seen_as<'_> {
                let $part = self;
                $seen_as {
                    $($column: $crate::image::columns::Column::view(&$part.$column),)*
                    $($seen: $value,)*
                }
            }
        }
    };
}

pub(super) use part;
