//! What a controller finds out and keeps at run time: dynamic informers, discovery, freshness of caches, retained objects.
use davit::abi::*;
use davit::testing::Records;
use davit::{Again, ApiResource, Change, DynamicInformer, InformerOptions, Key, OwnedResource, PatchType, Request, Resource};
use davit::{Retained, Scope, Synced, Watch};
use davit_tests::*;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::time::Duration;

type Shared<T> = Arc<Mutex<T>>;

// ---- Dynamic informers ----

/// An informer that a test opens in its first sync, and what its handler has seen.
#[derive(Default)]
struct Opened {
    informer: RefCell<Option<DynamicInformer>>,
    seen: Shared<Vec<String>>,
    states: RefCell<Vec<Synced>>,
}

/// Opens an informer in the first sync, and records in each one whether it is synced.
fn opener(watch: impl Fn() -> Watch<'static> + 'static) -> Rc<Opened> {
    let opened = Rc::new(Opened::default());
    let kept = opened.clone();
    on_sync(move |this, ctx, _| {
        let mut informer = kept.informer.borrow_mut();
        if informer.is_none() {
            let seen = kept.seen.clone();
            let watch = watch().wake(&this.queue, &web()).on_change(move |_, found| {
                let sign = match found.change {
                    Change::Added => "+",
                    Change::Updated => "~",
                    Change::Deleted => "-",
                };
                seen.lock().unwrap().push(format!("{}{}", sign, found.object.key()));
                Ok(())
            });
            *informer = Some(ctx.open(watch)?);
        }
        let state = informer.as_ref().unwrap().synced(ctx)?;
        let mut states = kept.states.borrow_mut();
        if states.last() != Some(&state) {
            states.push(state);
        }
        Ok(Again::After(Duration::from_secs(1)))
    });
    opened
}

#[test]
fn an_informer_opened_in_a_sync_delivers_what_there_is_and_what_comes() {
    let cluster = cluster();
    let opened = opener(|| Watch::new(&WIDGETS).index("owner", &["metadata.namespace", "spec.owner"]));
    cluster.add(&widget("default", "a", "x"));
    cluster.add(&pod("web", "{}", "n"));
    start(&cluster);
    cluster.add(&widget("other", "b", "x"));
    cluster.advance(Duration::from_secs(1));
    cluster.merge(&WIDGETS, &Key::new("other", "b"), r#"{"spec":{"size":1}}"#);
    cluster.remove(&WIDGETS, &Key::new("default", "a"));
    cluster.run_until_idle();
    assert_eq!(*opened.seen.lock().unwrap(), ["+default/a", "+other/b", "~other/b", "-default/a"]);
    assert_eq!(*opened.states.borrow(), [Synced::NotYet, Synced::Yes]);

    let reads = Rc::new(Cell::new(0));
    let counted = reads.clone();
    on_sync(move |_, ctx, _| {
        let informer = opened.informer.borrow_mut().take();
        if let Some(informer) = informer {
            let names = |found: davit::Result<Vec<davit::Value<'_>>>| {
                found.unwrap().iter().map(|each| each.key().to_string()).collect::<Vec<_>>()
            };
            let found = informer.get(ctx, &Key::new("other", "b"))?.unwrap();
            assert_eq!(found.get("spec").get("owner").text(), Some("x"));
            assert!(informer.get(ctx, &Key::new("other", "c"))?.is_none());
            assert_eq!(names(informer.list(ctx)), ["other/b"]);
            assert_eq!(names(informer.in_namespace(ctx, "other")), ["other/b"]);
            assert_eq!(names(informer.by(ctx, "owner", &["other", "x"])), ["other/b"]);
            assert!(names(informer.by(ctx, "owner", &["x", "other"])).is_empty());
            assert!(names(informer.controlled_by(ctx, found)).is_empty());
            assert!(names(informer.by_label(ctx, "other", "a", "b")).is_empty());
            assert_eq!(informer.by(ctx, "owner", &["x"]).unwrap_err().code, DAVIT_INVALID);
            assert_eq!(informer.by(ctx, "colour", &["x"]).unwrap_err().code, DAVIT_MISUSE);
            informer.close(ctx)?;
            counted.set(1);
        }
        Ok(Again::WhenChanged)
    });
    cluster.advance(Duration::from_secs(1));
    assert_eq!(reads.get(), 1);
    assert_eq!(cluster.records(Records::Failures), Vec::<String>::new());
}

/// The number of the strong references to what a handler has captured says whether the handler is still there.
#[test]
fn a_closed_informer_and_a_dropped_one_free_their_handlers_and_deliver_no_more() {
    let cluster = cluster();
    cluster.add(&widget("default", "a", "x"));
    cluster.add(&pod("web", "{}", "n"));
    for is_dropped in [false, true] {
        let opened = opener(|| Watch::new(&WIDGETS));
        cluster.start(davit_plugin_v1(), NAME).unwrap();
        cluster.advance(Duration::from_secs(2));
        assert_eq!(Arc::strong_count(&opened.seen), 2);
        let kept = opened.clone();
        on_sync(move |_, ctx, _| {
            match kept.informer.borrow_mut().take() {
                Some(informer) if !is_dropped => informer.close(ctx)?,
                taken => drop(taken),
            }
            Ok(Again::WhenChanged)
        });
        cluster.advance(Duration::from_secs(2));
        assert_eq!(Arc::strong_count(&opened.seen), 1, "dropped: {}", is_dropped);
        opened.seen.lock().unwrap().clear();
        cluster.add(&widget("default", &format!("b-{}", is_dropped), "x"));
        cluster.run_until_idle();
        assert!(opened.seen.lock().unwrap().is_empty());
        cluster.stop(NAME);
    }
    assert_eq!(cluster.records(Records::Violations), Vec::<String>::new());
}

#[test]
fn the_end_of_a_controller_frees_the_handlers_of_what_is_open() {
    let cluster = cluster();
    let opened = opener(|| Watch::new(&WIDGETS));
    cluster.add(&pod("web", "{}", "n"));
    start(&cluster);
    assert_eq!(Arc::strong_count(&opened.seen), 2);
    cluster.stop(NAME);
    assert_eq!(Arc::strong_count(&opened.seen), 1);
    drop(opened.informer.borrow_mut().take()); // Its controller has ended.
}

#[test]
fn a_missing_resource_delays_nothing_and_is_followed_while_it_is_served() {
    let cluster = cluster();
    let opened = opener(|| Watch::new(&WIDGETS));
    cluster.add(&pod("web", "{}", "n"));
    start(&cluster);
    cluster.advance(Duration::from_secs(1));
    assert_eq!(opened.states.borrow().last(), Some(&Synced::NotServed));
    cluster.add(&widget("default", "a", "x"));
    cluster.advance(Duration::from_secs(60));
    assert_eq!(opened.states.borrow().last(), Some(&Synced::Yes));
    let crd = Resource {
        group: "apiextensions.k8s.io",
        version: "v1",
        resource: "customresourcedefinitions",
        kind: "CustomResourceDefinition",
    };
    cluster.remove(&crd, &Key::new("", "widgets.example.com"));
    cluster.advance(Duration::from_secs(60));
    assert_eq!(opened.states.borrow().last(), Some(&Synced::NotServed));
    assert_eq!(cluster.records(Records::Failures), Vec::<String>::new());
}

#[test]
fn selectors_namespaces_and_forms_limit_what_is_followed() {
    let cluster = cluster();
    cluster.add(&widget("default", "a", "x"));
    cluster.add(&widget("other", "b", "x"));
    add_maps(&cluster, 2);
    let kept = RefCell::new(Vec::new());
    let seen: Shared<Vec<String>> = Shared::default();
    let noted = seen.clone();
    in_sync(&cluster, move |_, ctx| {
        let note = |name: &'static str| {
            let noted = noted.clone();
            move |_: &davit::Ctx<'_>, found: &davit::Found<'_>| {
                let spec = if found.object.get("spec").is_absent() { "" } else { " whole" };
                noted.lock().unwrap().push(format!("{} {}{}", name, found.object.key(), spec));
                Ok(())
            }
        };
        let owned = OwnedResource::of(&WIDGETS);
        let mut kept = kept.borrow_mut();
        kept.push(ctx.open(Watch::new(&owned).namespace("other").on_change(note("ns")))?);
        kept.push(ctx.open(Watch::new(&WIDGETS).fields("metadata.name=a").on_change(note("field")))?);
        kept.push(ctx.open(Watch::new(&WIDGETS).metadata_only().namespace("default").on_change(note("meta")))?);
        kept.push(ctx.open(Watch::new(&CONFIG_MAPS).labels("some=other").on_change(note("label")))?);
        kept.push(ctx.open(Watch::new(&PODS).reads(&["metadata.labels"]))?);
        Ok(())
    });
    let mut seen = seen.lock().unwrap();
    seen.sort();
    assert_eq!(*seen, ["field default/a whole", "meta default/a", "ns other/b whole"]);
}

#[test]
fn an_informer_that_the_note_does_not_allow_or_that_is_malformed_is_refused() {
    let cluster = cluster();
    in_sync(&cluster, |_, ctx| {
        let secrets = Resource { group: "", version: "v1", resource: "secrets", kind: "Secret" };
        assert_eq!(ctx.open(Watch::new(&secrets)).unwrap_err().code, DAVIT_UNDECLARED);
        let malformed = Resource { resource: "pods/../x", ..PODS };
        assert_eq!(ctx.open(Watch::new(&malformed)).unwrap_err().code, DAVIT_INVALID);
        let error = ctx.open(Watch::new(&WIDGETS).index("bad", &["a[]", "b[]"])).unwrap_err();
        assert_eq!(error.code, DAVIT_INVALID);
        let captured: Shared<()> = Shared::default();
        let kept = captured.clone();
        let refused = ctx.open(Watch::new(&secrets).on_change(move |_, _| {
            let _ = &kept;
            Ok(())
        }));
        assert!(refused.is_err() && Arc::strong_count(&captured) == 1, "its handler is freed");
        let mut open = Vec::new();
        let limit = loop {
            match ctx.open(Watch::new(&WIDGETS)) {
                Ok(informer) => open.push(informer),
                Err(error) => break error,
            }
        };
        assert_eq!((open.len(), limit.code), (16384, DAVIT_UNSUPPORTED));
        Ok(())
    });
}

#[test]
fn a_panic_in_the_handler_of_a_dynamic_informer_is_logged() {
    let cluster = cluster();
    cluster.add(&widget("default", "a", "x"));
    let kept = RefCell::new(None);
    in_sync(&cluster, move |_, ctx| {
        *kept.borrow_mut() = Some(ctx.open(Watch::new(&WIDGETS).on_change(|_, _| panic!("of the handler")))?);
        Ok(())
    });
    assert!(cluster.records(Records::Log).iter().any(|line| line.contains("panic: of the handler")));
}

struct PanicsAtItsEnd(Shared<u32>);
impl Drop for PanicsAtItsEnd {
    fn drop(&mut self) {
        *self.0.lock().unwrap() += 1;
        panic!("of what the handler captured");
    }
}

#[test]
fn panics_at_the_end_of_handlers_are_logged() {
    let cluster = cluster();
    let ends: Shared<u32> = Shared::default();
    let counted = ends.clone();
    let kept = RefCell::new(Vec::new());
    in_sync(&cluster, move |_, ctx| {
        let open = || {
            let captured = PanicsAtItsEnd(counted.clone());
            ctx.open(Watch::new(&WIDGETS).on_change(move |_, _| {
                let _ = &captured;
                Ok(())
            }))
        };
        kept.borrow_mut().extend([open()?, open()?]);
        open()?.close(ctx)
    });
    assert_eq!(*ends.lock().unwrap(), 1);
    cluster.stop(NAME);
    assert_eq!(*ends.lock().unwrap(), 3);
    assert!(cluster.records(Records::Log).iter().any(|line| line.contains("panic: of what the handler captured")));
}

#[test]
fn a_hundred_builds_that_open_the_same_cause_one_list() {
    let cluster = cluster();
    cluster.add(&widget("default", "a", "x"));
    cluster.add(&pod("web", "{}", "n"));
    let kept: RefCell<Vec<DynamicInformer>> = RefCell::default();
    on_init(move |setup| {
        kept.borrow_mut().push(setup.ctx().open(Watch::new(&WIDGETS))?);
        Ok(())
    });
    start(&cluster);
    assert_eq!(cluster.lists("widgets.example.com"), 1);
    for _ in 0..100 {
        cluster.swap(davit_plugin_v1(), NAME).unwrap();
        cluster.advance(Duration::from_secs(1));
    }
    assert_eq!(cluster.lists("widgets.example.com"), 1);
}

// ---- Discovery, freshness, what is retained ----

#[test]
fn a_kind_leads_to_its_resource_and_requests_take_it() {
    let cluster = cluster();
    cluster.add(&widget("default", "a", "x"));
    in_sync(&cluster, |_, ctx| {
        let discovery = ctx.discovery()?;
        let sets = discovery.find_kind("apps/v1", "ReplicaSet")?.unwrap();
        assert_eq!((sets.resource, sets.scope, sets.group()), ("replicasets", Scope::Namespaced, "apps"));
        assert!(sets.verbs.contains(&"watch") && sets.subresources.contains(&"scale") && sets.is_preferred);
        let nodes = discovery.find("", "v1", "nodes")?.unwrap();
        assert_eq!((nodes.kind, nodes.scope, nodes.singular), ("Node", Scope::Cluster, "node"));
        assert!(discovery.find_kind("apps/v1", "Widget")?.is_none());
        let widgets = discovery.find("example.com", "", "widgets")?.unwrap();
        let key = Key::new("default", "a");
        assert_eq!(ctx.send(&Request::get(&widgets, &key))?.name(), "a");
        ctx.patch(&OwnedResource::of(&widgets), &key, PatchType::Merge, r#"{"spec":{"owner":"y"}}"#)?;
        for catalog in [discovery.catalog()?, discovery.fetch()?] {
            assert!(catalog.resources.iter().any(|each| each.api_kind() == "apps/v1 Deployment"));
            assert!(catalog.resources.iter().all(|each| !each.resource.contains('/')));
            assert!(catalog.unknown.is_empty() && !catalog.is_unknown("apps", "v1"));
            assert!(catalog.fetched <= ctx.monotonic()?);
        }
        Ok(())
    });
    assert_eq!(cluster.get(&WIDGETS, &Key::new("default", "a")).unwrap().get("spec").get("owner").text(), Some("y"));
}

/// "apps/v1 Deployment"
trait ApiKind {
    fn api_kind(&self) -> String;
}
impl ApiKind for davit::ServedResource<'_> {
    fn api_kind(&self) -> String {
        format!("{}/{} {}", self.group, self.version, self.kind)
    }
}

#[test]
fn a_controller_is_woken_when_a_resource_comes() {
    let cluster = cluster();
    let woken = Rc::new(Cell::new(0));
    let counted = woken.clone();
    on_sync(move |this, ctx, key| {
        if key.name == "discovery" {
            counted.set(counted.get() + 1);
        } else {
            ctx.discovery()?.wake(&this.queue, &Key::new("", "discovery"))?;
            ctx.discovery()?.refresh()?;
        }
        Ok(Again::WhenChanged)
    });
    cluster.add(&pod("web", "{}", "n"));
    start(&cluster);
    let before = woken.get();
    assert!(before >= 1);
    cluster.add(&widget("default", "a", "x"));
    cluster.run_until_idle();
    assert_eq!(woken.get(), before + 1);
}

#[test]
fn a_cache_says_how_fresh_it_is_and_is_verified_on_request() {
    let cluster = cluster();
    on_init(|setup| {
        let options = InformerOptions { silence_max: Duration::from_millis(10), ..Default::default() };
        assert_eq!(setup.informer_with(&PODS, options).unwrap_err().code, DAVIT_INVALID, "a second is the least");
        let options = InformerOptions { silence_max: Duration::from_secs(40), ..Default::default() };
        setup.informer_with(&PODS, options).map(|_| ())
    });
    let confirmed: Rc<RefCell<Vec<Duration>>> = Rc::default();
    let noted = confirmed.clone();
    on_sync(move |this, ctx, _| {
        let fresh = this.pods.freshness(ctx)?.unwrap();
        assert!(fresh.followed_since <= fresh.confirmed && fresh.confirmed <= ctx.monotonic()?);
        noted.borrow_mut().push(fresh.confirmed);
        this.pods.verify(ctx)?;
        Ok(Again::After(Duration::from_secs(5)))
    });
    cluster.add(&pod("web", "{}", "n"));
    start(&cluster);
    cluster.advance(Duration::from_secs(10));
    let confirmed = confirmed.borrow();
    assert!(confirmed.len() == 3 && confirmed[2] > confirmed[0], "{:?}", confirmed);
}

#[test]
fn a_retained_object_stays_as_it_was_until_it_is_dropped_anywhere() {
    let cluster = cluster();
    let kept: Rc<RefCell<Option<Retained>>> = Rc::default();
    let place = kept.clone();
    on_sync(move |this, ctx, key| {
        let pod = this.pods.get(ctx, key)?.unwrap();
        let mut kept = place.borrow_mut();
        match &*kept {
            None => *kept = Some(ctx.retain(pod)?),
            Some(kept) => {
                assert_eq!(kept.value(ctx)?.label("app"), Some("old"));
                assert_eq!(pod.label("app"), Some("new"));
            }
        }
        Ok(Again::WhenChanged)
    });
    cluster.add(&pod("web", r#"{"app":"old"}"#, "n"));
    start(&cluster);
    cluster.merge(&PODS, &web(), r#"{"metadata":{"labels":{"app":"new"}}}"#);
    assert_eq!(cluster.run_until_idle(), 1);
    // A second handle of the same object, which the crate would not give out, shows when it is released.
    let retained = kept.borrow_mut().take().unwrap();
    let copy = std::mem::ManuallyDrop::new(unsafe { std::ptr::read(&retained) });
    std::thread::spawn(move || drop(retained)).join().unwrap();
    let codes: Rc<RefCell<Vec<i32>>> = Rc::default();
    let noted = codes.clone();
    on_sync(move |_, ctx, _| {
        noted.borrow_mut().push(copy.value(ctx).map_or_else(|error| error.code, |_| DAVIT_OK));
        Ok(Again::After(Duration::from_secs(1)))
    });
    cluster.merge(&PODS, &web(), r#"{"metadata":{"labels":{"app":"newer"}}}"#);
    cluster.advance(Duration::from_secs(1));
    assert_eq!(*codes.borrow(), [DAVIT_STALE, DAVIT_STALE], "the handler of the change has released it");
    assert_eq!(cluster.records(Records::Failures), Vec::<String>::new());
}

#[test]
fn a_retained_object_that_outlives_its_controller_is_harmless() {
    let cluster = cluster();
    let kept: Rc<RefCell<Option<Retained>>> = Rc::default();
    let place = kept.clone();
    in_sync(&cluster, move |this, ctx| {
        *place.borrow_mut() = Some(ctx.retain(this.pods.get(ctx, &web())?.unwrap())?);
        Ok(())
    });
    cluster.stop(NAME);
    let place = kept.clone();
    let refused = Rc::new(Cell::new(0));
    let code = refused.clone();
    on_sync(move |_, ctx, _| {
        code.set(place.borrow().as_ref().unwrap().value(ctx).map(|_| ()).unwrap_err().code);
        Ok(Again::WhenChanged)
    });
    start(&cluster);
    assert_eq!(refused.get(), DAVIT_STALE);
    drop(kept.borrow_mut().take());
}
