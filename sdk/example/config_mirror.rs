//! Copies ConfigMaps and Secrets to other namespaces and keeps the copies equal.
//!
//! The annotation `config-mirror.davit.dev/to: "team-a,test-*"` names where to; a name that ends with `*` means every namespace
//! that begins so. A copy bears the label `config-mirror.davit.dev/from` with its source's namespace, and goes when the source
//! goes or no longer names the namespace. An object of that name without the label is somebody else's and is left alone.
use davit::abi::DAVIT_NOT_FOUND;
use davit::{Again, Change, Controller, Ctx, Event, Informer, JsonWriter, Key, PatchType, Queue, Resource, Result, Setup};
use davit::{Unless, Value};

const TO: &str = "config-mirror.davit.dev/to";
const FROM: &str = "config-mirror.davit.dev/from";

static CONFIG_MAPS: Resource = Resource { group: "", version: "v1", resource: "configmaps", kind: "ConfigMap" };
static SECRETS: Resource = Resource { group: "", version: "v1", resource: "secrets", kind: "Secret" };
static NAMESPACES: Resource = Resource { group: "", version: "v1", resource: "namespaces", kind: "Namespace" };

/// What a copy has of its source, as the notes declare.
const OF_CONFIG_MAPS: [&str; 2] = ["data", "binaryData"];
const OF_SECRETS: [&str; 2] = ["data", "type"];

struct Mirror {
    watched: &'static Resource,
    copied: [&'static str; 2],
    queue: Queue,
    objects: Informer,
    namespaces: Informer,
}

/// Whether `to`, a source's annotation, names the namespace.
fn names(to: &str, ns: &str) -> bool {
    to.split(',').map(str::trim).any(|each| match each.strip_suffix('*') {
        Some(begin) => ns.starts_with(begin),
        None => each == ns,
    })
}

impl Mirror {
    fn open(setup: &mut Setup<impl Controller>, queue: &str, watched: &'static Resource, copied: [&'static str; 2]) -> Result<Mirror> {
        Ok(Mirror {
            watched,
            copied,
            queue: setup.queue(queue)?,
            objects: setup.informer(watched)?,
            namespaces: setup.informer(&NAMESPACES)?,
        })
    }

    fn changed(&self, ctx: &Ctx, event: &Event) -> Result<()> {
        let key = event.object.key();
        if event.resource == &NAMESPACES {
            if event.change != Change::Added {
                return Ok(());
            }
            let sources = self.objects.list(ctx)?.into_iter().filter(|each| each.annotation(TO).is_some());
            return sources.map(|each| self.queue.add(ctx, &each.key())).collect();
        }
        match event.object.label(FROM) {
            Some(from) => self.queue.add(ctx, &Key { ns: from.to_string(), name: key.name }),
            None => self.queue.add(ctx, &key),
        }
    }

    /// The namespaces that are to have a copy of the object at `key`.
    fn wanted(&self, ctx: &Ctx, key: &Key) -> Result<Vec<String>> {
        let source = self.objects.get(ctx, key)?.filter(|source| !source.is_being_deleted() && source.label(FROM).is_none());
        let to = match source.and_then(|source| source.annotation(TO)) {
            Some(to) => to,
            None => return Ok(Vec::new()),
        };
        let alive = self.namespaces.list(ctx)?.into_iter().filter(|each| !each.is_being_deleted());
        Ok(alive.map(|each| each.key().name).filter(|ns| *ns != key.ns && names(to, ns)).collect())
    }

    fn sync(&self, ctx: &Ctx, key: &Key) -> Result<Again> {
        let wanted = self.wanted(ctx, key)?;
        for copy in self.objects.list(ctx)? {
            let place = copy.key();
            let ours = copy.label(FROM) == Some(&key.ns) && place.name == key.name;
            if ours && !wanted.contains(&place.ns) && !copy.is_being_deleted() {
                ctx.delete(self.watched, copy)?;
            }
        }
        for ns in wanted {
            if let Some(source) = self.objects.get(ctx, key)? {
                self.write_copy(ctx, &source, Key { ns, name: key.name.clone() })?;
            }
        }
        Ok(Again::WhenChanged)
    }

    fn write_copy(&self, ctx: &Ctx, source: &Value, place: Key) -> Result<()> {
        let copy = match self.objects.get(ctx, &place)? {
            Some(copy) => copy,
            None => return ctx.create(self.watched, &place.ns, &new_copy(source, &self.copied)).map(|_| ()),
        };
        let ours = copy.label(FROM) == Some(source.ns());
        let differing: Vec<String> = self
            .copied
            .iter()
            .filter(|member| !source.get(member).equals(copy.get(member)))
            .map(|member| match source.get(member).json() {
                none if none.is_empty() => format!(r#"{{"op":"remove","path":"/{}"}}"#, member),
                json => format!(r#"{{"op":"add","path":"/{}","value":{}}}"#, member, json),
            })
            .collect();
        if !ours || differing.is_empty() {
            return Ok(());
        }
        let patch = format!("[{}]", differing.join(","));
        ctx.patch(self.watched, &place, PatchType::Json, &patch).unless(DAVIT_NOT_FOUND).map(|_| ())
    }
}

/// The body of a copy that is not there yet.
fn new_copy(source: &Value, copied: &[&str]) -> String {
    let mut body = JsonWriter::default();
    body.begin_object().key("metadata").begin_object().member("name", source.name());
    body.key("labels").begin_object().member(FROM, source.ns()).end_object().end_object();
    for member in copied.iter().filter(|member| !source.get(member).is_absent()) {
        body.member(member, &source.get(member));
    }
    body.end_object();
    body.into_text()
}

struct ConfigMapMirror(Mirror);
struct SecretMirror(Mirror);

impl Controller for ConfigMapMirror {
    fn new(setup: &mut Setup<Self>) -> Result<Self> {
        Mirror::open(setup, "configmap-mirror", &CONFIG_MAPS, OF_CONFIG_MAPS).map(ConfigMapMirror)
    }
    fn changed(&self, ctx: &Ctx, event: &Event) -> Result<()> {
        self.0.changed(ctx, event)
    }
    fn sync(&self, ctx: &Ctx, key: &Key) -> Result<Again> {
        self.0.sync(ctx, key)
    }
}

impl Controller for SecretMirror {
    fn new(setup: &mut Setup<Self>) -> Result<Self> {
        Mirror::open(setup, "secret-mirror", &SECRETS, OF_SECRETS).map(SecretMirror)
    }
    fn changed(&self, ctx: &Ctx, event: &Event) -> Result<()> {
        self.0.changed(ctx, event)
    }
    fn sync(&self, ctx: &Ctx, key: &Key) -> Result<Again> {
        self.0.sync(ctx, key)
    }
}

davit::plugin!(
    r#"{"name":"config-mirror","version":"0.1.0","abi":"1.0",
  "requires":["davit.object/1","davit.informer/1","davit.queue/1","davit.client/1"],
  "controllers":[
    {"name":"configmap-mirror-controller","aliases":["configmap-mirror"],"workers":2,
     "rules":[{"group":"","resource":"configmaps","verbs":["create","patch","delete"]}],
     "watches":[
       {"group":"","version":"v1","resource":"configmaps",
        "projection":["metadata.labels","metadata.annotations","metadata.deletionTimestamp","data","binaryData"]},
       {"group":"","version":"v1","resource":"namespaces","projection":["metadata.deletionTimestamp"]}]},
    {"name":"secret-mirror-controller","aliases":["secret-mirror"],"workers":2,
     "rules":[{"group":"","resource":"secrets","verbs":["create","patch","delete"]}],
     "watches":[
       {"group":"","version":"v1","resource":"secrets",
        "projection":["metadata.labels","metadata.annotations","metadata.deletionTimestamp","data","type"]},
       {"group":"","version":"v1","resource":"namespaces","projection":["metadata.deletionTimestamp"]}]}]}"#,
    ["configmap-mirror-controller" => ConfigMapMirror, "secret-mirror-controller" => SecretMirror]
);
