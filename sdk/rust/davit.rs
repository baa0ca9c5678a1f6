//! davit: controllers for the davit host, in Rust. No other crates; needs rustc 1.63.
//!
//! A plugin is one file with one [`plugin!`] and a type that implements [`Controller`]. The module [`abi`] is the C contract
//! of `<davit/abi.h>`, type by type; what stands above it here is all that most plugins need. A panic ends the call in
//! which it happened, as an error of that key, and nothing else.

pub mod abi;
mod basics;
mod cache;
mod controller;
mod ctx;
mod state;
mod value;

pub use basics::{Again, Error, Key, Resource, Result};
pub use cache::{Change, Event, Informer, Queue, Waker};
pub use controller::{init, Controller, Setup};
pub use ctx::{Ctx, PatchType};
pub use state::{Fields, HandedState, JsonWriter};
pub use value::Value;

/// Places the note and the table: `plugin!(NOTE, ["name-controller" => Type, …])`, once in a plugin. `NOTE` is a constant
/// `&str` of the JSON that docs/ABI.md describes.
#[macro_export]
macro_rules! plugin {
    ($note:expr, [$($name:literal => $controller:ty),+ $(,)?]) => {
        const DAVIT_NOTE_TEXT: &str = $note;
        #[used]
        #[link_section = ".note.davit"]
        static DAVIT_NOTE: $crate::abi::davit_note<{ (DAVIT_NOTE_TEXT.len() + 4) / 4 * 4 }> =
            $crate::abi::davit_note::new(DAVIT_NOTE_TEXT);

        const DAVIT_ROW_COUNT: usize = [$($name),+].len();
        static DAVIT_ROWS: [$crate::abi::davit_row; DAVIT_ROW_COUNT] = [$(
            $crate::abi::davit_row {
                name: $crate::abi::davit_str { data: $name.as_ptr(), size: $name.len() },
                init: $crate::init::<$controller>,
            },
        )+];
        static DAVIT_PLUGIN: $crate::abi::davit_plugin = $crate::abi::davit_plugin {
            size: std::mem::size_of::<$crate::abi::davit_plugin>() as u32,
            row_size: std::mem::size_of::<$crate::abi::davit_row>() as u32,
            rows: &DAVIT_ROWS as *const _ as *const $crate::abi::davit_row,
            row_count: DAVIT_ROW_COUNT,
        };
        #[no_mangle]
        pub extern "C" fn davit_plugin_v1() -> *const $crate::abi::davit_plugin {
            &DAVIT_PLUGIN
        }
    };
}
