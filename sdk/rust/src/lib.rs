//! davit: controllers for the davit host, in Rust. No other crates; needs rustc 1.63.
//!
//! A plugin has one [`plugin!`] and a type that implements [`Controller`]. The host calls it with a [`Ctx`], which is the only way
//! to the host and ends with the call; a [`Handle`] is for other threads. [`abi`] is the C contract of `<davit/abi.h>`.
//!
//! | to do this | use |
//! | --- | --- |
//! | read what the note watches | [`Setup::informer`], [`Informer`], [`Value`] |
//! | follow a resource that is known at run time only | [`Ctx::open`] with a [`Watch`], [`DynamicInformer`] |
//! | find out what the server offers | [`Ctx::discovery`] |
//! | write, and read from the server | [`Ctx::send`] with a [`Request`], [`Ctx::batch`], [`Ctx::fan_out`], [`Ctx::list_pages`], [`Ctx::stream`] |
//! | keep an object beyond a call | [`Ctx::retain`] |
//! | act on what does not come | [`InformerOptions::silence_max`], [`Informer::freshness`] |
//! | show health, a page, a configuration | [`Controller::health`], [`Controller::debug_page`], [`Controller::configure`] |
//! | hand a state to the next build | [`HandedState`] |
//! | send requests to servers outside the cluster | [`http`] |
//! | provide load balancers, machines or routes of a cloud | [`cloud`] |
//! | work with types that `davit codegen --lang rust` makes | [`typed`] |
//! | test a controller on a cluster in memory | [`testing`] |
//!
//! With the feature `serde`, `Value::deserialize` reads types that implement `Deserialize`, and `to_json` writes those that
//! implement `Serialize`.
//!
//! # What the compiler refuses
//!
//! A [`Ctx`] and what it lends (values, texts, what discovery found) cannot outlive the call, nor be sent to another thread. A
//! response of [`Ctx::fan_out`] cannot outlive its callback, a value of a [`Retained`] neither that nor the call. A
//! [`DynamicInformer`] cannot be used after it was closed.
//!
//! # Safety at the boundary
//!
//! Each function that the host calls runs the plugin's code under `catch_unwind`; a panic in a closure that the host calls back
//! goes on behind the host's function. Tables and structs of the host are read as far as both sides know them: members of a later
//! minor read as zero on an older host.

pub mod abi;
mod cache;
mod callback;
pub mod cloud;
pub mod cloud_abi;
mod controller;
mod ctx;
#[cfg(feature = "serde")]
mod de;
mod debug_page;
mod discovery;
mod dynamic;
mod entry;
mod error;
mod fan_out;
mod handle;
mod host;
pub mod http;
mod json;
mod metric;
mod note;
mod request;
mod retained;
#[cfg(feature = "serde")]
mod ser;
mod sized;
mod state;
pub mod testing;
mod text;
mod time;
pub mod typed;
mod value;

pub use cache::{Change, Event, Found, Freshness, Index, Informer, Queue};
pub use controller::{Again, Controller, InformerOptions, QueueOptions, Setup, Timer};
pub use ctx::{Ctx, EventType, Level};
pub use debug_page::DebugPage;
pub use discovery::{Catalog, Discovery, Scope, ServedResource, UnknownVersion};
pub use dynamic::{DynamicInformer, Synced, Watch};
pub use entry::init;
pub use error::{Error, Result, Unless};
pub use fan_out::ListPage;
pub use handle::Handle;
pub use json::{JsonWriter, ToJson};
pub use metric::{Metric, MetricKind};
pub use note::Note;
pub use request::{controller_reference, PatchType, Priority, Propagation, Request, Verb};
pub use retained::Retained;
#[cfg(feature = "serde")]
pub use ser::to_json;
pub use state::{Fields, HandedState};
pub use text::{percent_escaped, ApiResource, Key, OwnedResource, Resource};
pub use time::Time;
pub use value::{Kind, Value};

/// Places the note and the table: `plugin!(NOTE, ["name-controller" => Type, …])`, once in a plugin. `NOTE` is a constant
/// `&str` of the JSON that docs/ABI.md describes.
#[macro_export]
macro_rules! plugin {
    ($note:expr, [$($name:literal => $controller:ty),+ $(,)?]) => {
        /// The text of the note, for tests.
        pub const DAVIT_NOTE_TEXT: &str = $note;
        #[used]
        #[link_section = ".note.davit"]
        static DAVIT_NOTE: $crate::Note<{ (DAVIT_NOTE_TEXT.len() + 4) / 4 * 4 }> = $crate::Note::new(DAVIT_NOTE_TEXT);

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
        /// The table, for the host.
        #[no_mangle]
        pub extern "C" fn davit_plugin_v1() -> *const $crate::abi::davit_plugin {
            &DAVIT_PLUGIN
        }
    };
}
