//! The parts of types that `davit codegen --lang rust` makes of a schema: views of live objects, drafts of wanted ones, and what
//! compares and writes them.
//!
//! A draft holds what a controller wants; members that are not set are neither written nor compared:
//!
//! ```ignore
//! let wanted = WebAppDraft::named("default", "shop").spec(WebAppSpecDraft::new().image("shop:2"));
//! if !follows(live, &wanted) { /* patch it */ }
//! ```
mod condition;
mod draft;
mod json_equal;
mod quantity;
mod view;
mod writes;

pub use condition::{Condition, Conditions};
pub use draft::{
    follows, json_of, DraftField, Fields, IntOrString, KindDraft, Metadata, Mode, Owner, QuantityText, Raw, WantedDuration,
};
pub use quantity::{parse_duration, Quantity};
pub use view::{get, or, part, IntOrStringView, List, Map, MetadataView, Part, Read};
pub use writes::{apply, create_or_patch, patch_status, Written};
