/* A controller that labels pods, good, or bad in the one way that the build asks for. */
#define _GNU_SOURCE
#include <davit/abi.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef ZOO_ROW
#define ZOO_ROW "zoo-controller"
#endif
/* The selectors of its watch. */
#ifndef ZOO_FIELD
#define ZOO_FIELD ""
#endif
#ifndef ZOO_LABEL
#define ZOO_LABEL ""
#endif

#ifdef ZOO_CALLS_OUT
#define ZOO_NEEDS_HTTP ",\"davit.http/1\""
#define ZOO_HOSTS "\"http\":{\"hosts\":[\"zoo.example.com\"]},"
#else
#define ZOO_NEEDS_HTTP ""
#define ZOO_HOSTS ""
#endif
#ifdef ZOO_TRUSTS_CACHE
#define ZOO_VERBS "\"patch\",\"create\""
#define ZOO_TIMER ",\"davit.timer/1\""
#else
#define ZOO_TIMER ""
#define ZOO_VERBS "\"patch\""
#endif

DAVIT_NOTE("{\"name\":\"zoo\",\"version\":\"1\",\"abi\":\"" DAVIT_ABI_VERSION_TEXT
           "\",\"requires\":[\"davit.object/1\",\"davit.informer/1\",\"davit.queue/1\","
           "\"davit.client/1\"" ZOO_TIMER ZOO_NEEDS_HTTP
           "],"
           "\"controllers\":[{\"name\":\"zoo-controller\"," ZOO_HOSTS
           "\"rules\":[{\"group\":\"\",\"resource\":\"pods\",\"verbs\":[" ZOO_VERBS
           "]}],"
           "\"watches\":[{\"group\":\"\",\"version\":\"v1\",\"resource\":\"pods\","
           "\"fieldSelector\":\"" ZOO_FIELD "\",\"labelSelector\":\"" ZOO_LABEL
           "\","
           "\"projection\":[\"metadata.labels\",\"metadata.annotations\",\"spec.nodeName\"]}]}]}");

typedef struct {
  const davit_object_v1* object;
  const davit_informer_v1* informer;
  const davit_queue_v1* queue;
  const davit_client_v1* client;
  davit_name metadata, name, ns, labels, spec, containers;
  davit_handle pods, keys;
  const davit_call* kept_call;
  davit_value kept_value;
#ifdef ZOO_TRUSTS_CACHE
  const davit_timer_v1* timers;
#endif
#ifdef ZOO_CALLS_OUT
  const davit_http_v1* http;
#endif
} zoo;

void zoo_throw(void); /* In C++, which unwinds through these frames. */

static davit_str str(const char* text) {
  davit_str out = {text, strlen(text)};
  return out;
}

static void* wait_for_ever(void* argument) {
  for (;;) pause();
  return argument;
}

static int start_thread(void) {
  pthread_t thread;
  const int failed = pthread_create(&thread, NULL, wait_for_ever, NULL);
  if (failed == 0) pthread_detach(thread);
  return failed;
}

static davit_value at(const zoo* self, davit_value value, davit_name first, davit_name second) {
  const davit_name names[2] = {first, second};
  davit_value out = {0};
  (void)self->object->path(value, names, 2, &out);
  return out;
}

static davit_str text_of(const zoo* self, davit_value value) {
  davit_str out = {NULL, 0};
  (void)self->object->string(value, &out);
  return out;
}

#ifdef ZOO_RECURSION
/* Asks the host for the text of a value, and again for each piece of it. */
typedef struct {
  const zoo* self;
  davit_value value;
} echo;
static davit_code deeper(void* raw, davit_str text) {
  const echo* of = raw;
  const davit_sink sink = {sizeof(davit_sink), 0, raw, deeper};
  const davit_code code = of->self->object->json(of->value, &sink);
  return text.size == 0 ? code : of->self->object->json(of->value, &sink);
}
#endif

#ifdef ZOO_CONSTRUCTOR_EXITS
__attribute__((constructor)) static void begin(void) { _exit(3); }
#endif
#ifdef ZOO_CONSTRUCTOR_BLOCKS
__attribute__((constructor)) static void begin(void) {
  for (;;) pause();
}
#endif
#ifdef ZOO_CONSTRUCTOR_ABORTS
__attribute__((constructor)) static void begin(void) { abort(); }
#endif

static void on_event(void* raw, const davit_call* call, const davit_event* event) {
  const zoo* self = raw;
  const davit_str ns = text_of(self, at(self, event->value, self->metadata, self->ns));
  const davit_str name = text_of(self, at(self, event->value, self->metadata, self->name));
  char key[512];
  davit_str made = {key, ns.size + 1 + name.size};
  if (made.size > sizeof(key)) return;
  if (ns.size > 0) memcpy(key, ns.data, ns.size);
  key[ns.size] = '/';
  if (name.size > 0) memcpy(key + ns.size + 1, name.data, name.size);
#ifdef ZOO_RETAINS
  {
    davit_handle handle;
    (void)self->object->retain(call, event->value, &handle);
  }
#endif
#ifdef ZOO_HANDLER_BLOCKS
  for (;;) pause();
#endif
  (void)self->queue->add(call, self->keys, made);
}

/* Reads what abi.h says may be missing as if it were there. */
static void trust_the_object(const zoo* self, davit_value pod) {
  const davit_value labels = at(self, pod, self->metadata, self->labels);
  davit_member first;
  size_t written = 0;
  if (self->object->kind(labels) == DAVIT_KIND_ABSENT) return;
  (void)self->object->members(labels, 0, &first, 1, &written);
  if (self->object->kind(labels) != DAVIT_KIND_OBJECT) abort();
}

static davit_code send(const zoo* self, const davit_call* call, int32_t verb, davit_str key,
                       size_t slash) {
  davit_request request;
  davit_response response;
  memset(&request, 0, sizeof(request));
  memset(&response, 0, sizeof(response));
  request.size = sizeof(request);
  response.size = sizeof(response);
  request.verb = verb;
  request.version = str("v1");
  request.resource = str("pods");
  request.ns.data = key.data;
  request.ns.size = slash;
  request.name.data = key.data + slash + 1;
  request.name.size = key.size - slash - 1;
  if (verb == DAVIT_PATCH) {
    request.patch_type = DAVIT_PATCH_MERGE;
    request.body = str("{\"metadata\":{\"labels\":{\"zoo\":\"seen\"}}}");
  }
#ifdef ZOO_BLOCKS_AT_ODD_BODY
  {
    const davit_code code = self->client->call(call, &request, &response);
    if (code == DAVIT_UNAVAILABLE && response.http_status / 100 == 2) pause();
    return code;
  }
#else
  return self->client->call(call, &request, &response);
#endif
}

/* What a plugin may not do with what the host lends it. */
static void keep_or_break(zoo* self, const davit_call* call, davit_str key, davit_value pod) {
  (void)key;
  (void)pod;
  (void)call;
  (void)self;
#ifdef ZOO_LATE_CALL
  if (self->kept_call != NULL) (void)self->queue->add(self->kept_call, self->keys, key);
  self->kept_call = call;
#endif
#ifdef ZOO_KEPT_VALUE
  (void)self->object->kind(self->kept_value);
  self->kept_value = at(self, pod, self->metadata, self->labels);
#endif
#ifdef ZOO_FREES_HOST_MEMORY
  free((void*)text_of(self, at(self, pod, self->metadata, self->name)).data);
#endif
#ifdef ZOO_RECURSION
  {
    echo of;
    of.self = self;
    of.value = at(self, pod, self->metadata, self->labels);
    (void)deeper(&of, str(""));
  }
#endif
#ifdef ZOO_SWALLOWS_MISUSE
  (void)self->informer->get(call, self->pods, str(""), key, NULL);
#endif
#ifdef ZOO_SWALLOWS_UNDECLARED
  (void)at(self, pod, self->spec, self->containers);
#endif
#ifdef ZOO_ABORTS_AT_MARK
  {
    davit_value seen;
    const davit_value labels = at(self, pod, self->metadata, self->labels);
    if (self->object->lookup(labels, str("fatal"), &seen) == DAVIT_OK) abort();
  }
#endif
}

#ifdef ZOO_TRUSTS_CACHE
static davit_code guard_pods(void* raw, const davit_call* call, davit_sync_result* result);

/* Starts another timer for each run: a timer waits for its own writes, not for those of others. */
static davit_code guard_later(const zoo* self, const davit_call* call) {
  davit_timer_options timer;
  davit_handle handle;
  memset(&timer, 0, sizeof(timer));
  timer.size = sizeof(timer);
  timer.self = (void*)self;
  timer.first_ms = 110; /* A lag of the check is many times as long, its quiet shorter. */
  timer.fire = guard_pods;
  return self->timers->start(call, &timer, &handle);
}

/* Creates a pod under another name each time, if the server has pods and the cache shows none of
 * those that this made before. */
static davit_code guard_pods(void* raw, const davit_call* call, davit_sync_result* result) {
  const zoo* self = raw;
  davit_request request;
  davit_response response;
  davit_list pods;
  davit_value value;
  size_t i;
  (void)result;
  if (guard_later(self, call) != DAVIT_OK) return DAVIT_FAILED;
  memset(&request, 0, sizeof(request));
  memset(&response, 0, sizeof(response));
  request.size = sizeof(request);
  response.size = sizeof(response);
  request.verb = DAVIT_LIST;
  request.version = str("v1");
  request.resource = str("pods");
  request.ns = str("default");
  if (self->client->call(call, &request, &response) != DAVIT_OK) return DAVIT_OK;
  if (self->object->lookup(response.object, str("items"), &value) != DAVIT_OK) return DAVIT_OK;
  if (self->object->count(value) == 0) return DAVIT_OK;
  if (self->informer->select(call, self->pods, str(DAVIT_INDEX_NAMESPACE), str("default"), &pods) !=
      DAVIT_OK) {
    return DAVIT_INTERNAL;
  }
  for (i = 0; i < pods.count; ++i) {
    const davit_value labels = at(self, pods.items[i], self->metadata, self->labels);
    if (self->object->lookup(labels, str("guard"), &value) == DAVIT_OK) return DAVIT_OK;
  }
  request.verb = DAVIT_CREATE;
  request.body =
      str("{\"metadata\":{\"generateName\":\"guard-\",\"labels\":{\"guard\":\"1\",\"zoo\":\"1\"}},"
          "\"spec\":{\"containers\":[{\"name\":\"guard\",\"image\":\"guard\"}]}}");
  (void)self->client->call(call, &request, &response);
  return DAVIT_OK;
}

static davit_code start_guarding(zoo* self, const davit_call* call, const davit_context* context) {
  self->timers = context->capability(call, str("davit.timer/1"));
  return guard_later(self, call);
}
#endif

/* Labels the pod. */
static davit_code write_label(const zoo* self, const davit_call* call, davit_str key,
                              size_t slash) {
  davit_code code;
#ifdef ZOO_ONE_NAMESPACE
  if (slash != 7 || memcmp(key.data, "default", 7) != 0) return DAVIT_OK;
#endif
  code = send(self, call, DAVIT_PATCH, key, slash);
#ifdef ZOO_TRUSTS_SERVER
  if (code == DAVIT_CONFLICT) abort();
#endif
#ifdef ZOO_IGNORES_CANCEL
  do {
    code = send(self, call, DAVIT_PATCH, key, slash);
  } while (code == DAVIT_CANCELLED);
#endif
  return code;
}

#ifdef ZOO_CALLS_OUT
/* Asks a server outside the cluster, whether the pod is there or not. */
static davit_code ask_outside(const zoo* self, const davit_call* call) {
  davit_http_request request;
  davit_http_response response;
  memset(&request, 0, sizeof(request));
  memset(&response, 0, sizeof(response));
  request.size = sizeof(request);
  response.size = sizeof(response);
  request.url = str("https://zoo.example.com/animals");
  return self->http->call(call, &request, &response);
}
#endif

static davit_code sync_key(void* raw, const davit_call* call, davit_str key,
                           davit_sync_result* result) {
  zoo* self = raw;
  const char* found = memchr(key.data, '/', key.size);
  const size_t slash = found == NULL ? 0 : (size_t)(found - key.data);
  davit_str ns = {key.data, slash};
  davit_str name = {key.data + slash + 1, key.size - slash - 1};
  davit_value pod, seen;
  davit_code code;
  (void)result;
#ifdef ZOO_CALLS_OUT
  code = ask_outside(self, call);
  if (code != DAVIT_OK) return code;
#endif
  code = self->informer->get(call, self->pods, ns, name, &pod);
  if (code == DAVIT_NOT_FOUND) return DAVIT_OK;
#ifdef ZOO_SYNC_THREAD
  if (start_thread() != 0) return DAVIT_INTERNAL;
#endif
  keep_or_break(self, call, key, pod);
#ifdef ZOO_SYNC_ABORTS
  abort();
#endif
#ifdef ZOO_SYNC_BLOCKS
  for (;;) pause();
#endif
#ifdef ZOO_SYNC_THROWS
  zoo_throw();
#endif
#ifdef ZOO_UNKNOWN_CODE
  return 4711;
#endif
#ifdef ZOO_NEVER_RESTS
  return self->queue->add(call, self->keys, key);
#endif
#ifdef ZOO_UNDECLARED_REQUEST
  (void)send(self, call, DAVIT_DELETE, key, slash); /* And does not look at the answer. */
#endif
#ifdef ZOO_UNDECLARED_READ
  {
    const davit_name names[2] = {self->spec, self->containers};
    code = self->object->path(pod, names, 2, &seen);
    if (code == DAVIT_UNDECLARED) return code;
  }
#endif
#ifdef ZOO_TRUSTS_OBJECTS
  trust_the_object(self, pod);
#else
  (void)trust_the_object;
#endif
  if (self->object->lookup(at(self, pod, self->metadata, self->labels), str("zoo"), &seen) ==
      DAVIT_OK) {
    return DAVIT_OK;
  }
  code = write_label(self, call, key, slash);
  return code == DAVIT_NOT_FOUND || code == DAVIT_INVALID ? DAVIT_OK : code;
}

static void destroy(void* raw, const davit_call* call) {
  (void)call;
#ifdef ZOO_ONE_AT_A_TIME
  unsetenv("ZOO_RUNS");
#endif
#ifdef ZOO_DESTROY_ABORTS
  abort();
#endif
#ifdef ZOO_LEAKS_MEMORY
  (void)call;
  (void)raw;
#else
  free(raw);
#endif
}

#ifdef ZOO_EXIT_HANDLER
static void say_goodbye(int status, void* argument) {
  (void)argument;
  if (status != 0) abort();
}
#endif
#ifdef ZOO_ATEXIT_HANDLER
static void say_goodbye(void) {}
#endif

static const davit_plugin plugin;

/* What a plugin may not do to its process. */
static int misbehave(void) {
#ifdef ZOO_THREAD
  if (start_thread() != 0) return 1;
#else
  (void)start_thread;
#endif
#ifdef ZOO_TSD_KEY
  {
    pthread_key_t key;
    if (pthread_key_create(&key, free) != 0) return 1;
  }
#endif
#ifdef ZOO_EXIT_HANDLER
  if (on_exit(say_goodbye, NULL) != 0) return 1;
#endif
#ifdef ZOO_ATEXIT_HANDLER
  if (atexit(say_goodbye) != 0) return 1;
#endif
#ifdef ZOO_SIGNAL
  signal(SIGUSR1, SIG_IGN);
#endif
#ifdef ZOO_ENVIRONMENT
  setenv("ZOO", "was here", 1);
#endif
#ifdef ZOO_LEAKS_DESCRIPTOR
  if (open("/dev/null", O_RDONLY) < 0) return 1;
#endif
#ifdef ZOO_LEAKS_MAPPING
  {
    /* Of changing rights, so that the kernel does not make one mapping of two. */
    static int rights = PROT_READ;
    char* page = mmap(NULL, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED || mprotect(page, 4096, rights) != 0) return 1;
  }
#endif
#ifdef ZOO_PINS_ITSELF
  {
    Dl_info own;
    if (dladdr(&plugin, &own) == 0) return 1;
    if (dlopen(own.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE) == NULL) return 1;
  }
#endif
#ifdef ZOO_ONE_AT_A_TIME
  /* A name that two builds cannot have at once. */
  if (getenv("ZOO_RUNS") != NULL) return 1;
  setenv("ZOO_RUNS", "1", 1);
#endif
  return 0;
}

#ifdef ZOO_STATE
/* A state is "zoo", one byte that says how many more there are, and those. */
static davit_code write_state(void* raw, const davit_call* call, const davit_sink* out) {
  (void)call;
  (void)raw;
  return out->write(out->self, str("zoo\003abc"));
}

static davit_code read_state(void* raw, const davit_call* call, uint32_t version, davit_str state) {
  char* mind = malloc(16384);
  size_t size = 0;
  (void)call;
  (void)raw;
  if (mind == NULL) return DAVIT_INTERNAL;
#ifdef ZOO_TRUSTS_STATE
  if (version != 1 || state.size < 4) abort();
  size = (unsigned char)state.data[3];
#else
  if (state.size >= 4) size = (unsigned char)state.data[3];
  if (version != 1 || state.size != 4 + size || memcmp(state.data, "zoo", 3) != 0) {
#ifndef ZOO_FORGETS_STATE
    free(mind);
#endif
    return DAVIT_INVALID;
  }
#endif
  memcpy(mind, state.data + 4, size);
  free(mind);
  return DAVIT_OK;
}

static const void* capability(void* raw, const davit_call* call, davit_str id) {
  static const davit_state_v1 kState = {sizeof(davit_state_v1), 1, 1, 0, write_state, read_state};
  (void)call;
  (void)raw;
  if (id.size != 13 || memcmp(id.data, "davit.state/1", 13) != 0) return NULL;
  return &kState;
}
#endif

static davit_code open_queue(zoo* self, const davit_call* call) {
  davit_queue_options queue;
  memset(&queue, 0, sizeof(queue));
  queue.size = sizeof(queue);
  queue.name = str("zoo");
  queue.self = self;
  queue.sync = sync_key;
#ifdef ZOO_CALLS_OUT
  queue.base_ms = 1; /* Keeps on asking. */
  queue.max_ms = 2;
#endif
  return self->queue->open(call, &queue, &self->keys);
}

static int32_t init(const davit_call* call, const davit_context* context, davit_controller* out) {
  davit_informer_options informer;
  zoo* self = calloc(1, sizeof(*self) + 16384);
  if (self == NULL) return DAVIT_FAILED;
  self->object = context->capability(call, str("davit.object/1"));
  self->informer = context->capability(call, str("davit.informer/1"));
  self->queue = context->capability(call, str("davit.queue/1"));
  self->client = context->capability(call, str("davit.client/1"));
#ifdef ZOO_CALLS_OUT
  self->http = context->capability(call, str("davit.http/1"));
#endif
  self->metadata = self->object->name(call, str("metadata"));
  self->name = self->object->name(call, str("name"));
  self->ns = self->object->name(call, str("namespace"));
  self->labels = self->object->name(call, str("labels"));
  self->spec = self->object->name(call, str("spec"));
  self->containers = self->object->name(call, str("containers"));
  if (open_queue(self, call) != DAVIT_OK) return DAVIT_FAILED;
#ifdef ZOO_TRUSTS_CACHE
  if (start_guarding(self, call, context) != DAVIT_OK) return DAVIT_FAILED;
#endif
#ifdef ZOO_INIT_FAILS
  free(self);
  context->error_text(call, str("no informer today"));
  return DAVIT_FAILED;
#endif
#ifdef ZOO_NEEDS_CONFIG
  {
    const davit_config_v1* config = context->capability(call, str("davit.config/1"));
    davit_value colour;
    if (self->object->lookup(config->value(call), str("colour"), &colour) != DAVIT_OK) {
      free(self);
      context->error_text(call, str("the configuration has no colour"));
      return DAVIT_FAILED;
    }
  }
#endif
#ifdef ZOO_INIT_BLOCKS
  for (;;) pause();
#endif
  memset(&informer, 0, sizeof(informer));
  informer.size = sizeof(informer);
  informer.version = str("v1");
  informer.resource = str("pods");
  informer.field_selector = str(ZOO_FIELD);
  informer.label_selector = str(ZOO_LABEL);
  informer.self = self;
  informer.on_event = on_event;
  if (self->informer->open(call, &informer, &self->pods) != DAVIT_OK || misbehave() != 0) {
    free(self);
    return DAVIT_FAILED;
  }
  out->self = self;
  out->destroy = destroy;
#ifdef ZOO_STATE
  out->capability = capability;
#endif
  return DAVIT_STARTED;
}

#ifdef ZOO_SECOND_EXPORT
DAVIT_EXPORT int zoo_extra(void);
int zoo_extra(void) { return 1; }
#endif

static const davit_row rows[] = {{{ZOO_ROW, sizeof(ZOO_ROW) - 1}, init}};
static const davit_plugin plugin = {sizeof(davit_plugin), sizeof(davit_row), rows, 1};

const davit_plugin* davit_plugin_v1(void) {
#ifdef ZOO_NULL_TABLE
  return plugin.size == 0 ? &plugin : NULL;
#else
  return &plugin;
#endif
}
