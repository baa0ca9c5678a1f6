//! The greeter without Rust's standard library, from the C contract alone, so that it has a few kilobytes: it labels every pod
//! that asks to be greeted.
#![no_std]
extern crate core as std;

#[allow(dead_code)]
#[path = "../../sdk/rust/src/abi.rs"]
mod abi;
#[path = "../../sdk/rust/src/note.rs"]
mod note;

use abi::*;
use std::ffi::c_void;
use std::ptr::{addr_of, addr_of_mut, null, null_mut};

#[panic_handler]
fn panic(_: &std::panic::PanicInfo) -> ! {
    loop {}
}

struct Greeter {
    object: *const davit_object_v1,
    informer: *const davit_informer_v1,
    queue: *const davit_queue_v1,
    client: *const davit_client_v1,
    path: [davit_name; 2],
    pods: davit_handle,
    keys: davit_handle,
}

/// One host at a time is enough for a museum.
static mut GREETER: Greeter = Greeter {
    object: null(),
    informer: null(),
    queue: null(),
    client: null(),
    path: [0; 2],
    pods: 0,
    keys: 0,
};

fn text(from: &'static str) -> davit_str {
    davit_str { data: from.as_ptr(), size: from.len() }
}

const NONE: davit_value = davit_value { object: null(), node: 0, mask: 0 };

unsafe fn metadata_text(it: &Greeter, call: *const davit_call, object: davit_value, name: &'static str) -> davit_str {
    let (mut value, mut out) = (NONE, davit_str { data: null(), size: 0 });
    let path = [it.path[0], ((*it.object).name)(call, text(name))];
    if ((*it.object).path)(object, path.as_ptr(), 2, &mut value) == DAVIT_OK {
        ((*it.object).string)(value, &mut out);
    }
    out
}

unsafe extern "C" fn on_event(_: *mut c_void, call: *const davit_call, event: *const davit_event) {
    let it = &*addr_of!(GREETER);
    let ns = metadata_text(it, call, (*event).value, "namespace");
    let name = metadata_text(it, call, (*event).value, "name");
    let mut key = [0u8; 512];
    if ns.size + 1 + name.size > 512 || ns.size == 0 {
        return;
    }
    let to: *mut u8 = key.as_mut_ptr();
    std::ptr::copy_nonoverlapping(ns.data, to, ns.size);
    *to.add(ns.size) = b'/';
    std::ptr::copy_nonoverlapping(name.data, to.add(ns.size + 1), name.size);
    ((*it.queue).add)(call, it.keys, davit_str { data: to, size: ns.size + 1 + name.size });
}

unsafe extern "C" fn sync(
    _: *mut c_void,
    call: *const davit_call,
    key: davit_str,
    _: *mut davit_sync_result,
) -> davit_code {
    let it = &*addr_of!(GREETER);
    let mut slash = 0;
    while slash < key.size && *key.data.add(slash) != b'/' {
        slash += 1;
    }
    let ns = davit_str { data: key.data, size: slash };
    let name = davit_str { data: key.data.add(slash + 1), size: key.size - slash - 1 };
    let (mut pod, mut labels, mut found) = (NONE, NONE, NONE);
    if ((*it.informer).get)(call, it.pods, ns, name, &mut pod) != DAVIT_OK {
        return DAVIT_OK;
    }
    let annotations = [it.path[0], ((*it.object).name)(call, text("annotations"))];
    ((*it.object).path)(pod, annotations.as_ptr(), 2, &mut labels);
    if ((*it.object).lookup)(labels, text("example.davit.dev/greet"), &mut found) != DAVIT_OK {
        return DAVIT_OK;
    }
    ((*it.object).path)(pod, it.path.as_ptr(), 2, &mut labels);
    if ((*it.object).lookup)(labels, text("greeting"), &mut found) == DAVIT_OK {
        return DAVIT_OK;
    }
    let mut request: davit_request = std::mem::zeroed();
    request.size = std::mem::size_of::<davit_request>() as u32;
    request.verb = DAVIT_PATCH;
    request.version = text("v1");
    request.resource = text("pods");
    request.ns = ns;
    request.name = name;
    request.patch_type = 2;
    request.body = text(r#"{"metadata":{"labels":{"greeting":"hello"}}}"#);
    let mut response: davit_response = std::mem::zeroed();
    response.size = std::mem::size_of::<davit_response>() as u32;
    ((*it.client).call)(call, &request, &mut response)
}

unsafe extern "C" fn init(
    call: *const davit_call,
    context: *const davit_context,
    out: *mut davit_controller,
) -> i32 {
    let it = &mut *addr_of_mut!(GREETER);
    let side = |id: &'static str| ((*context).capability)(call, text(id));
    it.object = side("davit.object/1") as *const davit_object_v1;
    it.informer = side("davit.informer/1") as *const davit_informer_v1;
    it.queue = side("davit.queue/1") as *const davit_queue_v1;
    it.client = side("davit.client/1") as *const davit_client_v1;
    it.path = [((*it.object).name)(call, text("metadata")), ((*it.object).name)(call, text("labels"))];
    let queue = davit_queue_options {
        size: std::mem::size_of::<davit_queue_options>() as u32,
        workers: 0,
        name: text("greeter"),
        base_ms: 0,
        max_ms: 0,
        retries_max: 0,
        reserved: 0,
        this: null_mut(),
        sync: Some(sync),
    };
    let mut informer: davit_informer_options = std::mem::zeroed();
    informer.size = std::mem::size_of::<davit_informer_options>() as u32;
    informer.version = text("v1");
    informer.resource = text("pods");
    informer.on_event = Some(on_event);
    if ((*it.queue).open)(call, &queue, &mut it.keys) != DAVIT_OK
        || ((*it.informer).open)(call, &informer, &mut it.pods) != DAVIT_OK
    {
        return DAVIT_FAILED;
    }
    (*out).this = null_mut();
    DAVIT_STARTED
}

const NOTE_TEXT: &str = concat!(
    r#"{"name":"greeter","version":"0.1.0","abi":"1.0","#,
    r#""requires":["davit.object/1","davit.informer/1","davit.queue/1","davit.client/1"],"#,
    r#""controllers":[{"name":"greeter-controller","workers":1,"#,
    r#""rules":[{"group":"","resource":"pods","verbs":["patch"]}],"#,
    r#""watches":[{"group":"","version":"v1","resource":"pods","#,
    r#""projection":["metadata.labels","metadata.annotations"]}]}]}"#
);
#[used]
#[link_section = ".note.davit"]
static NOTE: note::Note<{ (NOTE_TEXT.len() + 4) / 4 * 4 }> = note::Note::new(NOTE_TEXT);

const ROW: &str = "greeter-controller";
static ROWS: [davit_row; 1] = [davit_row { name: davit_str { data: ROW.as_ptr(), size: ROW.len() }, init }];
static PLUGIN: davit_plugin = davit_plugin {
    size: std::mem::size_of::<davit_plugin>() as u32,
    row_size: std::mem::size_of::<davit_row>() as u32,
    rows: &ROWS as *const _ as *const davit_row,
    row_count: 1,
};
#[no_mangle]
pub extern "C" fn davit_plugin_v1() -> *const davit_plugin {
    &PLUGIN
}
