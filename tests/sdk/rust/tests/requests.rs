//! Requests whose responses come one by one: fan-out, pages, raw and streamed answers.
use davit::abi::*;
use davit::testing::Records;
use davit::{Again, Error, Key, Request};
use davit_tests::*;
use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

#[test]
fn fan_out_sends_each_request_and_gives_each_response() {
    let cluster = cluster();
    add_maps(&cluster, 120);
    in_sync(&cluster, |_, ctx| {
        let mut names = std::collections::BTreeSet::new();
        ctx.fan_out(
            0,
            |index| {
                let key = Key::new("default", format!("map-{}", index));
                Some(Request::get(&CONFIG_MAPS, &key).into_owned()).filter(|_| index < 120)
            },
            |index, response| {
                let name = response?.name().to_string();
                assert_eq!(name, format!("map-{}", index));
                names.insert(name);
                Ok(())
            },
        )?;
        assert_eq!(names.len(), 120);
        Ok(())
    });
}

#[test]
fn an_error_of_done_ends_a_fan_out_and_a_failed_request_does_not() {
    let cluster = cluster();
    add_maps(&cluster, 1);
    in_sync(&cluster, |_, ctx| {
        let (absent, there) = (Key::new("default", "absent"), Key::new("default", "map-0"));
        let requests = [Request::get(&CONFIG_MAPS, &absent), Request::get(&CONFIG_MAPS, &there)];
        let mut found = Vec::new();
        let next = |index: u64| requests.get(index as usize).cloned();
        ctx.fan_out(1, next, |_, response| {
            found.push(response.map(|_| ()).map_err(|error| error.code));
            Ok(())
        })?;
        assert_eq!(found, [Err(DAVIT_NOT_FOUND), Ok(())]);
        let mut done = 0;
        let endless = |_| Some(requests[1].clone());
        let error = ctx.fan_out(2, endless, |_, _| {
            done += 1;
            Err(Error::new(DAVIT_INVALID, "enough"))
        });
        assert_eq!(error.unwrap_err().message, "enough");
        assert!(done <= 2);
        Ok(())
    });
}

#[test]
fn a_panic_in_a_callback_passes_the_host_by_and_fails_the_sync() {
    let cluster = cluster();
    add_maps(&cluster, 3);
    let runs = Rc::new(Cell::new(0));
    let counted = runs.clone();
    on_sync(move |_, ctx, _| {
        counted.set(counted.get() + 1);
        let key = Key::new("default", "map-0");
        let get = Request::get(&CONFIG_MAPS, &key);
        match counted.get() {
            1 => ctx.fan_out(0, |_| panic!("in next"), |_, _| Ok(())),
            2 => ctx.fan_out(0, |index| Some(get.clone()).filter(|_| index == 0), |_, _| panic!("in done")),
            3 => ctx.stream(&get, |_| panic!("in a stream")),
            _ => Ok(()),
        }?;
        Ok(Again::WhenChanged)
    });
    cluster.add(&pod("web", "{}", "n"));
    start(&cluster);
    cluster.advance(Duration::from_secs(60));
    let failures = cluster.records(Records::Failures);
    assert_eq!(failures, ["default/web: panic: in next", "default/web: panic: in done", "default/web: panic: in a stream"]);
}

#[test]
fn a_list_comes_in_pages() {
    let cluster = cluster();
    add_maps(&cluster, 25);
    in_sync(&cluster, |_, ctx| {
        let mut sizes = Vec::new();
        ctx.list_pages(Request::list(&CONFIG_MAPS, "default").page(10, ""), |page| {
            assert!(!page.is_restarted);
            sizes.push(page.items().len());
            Ok(())
        })?;
        assert_eq!(sizes, [10, 10, 5]);
        let error = ctx.list_pages(Request::list(&CONFIG_MAPS, "default").page(10, ""), |_| Err(Error::other("no more")));
        assert_eq!(error.unwrap_err().message, "no more");
        Ok(())
    });
    assert_eq!(cluster.records(Records::Requests).len(), 4);
}

#[test]
fn a_list_whose_version_is_forgotten_is_listed_again_at_once() {
    let cluster = Rc::new(cluster());
    add_maps(&cluster, 25);
    let failing = Rc::downgrade(&cluster);
    in_sync(&cluster, move |_, ctx| {
        let mut pages = Vec::new();
        ctx.list_pages(Request::list(&CONFIG_MAPS, "default").page(10, ""), |page| {
            if pages.is_empty() {
                failing.upgrade().unwrap().fail_next(davit::Verb::List, "configmaps", 410, "Expired", 1);
            }
            pages.push((page.items().len(), page.is_restarted));
            Ok(())
        })?;
        assert_eq!(pages, [(10, false), (25, true)]);
        Ok(())
    });
}

#[test]
fn raw_answers_are_streamed_or_collected_up_to_a_limit() {
    let cluster = cluster();
    in_sync(&cluster, |_, ctx| {
        let key = web();
        let log = Request::get(&PODS, &key).subresource("log").query("tailLines=1");
        let mut text = Vec::new();
        ctx.stream(&log, |piece| {
            text.extend_from_slice(piece);
            Ok(())
        })?;
        assert!(String::from_utf8_lossy(&text).contains("container \"main\" of pod \"web\" is simulated"));
        assert_eq!(ctx.bytes(&log, text.len())?, text);
        assert_eq!(ctx.bytes(&log, text.len() - 1).unwrap_err().code, DAVIT_INVALID);
        let error = ctx.stream(&log, |_| Err(Error::new(DAVIT_CONFLICT, "the receiver is full"))).unwrap_err();
        assert_eq!((error.code, error.message.as_str()), (DAVIT_CONFLICT, "the receiver is full"));
        let absent = Key::new("default", "absent");
        assert!(ctx.bytes(&Request::get(&PODS, &absent), 100).unwrap_err().is_not_found());
        Ok(())
    });
}
