//! Requests that are sent only if something is to be done.
use super::draft::{follows, json_of, DraftField, Fields, KindDraft, Mode};
use crate::{ApiResource, Ctx, JsonWriter, Key, PatchType, Request, Result, Value};

/// The request that was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    Nothing,
    Created,
    Patched,
}

fn key_of(wanted: &dyn KindDraft) -> Key {
    let metadata = wanted.metadata();
    Key::new(metadata.ns.clone().unwrap_or_default(), metadata.name.clone().unwrap_or_default())
}

/// Creates what the draft describes if `live` is `None`; else sends it as a patch if the live object does not follow it.
/// `PatchType::Strategic` keeps entries of others in lists of built-in kinds. Already exists and conflict mean that the cache lags, and
/// the sync may return them to be tried again.
pub fn create_or_patch(ctx: &Ctx<'_>, live: Option<Value<'_>>, wanted: &dyn KindDraft, kind: PatchType) -> Result<Written> {
    let resource = wanted.resource();
    let live = match live {
        Some(live) => live,
        None => {
            let mut body = JsonWriter::default();
            wanted.write(&mut body);
            ctx.create(&resource, &key_of(wanted).ns, body.text())?;
            return Ok(Written::Created);
        }
    };
    if wanted.follows(live) {
        return Ok(Written::Nothing);
    }
    ctx.patch(&resource, &live.key(), kind, &patch_of(live, wanted))?;
    Ok(Written::Patched)
}

/// The patch that brings `live` to the draft.
fn patch_of(live: Value<'_>, wanted: &dyn KindDraft) -> String {
    let mut out = JsonWriter::default();
    out.begin_object();
    wanted.each_field(&mut |mode, name, field| match (mode, name) {
        (_, "metadata") => write_metadata(&mut out, live, wanted),
        (Mode::Others, _) => field.write_members(&mut out),
        _ => field.write(out.key(name)),
    });
    out.end_object();
    out.into_text()
}

fn write_metadata(out: &mut JsonWriter, live: Value<'_>, wanted: &dyn KindDraft) {
    let present = live.metadata();
    let mut lists = false;
    out.key("metadata").begin_object();
    wanted.metadata().each_field(&mut |mode, name, field| {
        if mode != Mode::Among {
            return field.write(out.key(name));
        }
        if field.follows_in_any_order(present.get(name), true) {
            return;
        }
        // A patch replaces a list as a whole, so it has the entries of others, too.
        lists = true;
        out.key(name).begin_array();
        for each in present.get(name).elements().iter().filter(|each| !replaces(wanted, name, **each)) {
            out.raw(&each.json());
        }
        if name == "finalizers" {
            wanted.metadata().finalizers.iter().flatten().for_each(|each| each.write(out));
        } else {
            wanted.metadata().owners.iter().flatten().for_each(|each| each.write(out));
        }
        out.end_array();
    });
    if lists {
        // Entries that others added since must not be lost.
        out.member("resourceVersion", live.resource_version());
    }
    out.end_object();
}

/// Whether the draft has an entry that replaces `present`.
fn replaces(wanted: &dyn KindDraft, list: &str, present: Value<'_>) -> bool {
    let metadata = wanted.metadata();
    if list == "finalizers" {
        return metadata.finalizers.iter().flatten().any(|each| present.text() == Some(each));
    }
    metadata.owners.iter().flatten().any(|each| present.get("uid").text() == each.uid.as_deref())
}

/// Server-side apply: the object gets what the draft sets, and loses what this controller applied before and the draft no longer
/// has. Takes fields over from other managers.
pub fn apply<'call>(ctx: &Ctx<'call>, wanted: &dyn KindDraft) -> Result<Value<'call>> {
    let mut body = JsonWriter::default();
    wanted.write(&mut body);
    ctx.send(&Request::patch(&wanted.resource(), &key_of(wanted), PatchType::Apply, body.text()).force())
}

/// Writes what the live status does not follow to the status subresource. Success if the object is gone.
pub fn patch_status(ctx: &Ctx<'_>, resource: &dyn ApiResource, live: Value<'_>, status: &dyn DraftField) -> Result<Written> {
    if follows(live.get("status"), status) {
        return Ok(Written::Nothing);
    }
    match ctx.patch_status(resource, &live.key(), &json_of(status)) {
        Err(error) if error.is_not_found() => Ok(Written::Nothing),
        other => other.map(|_| Written::Patched),
    }
}
