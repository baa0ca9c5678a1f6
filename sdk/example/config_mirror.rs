//! Copies ConfigMaps and Secrets to other namespaces and keeps the copies equal.
//!
//! The annotation `config-mirror.davit.dev/to: "team-a,test-*"` names where to; a name that ends with `*` means every namespace
//! that begins so. A copy bears the label `config-mirror.davit.dev/from` with its source's namespace, and goes when the source
//! goes or no longer names the namespace. An object of that name without the label is somebody else's and is left alone.
use davit::{Again, Change, Controller, Ctx, Event, Informer, Key, PatchType, Queue, Resource, Result, Setup, Value};

const TO: &str = "config-mirror.davit.dev/to";
const FROM: &str = "config-mirror.davit.dev/from";

static CONFIG_MAPS: Resource = Resource { group: "", version: "v1", resource: "configmaps", kind: "ConfigMap" };
static SECRETS: Resource = Resource { group: "", version: "v1", resource: "secrets", kind: "Secret" };
static NAMESPACES: Resource = Resource { group: "", version: "v1", resource: "namespaces", kind: "Namespace" };

/// What a copy has of its source.
const COPIED: [&str; 3] = ["data", "binaryData", "type"];

struct Mirror {
    watched: &'static Resource,
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
    fn open(setup: &mut Setup<impl Controller>, queue: &str, watched: &'static Resource) -> Result<Mirror> {
        Ok(Mirror {
            watched,
            queue: setup.queue(queue)?,
            objects: setup.informer(watched)?,
            namespaces: setup.informer(&NAMESPACES)?,
        })
    }

    fn changed(&self, ctx: &Ctx, event: &Event) {
        let key = event.object.key();
        if event.resource == &NAMESPACES {
            if event.change == Change::Added {
                let sources = self.objects.list(ctx);
                sources.iter().filter(|each| each.annotation(TO).is_some()).for_each(|each| self.queue.add(ctx, &each.key()));
            }
            return;
        }
        match event.object.label(FROM) {
            Some(from) => self.queue.add(ctx, &Key { ns: from.to_string(), name: key.name }),
            None => self.queue.add(ctx, &key),
        }
    }

    /// The namespaces that are to have a copy of the object at `key`.
    fn wanted(&self, ctx: &Ctx, key: &Key) -> Vec<String> {
        let source = self.objects.get(ctx, key).filter(|source| !source.is_being_deleted() && source.label(FROM).is_none());
        let to = match source.and_then(|source| source.annotation(TO)) {
            Some(to) => to,
            None => return Vec::new(),
        };
        let alive = self.namespaces.list(ctx).into_iter().filter(|each| !each.is_being_deleted());
        alive.map(|each| each.key().name).filter(|ns| *ns != key.ns && names(to, ns)).collect()
    }

    fn sync(&self, ctx: &Ctx, key: &Key) -> Result<Again> {
        let wanted = self.wanted(ctx, key);
        for copy in self.objects.list(ctx) {
            let place = copy.key();
            let ours = copy.label(FROM) == Some(&key.ns) && place.name == key.name;
            if ours && !wanted.contains(&place.ns) && !copy.is_being_deleted() {
                gone_is_fine(ctx.delete(self.watched, &place, copy.uid()))?;
            }
        }
        for ns in wanted {
            if let Some(source) = self.objects.get(ctx, key) {
                self.write_copy(ctx, &source, Key { ns, name: key.name.clone() })?;
            }
        }
        Ok(Again::WhenChanged)
    }

    fn write_copy(&self, ctx: &Ctx, source: &Value, place: Key) -> Result<()> {
        let copy = match self.objects.get(ctx, &place) {
            Some(copy) => copy,
            None => return ctx.create(self.watched, &place.ns, &new_copy(source)),
        };
        let ours = copy.label(FROM) == source.metadata().get("namespace").text();
        let differing: Vec<String> = COPIED
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
        gone_is_fine(ctx.patch(self.watched, &place, PatchType::Json, &format!("[{}]", differing.join(","))))
    }
}

/// The body of a copy that is not there yet.
fn new_copy(source: &Value) -> String {
    let metadata = source.metadata();
    let (name, ns) = (metadata.get("name").json(), metadata.get("namespace").json());
    let mut body = format!(r#"{{"metadata":{{"name":{},"labels":{{"{}":{}}}}}"#, name, FROM, ns);
    for member in COPIED {
        let json = source.get(member).json();
        if !json.is_empty() {
            body += &format!(r#","{}":{}"#, member, json);
        }
    }
    body + "}"
}

fn gone_is_fine(written: Result<()>) -> Result<()> {
    match written {
        Err(error) if error.is_not_found() => Ok(()),
        other => other,
    }
}

struct ConfigMapMirror(Mirror);
struct SecretMirror(Mirror);

impl Controller for ConfigMapMirror {
    fn new(setup: &mut Setup<Self>) -> Result<Self> {
        Mirror::open(setup, "configmap-mirror", &CONFIG_MAPS).map(ConfigMapMirror)
    }
    fn changed(&self, ctx: &Ctx, event: &Event) {
        self.0.changed(ctx, event)
    }
    fn sync(&self, ctx: &Ctx, key: &Key) -> Result<Again> {
        self.0.sync(ctx, key)
    }
}

impl Controller for SecretMirror {
    fn new(setup: &mut Setup<Self>) -> Result<Self> {
        Mirror::open(setup, "secret-mirror", &SECRETS).map(SecretMirror)
    }
    fn changed(&self, ctx: &Ctx, event: &Event) {
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
