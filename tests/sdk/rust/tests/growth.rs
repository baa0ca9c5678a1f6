//! Tables of hosts with another minor of the contract. tests/sdk/growth_test.cpp has the crate of a mock 1.1.
use davit::abi::*;
use davit::testing::{Cluster, Records};
use davit::{Again, Ctx, Error, EventType, Level, Result, Watch};
use davit_tests::*;
use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::rc::Rc;
use std::sync::Mutex;

const JUNK: usize = 64; // Bytes behind what a table says that it has.

/// Makes tables longer or shorter by so many bytes: those of one id, or of all.
#[derive(Clone, Copy)]
struct Resize {
    id: Option<&'static str>,
    bytes: isize,
}

thread_local! {
    static RESIZE: Cell<Resize> = Cell::new(Resize { id: None, bytes: 0 });
    static REAL: RefCell<Option<davit_context>> = RefCell::new(None);
    static DISCOVERY: Cell<Option<davit_discovery_v1>> = Cell::new(None);
}

/// So many bytes of junk that live as long as the process, as tables do.
fn junk(bytes: usize) -> *mut u8 {
    static KEPT: Mutex<Vec<Box<[u64]>>> = Mutex::new(Vec::new());
    let mut kept = KEPT.lock().unwrap();
    kept.push(vec![0xaaaa_aaaa_aaaa_aaaa; bytes / 8].into_boxed_slice());
    kept.last_mut().unwrap().as_mut_ptr().cast()
}

/// A copy of a struct that begins with its size, with junk behind its end.
unsafe fn resized<T>(from: *const T, bytes: isize) -> *const T {
    let size = from.cast::<u32>().read() as usize;
    let says = (size as isize + bytes) as usize;
    let copy = junk(size.max(says) + JUNK);
    std::ptr::copy_nonoverlapping(from.cast::<u8>(), copy, size.min(says));
    copy.cast::<u32>().write(says as u32);
    copy.cast()
}

unsafe extern "C" fn capability(call: *const davit_call, id: davit_str) -> *const c_void {
    let real = REAL.with(|real| real.borrow().unwrap());
    let table = (real.capability)(call, id);
    let name = std::str::from_utf8(std::slice::from_raw_parts(id.data, id.size)).unwrap();
    let resize = RESIZE.with(Cell::get);
    if table.is_null() || resize.id.map_or(false, |wanted| wanted != name) {
        return table;
    }
    if resize.id == Some("davit.discovery/1") {
        let mut own = *table.cast::<davit_discovery_v1>();
        DISCOVERY.with(|real| real.set(Some(own)));
        own.catalog = catalog;
        return resized(&own, resize.bytes.max(0)).cast();
    }
    resized(table, resize.bytes)
}

/// The host's catalog, with resources of another size.
unsafe extern "C" fn catalog(call: *const davit_call, out: *mut davit_catalog) -> davit_code {
    let code = (DISCOVERY.with(Cell::get).unwrap().catalog)(call, out);
    let stride = ((*out).resource_size as isize + RESIZE.with(Cell::get).bytes) as usize;
    let copy = junk(stride * (*out).resource_count);
    for index in 0..(*out).resource_count {
        let to = copy.add(stride * index);
        let from = (*out).resources.add(index).cast::<u8>();
        std::ptr::copy_nonoverlapping(from, to, stride.min((*out).resource_size as usize));
        to.cast::<u32>().write(stride as u32);
    }
    (*out).resource_size = stride as u32;
    (*out).resources = copy.cast();
    code
}

unsafe extern "C" fn init(call: *const davit_call, context: *const davit_context, out: *mut davit_controller) -> i32 {
    REAL.with(|real| *real.borrow_mut() = Some(*context));
    let mut own = *context;
    own.capability = capability;
    let resize = RESIZE.with(Cell::get);
    let bytes = if resize.id.map_or(true, |id| id == "the context") { resize.bytes } else { 0 };
    ((*(*davit_plugin_v1()).rows).init)(call, resized(&own, bytes), out)
}

/// Starts the controller on a host whose tables have other sizes.
fn start_resized(cluster: &Cluster, id: Option<&'static str>, bytes: isize) -> Result<()> {
    RESIZE.with(|resize| resize.set(Resize { id, bytes }));
    let row = davit_row { name: davit_str { data: NAME.as_ptr(), size: NAME.len() }, init };
    let plugin = davit_plugin {
        row_size: std::mem::size_of::<davit_row>() as u32,
        rows: &row,
        row_count: 1,
        ..davit_plugin::new()
    };
    cluster.start(&plugin, NAME)?;
    cluster.run_until_idle();
    Ok(())
}

#[test]
fn tables_that_have_grown_are_read_as_far_as_they_are_known() {
    let cluster = cluster();
    let runs = Rc::new(Cell::new(0));
    let counted = runs.clone();
    on_sync(move |this, ctx, key| {
        assert_eq!(this.pods.get(ctx, key)?.map(|pod| pod.name().to_string()), Some("web".to_string()));
        ctx.now()?;
        ctx.random()?;
        ctx.discovery()?.find("", "v1", "pods")?;
        ctx.handle(&this.queue)?.wake(&davit::Key::new("default", "other"));
        counted.set(counted.get() + 1);
        Ok(Again::WhenChanged)
    });
    cluster.add(&pod("web", "{}", "a"));
    start_resized(&cluster, None, 16).unwrap();
    assert!(runs.get() >= 1);
}

#[test]
fn tables_that_are_shorter_than_those_of_1_0_are_none() {
    for id in ["davit.object/1", "davit.informer/1", "davit.queue/1", "davit.client/1"] {
        let error = start_resized(&cluster(), Some(id), -8).unwrap_err();
        assert!(error.message.contains(&format!("no {} of ABI 1.0", id)), "{}", error);
    }
    assert!(start_resized(&cluster(), Some("the context"), -8).is_err());
    type Use = fn(&Scripted, &Ctx<'_>) -> Result<()>;
    let uses: [(&'static str, Use); 6] = [
        ("davit.clock/1", |_, ctx| ctx.now().map(|_| ())),
        ("davit.random/1", |_, ctx| ctx.random().map(|_| ())),
        ("davit.event/1", |_, ctx| ctx.event(&PODS, ctx.parse("{}")?, EventType::Normal, "A", "b")),
        ("davit.waker/1", |this, ctx| ctx.handle(&this.queue).map(|_| ())),
        ("davit.informer/2", |_, ctx| ctx.open(Watch::new(&PODS)).map(drop)),
        ("davit.freshness/1", |this, ctx| this.pods.freshness(ctx).map(|_| ())),
    ];
    for (id, function) in uses {
        let cluster = cluster();
        let seen: Rc<RefCell<Option<Error>>> = Rc::default();
        let place = seen.clone();
        on_sync(move |this, ctx, _| {
            ctx.log(Level::Info, "Lives", &[]);
            *place.borrow_mut() = function(this, ctx).err();
            Ok(Again::WhenChanged)
        });
        cluster.add(&pod("web", "{}", "a"));
        start_resized(&cluster, Some(id), -8).unwrap();
        let error = seen.borrow_mut().take().unwrap_or_else(|| panic!("{} is used", id));
        assert!(error.code == DAVIT_UNSUPPORTED && error.message.contains(id), "{}: {}", id, error);
        assert_eq!(cluster.records(Records::Log), ["Lives"]);
    }
}

#[test]
fn entries_of_a_catalog_may_have_grown_and_shorter_ones_are_an_error() {
    for (bytes, wanted) in [(16, Ok(())), (-8, Err(DAVIT_INTERNAL))] {
        let cluster = cluster();
        let seen = Rc::new(Cell::new(None));
        let place = seen.clone();
        on_sync(move |_, ctx, _| {
            let found = ctx.discovery()?.catalog().map(|catalog| {
                let named = |name: &str| catalog.resources.iter().filter(|each| each.resource == name).count();
                assert!(named("pods") == 1 && named("deployments") == 1 && named("nodes") == 1);
            });
            place.set(Some(found.map_err(|error| error.code)));
            Ok(Again::WhenChanged)
        });
        cluster.add(&pod("web", "{}", "a"));
        start_resized(&cluster, Some("davit.discovery/1"), bytes).unwrap();
        assert_eq!(seen.get(), Some(wanted));
        assert_eq!(cluster.records(Records::Failures), Vec::<String>::new());
    }
}
