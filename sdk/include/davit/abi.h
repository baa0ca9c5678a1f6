/* davit/abi.h: the contract between the davit host and a controller plugin.
 *
 * A plugin is a shared library with ONE exported function, davit_plugin_v1(), and one ELF note that declares, as JSON,
 * what the plugin is and needs. The host judges the note before any code of the file runs. This header is all that a
 * plugin needs, in any language that can call C: it is plain C11, needs only <stddef.h> and <stdint.h>, and the host
 * exports no symbols. Every host function is reached through a table that davit_context.capability() returns.
 *
 * How a plugin lives
 *   1. The host reads the ELF note, checks ABI, capabilities, rights and names, then opens the file (eager, local).
 *   2. It calls davit_plugin_v1() once and looks up one row of the table for each controller that is enabled.
 *   3. It calls the row's init(). init opens informers, indexes, queues and timers, and returns STARTED, SKIPPED or
 *      FAILED. It must not block, but for what its own questions to the server take (see resource_exists), and cannot
 *      read the cache, which is still empty.
 *   4. Informers start. When all that the controller opened have synced (and it leads, unless declared otherwise),
 *      its handlers have seen every object at least once, and its queues begin to hand out keys to sync().
 *   5. At the end the host stops handing out keys, waits for running calls, and calls destroy().
 *
 * Conventions
 *   Strings     davit_str: UTF-8, not NUL-terminated, borrowed. One given to a call is borrowed until that call returns;
 *               one that the host gives out lives as long as the object or call that it came from.
 *   Ownership   Who produced memory frees it. The host copies what it keeps. Results of unknown length go to a sink.
 *   Growth      Structs grow at the end only, and those without `size` never do. `size` is sizeof the struct as the
 *               writer compiled it; a reader uses the smaller of the two sizes and takes missing members as zero.
 *               Function tables are read the same way. A struct that is given to be filled has its `size` set, and no more
 *               of it may be written.
 *   Ids         Capability ids carry a revision ("davit.client/1"). A published id never changes its meaning.
 *   Errors      Values, never exceptions: nothing may be thrown, panicked or longjmp'ed across a call, either way.
 *   Numbers     Units end the name (_ms, _ns, _seconds). Reserved members are zero.
 *
 * Calls. The host calls the plugin with a `const davit_call *`, and each host function takes it back. It is good on the
 * thread that it was made on, until the callback returns. Otherwise a host function does nothing, touches nothing that is
 * gone, writes to no argument, and answers:
 *   DAVIT_STALE    the callback has returned, or its controller was destroyed
 *   DAVIT_MISUSE   another thread, a phase that the function's mark does not name, or no call at all
 * Functions without a code answer zero. A call serves again after at least 64 others; until then one that was kept too
 * long is detected. Threads of the plugin's own have no call: they reach the host through "davit.waker/1" alone.
 *
 * Marks. Each function carries one machine-readable mark, from which the documentation and the host's checks come:
 *     @call(<callers>; <blocks>)
 *   callers   init     inside init
 *             handler  inside on_event and on_closed
 *             sync     inside sync() of a key, or inside a timer's fire()
 *             any      each of these, and the calls of the optional sides and of destroy()
 *             free     any thread of the plugin, with or without a call
 *             host     the host calls the plugin
 *   blocks    nonblocking  returns at once
 *             blocking     may wait; ends early with DAVIT_CANCELLED when the host stops or a swap drains it
 *
 * What runs at once, of one controller: at most one of on_event and on_closed, in the order of changes; syncs, as many as
 * each queue has workers, never two of one key or shard; timers, never two runs of one; at most one check(), one serve()
 * and one changed(). All of these may run beside each other. init and destroy run alone; write() and read() of a state
 * beside no more than check() and serve(). Two builds of a controller may be there at once during a swap; only one of them
 * syncs.
 *
 * Unloading. The host unloads a library after destroy() of each of its controllers has returned, and then calls nothing in
 * it and reads nothing of it: tables, texts and `self` pointers are the plugin's until then. Threads that the
 * plugin started, and whatever else could call into the library, must have ended when destroy() returns. A library that
 * cannot be unloaded stays mapped and is never called again.
 *
 * Enums. Those that the host writes are open, and grow: codes, kinds of calls and of values, types of events, scopes. Read
 * an unknown code as "try again with back-off", an unknown event as an update, and leave the rest alone. Those that the
 * plugin writes are closed: the host refuses a number that it does not know with DAVIT_MISUSE. Zero is what is safe in
 * each of them: the default, nothing, or refused.
 */
#ifndef DAVIT_ABI_H_
#define DAVIT_ABI_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The major is part of the exported symbol's name. A host runs a plugin of the same major whose minor is not above its
 * own and whose required capabilities it has. */
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

/* The answer of almost every call. The set is open: treat an unknown code as "try again with back-off". */
typedef int32_t davit_code;
enum {
  DAVIT_OK = 0,
  DAVIT_NOT_FOUND = 1,      /* no such object, member, element or index; HTTP 404 */
  DAVIT_ALREADY_EXISTS = 2, /* HTTP 409 with reason AlreadyExists */
  DAVIT_CONFLICT = 3,       /* HTTP 409: read again and decide again */
  DAVIT_INVALID = 4,        /* the server refused the content (400, 413, 415, 422): trying again will not help */
  DAVIT_FORBIDDEN = 5,      /* the server refused the identity or right (401, 403) */
  DAVIT_EXPIRED = 6,        /* HTTP 410 */
  DAVIT_THROTTLED = 7,      /* HTTP 429 after the host's own retries; see retry_after_ms */
  DAVIT_UNAVAILABLE = 8,    /* 5xx, time-out or broken connection: the write may or may not have been applied */
  DAVIT_CANCELLED = 9,      /* the host is stopping, lost the lease, or the call's deadline passed: nothing was sent */
  DAVIT_UNDECLARED = 10,    /* outside the projection or the rules that the plugin declared; a programming error */
  DAVIT_WRONG_TYPE = 11,    /* the value is of another kind than the one asked for */
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
  /* Called zero or more times during the call that takes the sink, on its thread, never later. Every code but DAVIT_OK
   * ends the writing: the writer returns that code. @call(any; nonblocking) */
  davit_code (*write)(void *self, davit_str chunk);
} davit_sink;

/* What the plugin is called for. The set is open. */
enum {
  DAVIT_CALL_INIT = 1,
  DAVIT_CALL_HANDLER = 2, /* on_event, on_closed */
  DAVIT_CALL_SYNC = 3,
  DAVIT_CALL_TIMER = 4,  /* fire */
  DAVIT_CALL_PROBE = 5,  /* the optional sides, and davit_controller.capability */
  DAVIT_CALL_DESTROY = 6
};

/* One call of the host into the plugin. Good until the callback returns, on its thread; its texts, too. */
typedef struct davit_call {
  uint32_t size;
  int32_t kind;        /* DAVIT_CALL_* */
  const void *host;    /* the host's own */
  davit_handle source; /* the queue, informer or timer that the call comes from; 0: none */
  davit_str key;       /* of a sync; else empty */
  davit_str trace_id;  /* W3C trace id of the work, 32 hexadecimal digits; empty: it is not traced */
  int64_t deadline_ns; /* on davit_clock_v1.monotonic_ns: when the host reports the call as overdue; 0: never */
  uint32_t attempt;    /* how often in a row this key or timer has failed before */
  uint32_t reserved;
  /* 1 when the result is not waited for any more, because the host stops or swaps: end soon. Blocking host functions
   * answer DAVIT_CANCELLED then. 1, too, for a call that has returned, and on another thread.
   * @call(any; nonblocking) */
  int32_t (*cancelled)(const struct davit_call *call);
  /* 1 while this replica may act: it holds the lease, or the controller needs none. 0 on a standby, and for a call that
   * has returned or is another thread's. It may change at any time; the host checks each write by itself.
   * @call(any; nonblocking) */
  int32_t (*leads)(const struct davit_call *call);
} davit_call;

/* ---- Objects: "davit.object/1" ----------------------------------------------------------------------------------- */

/* An interned member name. Resolved once (at init), then a member lookup costs an integer compare. 0 is never a name. */
typedef uint32_t davit_name;

/* A place inside an immutable object snapshot, read in place: nothing is copied or parsed. All zero means "absent";
 * every function accepts an absent value and answers DAVIT_NOT_FOUND (kind: DAVIT_KIND_ABSENT).
 * Lifetime: a value that a call received or read is borrowed until the handler, sync, fire or init call during which
 * it was obtained returns. To keep one longer, retain() it. Members are the host's business; do not look inside. */
typedef struct davit_value {
  const void *object;
  uint32_t node;
  uint32_t mask; /* which paths below this place the controller declared */
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
 * Projection. A resource's watch declaration lists the field paths that the controller reads. A path outside them
 * answers DAVIT_UNDECLARED, whoever else declared it. metadata.{name,namespace,uid,resourceVersion} and
 * apiVersion/kind are always readable. Functions that need a whole subtree (members, equal, hash, json) answer
 * DAVIT_UNDECLARED unless the whole subtree was declared. */
typedef struct davit_object_v1 {
  uint32_t size;
  uint32_t reserved;

  /* Interns a member name such as "metadata". The result is valid for the life of the process.
   * @call(any; nonblocking) */
  davit_name (*name)(const davit_call *call, davit_str text);

  /* One of DAVIT_KIND_*. @call(any; nonblocking) */
  int32_t (*kind)(davit_value value);

  /* The member `name` of an object value. DAVIT_NOT_FOUND when there is none, DAVIT_WRONG_TYPE when `value` is not an
   * object, DAVIT_UNDECLARED outside the projection; *out is absent then. @call(any; nonblocking) */
  davit_code (*member)(davit_value value, davit_name name, davit_value *out);

  /* The member with this key, for keys that are data (labels, annotations): not interned. As member().
   * @call(any; nonblocking) */
  davit_code (*lookup)(davit_value value, davit_str key, davit_value *out);

  /* Follows `count` names from `value`, as that many member() calls. A wrong kind on the way is DAVIT_WRONG_TYPE.
   * @call(any; nonblocking) */
  davit_code (*path)(davit_value value, const davit_name *names, size_t count, davit_value *out);

  /* Number of elements of an array or members of an object; 0 for everything else. @call(any; nonblocking) */
  size_t (*count)(davit_value value);

  /* Writes up to `capacity` elements of an array, beginning with element `first`; returns how many.
   * @call(any; nonblocking) */
  size_t (*elements)(davit_value array, size_t first, davit_value *out, size_t capacity);

  /* Writes up to `capacity` members of an object in document order, beginning with the `first`-th; *written says how
   * many. @call(any; nonblocking) */
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

  /* Sets *out to 1 when both values are deeply equal. Defined as: same kind; objects: same set of keys, equal values,
   * order ignored; arrays: element by element in order; strings: same bytes; numbers: the same mathematical value for
   * integers within int64/uint64, else the same text; two absent values are equal. @call(any; nonblocking) */
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

  /* Keeps the object of `value` alive beyond the current call, as a ledger entry. @call(any; nonblocking) */
  davit_code (*retain)(const davit_call *call, davit_value value, davit_handle *out);
  /* The value that was retained, borrowed until release(). @call(any; nonblocking) */
  davit_code (*retained)(const davit_call *call, davit_handle handle, davit_value *out);
  /* Ends a retain(). @call(any; nonblocking) */
  davit_code (*release)(const davit_call *call, davit_handle handle);
} davit_object_v1;

/* ---- Informers: "davit.informer/1" ------------------------------------------------------------------------------- */

enum { DAVIT_EVENT_ADDED = 1, DAVIT_EVENT_UPDATED = 2, DAVIT_EVENT_DELETED = 3 };

/* One change of one object, as a handler sees it.
 *   ADDED    `value` is the object. `initial` is 1 while the informer's first content is delivered.
 *   UPDATED  `old_value` is what this handler saw last, `value` is the new state; updates that arrive while the handler
 *            is busy are merged into one. The UIDs may differ (deleted and made again during a gap in the watch). Both
 *            are the same object when the event is a periodic resync.
 *   DELETED  `value` is the last state known. `tombstone` is 1 when the deletion itself was missed and the state may
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
  /* Called for every change, one at a time per controller, in the order of this informer's changes. Only adds keys to
   * queues: must not wait, must not write. May be NULL. @call(host; nonblocking) */
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

  /* Joins the host's shared informer of this resource and selector. Everything opened is synced before sync() runs.
   * DAVIT_UNDECLARED when the note does not list the resource. A resource that the server lacks is no error here: the
   * informer waits for it, or ask client.resource_exists() first and answer SKIPPED. @call(init; nonblocking) */
  davit_code (*open)(const davit_call *call, const davit_informer_options *options, davit_handle *out);

  /* Adds an index over the values found at `path` (dots between members, [] for every element, ['key'] for one map
   * key; strings only). `name` is the controller's own. Adding it twice is no error. @call(init; nonblocking) */
  davit_code (*add_index)(const davit_call *call, davit_handle informer, davit_str name, davit_str path);

  /* The object with this name, from the cache. `ns` is empty for cluster-scoped resources.
   * @call(handler, sync; nonblocking) */
  davit_code (*get)(const davit_call *call, davit_handle informer, davit_str ns, davit_str name, davit_value *out);

  /* All objects with `key` in `index`, in no particular order; every object when `index` is empty. One consistent
   * snapshot. @call(handler, sync; nonblocking) */
  davit_code (*select)(const davit_call *call, davit_handle informer, davit_str index, davit_str key, davit_list *out);
} davit_informer_v1;

/* ---- Work queues: "davit.queue/1" -------------------------------------------------------------------------------- */

/* What becomes of the back-off of a key, or of a timer, after DAVIT_OK. */
enum {
  DAVIT_BACKOFF_END = 0,  /* it ends: the next failure is the first one. The back-off that add_rate_limited() has given the
                           * key during this sync stays */
  DAVIT_BACKOFF_KEEP = 1, /* the failures so far stay counted, as for work that is under way elsewhere */
  /* One more is counted, and it runs again after its back-off, or after again_ms if that is set and shorter. For what is
   * not there yet: it is no failure for logs, metrics, retries_max and the probation of a new build. */
  DAVIT_BACKOFF_RETRY = 2
};

/* What a sync, or a timer's run, decided besides its code. Filled with zeroes before each call. It counts with DAVIT_OK
 * only. */
typedef struct davit_sync_result {
  uint32_t size;
  int32_t backoff;   /* DAVIT_BACKOFF_* */
  uint64_t again_ms; /* sync the key again after this time; 0: when it is added again */
} davit_sync_result;

typedef struct davit_queue_options {
  uint32_t size;
  uint32_t workers;     /* at most so many keys at once; 0: the number declared in the note or set by the operator */
  davit_str name;       /* label of the workqueue_* metrics; empty: no metrics */
  uint64_t base_ms;     /* first back-off of a failing key, doubled each time; 0: 5 ms */
  uint64_t max_ms;      /* longest back-off; 0: 1000 s */
  uint32_t retries_max; /* a key that failed so often in a row is dropped with a log line; 0: never */
  uint32_t reserved;
  void *self; /* passed back to sync */
  /* Moves the cluster toward what the object named by `key` asks for. Idempotent. Never runs twice at once for one key
   * (nor for two keys with the same shard). DAVIT_OK ends the key's back-off, unless the result says otherwise; every other
   * code, known or not, tries again later with back-off. Say why through davit_context.error_text.
   * @call(host; blocking) */
  davit_code (*sync)(void *self, const davit_call *call, davit_str key, davit_sync_result *result);
} davit_queue_options;

typedef struct davit_queue_v1 {
  uint32_t size;
  uint32_t reserved;

  /* Makes a queue. Keys added during init or before the caches are synced wait. @call(init; nonblocking) */
  davit_code (*open)(const davit_call *call, const davit_queue_options *options, davit_handle *out);

  /* Adds a key (opaque bytes, usually "namespace/name"). A key that waits already is not added again; one that runs
   * now runs exactly once more. @call(any; nonblocking) */
  davit_code (*add)(const davit_call *call, davit_handle queue, davit_str key);

  /* As add(), and keys with the same shard never run at the same time. A key's shard must always be the same.
   * @call(any; nonblocking) */
  davit_code (*add_sharded)(const davit_call *call, davit_handle queue, davit_str key, davit_str shard);

  /* Adds the key after a delay. Of several delays for one key the earliest wins. @call(any; nonblocking) */
  davit_code (*add_after)(const davit_call *call, davit_handle queue, davit_str key, uint64_t delay_ms);

  /* Adds the key after its next back-off. @call(any; nonblocking) */
  davit_code (*add_rate_limited)(const davit_call *call, davit_handle queue, davit_str key);

  /* Ends the key's back-off. @call(any; nonblocking) */
  davit_code (*forget)(const davit_call *call, davit_handle queue, davit_str key);

  /* How often in a row the key was given a back-off. @call(any; nonblocking) */
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

/* How much of the answer is parsed into davit_response.object. */
enum {
  DAVIT_ANSWER_OBJECT = 0,  /* everything but managedFields */
  DAVIT_ANSWER_METADATA = 1 /* apiVersion, kind, metadata without managedFields: the server is asked for no more, of each
                             * item of a list, too. The kind may be PartialObjectMetadata or PartialObjectMetadataList. A
                             * server without that form of a resource sends all, and items of lists come whole then */
};

/* Which of a controller's requests goes first when several wait for its rate limiter. Of four that are sent while others
 * wait, one is the one that has waited longest, whatever its priority: none waits for ever. */
enum {
  DAVIT_PRIORITY_NORMAL = 0,
  DAVIT_PRIORITY_HIGH = 1, /* what others wait for: heartbeats, deletions that free something */
  DAVIT_PRIORITY_LOW = 2   /* what can wait: cleaning up, reports */
};

/* One request to the API server. The rules of the note must allow it, else DAVIT_UNDECLARED and nothing is sent.
 * A PUT body must be built from an uncached read: the host refuses DAVIT_UPDATE of a resource that the controller reads
 * through a projection (DAVIT_UNDECLARED), because fields that were never read would be lost. Patch instead. The
 * subresource "scale" is an object of its own and may be PUT. */
typedef struct davit_request {
  uint32_t size;
  int32_t verb;
  davit_str group;
  davit_str version;
  davit_str resource;
  davit_str subresource; /* empty, or "status", "scale", … */
  davit_str ns;          /* empty for cluster-scoped resources */
  davit_str name;        /* empty for DAVIT_LIST and DAVIT_DELETE_COLLECTION, and for DAVIT_CREATE but of a subresource, where
                          * it names the object: pods/eviction, pods/binding, serviceaccounts/token */
  davit_str body;        /* JSON, for DAVIT_CREATE, DAVIT_UPDATE and DAVIT_PATCH; else empty */
  int32_t patch_type;    /* DAVIT_PATCH only */
  int32_t answer;        /* DAVIT_ANSWER_* */
  davit_str query;       /* further query parameters, form-encoded: "labelSelector=app%3Dweb"; may be empty. The host
                          * decodes and encodes it again. What has a member here, and dryRun, timeout and watch, which
                          * are the host's own, are DAVIT_MISUSE */
  int32_t priority;      /* DAVIT_PRIORITY_* */
  int32_t force;         /* DAVIT_PATCH_APPLY only; 1: takes fields over from other field managers, else DAVIT_CONFLICT */
  davit_str field_manager; /* DAVIT_CREATE, DAVIT_UPDATE and DAVIT_PATCH: who owns the fields that are written; at most 128
                            * bytes. Empty: the clientName of the note for DAVIT_PATCH_APPLY; for others none is sent, and
                            * the server takes the "davit" of the user agent */
  /* DAVIT_LIST only */
  uint64_t limit;           /* items in one response at most; 0: all. More follow if metadata.continue is not empty */
  davit_str continue_token; /* metadata.continue of the response before; empty: from the start. DAVIT_EXPIRED: the server
                             * has forgotten it */
  /* DAVIT_GET and DAVIT_LIST in call() only, else DAVIT_MISUSE; may be NULL. Receives the body of a successful response
   * as it arrives, in pieces cut anywhere, unparsed; davit_response.object is absent then. The host holds at most 256 KiB
   * that the sink has not taken, sets no limit to the whole, and sends the request again only before the first piece.
   * A code of the sink but DAVIT_OK ends the transfer and is the response's. DAVIT_UNAVAILABLE: the body was cut.
   * DAVIT_CANCELLED: the host stops or swaps; both after any number of pieces. `timeout_ms` is for all of it */
  const davit_sink *raw;
  /* DAVIT_DELETE and DAVIT_DELETE_COLLECTION only */
  int32_t propagation;
  int32_t has_grace_seconds; /* 1 when grace_seconds is set */
  int64_t grace_seconds;
  davit_str precondition_uid;              /* may be empty */
  davit_str precondition_resource_version; /* may be empty */
  uint64_t timeout_ms;                     /* 0: the host's default of 40 s */
} davit_request;

/* The answer to one request. Texts and object live like borrowed values. */
typedef struct davit_response {
  uint32_t size;
  davit_code code;
  int32_t http_status;     /* 0 when no answer arrived */
  uint32_t retry_after_ms; /* what the server asked for; 0: nothing */
  davit_str reason;        /* Kubernetes reason, for example "AlreadyExists" */
  davit_str message;       /* for people */
  davit_str causes;        /* the reasons in details.causes, separated by commas: "NamespaceTerminating" */
  davit_value object;      /* absent on failure, and when the answer is a Status */
} davit_response;

/* Limits of a fan-out: requests under way at once, and the room for a request. */
enum {
  DAVIT_FAN_OUT_AT_ONCE_MAX = 50,
  DAVIT_REQUEST_ROOM = 1024 /* bytes that next() may write */
};

/* Any number of requests, made one by one as they can be sent. Both functions run during davit_client_v1.fan_out(), on its
 * thread, never both at once, with its call, and may use the host. */
typedef struct davit_fan_out {
  uint32_t size;
  uint32_t at_once_max; /* requests under way at once; 0, and more than it: DAVIT_FAN_OUT_AT_ONCE_MAX */
  void *self;           /* passed back */
  /* Fills `request`, of which all but `size` is zero, for the `index`-th time from 0. Texts are copied when it returns. There
   * are DAVIT_REQUEST_ROOM bytes, so that a plugin of a later header may write all that it knows.
   * DAVIT_OK: send it. DAVIT_NOT_FOUND: there is none now; asked again after the next done(), and when no request is under
   * way the fan-out has ended. Every other code: no more requests; fan_out() returns it when those under way have ended.
   * @call(host; blocking) */
  davit_code (*next)(void *self, const davit_call *call, uint64_t index, davit_request *request);
  /* The response to the request with this index, in the order of their arrival. It is borrowed until this returns: to keep
   * its object, retain() it. DAVIT_OK: go on, whatever the response says. Every other code as for next().
   * @call(host; blocking) */
  davit_code (*done)(void *self, const davit_call *call, uint64_t index, const davit_response *response);
} davit_fan_out;

typedef struct davit_client_v1 {
  uint32_t size;
  uint32_t reserved;

  /* Sends one request through the controller's rate limiter and waits for the answer; returns response->code. The host
   * retries what is safe to retry (429 and 5xx with Retry-After). A successful write is remembered, and the key whose
   * sync made it is not handed out again before the cache has seen it. @call(sync; blocking) */
  davit_code (*call)(const davit_call *call, const davit_request *request, davit_response *response);

  /* As `count` call()s at once: all are sent concurrently as the rate limiter admits them, responses[i] belongs to
   * requests[i]. Returns DAVIT_OK when every response is DAVIT_OK, else one of the failures. `request_size` is
   * sizeof(davit_request), `response_size` sizeof(davit_response). @call(sync; blocking) */
  davit_code (*batch)(const davit_call *call, const davit_request *requests, size_t request_size, davit_response *responses,
                      size_t response_size, size_t count);

  /* DAVIT_OK when the server offers the resource, DAVIT_NOT_FOUND when it does not, DAVIT_UNAVAILABLE when discovery
   * failed for its group. Asks the server, and waits for it, when the host's discovery cache is old: also in init, the one
   * host function beside those of discovery that waits there. @call(init, sync; blocking) */
  davit_code (*resource_exists)(const davit_call *call, davit_str group, davit_str version, davit_str resource);

  /* Sends the requests that `fan_out` makes, some at once, and passes each response on: 10,000 requests need the memory of
   * at_once_max. Otherwise as batch(). The first code of next() or done() that ended it, else DAVIT_OK. DAVIT_CANCELLED when
   * the host stops or swaps: what was not sent has that code, and next() is not called any more.
   * @call(sync; blocking) */
  davit_code (*fan_out)(const davit_call *call, const davit_fan_out *fan_out);
} davit_client_v1;

/* ---- Timers and periodic passes: "davit.timer/1" ----------------------------------------------------------------- */

typedef struct davit_timer_options {
  uint32_t size;
  uint32_t reserved;
  uint64_t first_ms;  /* from the start of the controller's workers, or from start() if they run already */
  uint64_t period_ms; /* from the end of one run to the begin of the next; 0: once */
  void *self;
  /* Runs on a worker of the controller, never twice at once for one timer. DAVIT_OK: it fires again after result->again_ms,
   * or, if that is 0, after its period. Every other code: it fires again with back-off, from 1 s to its period, or to
   * 1000 s if it has none. Say why through davit_context.error_text.
   * @call(host; blocking) */
  davit_code (*fire)(void *self, const davit_call *call, davit_sync_result *result);
} davit_timer_options;

typedef struct davit_timer_v1 {
  uint32_t size;
  uint32_t reserved;
  /* @call(any; nonblocking) */
  davit_code (*start)(const davit_call *call, const davit_timer_options *options, davit_handle *out);
  /* After this returns fire() does not begin again; a run in progress is not waited for. @call(any; nonblocking) */
  davit_code (*stop)(const davit_call *call, davit_handle timer);
} davit_timer_v1;

/* ---- Kubernetes events: "davit.event/1" -------------------------------------------------------------------------- */

/* What an Event is about. */
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
  /* 1 when a line of this level would be written. @call(any; nonblocking) */
  int32_t (*enabled)(const davit_call *call, int32_t level);
} davit_log_v1;

/* ---- Clock, randomness: "davit.clock/1", "davit.random/1" -------------------------------------------------------- */

typedef struct davit_clock_v1 {
  uint32_t size;
  uint32_t reserved;
  /* Never jumps; for intervals. @call(any; nonblocking) */
  int64_t (*monotonic_ns)(const davit_call *call);
  /* Since 1970-01-01 UTC; for time stamps written to the API and compared with such. @call(any; nonblocking) */
  int64_t (*wall_ns)(const davit_call *call);
  /* Waits, and keeps the worker busy meanwhile: for pauses of seconds. What may take longer is better synced again, see
   * again_ms. DAVIT_CANCELLED: it ended early because the host stops or swaps, or leadership is gone; return that code, and
   * the key is next where it may run. @call(sync; blocking) */
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
  const double *buckets; /* histograms: upper bounds, rising */
  size_t bucket_count;
} davit_metric_options;

typedef struct davit_metric_v1 {
  uint32_t size;
  uint32_t reserved;
  /* Opens a metric of /metrics for the life of this controller. Another generation of the plugin may have the name with
   * other options: /metrics shows the definition of the generation that serves, and values live on where type, labels
   * and buckets are the same. Anyone else's other options are DAVIT_ALREADY_EXISTS. @call(init; nonblocking) */
  davit_code (*open)(const davit_call *call, const davit_metric_options *options, davit_handle *out);
  /* Adds to a counter, sets a gauge, observes into a histogram. `label_values` has as many entries as there are labels.
   * @call(any; nonblocking) */
  davit_code (*record)(const davit_call *call, davit_handle metric, double value, const davit_str *label_values,
                       size_t label_count);
  /* Deletes the series with these label values, for example of an object that is gone. DAVIT_NOT_FOUND: there is none.
   * @call(any; nonblocking) */
  davit_code (*remove)(const davit_call *call, davit_handle metric, const davit_str *label_values, size_t label_count);
} davit_metric_v1;

/* ---- Configuration: "davit.config/1" ----------------------------------------------------------------------------- */

typedef struct davit_config_v1 {
  uint32_t size;
  uint32_t reserved;
  /* The controller's `config` from the manifest, as an object value; absent when there is none. The same for all of a
   * call, even if "davit.configurable/1" accepts another one meanwhile. @call(any; nonblocking) */
  davit_value (*value)(const davit_call *call);
} davit_config_v1;

/* ---- Freshness of caches: "davit.freshness/1"---------------------------------------------------------- */

/* What the host knows about the content of one informer. Times are those of davit_clock_v1.monotonic_ns. */
typedef struct davit_freshness {
  uint32_t size;
  uint32_t reserved;
  /* When the connection was last known to work: something came through the watch, the server ended it properly, or a
   * list was complete. A later silence may mean that nothing changes, or that the connection is dead. It is no evidence
   * that nothing is missing: the server itself may lag. For that see verified_ns. */
  int64_t confirmed_ns;
  /* No outage has interrupted the host's view of the server since then. While requests fail, this stays and
   * confirmed_ns grows old; it moves when they succeed again. What an object did not do before, it may not have been
   * able to do, or the host not to see. */
  int64_t followed_since_ns;
  /* Everything that the server had then is in the content: a consistent read that was sent then told how far the server
   * was. 0: never. It stands still unless somebody asks for it with verify(). */
  int64_t verified_ns;
} davit_freshness;

/* For controllers that act on the absence of changes, such as heartbeats: a stalled watch looks like a dead object. */
typedef struct davit_freshness_v1 {
  uint32_t size;
  uint32_t reserved;

  /* The informer's watch is renewed when nothing came through it for `longest_ms`, 1000 or more. The shortest time that
   * any user of the informer asks for counts. An idle watch costs a request in each such time.
   * DAVIT_INVALID for less. @call(init; nonblocking) */
  davit_code (*limit_silence)(const davit_call *call, davit_handle informer, uint64_t longest_ms);

  /* DAVIT_NOT_FOUND before the first content. @call(handler, sync; nonblocking) */
  davit_code (*read)(const davit_call *call, davit_handle informer, davit_freshness *out);

  /* Has the content compared with the server's present state, which takes a request or two: verified_ns and
   * confirmed_ns are the present or later when that is done. Asking again meanwhile changes nothing.
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
  const davit_str *subresources; /* "status", "scale", …: never resources of their own here */
  size_t subresource_count;
  int32_t is_preferred; /* 1: `version` is the preferred one of its group */
  uint32_t reserved;
} davit_served_resource;

/* A version of a group of which the server could not say what it has, for example because an aggregated server does
 * not respond. Its resources may exist: what a controller knew of them before stays true until it is in a catalog. */
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
  int64_t fetched_ns; /* on davit_clock_v1.monotonic_ns: what the server had changed by then is in it */
} davit_catalog;

/* What the server offers. Needs no rule: every identity may discover. */
typedef struct davit_discovery_v1 {
  uint32_t size;
  uint32_t reserved;

  /* The resource of this name. With an empty `version`: the preferred version of the group that has it. DAVIT_NOT_FOUND:
   * the server does not have it. DAVIT_UNAVAILABLE: it may have it, but discovery of the group, or all of discovery,
   * failed. Asks the server when the host's catalog is old. @call(init, sync; blocking) */
  davit_code (*find)(const davit_call *call, davit_str group, davit_str version, davit_str resource,
                     davit_served_resource *out);

  /* The resource that keeps objects of this kind. As find(). @call(init, sync; blocking) */
  davit_code (*find_kind)(const davit_call *call, davit_str group, davit_str version, davit_str kind,
                          davit_served_resource *out);

  /* Everything. DAVIT_UNAVAILABLE while nothing is known. A partial failure is DAVIT_OK with entries in `unknown`.
   * @call(init, sync; blocking) */
  davit_code (*catalog)(const davit_call *call, davit_catalog *out);

  /* Adds `key` to `queue` now and whenever the catalog has changed: resources came or went, or a group became unknown or
   * known. The host compares every 30 s from now on, once for all controllers. Ends with the controller; repeating it
   * changes nothing. DAVIT_UNSUPPORTED beyond 64 of them, DAVIT_STALE for a queue that is none of the controller's.
   * @call(any; nonblocking) */
  davit_code (*wake)(const davit_call *call, davit_handle queue, davit_str key);

  /* Has the server asked again soon, at most once a second for all controllers, for one that has just seen a
   * CustomResourceDefinition change. The keys of wake() are added if something is new. @call(any; nonblocking) */
  davit_code (*refresh)(const davit_call *call);

  /* As catalog(), but always asks the server: for a controller that does harm with an answer of half a minute ago. Two
   * requests or more. DAVIT_UNAVAILABLE, FORBIDDEN and so on: the catalog could not be read. @call(init, sync; blocking) */
  davit_code (*fetch)(const davit_call *call, davit_catalog *out);
} davit_discovery_v1;

/* ---- Informers that come and go: "davit.informer/2"------------------------------------------------------ */

/* How much of its objects the server sends. */
enum {
  DAVIT_FORM_OBJECT = 0,
  DAVIT_FORM_METADATA = 1 /* apiVersion and kind (maybe "PartialObjectMetadata") and metadata: a fraction of the bytes */
};

/* An index over one or several paths, as those of davit_informer_v1.add_index. An object is in it if each path leads to
 * a string; one of the paths may lead to several ([]). "metadata.namespace" and a second path make a namespaced index. */
typedef struct davit_index {
  uint32_t size;
  uint32_t path_count; /* 1 to 4 */
  davit_str name;      /* the controller's own */
  const davit_str *paths;
} davit_index;

/* What an informer opened at run time follows. The rules of the note must allow list and watch of the resource, or its
 * `watches` have the resource (with these selectors, if it has any). */
typedef struct davit_informer_options_v2 {
  uint32_t size;
  int32_t form; /* DAVIT_FORM_* */
  davit_str group;
  davit_str version;
  davit_str resource;
  davit_str ns;             /* one namespace; empty: all, and for cluster-scoped resources */
  davit_str label_selector; /* may be empty */
  davit_str field_selector; /* may be empty */
  const davit_str *projection; /* field paths that are read; none: all of the form */
  size_t projection_count;
  const davit_index *indexes;
  size_t index_size; /* sizeof(davit_index) */
  size_t index_count;
  /* A key that is added whenever synced() may answer something else, and once after open(); without a queue: none. */
  davit_handle wake_queue;
  davit_str wake_key;
  void *self; /* passed back to on_event and on_closed */
  /* As davit_informer_options.on_event. May be NULL. @call(host; nonblocking) */
  void (*on_event)(void *self, const davit_call *call, const davit_event *event);
  /* After close() on_event has run for the last time: `self` is not used any more. Not called for what is open, or has
   * just been closed, when the controller ends: `self` is not used after destroy() has begun. May be NULL.
   * @call(host; nonblocking) */
  void (*on_closed)(void *self, const davit_call *call);
} davit_informer_options_v2;

/* Informers that a controller opens when it finds out what there is. They share the host's caches and need no entry in
 * `watches`. Each is synced on its own: a resource that the server lacks delays neither the other informers nor the
 * syncs of the controller. An informer that no controller has open is kept for a minute, so that a swap to a build
 * that opens the same causes no list. These informers do not hold back a key until they show what its last sync wrote
 * (see davit_client_v1.call). */
typedef struct davit_informer_v2 {
  uint32_t size;
  uint32_t reserved;

  /* Begins to follow a resource. A resource that the server lacks, now or later, is no error: the host asks for it
   * with back-off, and synced() reports it. DAVIT_UNDECLARED: the note does not allow it. DAVIT_UNSUPPORTED: the controller
   * has 16384 open. DAVIT_INVALID: a malformed name, path or index. During init nothing is requested yet, and what can only
   * fail then fails the start. @call(init, handler, sync; nonblocking) */
  davit_code (*open)(const davit_call *call, const davit_informer_options_v2 *options, davit_handle *out);

  /* Ends it for this controller; the handle is stale afterwards. See on_closed. @call(init, handler, sync; nonblocking) */
  davit_code (*close)(const davit_call *call, davit_handle informer);

  /* DAVIT_OK: the content is there, and on_event has returned from all of it. DAVIT_UNAVAILABLE: not yet.
   * DAVIT_NOT_FOUND: the server does not serve the resource (any more); DAVIT_FORBIDDEN: it refuses. In these two cases
   * get() and select() give the last known content, if there was one. DAVIT_EXPIRED: the content may be older than the
   * moment since which the controller acts (this replica has won the lease, for example). The host compares it with the
   * server, which takes a request or two, and adds the wake key when it is done; get() and select() fail until then.
   * @call(handler, sync; nonblocking) */
  davit_code (*synced)(const davit_call *call, davit_handle informer);

  /* As davit_informer_v1.get. @call(handler, sync; nonblocking) */
  davit_code (*get)(const davit_call *call, davit_handle informer, davit_str ns, davit_str name, davit_value *out);

  /* All objects that have `values` in `index`, one value for each of its paths; the DAVIT_INDEX_* have one. Every object
   * when `index` is empty. DAVIT_NOT_FOUND: there is no such index; DAVIT_INVALID: another number of values. One
   * consistent snapshot, in no particular order. @call(handler, sync; nonblocking) */
  davit_code (*select)(const davit_call *call, davit_handle informer, davit_str index, const davit_str *values, size_t count,
                       davit_list *out);
} davit_informer_v2;

/* ---- Wakers: "davit.waker/1" ------------------------------------------------------------------------------------- */

/* A reference-counted handle of a queue for threads of the plugin's own, which have no call: the one thing of the host's
 * that they may use. It may outlive the queue and its controller, and does nothing then. After a swap its keys go to the
 * queue of that name in the build that serves. */
typedef struct davit_waker davit_waker;

typedef struct davit_waker_v1 {
  uint32_t size;
  uint32_t reserved;

  /* Gives a waker of `queue`, with a reference for the caller. DAVIT_STALE for a queue that is none of the controller's.
   * @call(any; nonblocking) */
  davit_code (*open)(const davit_call *call, davit_handle queue, davit_waker **out);

  /* Adds a key as davit_queue_v1.add does. DAVIT_STALE: the controller has ended, nothing was done.
   * @call(free; nonblocking) */
  davit_code (*wake)(davit_waker *waker, davit_str key);

  /* Adds a reference, for another owner. @call(free; nonblocking) */
  void (*retain)(davit_waker *waker);
  /* Gives a reference back; the last one frees the waker. NULL does nothing. @call(free; nonblocking) */
  void (*release)(davit_waker *waker);
} davit_waker_v1;

/* ---- HTTP to the outside: "davit.http/1" ------------------------------------------------------------------- */

/* How much of a response is read; see davit_http_request.body_bytes_max. */
enum {
  DAVIT_HTTP_BODY_BYTES_DEFAULT = 8388608, /* 8 MiB */
  DAVIT_HTTP_BODY_BYTES_MAX = 67108864     /* 64 MiB */
};

/* Whether a request changes something at the server. Changes are sent only while the controller may write: not after
 * leadership is lost, not in a dry run, not by a shadow. */
enum {
  DAVIT_HTTP_EFFECT_BY_METHOD = 0, /* GET, HEAD and OPTIONS change nothing, all others do */
  DAVIT_HTTP_READS = 1,            /* changes nothing: a query or a login by POST */
  DAVIT_HTTP_CHANGES = 2
};

/* What the host repeats by itself: at most three times, within the request's time-out, after a growing pause or the
 * server's Retry-After (up to 10 s; for longer ones the response is given to the caller). */
enum {
  /* After 429, and when no connection could be made: every method. After 502, 503, 504 and a broken connection: what
   * changes nothing, and PUT and DELETE, whose repetition does no harm. */
  DAVIT_HTTP_RETRY_BY_METHOD = 0,
  DAVIT_HTTP_RETRY_NEVER = 1,
  DAVIT_HTTP_RETRY_ALWAYS = 2 /* every method in all of these cases: the request has an idempotency key, for example */
};

typedef struct davit_http_header {
  davit_str name;
  davit_str value;
} davit_http_header;

/* One request to a server outside the cluster. `http.hosts` of the note must allow its host, else DAVIT_UNDECLARED. */
typedef struct davit_http_request {
  uint32_t size;
  int32_t effect;   /* DAVIT_HTTP_EFFECT_BY_METHOD, … */
  davit_str method; /* "PUT", as it is sent; empty: GET. Not CONNECT and TRACE */
  davit_str url;    /* absolute, https or http, percent-encoded, without user and password */
  /* User-Agent names the controller unless it is given. Host, Content-Length, Connection and others that belong to the
   * connection are the host's: DAVIT_MISUSE. At most 100 with 64 KiB. */
  const davit_http_header *headers;
  size_t header_count;
  davit_str body;
  int32_t retry;          /* DAVIT_HTTP_RETRY_* */
  uint32_t redirects_max; /* GET and HEAD follow so many redirects, at most 10; 0: a redirect is the response. Those to
                           * hosts that the note does not declare are DAVIT_UNDECLARED. Another server than the first one
                           * gets of the headers Accept, Accept-Language and User-Agent only */
  uint64_t timeout_ms;    /* for all of it, repetitions included; 0: 30 s; at most 10 minutes */
  uint64_t body_bytes_max; /* a larger response is DAVIT_INTERNAL, and no more of it is read; 0:
                            * DAVIT_HTTP_BODY_BYTES_DEFAULT, at most DAVIT_HTTP_BODY_BYTES_MAX */
} davit_http_request;

/* The answer to one request. Texts and arrays live like borrowed values. */
typedef struct davit_http_response {
  uint32_t size;
  /* DAVIT_OK: the server has responded, with whatever http_status. DAVIT_UNAVAILABLE: it has not, and a change may or
   * may not have been made. DAVIT_CANCELLED: no change was sent. */
  davit_code code;
  int32_t http_status;     /* 0 when no response arrived */
  int32_t simulated;       /* 1: a dry run or a shadow; the change was not sent, and http_status is 204 */
  uint32_t retry_after_ms; /* what the server asked for; 0: nothing */
  uint32_t reserved;
  davit_str message; /* for people, when code is not DAVIT_OK; without the query of the URL */
  davit_str url;     /* where the response comes from: another one than the request's after redirects */
  const davit_http_header *headers; /* names in lower case; a name may be there several times */
  size_t header_count;
  davit_str body; /* bytes as the server sent them */
} davit_http_response;

/* Requests to the outside over the host's connections: TLS 1.2 or later, verified with the system's roots or those of
 * `http.roots`; proxies as the environment says (HTTPS_PROXY, NO_PROXY). At most 25 at once for each controller. The host
 * writes no header, no body and no query to a log, and counts davit_plugin_http_requests_total. */
typedef struct davit_http_v1 {
  uint32_t size;
  uint32_t reserved;

  /* Sends one request and waits for the response; returns response->code. @call(sync; blocking) */
  davit_code (*call)(const davit_call *call, const davit_http_request *request, davit_http_response *response);

  /* As `count` call()s at once; responses[i] belongs to requests[i]. Returns DAVIT_OK when every response is DAVIT_OK,
   * else one of the failures. `request_size` is sizeof(davit_http_request), `response_size`
   * sizeof(davit_http_response). @call(sync; blocking) */
  davit_code (*batch)(const davit_call *call, const davit_http_request *requests, size_t request_size,
                      davit_http_response *responses, size_t response_size, size_t count);
} davit_http_v1;

/* ---- What the host passes to a controller ------------------------------------------------------------------------ */

/* The last failure of a call. Texts are borrowed as those of the call are. */
typedef struct davit_error {
  uint32_t size;
  davit_code code;         /* DAVIT_OK: no host function has failed in this call */
  int32_t http_status;     /* 0: it was no answer of the server */
  uint32_t retry_after_ms; /* what the server asked for; 0: nothing */
  davit_str reason;        /* Kubernetes reason, for example "AlreadyExists" */
  davit_str message;       /* for people */
  davit_str causes;        /* the reasons in details.causes, separated by commas */
  uint64_t position;       /* of the first mistake in a text that was parsed, in bytes from 1; 0: none */
} davit_error;

typedef struct davit_context {
  uint32_t size;
  uint16_t abi_major; /* the host's */
  uint16_t abi_minor;
  davit_str controller; /* the row's name */
  /* The table of a host capability, or NULL when this host has none of that id. Tables are constant and live as long as the
   * process. @call(any; nonblocking) */
  const void *(*capability)(const davit_call *call, davit_str id);
  /* Says why the code that the current init, sync, fire, changed() or read() of a state is about to return is not
   * DAVIT_OK. Copied; the last one wins. @call(any; nonblocking) */
  void (*error_text)(const davit_call *call, davit_str text);
  /* Describes the last host function that failed in this call: answered anything but DAVIT_OK. Reads of objects do not
   * count. After batch() it is one of the failures; each response has its own. @call(any; nonblocking) */
  davit_code (*last_error)(const davit_call *call, davit_error *out);
} davit_context;

/* ---- What a plugin gives the host -------------------------------------------------------------------------------- */

/* Optional sides of a controller, found by id through davit_controller.capability(). */

/* "davit.health/1" */
typedef struct davit_health_v1 {
  uint32_t size;
  uint32_t reserved;
  /* DAVIT_OK when healthy; else writes one line to `why`. Must not take a lock that a sync holds while it waits.
   * @call(host; nonblocking) */
  davit_code (*check)(void *self, const davit_call *call, const davit_sink *why);
} davit_health_v1;

/* A page that a controller writes. Good during the call that takes it, on its thread. */
typedef struct davit_page {
  uint32_t size;
  uint32_t reserved;
  void *self;
  const davit_sink *body;
  /* Sets what is otherwise 200 and "text/plain; charset=utf-8". DAVIT_INVALID, and nothing is set: the status is not 200 to
   * 599, or the type is no media type of at most 256 bytes. @call(any; nonblocking) */
  davit_code (*head)(void *self, int32_t http_status, davit_str content_type);
} davit_page;

/* "davit.debug/1" */
typedef struct davit_debug_v1 {
  uint32_t size;
  uint32_t reserved;
  /* Serves GET /debug/controllers/<name>/<path>. DAVIT_OK: the page as written; DAVIT_NOT_FOUND: 404; every other code: 500,
   * both with what was written to the body as text. @call(host; nonblocking) */
  davit_code (*serve)(void *self, const davit_call *call, davit_str path, davit_str query, const davit_page *page);
} davit_debug_v1;

/* "davit.configurable/1": a controller that takes another configuration while it runs. Without this side the host swaps to
 * another instance of the same build, which finds the new configuration in its init. */
typedef struct davit_configurable_v1 {
  uint32_t size;
  uint32_t reserved;
  /* The operator has changed the controller's `config` in the manifest. `config` is the new one, as davit_config_v1.value
   * will give it to later calls; absent when there is none any more.
   *   DAVIT_OK           it counts from now on. Keys that it concerns are the controller's to add
   *   DAVIT_UNSUPPORTED  this change is possible at the start only: the host swaps
   *   every other code   it is refused, and the old one stays; say why through davit_context.error_text. The operator
   *                      reads it in the log and in `davit ctl status`
   * Not called when what the note takes from the configuration changes, such as a selector: the host swaps. May be called
   * again with what it has accepted or refused. Takes a time limit of 10 s, after which the change counts as refused, and
   * swaps wait until it has returned. @call(host; nonblocking) */
  davit_code (*changed)(void *self, const davit_call *call, davit_value config);
} davit_configurable_v1;

/* "davit.state/1": what a controller knows and neither the cluster nor its queues could tell its next build: since when
 * a node is silent, which writes it has not seen yet. Without this side the next build begins with nothing, as after a
 * restart. Keys, delays, back-off and unseen writes need none: the host keeps them.
 *
 * When. In a hot swap: the old build's syncs and timers have ended, the handlers of both builds have seen the same
 * changes, and none of them runs. Then come write() of the old build and read() of the new one, which has seen what the
 * caches hold and has synced nothing. Only after DAVIT_OK of both the new build serves. Everything else ends the swap,
 * and the old build serves on, so that write() must change nothing.
 *
 * What. Bytes in the plugin's own form. Times of davit_clock_v1.monotonic_ns mean the same to both builds; handles,
 * pointers and values mean nothing to the other one. */
enum {
  DAVIT_STATE_BYTES_MAX = 67108864 /* 64 MiB; more ends the swap */
};

typedef struct davit_state_v1 {
  uint32_t size;
  uint32_t version; /* of the form in which write() writes, from 1 */
  uint32_t oldest;  /* of the forms that read() understands; `version` is the newest. 0: as `version` */
  uint32_t reserved;
  /* Writes all that is to be handed over. @call(host; nonblocking) */
  davit_code (*write)(void *self, const davit_call *call, const davit_sink *out);
  /* Takes over what another build of this controller wrote as `version`, in place of what this one knows. It may refuse
   * with any code but DAVIT_OK, and says why through davit_context.error_text: better than to begin with half a
   * state. A host asks for a form from `oldest` to `version` only; whatever it asks for, the bytes may be anything at
   * all. @call(host; nonblocking) */
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

/* What init answers. */
enum {
  DAVIT_FAILED = 0,  /* cannot run; say why through error_text. Every unknown number means this too */
  DAVIT_STARTED = 1, /* *out is filled; the host runs the controller */
  DAVIT_SKIPPED = 2  /* nothing to do here (for example the server lacks the resource); not an error */
};

/* Creates one controller. `context` lives until destroy() returns; `out` is zero but for its size. On SKIPPED and FAILED
 * nothing may be left behind; what was opened through the host is closed by the host. @call(host; nonblocking) */
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

/* The one exported symbol. Called once per load, before any init; must do nothing but return the table.
 * @call(host; nonblocking) */
typedef const davit_plugin *(*davit_plugin_v1_fn)(void);
DAVIT_EXPORT const davit_plugin *davit_plugin_v1(void);
#define DAVIT_PLUGIN_SYMBOL "davit_plugin_v1"

/* ---- The ELF note ------------------------------------------------------------------------------------------------ */

/* What the plugin declares, readable without running it: an ELF note in section .note.davit, owner "davit", type 1,
 * whose description is JSON text. Members (docs/ABI.md has the schema; unknown ones are kept and ignored):
 *   name         the plugin: "replicaset"                     version    the plugin's own version: "0.1.0"
 *   abi          "1.0", as compiled: DAVIT_ABI_VERSION_TEXT   requires   capability ids that must be there
 *   optional     capability ids that are used if they are there
 *   build        compiler and SDK, free text                  controllers   one entry a row:
 *     name          "replicaset-controller"                   aliases    ["replicaset"]
 *     clientName    user agent suffix and rate limiter; default: name
 *     eventComponent   source component of Events; default: clientName
 *     offByDefault  false                                     withoutLeadership  false: may run on a standby
 *     workers       5
 *     rules         [{"group":"apps","resource":"replicasets","subresource":"status","verbs":["patch"]}, …]
 *     watches       [{"group":"apps","version":"v1","resource":"replicasets","projection":["metadata","spec"]}, …]
 *                   without projection: the whole object but managedFields. Watching needs no rule of its own:
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
