/* davit/abi.h: the contract between the davit host and a controller plugin.
 *
 * A plugin is a shared library with ONE exported function, davit_plugin_v1(), and one ELF note that declares, as JSON,
 * what the plugin is and needs. The host checks the note before it runs any code of the file. This header is all that a
 * plugin needs, in any language that can call C: it is plain C11, includes only <stddef.h> and <stdint.h>, and the host
 * exports no symbols. Plugins reach every host function through a table that davit_context.capability() returns.
 *
 * How a plugin lives
 *   1. The host reads the ELF note, checks ABI, capabilities, rights and names, then opens the file (eager, local).
 *   2. It calls davit_plugin_v1() once and looks up one row of the table for each controller that is enabled.
 *   3. It calls the row's init(), which opens informers, indexes, queues and timers, and returns STARTED, SKIPPED or
 *      FAILED. init must not block, except in its own server queries (see resource_exists), and cannot
 *      read the cache, which is still empty.
 *   4. Informers start. When all informers of the controller have synced (and it leads, unless declared otherwise),
 *      its handlers have seen every object at least once, and its queues begin to pass keys to sync().
 *   5. At the end, the host stops passing out keys, waits for running calls, and calls destroy().
 *
 * Conventions
 *   Strings     davit_str: UTF-8, not NUL-terminated, borrowed. An argument is borrowed until the call returns;
 *               a string from the host lives as long as the object or call that it came from.
 *   Ownership   The side that allocates memory frees it. The host copies what it keeps. Results of unknown length are
 *               written to a sink.
 *   Growth      Structs grow at the end only, and those without `size` never do. `size` is sizeof the struct as the
 *               writer compiled it; a reader uses the smaller of the two sizes and treats missing members as zero.
 *               Function tables are read the same way. A struct to be filled has its `size` set, and no more
 *               of it may be written.
 *   Ids         Capability ids carry a revision ("davit.client/1"). A published id never changes its meaning.
 *   Errors      Values, never exceptions: no exception, panic or longjmp may cross a call, in either direction.
 *   Numbers     Units end the name (_ms, _ns, _seconds). Reserved members are zero.
 *
 * Calls. The host passes a `const davit_call *` to each function of the plugin, which passes it on to each host
 * function. It is valid on the thread that received it, until the callback returns. Otherwise a host function does
 * nothing, reads nothing that has been freed, writes to no argument, and returns:
 *   DAVIT_STALE    the callback has returned, or its controller was destroyed
 *   DAVIT_MISUSE   another thread, a phase that the function's mark does not name, or no call at all
 * Functions without a code return zero. The memory of a call is reused after at least 64 others; until then, use after
 * the return is detected. Threads that the plugin starts have no call: they reach the host only through
 * "davit.waker/1".
 *
 * Marks. Each function carries one machine-readable mark, from which the documentation and the host's checks are made:
 *     @call(<callers>; <blocks>)
 *   callers   init     inside init
 *             handler  inside on_event and on_closed
 *             sync     inside sync() of a key, or inside a timer's fire()
 *             any      all of these, the functions of the optional sides, and destroy()
 *             free     any thread of the plugin, even outside of a call from the host
 *             host     a function of the plugin that the host calls
 *   blocks    nonblocking  returns at once
 *             blocking     may wait; ends early with DAVIT_CANCELLED when the host stops or a swap drains it
 *
 * Concurrency within one controller: at most one on_event or on_closed runs at a time, in the order of changes; as many
 * syncs as each queue has workers, but never two of one key or shard; timers, but never two runs of one; at most one
 * check(), one serve() and one changed(). All of these may run concurrently. init and destroy run alone; write() and
 * read() of a state run concurrently with check() and serve() only. During a swap two builds of a controller may be
 * loaded; only one of them syncs.
 *
 * Unloading. The host unloads a library after destroy() of each of its controllers has returned, and from then on
 * neither calls nor reads it; until then the plugin must keep its tables, texts and `self` pointers valid. Threads that
 * the plugin started, and anything else that could call into the library, must have ended when destroy() returns. A
 * library that cannot be unloaded stays mapped and is never called again.
 *
 * Enums. Enums that the host writes are open and may grow: codes, kinds of calls and of values, types of events,
 * scopes. Treat an unknown code as "try again with back-off", an unknown event as an update, and ignore other unknown
 * numbers. Enums that the plugin writes are closed: the host refuses an unknown number with DAVIT_MISUSE. Zero is the
 * safe value of each enum: the default, nothing, or refused.
 */
#ifndef DAVIT_ABI_H_
#define DAVIT_ABI_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The major is part of the exported symbol's name. A host runs a plugin that has the same major, a minor not above the
 * host's, and no required capability that the host lacks. */
#define DAVIT_ABI_MAJOR 1
#define DAVIT_ABI_MINOR 0

/* ---- Basic types ------------------------------------------------------------------------------------------------- */

typedef struct davit_str {
  const char *data; /* may be NULL when size is 0 */
  size_t size;
} davit_str;

/* A host resource (queue, informer, timer, metric, retained object): slot and generation, not a pointer. 0 is none.
 * A stale handle is refused with DAVIT_STALE without touching memory. */
typedef uint64_t davit_handle;

/* The result of almost every call. The set is open: treat an unknown code as "try again with back-off". */
typedef int32_t davit_code;
enum {
  DAVIT_OK = 0,
  DAVIT_NOT_FOUND = 1,      /* no such object, member, element or index; HTTP 404 */
  DAVIT_ALREADY_EXISTS = 2, /* HTTP 409 with reason AlreadyExists */
  DAVIT_CONFLICT = 3,       /* HTTP 409: read the object again and decide again */
  DAVIT_INVALID = 4,        /* the server refused the content (400, 413, 415, 422): trying again will not help */
  DAVIT_FORBIDDEN = 5,      /* the server refused the identity or right (401, 403) */
  DAVIT_EXPIRED = 6,        /* HTTP 410 */
  DAVIT_THROTTLED = 7,      /* HTTP 429 after the host's own retries; see retry_after_ms */
  DAVIT_UNAVAILABLE = 8,    /* 5xx, time-out or broken connection: the write may or may not have been applied */
  DAVIT_CANCELLED = 9,      /* the host is stopping, lost the lease, or the call's deadline passed: nothing was sent */
  DAVIT_UNDECLARED = 10,    /* outside the projection or the rules that the plugin declared; a programming error */
  DAVIT_WRONG_TYPE = 11,    /* the value is not of the requested kind */
  DAVIT_STALE = 12,         /* the handle belongs to something that is gone */
  DAVIT_MISUSE = 13,        /* wrong caller, wrong phase or malformed argument; a programming error */
  DAVIT_UNSUPPORTED = 14,   /* the server or host does not offer this (for example the resource does not exist) */
  DAVIT_INTERNAL = 15       /* anything else; the message says what */
};

/* Receives text in pieces. */
typedef struct davit_sink {
  uint32_t size;
  uint32_t reserved;
  void *self;
  /* Called zero or more times, only during the call that takes the sink and on its thread. Any code except DAVIT_OK
   * stops the writer, which returns that code. @call(any; nonblocking) */
  davit_code (*write)(void *self, davit_str chunk);
} davit_sink;

/* The purpose of a call of the plugin. The set is open. */
enum {
  DAVIT_CALL_INIT = 1,
  DAVIT_CALL_HANDLER = 2, /* on_event, on_closed */
  DAVIT_CALL_SYNC = 3,
  DAVIT_CALL_TIMER = 4,  /* fire */
  DAVIT_CALL_PROBE = 5,  /* the optional sides, and davit_controller.capability */
  DAVIT_CALL_DESTROY = 6
};

/* One call of the host into the plugin. The call and its texts are valid until the callback returns, on its thread. */
typedef struct davit_call {
  uint32_t size;
  int32_t kind;        /* DAVIT_CALL_* */
  const void *host;    /* the host's own */
  davit_handle source; /* the queue, informer or timer that caused the call; 0: none */
  davit_str key;       /* a sync's key; otherwise empty */
  davit_str trace_id;  /* W3C trace id of the work, 32 hexadecimal digits; empty: it is not traced */
  int64_t deadline_ns; /* on davit_clock_v1.monotonic_ns: when the host reports the call as overdue; 0: never */
  uint32_t attempt;    /* number of consecutive failures of this key or timer before */
  uint32_t reserved;
  /* 1 when the result is no longer needed because the host stops or swaps: return soon. Blocking host functions then
   * return DAVIT_CANCELLED. Also 1 for a call that has returned, and on another thread. @call(any; nonblocking) */
  int32_t (*cancelled)(const struct davit_call *call);
  /* 1 while this replica may act: it holds the lease, or the controller needs none. 0 on a standby, for a call that has
   * returned, and on another thread. It may change at any time; the host checks each write independently.
   * @call(any; nonblocking) */
  int32_t (*leads)(const struct davit_call *call);
} davit_call;

/* ---- Objects: "davit.object/1" ----------------------------------------------------------------------------------- */

/* An interned member name. Intern it once, in init; a member lookup then costs an integer comparison. 0 is never a
 * name. */
typedef uint32_t davit_name;

/* A value inside an immutable object snapshot, read in place: nothing is copied or parsed. All zero means "absent";
 * every function accepts an absent value and returns DAVIT_NOT_FOUND (kind() returns DAVIT_KIND_ABSENT). Lifetime: a
 * value that a call received or read is borrowed until the handler, sync, fire or init call during which it was
 * obtained returns. To keep one longer, retain() it. Members are internal to the host; do not read them. */
typedef struct davit_value {
  const void *object;
  uint32_t node;
  uint32_t mask; /* the declared paths below this value */
} davit_value;

enum {
  DAVIT_KIND_ABSENT = 0,
  DAVIT_KIND_NULL = 1,
  DAVIT_KIND_BOOLEAN = 2,
  DAVIT_KIND_NUMBER = 3,
  DAVIT_KIND_STRING = 4,
  DAVIT_KIND_ARRAY = 5,
  DAVIT_KIND_OBJECT = 6
};

/* One member of an object value. `key` lives as long as `value`. */
typedef struct davit_member {
  davit_str key;
  davit_value value;
} davit_member;

/* Read access to snapshots. All functions are pure and may be called from any thread that holds a live value.
 *
 * Projection. A resource's watch declaration lists the field paths that the controller reads. Reading any other path
 * returns DAVIT_UNDECLARED, even if another controller declared it. metadata.{name,namespace,uid,resourceVersion} and
 * apiVersion/kind are always readable. Functions that need a whole subtree (members, equal, hash, json) return
 * DAVIT_UNDECLARED unless all of it was declared. */
typedef struct davit_object_v1 {
  uint32_t size;
  uint32_t reserved;

  /* Interns a member name such as "metadata". The result is valid for the life of the process.
   * @call(any; nonblocking) */
  davit_name (*name)(const davit_call *call, davit_str text);

  /* One of DAVIT_KIND_*. @call(any; nonblocking) */
  int32_t (*kind)(davit_value value);

  /* The member `name` of an object value. DAVIT_NOT_FOUND if there is none, DAVIT_WRONG_TYPE if `value` is not an
   * object, DAVIT_UNDECLARED outside the projection; *out is absent in these cases. @call(any; nonblocking) */
  davit_code (*member)(davit_value value, davit_name name, davit_value *out);

  /* The member with this key; otherwise like member(). For keys that are data (labels, annotations), which are not
   * interned. @call(any; nonblocking) */
  davit_code (*lookup)(davit_value value, davit_str key, davit_value *out);

  /* Follows `count` names from `value`, like that many member() calls. DAVIT_WRONG_TYPE if a value on the path is not
   * an object. @call(any; nonblocking) */
  davit_code (*path)(davit_value value, const davit_name *names, size_t count, davit_value *out);

  /* Number of elements of an array or members of an object; 0 for everything else. @call(any; nonblocking) */
  size_t (*count)(davit_value value);

  /* Writes up to `capacity` elements of an array, beginning with element `first`; returns how many.
   * @call(any; nonblocking) */
  size_t (*elements)(davit_value array, size_t first, davit_value *out, size_t capacity);

  /* Writes up to `capacity` members of an object in document order, beginning with member `first`; *written is their
   * number. @call(any; nonblocking) */
  davit_code (*members)(davit_value object, size_t first, davit_member *out, size_t capacity, size_t *written);

  /* The text of a string; lives as long as the value. DAVIT_WRONG_TYPE for other kinds. @call(any; nonblocking) */
  davit_code (*string)(davit_value value, davit_str *out);

  /* A number that is an integer within int64. DAVIT_WRONG_TYPE for other kinds, fractions and larger integers.
   * @call(any; nonblocking) */
  davit_code (*integer)(davit_value value, int64_t *out);

  /* The text of any number exactly as the server wrote it. @call(any; nonblocking) */
  davit_code (*number)(davit_value value, davit_str *out);

  /* 0 or 1. DAVIT_WRONG_TYPE for other kinds. @call(any; nonblocking) */
  davit_code (*boolean)(davit_value value, int32_t *out);

  /* Sets *out to 1 if both values are deeply equal, that is, of the same kind and: objects with the same keys and equal
   * values in any order; arrays with equal elements in order; strings with the same bytes; numbers with the same
   * mathematical value (integers within int64/uint64) or the same text (all others); or both absent.
   * @call(any; nonblocking) */
  davit_code (*equal)(davit_value a, davit_value b, int32_t *out);

  /* A 64-bit hash that is equal for equal values (see equal) and stable across hosts and releases: FNV-1a over the
   * canonical JSON text (keys sorted by bytes, no white space, integers in decimal). @call(any; nonblocking) */
  davit_code (*hash)(davit_value value, uint64_t *out);

  /* Compact JSON text of the value, members in document order, so that it can be spliced into a request body and
   * unknown fields survive. @call(any; nonblocking) */
  davit_code (*json)(davit_value value, const davit_sink *sink);

  /* Parses JSON text into a new snapshot that lives like a borrowed value. DAVIT_INVALID for malformed text;
   * davit_context.last_error() has the position. @call(any; nonblocking) */
  davit_code (*parse)(const davit_call *call, davit_str json, davit_value *out);

  /* Keeps the object of `value` alive beyond the current call, until release(). @call(any; nonblocking) */
  davit_code (*retain)(const davit_call *call, davit_value value, davit_handle *out);
  /* The value that was retained, borrowed until release(). @call(any; nonblocking) */
  davit_code (*retained)(const davit_call *call, davit_handle handle, davit_value *out);
  /* Ends a retain(). @call(any; nonblocking) */
  davit_code (*release)(const davit_call *call, davit_handle handle);
} davit_object_v1;

/* ---- Informers: "davit.informer/1" ------------------------------------------------------------------------------- */

enum { DAVIT_EVENT_ADDED = 1, DAVIT_EVENT_UPDATED = 2, DAVIT_EVENT_DELETED = 3 };

/* One change of one object, as a handler sees it.
 *   ADDED    `value` is the object. `initial` is 1 while the informer's initial content is delivered.
 *   UPDATED  `old_value` is what this handler saw last, `value` is the new state; updates that arrive while the handler
 *            is busy are merged into one. The UIDs may differ (deleted and recreated during a gap in the watch). Both
 *            are the same object when the event is a periodic resync.
 *   DELETED  `value` is the last known state. `tombstone` is 1 if the deletion itself was missed, so the state may
 *            be old. */
typedef struct davit_event {
  uint32_t size;
  int32_t type;
  int32_t initial;
  int32_t tombstone;
  davit_value value;
  davit_value old_value;
} davit_event;

/* What an informer watches. The resource must be among the `watches` of the note. */
typedef struct davit_informer_options {
  uint32_t size;
  uint32_t reserved;
  davit_str group; /* empty for the core group */
  davit_str version;
  davit_str resource;       /* plural, lower case: "replicasets" */
  davit_str label_selector; /* may be empty; evaluated by the server */
  davit_str field_selector; /* may be empty; evaluated by the server */
  void *self;               /* passed back to on_event */
  /* Called for every change, one call at a time per controller, in the order of this informer's changes. Should only
   * add keys to queues; must not wait or write. May be NULL. @call(host; nonblocking) */
  void (*on_event)(void *self, const davit_call *call, const davit_event *event);
} davit_informer_options;

/* Borrowed results; the array lives as long as the values in it. */
typedef struct davit_list {
  const davit_value *items;
  size_t count;
} davit_list;

/* Indexes that every informer has. */
#define DAVIT_INDEX_NAMESPACE "namespace"   /* key: metadata.namespace */
#define DAVIT_INDEX_CONTROLLER "controller" /* key: UID of the owner with controller=true; "/<namespace>" without one */
#define DAVIT_INDEX_LABEL "label"           /* key: "<namespace>/<label>=<value>" */

typedef struct davit_informer_v1 {
  uint32_t size;
  uint32_t reserved;

  /* Joins the host's shared informer of this resource and selector. All opened informers are synced before sync() runs.
   * DAVIT_UNDECLARED if the note does not list the resource. A resource that the server lacks is not an error here: the
   * informer waits for it. To skip the controller instead, call client.resource_exists() first and return SKIPPED.
   * @call(init; nonblocking) */
  davit_code (*open)(const davit_call *call, const davit_informer_options *options, davit_handle *out);

  /* Adds an index over the values found at `path` (dots between members, [] for every element, ['key'] for one map key;
   * strings only). `name` is private to the controller. Adding an index twice is not an error.
   * @call(init; nonblocking) */
  davit_code (*add_index)(const davit_call *call, davit_handle informer, davit_str name, davit_str path);

  /* The object with this name, from the cache. `ns` is empty for cluster-scoped resources.
   * @call(handler, sync; nonblocking) */
  davit_code (*get)(const davit_call *call, davit_handle informer, davit_str ns, davit_str name, davit_value *out);

  /* All objects with `key` in `index`, or every object if `index` is empty, in no particular order. The list is one
   * consistent snapshot. @call(handler, sync; nonblocking) */
  davit_code (*select)(const davit_call *call, davit_handle informer, davit_str index, davit_str key, davit_list *out);
} davit_informer_v1;

/* ---- Work queues: "davit.queue/1" -------------------------------------------------------------------------------- */

/* The effect on a key's or timer's back-off after DAVIT_OK. */
enum {
  DAVIT_BACKOFF_END = 0,  /* it ends: the next failure counts as the first. A back-off that add_rate_limited() gave the
                           * key during this sync stays */
  DAVIT_BACKOFF_KEEP = 1, /* the failure count stays, for example for work in progress elsewhere */
  /* The count increases, and the key or timer runs again after its back-off, or after again_ms if that is set and
   * shorter. For conditions that are not met yet: logs, metrics, retries_max and the probation of a new build do not
   * count it as a failure. */
  DAVIT_BACKOFF_RETRY = 2
};

/* The result of a sync or a timer's run besides its code. Zeroed before each call. Used only with DAVIT_OK. */
typedef struct davit_sync_result {
  uint32_t size;
  int32_t backoff;   /* DAVIT_BACKOFF_* */
  uint64_t again_ms; /* sync the key again after this time; 0: when it is added again */
} davit_sync_result;

typedef struct davit_queue_options {
  uint32_t size;
  uint32_t workers;     /* the most keys synced concurrently; 0: the number declared in the note or set by the operator */
  davit_str name;       /* label of the workqueue_* metrics; empty: no metrics */
  uint64_t base_ms;     /* first back-off of a failing key, doubled each time; 0: 5 ms */
  uint64_t max_ms;      /* longest back-off; 0: 1000 s */
  uint32_t retries_max; /* consecutive failures after which a key is dropped with a log line; 0: never */
  uint32_t reserved;
  void *self; /* passed back to sync */
  /* Moves the cluster toward the state that the object named by `key` specifies. Idempotent. Never runs concurrently
   * for one key or for two keys of one shard. DAVIT_OK ends the key's back-off, unless the result says otherwise; any
   * other code, known or not, leads to a retry with back-off. Pass the reason to davit_context.error_text.
   * @call(host; blocking) */
  davit_code (*sync)(void *self, const davit_call *call, davit_str key, davit_sync_result *result);
} davit_queue_options;

typedef struct davit_queue_v1 {
  uint32_t size;
  uint32_t reserved;

  /* Creates a queue. Keys added before the caches are synced, as in init, wait until then. @call(init; nonblocking) */
  davit_code (*open)(const davit_call *call, const davit_queue_options *options, davit_handle *out);

  /* Adds a key (opaque bytes, usually "namespace/name"). Adding a waiting key has no effect; a key that is being synced
   * runs exactly once more. @call(any; nonblocking) */
  davit_code (*add)(const davit_call *call, davit_handle queue, davit_str key);

  /* Like add(), but keys of one shard never run concurrently. A key's shard must never change.
   * @call(any; nonblocking) */
  davit_code (*add_sharded)(const davit_call *call, davit_handle queue, davit_str key, davit_str shard);

  /* Adds the key after a delay. If a key has several delays, the earliest wins. @call(any; nonblocking) */
  davit_code (*add_after)(const davit_call *call, davit_handle queue, davit_str key, uint64_t delay_ms);

  /* Adds the key after its next back-off. @call(any; nonblocking) */
  davit_code (*add_rate_limited)(const davit_call *call, davit_handle queue, davit_str key);

  /* Ends the key's back-off. @call(any; nonblocking) */
  davit_code (*forget)(const davit_call *call, davit_handle queue, davit_str key);

  /* The number of consecutive back-offs of the key. @call(any; nonblocking) */
  uint32_t (*failures)(const davit_call *call, davit_handle queue, davit_str key);
} davit_queue_v1;

/* ---- API requests: "davit.client/1" ------------------------------------------------------------------------------ */

enum {
  DAVIT_GET = 1,
  DAVIT_LIST = 2,
  DAVIT_CREATE = 3,
  DAVIT_UPDATE = 4,
  DAVIT_PATCH = 5,
  DAVIT_DELETE = 6,
  DAVIT_DELETE_COLLECTION = 7 /* every object of the resource in `ns` that the query selects */
};

enum { DAVIT_PATCH_JSON = 1, DAVIT_PATCH_MERGE = 2, DAVIT_PATCH_STRATEGIC = 3, DAVIT_PATCH_APPLY = 4 };

enum {
  DAVIT_PROPAGATION_DEFAULT = 0,
  DAVIT_PROPAGATION_ORPHAN = 1,
  DAVIT_PROPAGATION_BACKGROUND = 2,
  DAVIT_PROPAGATION_FOREGROUND = 3
};

/* How much of the response is parsed into davit_response.object. */
enum {
  DAVIT_ANSWER_OBJECT = 0,  /* everything except managedFields */
  DAVIT_ANSWER_METADATA = 1 /* apiVersion, kind and metadata without managedFields; nothing else is requested, also for
                             * the items of a list. The kind may be PartialObjectMetadata or PartialObjectMetadataList.
                             * If the server does not offer this form for a resource, it sends whole objects and items */
};

/* The order of a controller's requests that wait for its rate limiter. One of every four that are sent while others
 * wait is the one that has waited longest, regardless of priority, so that every request is sent eventually. */
enum {
  DAVIT_PRIORITY_NORMAL = 0,
  DAVIT_PRIORITY_HIGH = 1, /* others wait for it: heartbeats, deletions that free something */
  DAVIT_PRIORITY_LOW = 2   /* not urgent: clean-up, reports */
};

/* One request to the API server. The rules of the note must allow it; otherwise the result is DAVIT_UNDECLARED and
 * nothing is sent. A PUT body must be built from an uncached read: the host refuses DAVIT_UPDATE of a resource that the
 * controller reads through a projection (DAVIT_UNDECLARED), because fields outside the projection would be lost. Use a
 * patch instead. The subresource "scale" is a separate object and may be PUT. */
typedef struct davit_request {
  uint32_t size;
  int32_t verb;
  davit_str group;
  davit_str version;
  davit_str resource;
  davit_str subresource; /* empty, or "status", "scale", … */
  davit_str ns;          /* empty for cluster-scoped resources */
  davit_str name;        /* empty for DAVIT_LIST and DAVIT_DELETE_COLLECTION, and for DAVIT_CREATE except of a subresource,
                          * where it names the object: pods/eviction, pods/binding, serviceaccounts/token */
  davit_str body;        /* JSON, for DAVIT_CREATE, DAVIT_UPDATE and DAVIT_PATCH; otherwise empty */
  int32_t patch_type;    /* DAVIT_PATCH only */
  int32_t answer;        /* DAVIT_ANSWER_* */
  davit_str query;       /* further query parameters, form-encoded: "labelSelector=app%3Dweb"; may be empty. The host
                          * decodes it and encodes it again. Parameters that this struct has a member for, and dryRun,
                          * timeout and watch, which the host sets, are DAVIT_MISUSE */
  int32_t priority;      /* DAVIT_PRIORITY_* */
  int32_t force;         /* DAVIT_PATCH_APPLY only; 1: takes over fields of other managers; 0: these are DAVIT_CONFLICT */
  davit_str field_manager; /* DAVIT_CREATE, DAVIT_UPDATE and DAVIT_PATCH: the owner of the written fields; at most 128
                            * bytes. Empty: the note's clientName for DAVIT_PATCH_APPLY; for others none is sent, and
                            * the server takes "davit" from the user agent */
  /* DAVIT_LIST only */
  uint64_t limit;           /* the most items in one response; 0: all. More follow if metadata.continue is not empty */
  davit_str continue_token; /* metadata.continue of the previous response; empty: from the start. DAVIT_EXPIRED: the
                             * server no longer has it */
  /* DAVIT_GET and DAVIT_LIST in call() only, else DAVIT_MISUSE; may be NULL. Receives the body of a successful response
   * as it arrives, unparsed and in arbitrary pieces; davit_response.object is then absent. The host buffers at most 256
   * KiB for the sink, does not limit the total size, and repeats the request only before the first piece. If the sink
   * returns a code other than DAVIT_OK, the transfer ends with that code. DAVIT_UNAVAILABLE: the body was cut off.
   * DAVIT_CANCELLED: the host stops or swaps. Both may come after any number of pieces. `timeout_ms` covers the whole
   * transfer */
  const davit_sink *raw;
  /* DAVIT_DELETE and DAVIT_DELETE_COLLECTION only */
  int32_t propagation;
  int32_t has_grace_seconds; /* 1 if grace_seconds is set */
  int64_t grace_seconds;
  davit_str precondition_uid;              /* may be empty */
  davit_str precondition_resource_version; /* may be empty */
  uint64_t timeout_ms;                     /* 0: the host's default of 40 s */
} davit_request;

/* The response to one request. Texts and object live like borrowed values. */
typedef struct davit_response {
  uint32_t size;
  davit_code code;
  int32_t http_status;     /* 0 if no response arrived */
  uint32_t retry_after_ms; /* requested by the server; 0: none */
  davit_str reason;        /* Kubernetes reason, for example "AlreadyExists" */
  davit_str message;       /* for people */
  davit_str causes;        /* the reasons in details.causes, separated by commas: "NamespaceTerminating" */
  davit_value object;      /* absent on failure, and if the response is a Status */
} davit_response;

/* Limits of a fan-out: concurrent requests, and the size of a request. */
enum {
  DAVIT_FAN_OUT_AT_ONCE_MAX = 50,
  DAVIT_REQUEST_ROOM = 1024 /* bytes that next() may write */
};

/* Any number of requests, each made when it can be sent. Both functions run during davit_client_v1.fan_out(), on its
 * thread, one at a time, with its call, and may call the host. */
typedef struct davit_fan_out {
  uint32_t size;
  uint32_t at_once_max; /* the most concurrent requests; 0 or too many: DAVIT_FAN_OUT_AT_ONCE_MAX */
  void *self;           /* passed back to next and done */
  /* Fills `request`, which is zero except for `size`; `index` counts the calls from 0. Texts are copied when it
   * returns. `request` has DAVIT_REQUEST_ROOM bytes, so a plugin compiled with a later header may write all members
   * that it knows. DAVIT_OK: send it. DAVIT_NOT_FOUND: none now; called again after the next done(), and the fan-out
   * ends if no request is in progress. Any other code: no more requests; fan_out() returns it when the requests in
   * progress have ended. @call(host; blocking) */
  davit_code (*next)(void *self, const davit_call *call, uint64_t index, davit_request *request);
  /* The response to the request with this index; called in the order of arrival. The response is borrowed until this
   * returns: to keep its object, retain() it. DAVIT_OK: continue, even after a failed response. Any other code: as for
   * next(). @call(host; blocking) */
  davit_code (*done)(void *self, const davit_call *call, uint64_t index, const davit_response *response);
} davit_fan_out;

typedef struct davit_client_v1 {
  uint32_t size;
  uint32_t reserved;

  /* Sends one request through the controller's rate limiter and waits for the response; returns response->code. The
   * host retries if that is safe (429 and 5xx with Retry-After). The host remembers a successful write: the key whose
   * sync made it is not synced again until the cache has seen the write. @call(sync; blocking) */
  davit_code (*call)(const davit_call *call, const davit_request *request, davit_response *response);

  /* Like `count` concurrent call()s: all are sent as the rate limiter admits them; responses[i] belongs to requests[i].
   * Returns DAVIT_OK if every response is DAVIT_OK, otherwise one of the failures. `request_size` is
   * sizeof(davit_request), `response_size` sizeof(davit_response). @call(sync; blocking) */
  davit_code (*batch)(const davit_call *call, const davit_request *requests, size_t request_size, davit_response *responses,
                      size_t response_size, size_t count);

  /* DAVIT_OK if the server offers the resource, DAVIT_NOT_FOUND if it does not, DAVIT_UNAVAILABLE if discovery of its
   * group failed. If the host's discovery cache is old, this queries the server and waits for the response. Besides the
   * functions of discovery, it is the only host function that waits in init. @call(init, sync; blocking) */
  davit_code (*resource_exists)(const davit_call *call, davit_str group, davit_str version, davit_str resource);

  /* Sends the requests that `fan_out` makes, several concurrently, and passes on each response: memory is needed for
   * at_once_max requests only. Otherwise like batch(). Returns the code of next() or done() that ended the fan-out,
   * else DAVIT_OK. DAVIT_CANCELLED if the host stops or swaps: unsent requests have that code, and next() is not called
   * again. @call(sync; blocking) */
  davit_code (*fan_out)(const davit_call *call, const davit_fan_out *fan_out);
} davit_client_v1;

/* ---- Timers and periodic passes: "davit.timer/1" ----------------------------------------------------------------- */

typedef struct davit_timer_options {
  uint32_t size;
  uint32_t reserved;
  uint64_t first_ms;  /* from the start of the controller's workers, or from start() if they are running */
  uint64_t period_ms; /* from the end of one run to the start of the next; 0: runs once */
  void *self;
  /* Runs on a worker of the controller, never concurrently for one timer. DAVIT_OK: fires again after result->again_ms,
   * or after the period if that is 0. Any other code: fires again with back-off, which grows from 1 s to the period, or
   * to 1000 s without one. Pass the reason to davit_context.error_text. @call(host; blocking) */
  davit_code (*fire)(void *self, const davit_call *call, davit_sync_result *result);
} davit_timer_options;

typedef struct davit_timer_v1 {
  uint32_t size;
  uint32_t reserved;
  /* @call(any; nonblocking) */
  davit_code (*start)(const davit_call *call, const davit_timer_options *options, davit_handle *out);
  /* After this returns, fire() is not called again. It does not wait for a run in progress. @call(any; nonblocking) */
  davit_code (*stop)(const davit_call *call, davit_handle timer);
} davit_timer_v1;

/* ---- Kubernetes events: "davit.event/1" -------------------------------------------------------------------------- */

/* The object that an Event is about. */
typedef struct davit_reference {
  uint32_t size;
  uint32_t reserved;
  davit_str api_version;
  davit_str kind;
  davit_str ns;
  davit_str name;
  davit_str uid;
  davit_str resource_version;
  davit_str field_path; /* may be empty */
} davit_reference;

typedef struct davit_event_v1 {
  uint32_t size;
  uint32_t reserved;
  /* Records an Event with the controller as its source; `type` is "Normal" or "Warning". Correlated, rate limited and
   * written later by the host; never waits. @call(any; nonblocking) */
  davit_code (*record)(const davit_call *call, const davit_reference *regarding, davit_str type, davit_str reason,
                       davit_str message);
} davit_event_v1;

/* ---- Log: "davit.log/1" ------------------------------------------------------------------------------------------ */

enum { DAVIT_LOG_ERROR = -2, DAVIT_LOG_WARNING = -1, DAVIT_LOG_INFO = 0 /* 1 and above: verbosity, as in -v */ };

typedef struct davit_log_field {
  davit_str key;
  davit_str value;
} davit_log_field;

typedef struct davit_log_v1 {
  uint32_t size;
  uint32_t reserved;
  /* Writes one line: a constant message and key-value pairs. @call(any; nonblocking) */
  void (*write)(const davit_call *call, int32_t level, davit_str message, const davit_log_field *fields, size_t count);
  /* 1 if a line of this level would be written. @call(any; nonblocking) */
  int32_t (*enabled)(const davit_call *call, int32_t level);
} davit_log_v1;

/* ---- Clock, randomness: "davit.clock/1", "davit.random/1" -------------------------------------------------------- */

typedef struct davit_clock_v1 {
  uint32_t size;
  uint32_t reserved;
  /* Never jumps; for intervals. @call(any; nonblocking) */
  int64_t (*monotonic_ns)(const davit_call *call);
  /* Since 1970-01-01 UTC; for time stamps that are written to the API or compared with such. @call(any; nonblocking) */
  int64_t (*wall_ns)(const davit_call *call);
  /* Waits and occupies the worker, so use it for pauses of a few seconds only; for longer ones, sync the key again (see
   * again_ms). DAVIT_CANCELLED: it ended early because the host stops or swaps, or leadership was lost; return that
   * code, and the key is synced first where it may run next. @call(sync; blocking) */
  davit_code (*pause)(const davit_call *call, uint64_t ms);
} davit_clock_v1;

typedef struct davit_random_v1 {
  uint32_t size;
  uint32_t reserved;
  /* 64 uniformly distributed bits; not for secrets. @call(any; nonblocking) */
  uint64_t (*next)(const davit_call *call);
} davit_random_v1;

/* ---- Metrics: "davit.metric/1" ----------------------------------------------------------------------------------- */

enum { DAVIT_METRIC_COUNTER = 1, DAVIT_METRIC_GAUGE = 2, DAVIT_METRIC_HISTOGRAM = 3 };

typedef struct davit_metric_options {
  uint32_t size;
  int32_t type;
  davit_str name; /* Prometheus name, given by the plugin in full */
  davit_str help;
  const davit_str *labels; /* label names */
  size_t label_count;
  const double *buckets; /* histograms: upper bounds in ascending order */
  size_t bucket_count;
} davit_metric_options;

typedef struct davit_metric_v1 {
  uint32_t size;
  uint32_t reserved;
  /* Opens a metric of /metrics for the life of this controller. Another generation of the plugin may use the name with
   * different options: /metrics shows the definition of the serving generation, and values are kept if type, labels and
   * buckets are the same. DAVIT_ALREADY_EXISTS if another plugin or the host uses the name with different options.
   * @call(init; nonblocking) */
  davit_code (*open)(const davit_call *call, const davit_metric_options *options, davit_handle *out);
  /* Adds to a counter, sets a gauge, observes into a histogram. `label_values` has as many entries as there are labels.
   * @call(any; nonblocking) */
  davit_code (*record)(const davit_call *call, davit_handle metric, double value, const davit_str *label_values,
                       size_t label_count);
  /* Deletes the series with these label values, for example of a deleted object. DAVIT_NOT_FOUND: there is none.
   * @call(any; nonblocking) */
  davit_code (*remove)(const davit_call *call, davit_handle metric, const davit_str *label_values, size_t label_count);
} davit_metric_v1;

/* ---- Configuration: "davit.config/1" ----------------------------------------------------------------------------- */

typedef struct davit_config_v1 {
  uint32_t size;
  uint32_t reserved;
  /* The controller's `config` from the manifest, as an object value; absent if there is none. Constant during a call,
   * even if "davit.configurable/1" accepts another one at the same time. @call(any; nonblocking) */
  davit_value (*value)(const davit_call *call);
} davit_config_v1;

/* ---- Freshness of caches: "davit.freshness/1"---------------------------------------------------------- */

/* The freshness of one informer's content. Times are those of davit_clock_v1.monotonic_ns. */
typedef struct davit_freshness {
  uint32_t size;
  uint32_t reserved;
  /* When the connection was last known to work: data arrived through the watch, the server ended the watch properly, or
   * a list was complete. Silence since then may mean that nothing has changed, or that the connection is dead. This
   * time does not prove that the content is complete, because the server itself may lag; see verified_ns. */
  int64_t confirmed_ns;
  /* No outage has interrupted the host's view of the server since then. While requests fail, this and confirmed_ns do
   * not move; when requests succeed again, this moves to the end of the outage. If an object did nothing before that
   * time, it may have been unable to, or the host unable to see it. */
  int64_t followed_since_ns;
  /* The content includes everything that the server had then, as a consistent read sent at that time has shown. 0:
   * never. Moves only after verify(). */
  int64_t verified_ns;
} davit_freshness;

/* For controllers that act on the absence of changes, such as missing heartbeats: a stalled watch looks like a dead
 * object. */
typedef struct davit_freshness_v1 {
  uint32_t size;
  uint32_t reserved;

  /* Renews the informer's watch after `longest_ms` without data; at least 1000, else DAVIT_INVALID. The shortest limit
   * that any user of the informer sets applies. An idle watch then costs one request per such period.
   * @call(init; nonblocking) */
  davit_code (*limit_silence)(const davit_call *call, davit_handle informer, uint64_t longest_ms);

  /* DAVIT_NOT_FOUND before the initial content. @call(handler, sync; nonblocking) */
  davit_code (*read)(const davit_call *call, davit_handle informer, davit_freshness *out);

  /* Compares the content with the server's current state, with one or two requests, and does not wait: afterwards
   * verified_ns and confirmed_ns are the time of this call or later. Calling it again before that has no effect.
   * @call(handler, sync; nonblocking) */
  davit_code (*verify)(const davit_call *call, davit_handle informer);
} davit_freshness_v1;

/* ---- Discovery: "davit.discovery/1"-------------------------------------------------------------------- */

/* Scopes of a resource. The set is open. */
enum { DAVIT_SCOPE_UNKNOWN = 0, DAVIT_SCOPE_NAMESPACED = 1, DAVIT_SCOPE_CLUSTER = 2 };

/* A resource that the server offers in one version. Its arrays and texts live like borrowed values. */
typedef struct davit_served_resource {
  uint32_t size;
  int32_t scope; /* DAVIT_SCOPE_* */
  davit_str group;
  davit_str version;
  davit_str resource; /* plural: "replicasets" */
  davit_str kind;
  davit_str singular;         /* may be empty */
  const davit_str *verbs;     /* "list", "watch", … */
  size_t verb_count;
  const davit_str *subresources; /* "status", "scale", …: not listed as resources */
  size_t subresource_count;
  int32_t is_preferred; /* 1: `version` is the preferred one of its group */
  uint32_t reserved;
} davit_served_resource;

/* A version of a group whose resources the server could not list, for example because an aggregated server does not
 * respond. Its resources may exist: rely on earlier knowledge of them until the version is in a catalog again. */
typedef struct davit_unknown_version {
  uint32_t size;
  uint32_t reserved;
  davit_str group;
  davit_str version;
  davit_str message; /* for people */
} davit_unknown_version;

/* All that the server offers: every version of every group, the core group first, the preferred version of a group
 * before its others. Borrowed. `resource_size` and `unknown_size` are the distances from one entry to the next. */
typedef struct davit_catalog {
  uint32_t size;
  uint32_t resource_size;
  const davit_served_resource *resources;
  size_t resource_count;
  uint32_t unknown_size;
  uint32_t reserved;
  const davit_unknown_version *unknown;
  size_t unknown_count;
  int64_t fetched_ns; /* on davit_clock_v1.monotonic_ns: the catalog includes the server's changes up to then */
} davit_catalog;

/* The resources that the server offers. Needs no rule: every identity may use discovery. */
typedef struct davit_discovery_v1 {
  uint32_t size;
  uint32_t reserved;

  /* The resource of this name. If `version` is empty, the first version in the group's order of preference that has it.
   * DAVIT_NOT_FOUND: the server does not have it. DAVIT_UNAVAILABLE: the server may have it, but discovery of the
   * group, or all of discovery, failed. Queries the server if the host's catalog is old. @call(init, sync; blocking) */
  davit_code (*find)(const davit_call *call, davit_str group, davit_str version, davit_str resource,
                     davit_served_resource *out);

  /* The resource that has objects of this kind; otherwise like find(). @call(init, sync; blocking) */
  davit_code (*find_kind)(const davit_call *call, davit_str group, davit_str version, davit_str kind,
                          davit_served_resource *out);

  /* The whole catalog. DAVIT_UNAVAILABLE while nothing is known. A partial failure is DAVIT_OK with entries in
   * `unknown`. @call(init, sync; blocking) */
  davit_code (*catalog)(const davit_call *call, davit_catalog *out);

  /* Adds `key` to `queue` now and whenever the catalog has changed: resources were added or removed, or a group became
   * unknown or known. From now on the host compares every 30 s, once for all controllers. Ends with the controller;
   * repeating the call has no effect. DAVIT_UNSUPPORTED beyond 64 keys, DAVIT_STALE if `queue` does not belong to the
   * controller. @call(any; nonblocking) */
  davit_code (*wake)(const davit_call *call, davit_handle queue, davit_str key);

  /* Makes the host query the server again soon, at most once a second for all controllers. For controllers that have
   * just seen a CustomResourceDefinition change. Adds the keys of wake() if the catalog has changed.
   * @call(any; nonblocking) */
  davit_code (*refresh)(const davit_call *call);

  /* Like catalog(), but always queries the server, with two requests or more: for controllers that would do harm with a
   * catalog that is half a minute old. DAVIT_UNAVAILABLE, DAVIT_FORBIDDEN and so on: the catalog could not be read.
   * @call(init, sync; blocking) */
  davit_code (*fetch)(const davit_call *call, davit_catalog *out);
} davit_discovery_v1;

/* ---- Informers opened at run time: "davit.informer/2"------------------------------------------------------ */

/* The part of each object that the server sends. */
enum {
  DAVIT_FORM_OBJECT = 0,
  DAVIT_FORM_METADATA = 1 /* apiVersion, kind (maybe "PartialObjectMetadata") and metadata: a fraction of the bytes */
};

/* An index over one or more paths, in the syntax of davit_informer_v1.add_index. It contains an object if each path
 * leads to a string; one of the paths may lead to several ([]). "metadata.namespace" and a second path form a
 * namespaced index. */
typedef struct davit_index {
  uint32_t size;
  uint32_t path_count; /* 1 to 4 */
  davit_str name;      /* private to the controller */
  const davit_str *paths;
} davit_index;

/* What an informer opened at run time follows. The rules of the note must allow list and watch of the resource, or its
 * `watches` must have the resource (with these selectors, if the watch has any). */
typedef struct davit_informer_options_v2 {
  uint32_t size;
  int32_t form; /* DAVIT_FORM_* */
  davit_str group;
  davit_str version;
  davit_str resource;
  davit_str ns;             /* one namespace; empty: all, and for cluster-scoped resources */
  davit_str label_selector; /* may be empty */
  davit_str field_selector; /* may be empty */
  const davit_str *projection; /* the field paths to read; none: all of the form */
  size_t projection_count;
  const davit_index *indexes;
  size_t index_size; /* sizeof(davit_index) */
  size_t index_count;
  /* The key is added whenever the result of synced() may have changed, and once after open(). Without a queue: none. */
  davit_handle wake_queue;
  davit_str wake_key;
  void *self; /* passed back to on_event and on_closed */
  /* Like davit_informer_options.on_event. May be NULL. @call(host; nonblocking) */
  void (*on_event)(void *self, const davit_call *call, const davit_event *event);
  /* Called after close(), when on_event has run for the last time and `self` is no longer used. Not called for
   * informers that are open, or have just been closed, when the controller ends: `self` is not used after destroy() has
   * begun. May be NULL. @call(host; nonblocking) */
  void (*on_closed)(void *self, const davit_call *call);
} davit_informer_options_v2;

/* Informers that a controller opens when it discovers resources. They share the host's caches and need no entry in
 * `watches`. Each is synced independently: a resource that the server lacks delays neither the other informers nor the
 * syncs of the controller. An informer that no controller has open is kept for a minute, so that a swap to a build that
 * opens the same one causes no list. These informers do not delay a key until they show what its last sync wrote (see
 * davit_client_v1.call). */
typedef struct davit_informer_v2 {
  uint32_t size;
  uint32_t reserved;

  /* Begins to follow a resource. A resource that the server lacks, now or later, is not an error: the host retries with
   * back-off, and synced() reports it. DAVIT_UNDECLARED: the note does not allow it. DAVIT_UNSUPPORTED: the controller
   * has 16384 open. DAVIT_INVALID: a malformed name, path or index. During init nothing is requested yet; an error that
   * shows only afterwards fails the start. @call(init, handler, sync; nonblocking) */
  davit_code (*open)(const davit_call *call, const davit_informer_options_v2 *options, davit_handle *out);

  /* Closes the informer for this controller; the handle is stale afterwards. See on_closed.
   * @call(init, handler, sync; nonblocking) */
  davit_code (*close)(const davit_call *call, davit_handle informer);

  /* DAVIT_OK: the content is complete, and on_event has returned for all of it. DAVIT_UNAVAILABLE: not yet.
   * DAVIT_NOT_FOUND: the server does not serve the resource, or no longer does; DAVIT_FORBIDDEN: the server refuses it.
   * In these two cases get() and select() return the last known content, if there was any. DAVIT_EXPIRED: the content
   * may be older than the time since which the controller acts (for example, since this replica won the lease). The
   * host compares the content with the server, with one or two requests, and then adds the wake key; get() and select()
   * fail until then. @call(handler, sync; nonblocking) */
  davit_code (*synced)(const davit_call *call, davit_handle informer);

  /* Like davit_informer_v1.get. @call(handler, sync; nonblocking) */
  davit_code (*get)(const davit_call *call, davit_handle informer, davit_str ns, davit_str name, davit_value *out);

  /* All objects that have `values` in `index`, one value for each of its paths (one for the DAVIT_INDEX_*), or every
   * object if `index` is empty, in no particular order. The list is one consistent snapshot. DAVIT_NOT_FOUND: there is
   * no such index; DAVIT_INVALID: the wrong number of values. @call(handler, sync; nonblocking) */
  davit_code (*select)(const davit_call *call, davit_handle informer, davit_str index, const davit_str *values, size_t count,
                       davit_list *out);
} davit_informer_v2;

/* ---- Wakers: "davit.waker/1" ------------------------------------------------------------------------------------- */

/* A reference-counted handle of a queue, for threads that the plugin starts. They have no call and may use nothing else
 * of the host. A waker may outlive the queue and its controller, and then does nothing. After a swap its keys go to the
 * queue of that name in the serving build. */
typedef struct davit_waker davit_waker;

typedef struct davit_waker_v1 {
  uint32_t size;
  uint32_t reserved;

  /* Creates a waker of `queue` with one reference, which the caller owns. DAVIT_STALE if the queue does not belong to
   * the controller. @call(any; nonblocking) */
  davit_code (*open)(const davit_call *call, davit_handle queue, davit_waker **out);

  /* Adds a key like davit_queue_v1.add. DAVIT_STALE: the controller has ended; nothing was done.
   * @call(free; nonblocking) */
  davit_code (*wake)(davit_waker *waker, davit_str key);

  /* Adds a reference, for another owner. @call(free; nonblocking) */
  void (*retain)(davit_waker *waker);
  /* Drops a reference; the last one frees the waker. NULL is ignored. @call(free; nonblocking) */
  void (*release)(davit_waker *waker);
} davit_waker_v1;

/* ---- HTTP to external servers: "davit.http/1" ------------------------------------------------------------------- */

/* How much of a response is read; see davit_http_request.body_bytes_max. */
enum {
  DAVIT_HTTP_BODY_BYTES_DEFAULT = 8388608, /* 8 MiB */
  DAVIT_HTTP_BODY_BYTES_MAX = 67108864     /* 64 MiB */
};

/* Whether a request changes anything on the server. Changes are sent only while the controller may write: not after
 * leadership is lost, in a dry run, or by a shadow. */
enum {
  DAVIT_HTTP_EFFECT_BY_METHOD = 0, /* GET, HEAD and OPTIONS change nothing, all others do */
  DAVIT_HTTP_READS = 1,            /* changes nothing, such as a query or a login by POST */
  DAVIT_HTTP_CHANGES = 2
};

/* The requests that the host retries: at most three times, within the request's timeout, after a growing pause or the
 * server's Retry-After (up to 10 s; with a longer one, the response is returned to the caller). */
enum {
  /* After 429, and if no connection could be made: every method. After 502, 503, 504 and a broken connection: requests
   * that change nothing, and PUT and DELETE, which are idempotent. */
  DAVIT_HTTP_RETRY_BY_METHOD = 0,
  DAVIT_HTTP_RETRY_NEVER = 1,
  DAVIT_HTTP_RETRY_ALWAYS = 2 /* every method in all of these cases, for example with an idempotency key */
};

typedef struct davit_http_header {
  davit_str name;
  davit_str value;
} davit_http_header;

/* One request to a server outside the cluster. `http.hosts` of the note must allow its host; otherwise the result is
 * DAVIT_UNDECLARED. */
typedef struct davit_http_request {
  uint32_t size;
  int32_t effect;   /* DAVIT_HTTP_EFFECT_BY_METHOD, … */
  davit_str method; /* "PUT", as it is sent; empty: GET. Not CONNECT and TRACE */
  davit_str url;    /* absolute, https or http, percent-encoded, without user and password */
  /* Without a User-Agent, one that names the controller is sent. Host, Content-Length, Connection and other headers of
   * the connection are set by the host and are DAVIT_MISUSE here. At most 100 headers and 64 KiB. */
  const davit_http_header *headers;
  size_t header_count;
  davit_str body;
  int32_t retry;          /* DAVIT_HTTP_RETRY_* */
  uint32_t redirects_max; /* the most redirects that GET and HEAD follow, up to 10; 0: a redirect is the response. Redirects
                           * to hosts that the note does not declare are DAVIT_UNDECLARED. If the server changes, only the
                           * headers Accept, Accept-Language and User-Agent are sent on */
  uint64_t timeout_ms;    /* for the whole request, retries included; 0: 30 s; at most 10 minutes */
  uint64_t body_bytes_max; /* a larger response is DAVIT_INTERNAL, and the rest is not read; 0:
                            * DAVIT_HTTP_BODY_BYTES_DEFAULT, at most DAVIT_HTTP_BODY_BYTES_MAX */
} davit_http_request;

/* The response to one request. Texts and arrays live like borrowed values. */
typedef struct davit_http_response {
  uint32_t size;
  /* DAVIT_OK: the server has responded, with any http_status. DAVIT_UNAVAILABLE: it has not, and a change may or may
   * not have been made. DAVIT_CANCELLED: no change was sent. */
  davit_code code;
  int32_t http_status;     /* 0 if no response arrived */
  int32_t simulated;       /* 1: a dry run or a shadow; the change was not sent, and http_status is 204 */
  uint32_t retry_after_ms; /* requested by the server; 0: none */
  uint32_t reserved;
  davit_str message; /* for people, if code is not DAVIT_OK; without the query of the URL */
  davit_str url;     /* the URL that responded; after redirects it differs from the request's */
  const davit_http_header *headers; /* names in lower case; a name may occur several times */
  size_t header_count;
  davit_str body; /* bytes as the server sent them */
} davit_http_response;

/* Requests to external servers over the host's connections: TLS 1.2 or later, verified with the system's roots or those
 * of `http.roots`; proxies from the environment (HTTPS_PROXY, NO_PROXY). At most 25 concurrent requests for each
 * controller. The host never logs headers, bodies or queries, and counts davit_plugin_http_requests_total. */
typedef struct davit_http_v1 {
  uint32_t size;
  uint32_t reserved;

  /* Sends one request and waits for the response; returns response->code. @call(sync; blocking) */
  davit_code (*call)(const davit_call *call, const davit_http_request *request, davit_http_response *response);

  /* Like `count` concurrent call()s; responses[i] belongs to requests[i]. Returns DAVIT_OK if every response is
   * DAVIT_OK, otherwise one of the failures. `request_size` is sizeof(davit_http_request), `response_size`
   * sizeof(davit_http_response). @call(sync; blocking) */
  davit_code (*batch)(const davit_call *call, const davit_http_request *requests, size_t request_size,
                      davit_http_response *responses, size_t response_size, size_t count);
} davit_http_v1;

/* ---- What the host passes to a controller ------------------------------------------------------------------------ */

/* The last failure of a call. Texts live as long as those of the call. */
typedef struct davit_error {
  uint32_t size;
  davit_code code;         /* DAVIT_OK: no host function has failed in this call */
  int32_t http_status;     /* 0: not a response of the server */
  uint32_t retry_after_ms; /* requested by the server; 0: none */
  davit_str reason;        /* Kubernetes reason, for example "AlreadyExists" */
  davit_str message;       /* for people */
  davit_str causes;        /* the reasons in details.causes, separated by commas */
  uint64_t position;       /* of the first error in a parsed text, in bytes from 1; 0: none */
} davit_error;

typedef struct davit_context {
  uint32_t size;
  uint16_t abi_major; /* the host's */
  uint16_t abi_minor;
  davit_str controller; /* the row's name */
  /* The table of a host capability, or NULL if this host lacks it. Tables are constant and live as long as the process.
   * @call(any; nonblocking) */
  const void *(*capability)(const davit_call *call, davit_str id);
  /* Sets the reason why the current init, sync, fire, changed() or read() of a state is about to return a code other
   * than DAVIT_OK. Copied; the last one wins. @call(any; nonblocking) */
  void (*error_text)(const davit_call *call, davit_str text);
  /* Describes the last host function that returned a code other than DAVIT_OK in this call. Reads of objects do not
   * count. After batch() it is one of the failures; each response describes its own. @call(any; nonblocking) */
  davit_code (*last_error)(const davit_call *call, davit_error *out);
} davit_context;

/* ---- What a plugin passes to the host ---------------------------------------------------------------------------- */

/* Optional sides of a controller, found by id through davit_controller.capability(). */

/* "davit.health/1" */
typedef struct davit_health_v1 {
  uint32_t size;
  uint32_t reserved;
  /* DAVIT_OK if healthy; otherwise writes one line to `why`. Must not take a lock that a sync holds while it waits.
   * @call(host; nonblocking) */
  davit_code (*check)(void *self, const davit_call *call, const davit_sink *why);
} davit_health_v1;

/* A page that a controller writes. Valid during the call that receives it, on its thread. */
typedef struct davit_page {
  uint32_t size;
  uint32_t reserved;
  void *self;
  const davit_sink *body;
  /* Sets the status and type, by default 200 and "text/plain; charset=utf-8". DAVIT_INVALID, without effect: the status
   * is not 200 to 599, or the type is not a media type of at most 256 bytes. @call(any; nonblocking) */
  davit_code (*head)(void *self, int32_t http_status, davit_str content_type);
} davit_page;

/* "davit.debug/1" */
typedef struct davit_debug_v1 {
  uint32_t size;
  uint32_t reserved;
  /* Serves GET /debug/controllers/<name>/<path>. DAVIT_OK: the page as written; DAVIT_NOT_FOUND: 404; any other code:
   * 500. The body of an error is the written text. @call(host; nonblocking) */
  davit_code (*serve)(void *self, const davit_call *call, davit_str path, davit_str query, const davit_page *page);
} davit_debug_v1;

/* "davit.configurable/1": a controller that accepts a new configuration while it runs. Without this side the host swaps
 * to another instance of the same build, which reads the new configuration in its init. */
typedef struct davit_configurable_v1 {
  uint32_t size;
  uint32_t reserved;
  /* The operator has changed the controller's `config` in the manifest. `config` is the new one, which
   * davit_config_v1.value returns in later calls; absent if it was removed.
   *   DAVIT_OK           it applies from now on; the controller adds the keys that it affects
   *   DAVIT_UNSUPPORTED  this change is possible only at the start: the host swaps
   *   any other code     it is refused, and the old one stays; pass the reason to davit_context.error_text, which
   *                      the log and `davit ctl status` show
   * Not called if a value that the note takes from the configuration changes, such as a selector: the host swaps. May
   * be called again with a configuration that it has accepted or refused. After 10 s the change counts as refused, and
   * swaps wait until the call has returned. @call(host; nonblocking) */
  davit_code (*changed)(void *self, const davit_call *call, davit_value config);
} davit_configurable_v1;

/* "davit.state/1": knowledge of a controller that its next build can get neither from the cluster nor from the queues,
 * such as how long a node has been silent, or which writes it has not seen yet. Without this side the next build begins
 * without state, as after a restart. Keys, delays, back-off and unseen writes need no state: the host keeps them.
 *
 * When: in a hot swap, after the old build's syncs and timers have ended, and while no handler runs and the handlers of
 * both builds have seen the same changes. The host calls write() of the old build, then read() of the new one, which
 * has seen the content of the caches and has synced nothing. The new build serves only if both return DAVIT_OK.
 * Otherwise the swap ends and the old build keeps serving, so write() must not change anything.
 *
 * What: bytes in a format of the plugin's choice. Times of davit_clock_v1.monotonic_ns are valid in both builds;
 * handles, pointers and values are not. */
enum {
  DAVIT_STATE_BYTES_MAX = 67108864 /* 64 MiB; more ends the swap */
};

typedef struct davit_state_v1 {
  uint32_t size;
  uint32_t version; /* the format that write() writes, from 1 */
  uint32_t oldest;  /* the oldest format that read() accepts; `version` is the newest. 0: as `version` */
  uint32_t reserved;
  /* Writes the state to hand over. @call(host; nonblocking) */
  davit_code (*write)(void *self, const davit_call *call, const davit_sink *out);
  /* Replaces this build's state by what another build of the controller wrote in the format `version`. To refuse, it
   * returns any code except DAVIT_OK and passes the reason to davit_context.error_text; refusing is better than
   * beginning with half a state. The host passes a format from `oldest` to `version` only, but the bytes may be
   * arbitrary. @call(host; nonblocking) */
  davit_code (*read)(void *self, const davit_call *call, uint32_t version, davit_str state);
} davit_state_v1;

/* One running controller. */
typedef struct davit_controller {
  uint32_t size;
  uint32_t reserved;
  void *self; /* the plugin's own state; the host only passes it back */
  /* Frees `self`. Every other call into this controller has returned and none will begin. May be NULL.
   * @call(host; nonblocking) */
  void (*destroy)(void *self, const davit_call *call);
  /* The table of an optional side, or NULL. May itself be NULL. @call(host; nonblocking) */
  const void *(*capability)(void *self, const davit_call *call, davit_str id);
} davit_controller;

/* The results of init. */
enum {
  DAVIT_FAILED = 0,  /* cannot run; pass the reason to error_text. Unknown numbers mean the same */
  DAVIT_STARTED = 1, /* *out is filled; the host runs the controller */
  DAVIT_SKIPPED = 2  /* nothing to do here (for example the server lacks the resource); not an error */
};

/* Creates one controller. `context` lives until destroy() returns; `out` is zero except for its size. On SKIPPED and
 * FAILED the plugin must leave nothing behind; the host closes what was opened through it. @call(host; nonblocking) */
typedef int32_t (*davit_init_fn)(const davit_call *call, const davit_context *context, davit_controller *out);

/* One row of the InitFunc table. */
typedef struct davit_row {
  davit_str name; /* a name declared in the note: "deployment-controller" */
  davit_init_fn init;
} davit_row;

/* The plugin: what davit_plugin_v1() returns. Constant; lives as long as the library is loaded. */
typedef struct davit_plugin {
  uint32_t size;     /* sizeof(davit_plugin) */
  uint32_t row_size; /* sizeof(davit_row): the distance from one row to the next */
  const davit_row *rows;
  size_t row_count;
} davit_plugin;

#if defined(__GNUC__)
#define DAVIT_EXPORT __attribute__((visibility("default")))
#else
#define DAVIT_EXPORT
#endif

/* The one exported symbol. Called once per load, before any init; must only return the table.
 * @call(host; nonblocking) */
typedef const davit_plugin *(*davit_plugin_v1_fn)(void);
DAVIT_EXPORT const davit_plugin *davit_plugin_v1(void);
#define DAVIT_PLUGIN_SYMBOL "davit_plugin_v1"

/* ---- The ELF note ------------------------------------------------------------------------------------------------ */

/* The plugin's declaration, readable without running it: an ELF note in section .note.davit, owner "davit", type 1,
 * whose description is JSON text. Members (docs/ABI.md has the schema; unknown ones are kept and ignored):
 *   name         the plugin: "replicaset"                     version    the plugin's own version: "0.1.0"
 *   abi          "1.0", as compiled: DAVIT_ABI_VERSION_TEXT   requires   capability ids that it needs
 *   optional     capability ids that it uses if present
 *   build        compiler and SDK, free text                  controllers   one entry a row:
 *     name          "replicaset-controller"                   aliases    ["replicaset"]
 *     clientName    user agent suffix and rate limiter; default: name
 *     eventComponent   source component of Events; default: clientName
 *     offByDefault  false                                     withoutLeadership  false: may run on a standby
 *     workers       5
 *     rules         [{"group":"apps","resource":"replicasets","subresource":"status","verbs":["patch"]}, …]
 *     watches       [{"group":"apps","version":"v1","resource":"replicasets","projection":["metadata","spec"]}, …]
 *                   without projection: the whole object except managedFields. A watch needs no separate rule:
 *                   get, list and watch on it are implied.
 *     http          {"hosts":["dns.example.com","*.example.com:8443","http://localhost:9090"]}: where davit.http/1 may go
 *     Rules mean what they mean in RBAC ("*", resourceNames, nonResourceURLs). Selectors of a watch, the namespaces
 *     of rules and watches and the hosts of http may come from the configuration: {"config":"watch.labels"}.
 */
#define DAVIT_ABI_VERSION_TEXT "1.0"
#define DAVIT_NOTE_SECTION ".note.davit"
#define DAVIT_NOTE_OWNER "davit"
#define DAVIT_NOTE_TYPE 1

/* DAVIT_NOTE("{...}") at file scope places the note. The text is one string literal; its NUL is
 * part of the description. */
#define DAVIT_NOTE(json)                                                                                          \
  __attribute__((used, section(DAVIT_NOTE_SECTION), aligned(4))) static const struct {                            \
    uint32_t owner_size, text_size, type;                                                                        \
    char owner[8];                                                                                               \
    char text[(sizeof(json) + 3) / 4 * 4];                                                                       \
  } davit_note_ = {6, sizeof(json), DAVIT_NOTE_TYPE, DAVIT_NOTE_OWNER, json}

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DAVIT_ABI_H_ */
