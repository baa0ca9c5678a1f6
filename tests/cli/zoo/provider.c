/* A provider of a cloud that is an array in memory, good, or bad in the one way that the build asks
 * for. */
#define _GNU_SOURCE
#include <davit/cloud.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

DAVIT_NOTE("{\"name\":\"zoo-cloud\",\"version\":\"1\",\"abi\":\"" DAVIT_ABI_VERSION_TEXT
           "\",\"requires\":[\"davit.object/1\",\"davit.informer/1\",\"davit.cloud-host/1\"],"
           "\"controllers\":[{\"name\":\"zoo-cloud\",\"offByDefault\":true,\"watches\":["
           "{\"version\":\"v1\",\"resource\":\"services\",\"projection\":[\"metadata.name\"]},"
           "{\"version\":\"v1\",\"resource\":\"nodes\",\"projection\":[\"metadata.name\"]}]}]}");

enum { kEntries = 32, kText = 128, kMany = 10000 };

typedef struct {
  char key[kText];   /* the name of a Service, or a destination; empty: free */
  char value[kText]; /* the Node of a route */
} entry;

typedef struct {
  const davit_object_v1* object;
  davit_name metadata, name, spec;
  pthread_mutex_t mutex;
  entry balancers[kEntries];
  entry routes[kEntries];
  int calls;
} cloud;

void zoo_throw(void); /* In C++, which unwinds through these frames. */

static davit_str str(const char* text) {
  davit_str out = {text, strlen(text)};
  return out;
}

/* The place of a key; -1: there is none. */
static int place_of(const entry* all, const char* key) {
  for (int i = 0; i < kEntries; ++i) {
    if (strcmp(all[i].key, key) == 0) return i;
  }
  return -1;
}

static int put(entry* all, const char* key, const char* value) {
  int at = place_of(all, key);
  if (at < 0) at = place_of(all, "");
  if (at < 0) return -1;
  snprintf(all[at].key, kText, "%s", key);
  snprintf(all[at].value, kText, "%s", value);
  return at;
}

static void take(entry* all, const char* key) {
#ifdef ZOO_TAKES_ALL
  (void)key;
  memset(all, 0, sizeof(entry) * kEntries);
#elif defined(ZOO_KEEPS)
  (void)all;
  (void)key;
#else
  const int at = place_of(all, key);
  if (at >= 0) all[at].key[0] = 0;
#endif
}

/* The name of an object. */
static void name_of(const cloud* self, davit_value object, char* out) {
  const davit_name path[2] = {self->metadata, self->name};
  davit_value value;
  davit_str text = {NULL, 0};
  out[0] = 0;
  if (self->object->path(object, path, 2, &value) != DAVIT_OK) return;
  if (self->object->string(value, &text) != DAVIT_OK) return;
  snprintf(out, kText, "%.*s", (int)text.size, text.data);
#ifdef ZOO_READS_SPEC
  (void)self->object->path(object, &self->spec, 1, &value); /* And does not look at the answer. */
#endif
}

/* The text of a member of a route. */
static void member_of(davit_str json, const char* member, char* out) {
  char pattern[kText];
  const char* found;
  size_t size = 0;
  out[0] = 0;
  snprintf(pattern, sizeof(pattern), "\"%s\":\"", member);
  found = memmem(json.data, json.size, pattern, strlen(pattern));
  if (found == NULL) return;
  found += strlen(pattern);
  while (found + size < json.data + json.size && found[size] != '"' && size + 1 < kText) ++size;
  snprintf(out, kText, "%.*s", (int)size, found);
}

static davit_code say(const davit_sink* sink, const char* text) {
  return sink->write(sink->self, str(text));
}

/* Many entries of a list, with an address each. */
static davit_code say_many(const davit_sink* sink, const char* head, const char* entry_of) {
  davit_code code = say(sink, head);
  for (int i = 0; i < kMany && code == DAVIT_OK; ++i) {
    char text[kText];
    snprintf(text, sizeof(text), "%s%s10.0.%d.%d\"}", i == 0 ? "" : ",", entry_of, i / 250,
             i % 250);
    code = say(sink, text);
  }
  return code == DAVIT_OK ? say(sink, "]}") : code;
}

/* ---- Load balancers */

static davit_code get(void* raw, const davit_call* call, davit_str cluster, davit_value service,
                      davit_cloud_answer* answer, const davit_sink* status) {
  cloud* self = raw;
  char name[kText];
  int at;
  (void)call, (void)cluster;
  name_of(self, service, name);
  pthread_mutex_lock(&self->mutex);
  at = place_of(self->balancers, name);
  pthread_mutex_unlock(&self->mutex);
#ifdef ZOO_FORGETS
  at = -1;
#endif
  if (at < 0) return DAVIT_NOT_FOUND;
  answer->exists = 1;
  return say(status, "{}");
}

/* What an ensure does that should not be. */
static davit_code misbehave(cloud* self, const davit_call* call, davit_cloud_answer* answer) {
  (void)call, (void)answer;
  ++self->calls;
#ifdef ZOO_BLOCKS
  for (;;) pause();
#endif
#ifdef ZOO_WAITS
  while (call->cancelled(call) == 0) (void)poll(NULL, 0, 1);
  return DAVIT_UNAVAILABLE;
#endif
#ifdef ZOO_ABORTS
  abort();
#endif
#ifdef ZOO_THROWS
  zoo_throw();
#endif
#ifdef ZOO_UNKNOWN_CODE
  return 4711;
#endif
#ifdef ZOO_UNREACHABLE
  return DAVIT_UNAVAILABLE;
#endif
#ifdef ZOO_LATER
  answer->retry_after_ms = 20;
  if (self->calls % 2 == 1) return DAVIT_UNAVAILABLE;
#endif
#ifdef ZOO_MUCH_LATER
  answer->retry_after_ms = 86400000;
  if (self->calls % 2 == 1) return DAVIT_UNAVAILABLE;
#endif
  return DAVIT_OK;
}

static davit_code ensure(void* raw, const davit_call* call, davit_str cluster, davit_value service,
                         const davit_list* nodes, davit_cloud_answer* answer,
                         const davit_sink* status) {
  cloud* self = raw;
  char name[kText];
  char text[kText];
  int at;
  davit_code code;
  (void)cluster, (void)nodes;
  name_of(self, service, name);
  code = misbehave(self, call, answer);
  if (code != DAVIT_OK) return code;
  pthread_mutex_lock(&self->mutex);
  at = put(self->balancers, name, "");
  pthread_mutex_unlock(&self->mutex);
  if (at < 0) return DAVIT_UNAVAILABLE;
#ifdef ZOO_MANY_INGRESSES
  return say_many(status, "{\"ingress\":[", "{\"ip\":\"");
#else
  (void)say_many;
#endif
#ifdef ZOO_WITHOUT_STATUS
  return DAVIT_OK;
#endif
#ifdef ZOO_CHANGES
  at = self->calls % 200;
#endif
  snprintf(text, sizeof(text), "{\"ingress\":[{\"ip\":\"192.0.2.%d\"}]}", at + 1);
  return say(status, text);
}

static davit_code update(void* raw, const davit_call* call, davit_str cluster, davit_value service,
                         const davit_list* nodes, davit_cloud_answer* answer) {
  (void)raw, (void)call, (void)cluster, (void)service, (void)nodes, (void)answer;
  return DAVIT_OK;
}

static davit_code remove_it(void* raw, const davit_call* call, davit_str cluster,
                            davit_value service, davit_cloud_answer* answer) {
  cloud* self = raw;
  char name[kText];
  int at;
  (void)call, (void)cluster, (void)answer;
  name_of(self, service, name);
  pthread_mutex_lock(&self->mutex);
  at = place_of(self->balancers, name);
  take(self->balancers, name);
  pthread_mutex_unlock(&self->mutex);
#ifdef ZOO_MISSES
  if (at < 0) return DAVIT_INVALID;
#endif
  (void)at;
  return DAVIT_OK;
}

/* ---- Machines */

static davit_code exists(void* raw, const davit_call* call, davit_value node,
                         davit_cloud_answer* answer) {
  (void)raw, (void)call, (void)node;
#ifdef ZOO_LOSES_MACHINES
  return DAVIT_NOT_FOUND;
#endif
  answer->exists = 1;
  return DAVIT_OK;
}

static davit_code is_off(void* raw, const davit_call* call, davit_value node,
                         davit_cloud_answer* answer) {
  (void)raw, (void)call, (void)node, (void)answer;
  return DAVIT_UNSUPPORTED;
}

static davit_code metadata(void* raw, const davit_call* call, davit_value node,
                           davit_cloud_answer* answer, const davit_sink* out) {
  const cloud* self = raw;
  char name[kText];
  char text[4 * kText];
  (void)call, (void)answer;
  name_of(self, node, name);
#ifdef ZOO_OTHER_MACHINE
  snprintf(name, sizeof(name), "other-1");
#endif
#ifdef ZOO_MANY_ADDRESSES
  return say_many(out, "{\"nodeAddresses\":[", "{\"type\":\"ExternalIP\",\"address\":\"");
#endif
#ifdef ZOO_NONSENSE
  return say(out, "[\"n1\"]");
#endif
  snprintf(text, sizeof(text),
           "{\"providerID\":\"zoo://%s\",\"nodeAddresses\":[{\"type\":\"InternalIP\",\"address\":"
           "\"192.0.2.%d\"}]}",
           name,
#ifdef ZOO_OTHER_ADDRESS
           7
#else
           name[0] == 0 ? 0 : name[strlen(name) - 1] - '0'
#endif
  );
  return say(out, text);
}

/* ---- Routes */

static davit_code list(void* raw, const davit_call* call, davit_str cluster,
                       davit_cloud_answer* answer, const davit_sink* out) {
  cloud* self = raw;
  davit_code code = say(out, "[");
  int count = 0;
  (void)call, (void)cluster, (void)answer;
  pthread_mutex_lock(&self->mutex);
  for (int i = 0; i < kEntries && code == DAVIT_OK; ++i) {
    char text[4 * kText];
    const entry* each = &self->routes[i];
    if (each->key[0] == 0) continue;
    snprintf(text, sizeof(text), "%s{\"targetNode\":\"%s\",\"destinationCIDR\":\"%s\"}",
             count++ == 0 ? "" : ",", each->value, each->key);
    code = say(out, text);
  }
  pthread_mutex_unlock(&self->mutex);
  return code == DAVIT_OK ? say(out, "]") : code;
}

static davit_code create(void* raw, const davit_call* call, davit_str cluster, davit_str hint,
                         davit_str route, davit_cloud_answer* answer) {
  cloud* self = raw;
  char destination[kText];
  char node[kText];
  int at;
  (void)call, (void)cluster, (void)hint, (void)answer;
  member_of(route, "destinationCIDR", destination);
  member_of(route, "targetNode", node);
#ifdef ZOO_OTHER_TEXT
  memcpy(destination, "010", 3);
#endif
#ifdef ZOO_OTHER_TARGET
  snprintf(node, sizeof(node), "another");
#endif
  pthread_mutex_lock(&self->mutex);
  at = put(self->routes, destination, node);
#ifdef ZOO_TWICE
  at = place_of(self->routes, "");
  if (at >= 0) self->routes[at] = self->routes[place_of(self->routes, destination)];
#endif
  pthread_mutex_unlock(&self->mutex);
  return at < 0 ? DAVIT_UNAVAILABLE : DAVIT_OK;
}

static davit_code remove_route(void* raw, const davit_call* call, davit_str cluster,
                               davit_str route, davit_cloud_answer* answer) {
  cloud* self = raw;
  char destination[kText];
  (void)call, (void)cluster, (void)answer;
  member_of(route, "destinationCIDR", destination);
  pthread_mutex_lock(&self->mutex);
  take(self->routes, destination);
  pthread_mutex_unlock(&self->mutex);
  return DAVIT_OK;
}

/* ---- The controller */

static const void* capability(void* raw, const davit_call* call, davit_str id) {
  static const davit_load_balancers kBalancers = {
      sizeof(davit_load_balancers), 0, get, ensure, update, remove_it};
  static const davit_instances kInstances = {sizeof(davit_instances), 0, exists, is_off, metadata};
  static const davit_routes kRoutes = {sizeof(davit_routes), 0, list, create, remove_route};
  static const davit_cloud_provider_v1 kSide = {
      sizeof(davit_cloud_provider_v1), 0, &kBalancers, &kInstances, &kRoutes, {NULL, 0}, 0, 0};
  const davit_str wanted = str("davit.cloud-provider/1");
  (void)raw, (void)call;
  return id.size == wanted.size && memcmp(id.data, wanted.data, id.size) == 0 ? &kSide : NULL;
}

static void destroy(void* raw, const davit_call* call) {
  cloud* self = raw;
  (void)call;
  pthread_mutex_destroy(&self->mutex);
  free(self);
}

static davit_code watch(const davit_informer_v1* informers, const davit_call* call,
                        const char* resource) {
  davit_informer_options options;
  davit_handle opened = 0;
  memset(&options, 0, sizeof(options));
  options.size = sizeof(options);
  options.version = str("v1");
  options.resource = str(resource);
  return informers->open(call, &options, &opened);
}

static int32_t init(const davit_call* call, const davit_context* context, davit_controller* out) {
  const davit_informer_v1* informers = context->capability(call, str("davit.informer/1"));
  cloud* self = calloc(1, sizeof(*self));
  if (self == NULL) return DAVIT_FAILED;
  self->object = context->capability(call, str("davit.object/1"));
  self->metadata = self->object->name(call, str("metadata"));
  self->name = self->object->name(call, str("name"));
  self->spec = self->object->name(call, str("spec"));
  pthread_mutex_init(&self->mutex, NULL);
  out->self = self;
  out->capability = capability;
  out->destroy = destroy;
  if (watch(informers, call, "services") != DAVIT_OK ||
      watch(informers, call, "nodes") != DAVIT_OK) {
    destroy(self, call);
    return DAVIT_FAILED;
  }
  return DAVIT_STARTED;
}

static const davit_row kRows[] = {{{"zoo-cloud", 9}, init}};
static const davit_plugin kPlugin = {sizeof(davit_plugin), sizeof(davit_row), kRows, 1};
const davit_plugin* davit_plugin_v1(void) { return &kPlugin; }
