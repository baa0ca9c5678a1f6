//! The crate on the test cluster.
use davit::abi::*;
use davit::testing::{Cluster, Records, Verb};
use davit::{json, Again, Error, EventType, Handle, Key, Level, PatchType, Request, Result, Unless};
use davit_tests::*;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

#[test]
fn objects_are_found_by_key_and_by_every_index() {
    let cluster = cluster();
    cluster.add(&pod("other", "{}", "b"));
    in_sync(&cluster, |this, ctx| {
        let names = |found: Result<Vec<davit::Value<'_>>>| found.unwrap().iter().map(|each| each.name().to_string()).collect::<Vec<_>>();
        assert_eq!(this.pods.get(ctx, &web())?.map(|pod| pod.key()), Some(web()));
        assert!(this.pods.get(ctx, &Key::new("default", "none"))?.is_none());
        assert_eq!(this.pods.list(ctx)?.len(), 2);
        assert_eq!(this.pods.in_namespace(ctx, "default")?.len(), 2);
        assert_eq!(names(this.pods.by(ctx, &this.by_node, "b")), ["other"]);
        assert_eq!(names(this.pods.by_label(ctx, "default", "app", "web")), ["web"]);
        let owner = this.pods.get(ctx, &web())?.unwrap();
        assert!(names(this.pods.controlled_by(ctx, owner)).is_empty());
        Ok(())
    });
}

#[test]
fn a_panic_fails_its_sync_with_its_text_and_the_key_is_tried_again() {
    let cluster = cluster();
    let runs = Rc::new(Cell::new(0));
    let counted = runs.clone();
    on_sync(move |_, ctx, _| {
        counted.set(counted.get() + 1);
        assert_eq!(ctx.attempt(), counted.get() - 1);
        match counted.get() {
            1 => panic!("number {}", 1),
            2 => std::panic::panic_any(7),
            _ => Ok(Again::WhenChanged),
        }
    });
    cluster.add(&pod("web", "{}", "a"));
    start(&cluster);
    cluster.advance(Duration::from_secs(60));
    assert_eq!(runs.get(), 3);
    assert_eq!(
        cluster.records(Records::Failures),
        ["default/web: panic: number 1", "default/web: panic: of an unknown type"]
    );
}

#[test]
fn a_panic_in_a_handler_is_logged_and_the_controller_lives_on() {
    let cluster = cluster();
    on_changed(|_, event| {
        assert!(event.object.label("handler") != Some("panic"), "in the handler");
        Ok(())
    });
    start(&cluster);
    cluster.add(&pod("bad", r#"{"handler":"panic"}"#, "a"));
    cluster.add(&pod("web", "{}", "a"));
    assert_eq!(cluster.run_until_idle(), 1);
    assert!(cluster.records(Records::Log).iter().any(|line| line == "A handler failed err=panic: in the handler"));
}

#[test]
fn a_sync_that_reads_outside_its_projection_fails() {
    let cluster = cluster();
    on_sync(|this, ctx, key| {
        let pod = this.pods.get(ctx, key)?.unwrap();
        assert!(pod.get("spec").get("containers").is_absent());
        Ok(Again::WhenChanged)
    });
    cluster.add(&pod("web", "{}", "a"));
    start(&cluster);
    let failure = &cluster.records(Records::Failures)[0];
    assert!(failure.starts_with("default/web: it has read a field that its note does not declare"), "{}", failure);
    assert!(failure.contains("\"spec.containers\" of pods"), "{}", failure);
}

#[test]
fn errors_have_code_reason_and_status() {
    let cluster = cluster();
    cluster.fail_next(Verb::Create, "configmaps", 409, "AlreadyExists", 1);
    in_sync(&cluster, |_, ctx| {
        let body = json!({"metadata": {"name": "made"}});
        let error = ctx.create(&CONFIG_MAPS, "default", &body).unwrap_err();
        assert!(error.is_already_exists(), "{:?}", error);
        assert_eq!((error.http_status, error.reason.as_str()), (409, "AlreadyExists"));
        assert_eq!(ctx.last_error().map(|last| last.code), Some(DAVIT_ALREADY_EXISTS));
        ctx.create(&CONFIG_MAPS, "default", &body)?;
        let missing = Key::new("default", "missing");
        let error = ctx.send(&Request::get(&CONFIG_MAPS, &missing)).unwrap_err();
        assert!(error.is_not_found() && error.message.contains("\"missing\" not found"), "{}", error);
        assert!(ctx.send(&Request::get(&CONFIG_MAPS, &missing)).unless(DAVIT_NOT_FOUND)?.is_none());
        let error = ctx.parse("{\"a\":}").unwrap_err();
        assert_eq!((error.code, error.position > 0), (DAVIT_INVALID, true));
        let nodes = davit::Resource { group: "", version: "v1", resource: "nodes", kind: "Node" };
        assert_eq!(ctx.send(&Request::list(&nodes, "")).unwrap_err().code, DAVIT_UNDECLARED);
        Ok(())
    });
    assert_eq!(cluster.records(Records::Violations).len(), 1);
}

#[test]
fn a_response_that_is_not_json_has_no_value() {
    let cluster = Cluster::new("");
    let (status, value) = cluster.request("GET", "/healthz", None);
    assert_eq!(status, 200);
    assert!(value.unwrap().is_absent());
}

#[test]
fn a_batch_has_one_result_for_each_request_in_order() {
    let cluster = cluster();
    in_sync(&cluster, |_, ctx| {
        let bodies: Vec<String> = ["a", "a", "b"].iter().map(|name| json!({"metadata": {"name": name}})).collect();
        let requests: Vec<Request<'_>> = bodies.iter().map(|body| Request::create(&CONFIG_MAPS, "default", body)).collect();
        let results = ctx.batch(&requests);
        assert_eq!(results.len(), 3);
        assert_eq!(results[0].as_ref().unwrap().name(), "a");
        assert!(results[1].as_ref().unwrap_err().is_already_exists());
        assert_eq!(results[2].as_ref().unwrap().name(), "b");
        assert!(ctx.batch(&[]).is_empty());
        let key = Key::new("default", "a");
        let results = ctx.batch(&[Request::get(&CONFIG_MAPS, &key).query("limit=1"), Request::get(&CONFIG_MAPS, &key)]);
        assert_eq!(results[0].as_ref().unwrap_err().code, DAVIT_MISUSE);
        assert_eq!(results[1].as_ref().unwrap().name(), "a");
        let listed = ctx.send(&Request::list(&CONFIG_MAPS, "default").page(1, ""))?;
        assert_eq!(listed.get("items").count(), 1);
        Ok(())
    });
}

#[test]
fn status_finalizers_and_deletion_are_written() {
    let cluster = cluster();
    in_sync(&cluster, |this, ctx| {
        let pod = this.pods.get(ctx, &web())?.unwrap();
        ctx.add_finalizer(&PODS, pod, "example.com/kept")?;
        ctx.patch_status(&PODS, &web(), r#"{"message":"hello"}"#).map(|_| ())
    });
    cluster.advance(Duration::from_secs(1));
    let pod = cluster.get(&PODS, &web()).unwrap();
    assert_eq!(pod.at(&["status", "message"]).text(), Some("hello"));
    assert!(pod.has_finalizer("example.com/kept"));
    on_sync(|this, ctx, key| {
        let pod = this.pods.get(ctx, key)?.unwrap();
        ctx.remove_finalizer(&PODS, pod, "example.com/kept")?;
        ctx.delete(&PODS, pod)?;
        Ok(Again::WhenChanged)
    });
    cluster.merge(&PODS, &web(), r#"{"metadata":{"labels":{"now":"yes"}}}"#);
    cluster.run_until_idle();
    assert!(!cluster.get(&PODS, &web()).map_or(false, |pod| pod.has_finalizer("example.com/kept")));
    assert!(cluster.records(Records::Requests).iter().any(|each| each == "delete pods/web 200"));
}

#[test]
fn apply_has_the_controller_as_field_manager() {
    let cluster = cluster();
    in_sync(&cluster, |_, ctx| {
        let key = Key::new("default", "made");
        let body = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "made"}, "data": {"a": "b"}});
        ctx.apply(&CONFIG_MAPS, &key, &body).map(|_| ())
    });
    let made = cluster.get(&CONFIG_MAPS, &Key::new("default", "made")).unwrap();
    assert_eq!(made.get("data").get("a").text(), Some("b"));
    let manager = made.metadata().get("managedFields").element(0);
    assert_eq!(manager.get("manager").text(), Some(NAME));
}

#[test]
fn timers_fire_after_their_period_and_with_backoff_after_an_error() {
    let cluster = cluster();
    let runs = Rc::new(RefCell::new(Vec::new()));
    let seen = runs.clone();
    on_fire(move |ctx, timer| {
        assert_eq!(timer, "tick");
        seen.borrow_mut().push(ctx.now()?.seconds);
        if seen.borrow().len() == 1 {
            return Err(Error::other("not yet"));
        }
        Ok(Again::WhenChanged)
    });
    start(&cluster);
    cluster.advance(Duration::from_secs(9));
    assert!(runs.borrow().is_empty());
    cluster.advance(Duration::from_secs(80));
    let runs = runs.borrow();
    assert_eq!(runs.len(), 3, "{:?}", runs);
    assert!(runs[1] - runs[0] < 5 && runs[2] - runs[1] == 60, "{:?}", runs);
}

#[test]
fn events_metrics_log_and_configuration_reach_the_host() {
    let cluster = cluster();
    on_sync(|this, ctx, key| {
        let pod = this.pods.get(ctx, key)?.unwrap();
        ctx.event(&PODS, pod, EventType::Warning, "Odd", "a \"message\"")?;
        this.syncs.record(ctx, 2.0, &[&key.ns])?;
        ctx.log(Level::Info, "Synced", &[("pod", &key.name)]);
        assert_eq!(ctx.config().get("size").integer(), Some(3));
        assert_eq!(ctx.now()?.to_string(), "2024-05-01T12:00:00Z");
        assert!(ctx.controller() == NAME && !ctx.is_cancelled() && ctx.is_of(&this.queue));
        assert!(this.syncs.record(ctx, 1.0, &["too", "many"]).is_err());
        Ok(Again::WhenChanged)
    });
    cluster.add(&pod("web", "{}", "a"));
    cluster.start_with(davit_plugin_v1(), NAME, r#"{"size":3}"#).unwrap();
    cluster.run_until_idle();
    assert_eq!(cluster.records(Records::Failures), Vec::<String>::new());
    assert_eq!(cluster.records(Records::Events), ["Warning Odd a \"message\""]);
    assert!(cluster.records(Records::Metrics).contains(&"scripted_syncs_total 2 default".to_string()));
    assert!(cluster.records(Records::Log).contains(&"Synced pod=web".to_string()));
}

#[test]
fn requests_to_the_outside_have_their_response_or_an_error() {
    let cluster = cluster();
    cluster.on_http(|method, url, body| match (method, url) {
        ("PUT", "https://dns.example.com/a") => (200, [b"got ", body].concat()),
        ("GET", _) => (0, Vec::new()),
        _ => (503, b"secret".to_vec()),
    });
    in_sync(&cluster, |_, ctx| {
        use davit::http::{Request, Retry};
        let put = ctx.http(&Request::new("PUT", "https://dns.example.com/a").json("{}"))?.checked()?;
        assert_eq!((put.status, put.body, put.is_success()), (200, &b"got {}"[..], true));
        let refused = ctx.http(&Request::new("GET", "https://dns.example.com/b?token=x").retry(Retry::Never)).unwrap_err();
        assert_eq!(refused.code, DAVIT_UNAVAILABLE);
        let failed = ctx.http(&Request::new("POST", "https://dns.example.com/c?token=x"))?.checked().unwrap_err();
        assert_eq!((failed.code, failed.http_status), (DAVIT_UNAVAILABLE, 503));
        assert!(!failed.message.contains("secret") && !failed.message.contains("token"), "{}", failed);
        assert_eq!(ctx.http(&Request::new("GET", "https://elsewhere.example.com/")).unwrap_err().code, DAVIT_UNDECLARED);
        let both = ctx.http_batch(&[Request::new("PUT", "https://dns.example.com/a"), Request::new("DELETE", "https://dns.example.com/a")])?;
        let statuses: Vec<i32> = both.into_iter().map(|each| each.unwrap().status).collect();
        assert_eq!(statuses, [200, 503]);
        let malformed = Request::new("PUT", "https://dns.example.com/a").header("Host", "other");
        let mixed = ctx.http_batch(&[malformed, Request::new("PUT", "https://dns.example.com/a")])?;
        assert_eq!(mixed[0].as_ref().unwrap_err().code, DAVIT_MISUSE);
        assert_eq!(mixed[1].as_ref().unwrap().status, 200);
        Ok(())
    });
}

#[test]
fn a_handle_wakes_from_any_thread_and_does_nothing_after_the_end() {
    let cluster = cluster();
    let handle: Rc<RefCell<Option<Handle>>> = Rc::default();
    let place = handle.clone();
    in_sync(&cluster, move |this, ctx| {
        *place.borrow_mut() = Some(ctx.handle(&this.queue)?);
        Ok(())
    });
    let handle = handle.borrow_mut().take().unwrap();
    let sent = handle.clone();
    assert!(std::thread::spawn(move || sent.wake(&Key::new("default", "woken"))).join().unwrap());
    assert_eq!(cluster.run_until_idle(), 1);
    cluster.stop(NAME);
    assert!(!handle.wake(&Key::new("default", "woken")));
    drop(cluster);
    assert!(!handle.wake(&Key::new("default", "woken")));
}

#[test]
fn an_error_of_new_keeps_the_controller_from_starting_and_unsupported_skips_it() {
    let cluster = cluster();
    on_init(|_| Err(Error::other("no such thing")));
    let error = cluster.start(davit_plugin_v1(), NAME).unwrap_err();
    assert!(error.message.contains("no such thing"), "{}", error);
    on_init(|_| panic!("in new"));
    let error = cluster.start(davit_plugin_v1(), NAME).unwrap_err();
    assert!(error.message.contains("panic: in new"), "{}", error);
    on_init(|_| Err(Error::new(DAVIT_UNSUPPORTED, "not here")));
    assert_eq!(cluster.start(davit_plugin_v1(), NAME).unwrap_err().code, DAVIT_UNSUPPORTED);
    on_init(|setup| setup.informer(&CONFIG_MAPS).map(|_| ()));
    let error = cluster.start(davit_plugin_v1(), NAME).unwrap_err();
    assert!(error.message.contains("configmaps"), "{}", error);
}

#[test]
fn delays_sort_out_when_a_key_runs_again() {
    let cluster = cluster();
    let runs = Rc::new(Cell::new(0));
    let counted = runs.clone();
    on_sync(move |_, _, _| {
        counted.set(counted.get() + 1);
        Ok(Again::After(Duration::from_secs(10)))
    });
    cluster.add(&pod("web", "{}", "a"));
    start(&cluster);
    cluster.advance(Duration::from_secs(25));
    assert_eq!(runs.get(), 3);
}

#[test]
fn a_patch_of_an_object_that_is_gone_is_not_found() {
    let cluster = cluster();
    in_sync(&cluster, |_, ctx| {
        let gone = Key::new("default", "gone");
        assert!(ctx.patch(&PODS, &gone, PatchType::Merge, "{}").unwrap_err().is_not_found());
        Ok(())
    });
}
