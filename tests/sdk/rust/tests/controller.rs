//! What the host asks a controller, its queues and timers, and what a call knows.
use davit::abi::*;
use davit::testing::Records;
use davit::{json, Again, DebugPage, Error, Level, QueueOptions, Timer};
use davit_tests::*;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

#[test]
fn health_is_what_the_controller_says_and_a_panic_is_ill_health() {
    let cluster = cluster();
    let state = Rc::new(Cell::new(0));
    let asked = state.clone();
    on_health(move |ctx| {
        assert_eq!(ctx.controller(), NAME);
        match asked.get() {
            0 => Ok(()),
            1 => Err(Error::new(DAVIT_UNAVAILABLE, "the outside does not respond")),
            2 => Err(Error::new(DAVIT_OK, "an error is never healthy")),
            _ => panic!("in health"),
        }
    });
    start(&cluster);
    assert_eq!(cluster.health(NAME), Ok(()));
    for (number, text) in [(1, "the outside does not respond"), (2, "an error is never healthy"), (3, "panic: in health")] {
        state.set(number);
        let error = cluster.health(NAME).unwrap_err();
        assert!(error.message.contains(text), "{}", error);
    }
    state.set(0);
    assert_eq!(cluster.health(NAME), Ok(()));
}

#[test]
fn pages_are_served_with_their_type_and_errors_have_their_status() {
    let cluster = cluster();
    on_page(|_, path, query| match path {
        "keys" => Ok(DebugPage::json(json!({"query": query}))),
        "teapot" => Ok(DebugPage::html("<p>short and stout").status(418)),
        "odd" => Ok(DebugPage::new("no media type\n", "")),
        "panic" => panic!("in a page"),
        "empty" => Ok(DebugPage::text("")),
        _ => Err(Error::new(DAVIT_NOT_FOUND, "there are keys only")),
    });
    start(&cluster);
    let page = cluster.debug_page(NAME, "keys", "a=b");
    assert_eq!(page, DebugPage::json(r#"{"query":"a=b"}"#));
    assert_eq!(cluster.debug_page(NAME, "teapot", ""), DebugPage::html("<p>short and stout").status(418));
    assert_eq!(cluster.debug_page(NAME, "empty", ""), DebugPage::text(""));
    for (path, http_status, text) in [("", 404, "there are keys only"), ("odd", 500, "media type"), ("panic", 500, "panic: in a page")] {
        let page = cluster.debug_page(NAME, path, "");
        let body = String::from_utf8(page.body).unwrap();
        assert!(page.http_status == http_status && body.contains(text), "{}: {} {}", path, page.http_status, body);
    }
    let unknown = cluster.debug_page("other", "keys", "");
    assert_eq!((unknown.http_status, unknown.body), (404, b"no such controller".to_vec()));
}

#[test]
fn a_configuration_is_taken_over_or_refused_with_its_reason() {
    let cluster = cluster();
    on_configure(|_, config| match config.get("size").integer() {
        Some(13) => panic!("in configure"),
        Some(_) => Ok(()),
        None => Err(Error::new(DAVIT_INVALID, "size is missing")),
    });
    start(&cluster);
    assert_eq!(cluster.configure(NAME, r#"{"size":1}"#), Ok(()));
    let refused = |config: &str| cluster.configure(NAME, config).unwrap_err().message;
    assert!(refused("{}").contains("size is missing"));
    assert!(refused(r#"{"size":13}"#).contains("panic: in configure"));
}

#[test]
fn queues_have_their_own_backoff_and_lose_keys_that_fail_too_often() {
    let cluster = cluster();
    let queue = Rc::new(Cell::new(None));
    let place = queue.clone();
    on_init(move |setup| {
        let first = Duration::from_secs(10);
        let options = QueueOptions { backoff_first: first, retries_max: 2, ..Default::default() };
        place.set(Some(setup.queue_with("slow", options)?));
        Ok(())
    });
    let runs: Rc<RefCell<Vec<i64>>> = Rc::default();
    let noted = runs.clone();
    on_sync(move |_, ctx, key| {
        let queue = queue.get().unwrap();
        if !ctx.is_of(&queue) {
            queue.add_rate_limited(ctx, key)?;
            assert_eq!(queue.failures(ctx, key), 1);
            queue.forget(ctx, key)?;
            assert_eq!(queue.failures(ctx, key), 0);
            return Ok(Again::WhenChanged);
        }
        noted.borrow_mut().push(ctx.now()?.seconds);
        Err(Error::other("never"))
    });
    cluster.add(&pod("web", "{}", "n"));
    start(&cluster);
    cluster.advance(Duration::from_secs(1000));
    let steps: Vec<i64> = runs.borrow().windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert_eq!(steps, [10, 20]);
}

#[test]
fn a_timer_that_is_stopped_fires_no_more() {
    let cluster = cluster();
    let timer: Rc<Cell<Option<Timer>>> = Rc::default();
    let place = timer.clone();
    on_init(move |setup| {
        setup.timer("tick", Duration::from_secs(1), Duration::from_secs(1))?;
        place.set(Some(setup.timer("other", Duration::from_secs(1), Duration::from_secs(1))?));
        Ok(())
    });
    let fired: Rc<RefCell<Vec<String>>> = Rc::default();
    let noted = fired.clone();
    on_fire(move |ctx, name| {
        if name == "other" {
            noted.borrow_mut().push(name.to_string());
            timer.get().unwrap().stop(ctx)?;
        }
        Ok(Again::WhenChanged)
    });
    start(&cluster);
    cluster.advance(Duration::from_secs(5));
    assert_eq!(*fired.borrow(), ["other"]);
}

#[test]
fn a_standby_syncs_nothing_and_a_call_knows_its_facts() {
    let cluster = Rc::new(cluster());
    let runs = Rc::new(Cell::new(0));
    let (counted, standing_by) = (runs.clone(), Rc::downgrade(&cluster));
    on_sync(move |_, ctx, _| {
        counted.set(counted.get() + 1);
        assert!(ctx.leads() && ctx.logs(Level::Info));
        assert_eq!(ctx.trace_id(), "");
        assert!(ctx.deadline().unwrap() > ctx.monotonic()?);
        let shown = format!("{:?}", ctx);
        assert!(shown.contains("\"default/web\"") && shown.contains("leads: true"), "{}", shown);
        let cluster = standing_by.upgrade().unwrap();
        cluster.set_leading(false);
        assert!(!ctx.leads());
        assert_eq!(ctx.pause(Duration::from_secs(5)).unwrap_err().code, DAVIT_CANCELLED);
        cluster.set_leading(true);
        Ok(Again::WhenChanged)
    });
    cluster.set_leading(false);
    cluster.add(&pod("web", "{}", "n"));
    start(&cluster);
    assert_eq!(runs.get(), 0);
    cluster.set_leading(true);
    cluster.run_until_idle();
    assert_eq!(runs.get(), 1);
    assert_eq!(cluster.records(Records::Failures), Vec::<String>::new());
}

#[test]
fn a_panic_in_a_timer_fires_it_again_and_one_in_drop_is_logged() {
    let cluster = cluster();
    let runs = Rc::new(Cell::new(0));
    let counted = runs.clone();
    on_fire(move |_, _| {
        counted.set(counted.get() + 1);
        assert!(counted.get() > 1, "the first time");
        Ok(Again::WhenChanged)
    });
    on_drop(|| panic!("at the end"));
    start(&cluster);
    cluster.advance(Duration::from_secs(15));
    assert_eq!(runs.get(), 2);
    cluster.stop(NAME);
    assert_eq!(cluster.records(Records::Log).last().unwrap(), "The end of the controller failed err=panic: at the end");
}
