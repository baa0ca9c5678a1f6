/* A controller of which a test can tell the builds apart: for each pod it creates a pod named
 * <BUILD>-<key>; with STATE, <the builds before>.<BUILD>-<key>; with READS_NODE, -<node> after it.
 * What a build does differently is asked for by macros. */
#include <davit/abi.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/host/swap/samples/tally.h"

#ifdef OWN_RUNTIME
/* A file with a C++ runtime in it is known by this text. */
__attribute__((used)) static const char runtime[] =
    "terminate called after throwing an instance of";
#endif
#ifndef BUILD
#define BUILD "v1"
#endif
#ifndef PLUGIN
#define PLUGIN "sample"
#endif
#ifndef CONTROLLER
#define CONTROLLER "sample-controller"
#endif
#ifndef PROJECTION
#define PROJECTION "[\"metadata.labels\"]"
#endif
#ifdef MORE
#define ANOTHER ",{\"name\":\"more-controller\"}"
#else
#define ANOTHER
#endif

#ifdef SERVICES
#define SERVICES_WATCH \
  ",{\"group\":\"\",\"version\":\"v1\",\"resource\":\"services\",\"projection\":[\"spec\"]}"
#else
#define SERVICES_WATCH
#endif

#ifdef OPENING_ENDS
__attribute__((constructor)) static void end(void) { abort(); }
#endif

DAVIT_NOTE("{\"name\":\"" PLUGIN "\",\"version\":\"" BUILD
           "\",\"abi\":\"1.0\",\"controllers\":[{\"name\":\"" CONTROLLER "\",\"aliases\":[\"" PLUGIN
           "-alias"
           "\"]"
           ",\"rules\":[{\"group\":\"\",\"resource\":\"pods\",\"verbs\":[\"create\"]}],"
           "\"watches\":[{\"group\":\"\","
           "\"version\":\"v1\",\"resource\":\"pods\",\"projection\":" PROJECTION "}" SERVICES_WATCH
           "]}" ANOTHER "]}");

#ifndef QUEUE
#define QUEUE "sample"
#endif
#define TEXT(literal) ((davit_str){literal, sizeof(literal) - 1})

typedef struct controller {
  const davit_object_v1* object;
  const davit_queue_v1* queue;
  const davit_client_v1* client;
  davit_handle keys;
  davit_name path[2];
  const davit_context* context;
  char builds[64];
  const davit_informer_v1* informer;
  davit_handle pods;
  davit_name version[2];
  davit_name node[2];
  swap_tally* tally;
  uint32_t number;
} controller;

#ifdef TALLY
static uint32_t index_of(const controller* me, davit_str key) {
  char text[32] = "0";
  if (key.size > 4 && key.size < 32 && memcmp(key.data, "pod-", 4) == 0) {
    memcpy(text, key.data + 4, key.size - 4);
    text[key.size - 4] = 0;
  }
  return (uint32_t)strtoul(text, 0, 10) % me->tally->keys;
}

static void find_tally(controller* me, const davit_call* call) {
  const davit_config_v1* config = me->context->capability(call, TEXT("davit.config/1"));
  davit_value address;
  int64_t number = 0;
  me->object->lookup(config->value(call), TEXT("tally"), &address);
  me->object->integer(address, &number);
  me->tally = (swap_tally*)(uintptr_t)number;
  me->version[0] = me->path[0];
  me->version[1] = me->object->name(call, TEXT("resourceVersion"));
#ifndef NEIGHBOUR
  me->number = __atomic_add_fetch(&me->tally->builds, 1, __ATOMIC_SEQ_CST);
#endif
}

/* Notes the version of the pod as the cache has it. */
static void note_version(const controller* me, const davit_call* call, davit_str key,
                         uint64_t* seen) {
  davit_value pod;
  davit_value version;
  davit_str text = {0, 0};
  if (me->informer->get(call, me->pods, TEXT("default"), key, &pod) == DAVIT_OK &&
      me->object->path(pod, me->version, 2, &version) == DAVIT_OK &&
      me->object->string(version, &text) == DAVIT_OK && text.size < 20) {
    char digits[20] = "";
    memcpy(digits, text.data, text.size);
    __atomic_store_n(&seen[index_of(me, key)], strtoull(digits, 0, 10), __ATOMIC_SEQ_CST);
  }
}

#ifdef NEIGHBOUR
static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}
#endif
#endif

static void on_event(void* self, const davit_call* call, const davit_event* event) {
  controller* me = self;
  davit_value name;
  davit_str text;
  if (me->object->path(event->value, me->path, 2, &name) != DAVIT_OK) return;
  if (me->object->string(name, &text) != DAVIT_OK) return;
#ifdef NEIGHBOUR
  uint64_t none = 0;
  if (event->initial) return;
  __atomic_compare_exchange_n(&me->tally->changed_ns[index_of(me, text)], &none, now_ns(), 0,
                              __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
#endif
#ifdef LEAKS
  davit_handle kept;
  me->object->retain(call, event->value, &kept);
#endif
  me->queue->add(call, me->keys, text);
}

#if defined(NEIGHBOUR)
static davit_code sync(void* self, const davit_call* call, davit_str key,
                       davit_sync_result* result) {
  controller* me = self;
  swap_tally* tally = me->tally;
  uint64_t* changed = &tally->changed_ns[index_of(me, key)];
  const uint64_t since = __atomic_exchange_n(changed, 0, __ATOMIC_SEQ_CST);
  (void)result;
  note_version(me, call, key, tally->neighbour_seen);
  if (since == 0) return DAVIT_OK;
  const uint64_t place = __atomic_load_n(&tally->waits, __ATOMIC_SEQ_CST);
  if (place < tally->waits_max) tally->waited_ns[place] = now_ns() - since;
  __atomic_store_n(&tally->waits, place + 1, __ATOMIC_SEQ_CST);
  return DAVIT_OK;
}
#elif defined(TALLY)
static davit_code sync(void* self, const davit_call* call, davit_str key,
                       davit_sync_result* result) {
  controller* me = self;
  swap_tally* tally = me->tally;
  const uint32_t place = index_of(me, key);
  (void)result;
  __atomic_add_fetch(&tally->syncs, 1, __ATOMIC_SEQ_CST);
  if (__atomic_exchange_n(&tally->running[place], 1, __ATOMIC_SEQ_CST) != 0) {
    __atomic_add_fetch(&tally->overlaps, 1, __ATOMIC_SEQ_CST);
  }
  if (me->number < __atomic_load_n(&tally->oldest, __ATOMIC_SEQ_CST)) {
    __atomic_add_fetch(&tally->strays, 1, __ATOMIC_SEQ_CST);
  }
  note_version(me, call, key, tally->seen);
  __atomic_store_n(&tally->running[place], 0, __ATOMIC_SEQ_CST);
  return DAVIT_OK;
}
#elif defined(SYNC_CODE)
static davit_code sync(void* self, const davit_call* call, davit_str key,
                       davit_sync_result* result) {
  (void)call;
  (void)self;
  (void)key;
  (void)result;
  return SYNC_CODE;
}
#elif defined(SYNC_FAILS)
static davit_code sync(void* self, const davit_call* call, davit_str key,
                       davit_sync_result* result) {
  (void)call;
  (void)self;
  (void)key;
  (void)result;
  return DAVIT_INTERNAL;
}
#else
#ifdef READS_NODE
static void append_node(controller* me, const davit_call* call, davit_str key, char* body) {
  davit_value pod;
  davit_value node;
  davit_str text = {0, 0};
  davit_code code = me->informer->get(call, me->pods, TEXT("default"), key, &pod);
  if (code == DAVIT_OK) code = me->object->path(pod, me->node, 2, &node);
  if (code == DAVIT_OK) code = me->object->string(node, &text);
  strcat(body, code == DAVIT_UNDECLARED ? "-undeclared" : "-");
  if (code == DAVIT_OK) strncat(body, text.data, text.size);
}
#endif

static davit_code sync(void* self, const davit_call* call, davit_str key,
                       davit_sync_result* result) {
  controller* me = self;
  char body[256] = "{\"metadata\":{\"name\":\"";
  davit_request request = {.size = sizeof(request), .verb = DAVIT_CREATE};
  davit_response response = {.size = sizeof(response)};
  (void)result;
  strcat(strcat(body, me->builds), "-");
  strncat(body, key.data, key.size);
#ifdef READS_NODE
  append_node(me, call, key, body);
#endif
  strcat(body, "\"}}");
  request.version = TEXT("v1");
  request.resource = TEXT("pods");
  request.ns = TEXT("default");
  request.body = (davit_str){body, strlen(body)};
  return me->client->call(call, &request, &response);
}
#endif

#ifdef SIGNALS
/* Never called: that it could be is enough. */
void (*sample_signals(void))(int) { return signal(SIGUSR1, SIG_IGN); }
static void (*(*volatile keep_signals)(void))(int) = sample_signals;
#endif
#ifdef BRINGS_LIBRARY
#include <dlfcn.h>
__attribute__((constructor)) static void bring(void) {
  /* It stays: nothing closes it. */
  if (dlopen(BRINGS_LIBRARY, RTLD_NOW | RTLD_LOCAL) == NULL) abort();
}
#endif

static void destroy(void* self, const davit_call* call) {
  (void)call;
  free(self);
}

#if defined(STATE) || defined(CONFIGURABLE)
static void say(controller* me, const davit_call* call, const char* why) {
  me->context->error_text(call, (davit_str){why, strlen(why)});
}
#endif

#if defined(READ_HANGS) || defined(WRITE_HANGS) || defined(CONFIGURABLE)
static void wait_an_hour(controller* me, const davit_call* call, davit_str what) {
  const davit_clock_v1* clock = me->context->capability(call, TEXT("davit.clock/1"));
  const davit_log_v1* log = me->context->capability(call, TEXT("davit.log/1"));
  const int64_t end = clock->monotonic_ns(call) + INT64_C(3600000000000);
  log->write(call, DAVIT_LOG_INFO, what, 0, 0);
  while (clock->monotonic_ns(call) < end) sched_yield();
}
#endif

#ifdef CONFIGURABLE
/* The member "name" replaces the build's name in what a sync creates. */
static davit_code take_config(controller* me, const davit_call* call, davit_value config) {
  davit_value value;
  davit_str name = TEXT(BUILD);
  if (me->object->lookup(config, TEXT("name"), &value) == DAVIT_OK) {
    if (me->object->string(value, &name) != DAVIT_OK || name.size >= sizeof(me->builds)) {
      say(me, call, "name is no short text");
      return DAVIT_INVALID;
    }
  }
  memcpy(me->builds, name.data, name.size);
  me->builds[name.size] = 0;
  return DAVIT_OK;
}

static davit_code changed(void* self, const davit_call* call, davit_value config) {
  controller* me = self;
  davit_value value;
  if (me->object->lookup(config, TEXT("hangs"), &value) == DAVIT_OK) {
    wait_an_hour(me, call, TEXT("It changes for an hour"));
  }
  if (me->object->lookup(config, TEXT("restarts"), &value) == DAVIT_OK) return DAVIT_UNSUPPORTED;
  return take_config(me, call, config);
}

static const void* capability(void* self, const davit_call* call, davit_str id) {
  static const davit_configurable_v1 side = {sizeof(davit_configurable_v1), 0, changed};
  (void)call;
  (void)self;
  return id.size == 20 && memcmp(id.data, "davit.configurable/1", 20) == 0 ? &side : 0;
}
#endif

#ifdef STATE
static davit_code write_state(void* self, const davit_call* call, const davit_sink* out) {
  controller* me = self;
#ifdef WRITE_HANGS
  static int has_waited = 0;
  if (!has_waited) {
    has_waited = 1;
    strcat(me->builds, "-beside"); /* What a sync would ask for meanwhile. */
    wait_an_hour(me, call, TEXT("It writes for an hour"));
    strcpy(me->builds, BUILD);
  }
#endif
#ifdef WRITE_FAILS
  say(me, call, "it is secret");
  return DAVIT_INTERNAL;
#elif defined(WRITE_GARBAGE)
  (void)me;
  return out->write(out->self, TEXT("\xff\x00{"));
#elif defined(WRITE_HUGE)
  /* A piece more than fits. */
  static const char piece[1 << 16];
  (void)me;
  for (int i = 0; i <= DAVIT_STATE_BYTES_MAX / (1 << 16); ++i) {
    const davit_code code = out->write(out->self, (davit_str){piece, sizeof(piece)});
    if (code != DAVIT_OK) return code;
  }
  return DAVIT_OK;
#else
  return out->write(out->self, (davit_str){me->builds, strlen(me->builds)});
#endif
}

static davit_code read_state(void* self, const davit_call* call, uint32_t version,
                             davit_str state) {
  controller* me = self;
  (void)version;
#ifdef READ_HANGS
  wait_an_hour(me, call, TEXT("It reads for an hour"));
#endif
#ifdef READ_FAILS
  say(me, call, "not with me");
  return DAVIT_INVALID;
#endif
  if (state.size == 0 || state.data[0] != 'v' || state.size + sizeof(BUILD) + 1 > 64) {
    say(me, call, "that is no state of mine");
    return DAVIT_INVALID;
  }
  memcpy(me->builds, state.data, state.size);
  me->builds[state.size] = 0;
#ifndef TALLY /* Ten thousand builds have no room there. */
  strcat(me->builds, "." BUILD);
#endif
  return DAVIT_OK;
}

#ifndef STATE_OLDEST
#define STATE_OLDEST 0
#endif
static const void* capability(void* self, const davit_call* call, davit_str id) {
  static const davit_state_v1 state = {
      sizeof(davit_state_v1), STATE, STATE_OLDEST, 0, write_state, read_state};
  (void)call;
  (void)self;
  return id.size == 13 && memcmp(id.data, "davit.state/1", 13) == 0 ? &state : 0;
}
#endif

static int32_t init(const davit_call* call, const davit_context* context, davit_controller* out) {
  davit_informer_options pods = {.size = sizeof(pods)};
  davit_queue_options keys = {.size = sizeof(keys)};
  controller* me = calloc(1, sizeof(*me));
  me->context = context;
  strcpy(me->builds, BUILD);
  me->object = context->capability(call, TEXT("davit.object/1"));
  me->queue = context->capability(call, TEXT("davit.queue/1"));
  me->client = context->capability(call, TEXT("davit.client/1"));
  me->path[0] = me->object->name(call, TEXT("metadata"));
  me->path[1] = me->object->name(call, TEXT("name"));
  me->node[0] = me->object->name(call, TEXT("spec"));
  me->node[1] = me->object->name(call, TEXT("nodeName"));
#ifdef INIT_ASKS
  /* Waits for the server's answer, which may take as long as it likes. */
  (void)me->client->resource_exists(call, TEXT("apps"), TEXT("v1"), TEXT("deployments"));
#endif
  pods.version = TEXT("v1");
  pods.resource = TEXT("pods");
  pods.self = me;
  pods.on_event = on_event;
  keys.name = TEXT(QUEUE);
  keys.self = me;
  keys.sync = sync;
  me->informer = context->capability(call, TEXT("davit.informer/1"));
#ifdef TALLY
  find_tally(me, call);
#endif
  if (me->informer->open(call, &pods, &me->pods) != DAVIT_OK ||
      me->queue->open(call, &keys, &me->keys) != DAVIT_OK) {
    free(me);
    return DAVIT_FAILED;
  }
#ifdef SERVICES
  davit_handle services;
  pods.resource = TEXT("services");
  pods.on_event = 0;
  if (me->informer->open(call, &pods, &services) != DAVIT_OK) {
    free(me);
    return DAVIT_FAILED;
  }
#endif
#ifdef INIT_FAILS
  context->error_text(call, TEXT("no luck today"));
  free(me);
  return DAVIT_FAILED;
#endif
  out->self = me;
  out->destroy = destroy;
#ifdef CONFIGURABLE
  take_config(
      me, call,
      ((const davit_config_v1*)context->capability(call, TEXT("davit.config/1")))->value(call));
#endif
#if defined(STATE) || defined(CONFIGURABLE)
  out->capability = capability;
#endif
  return DAVIT_STARTED;
}

#ifdef MORE
static int32_t init_more(const davit_call* call, const davit_context* context,
                         davit_controller* out) {
  (void)call;
  (void)context;
  (void)out;
  return MORE;
}
#endif

static const davit_row rows[] = {
    {{CONTROLLER, sizeof(CONTROLLER) - 1}, init},
#ifdef MORE
    {{"more-controller", sizeof("more-controller") - 1}, init_more},
#endif
};
static const davit_plugin plugin = {sizeof(davit_plugin), sizeof(davit_row), rows,
                                    sizeof(rows) / sizeof(rows[0])};

const davit_plugin* davit_plugin_v1(void) { return &plugin; }
