/* A provider of a cloud that does what the files in the folder DAVIT_SLOW_CLOUD ask for. It appends
 * each call to "calls": "ensure NAME PID". While there is "hang-NAME", a call about that object
 * does not return, unless it is cancelled; with "deaf", not even then. With "crash" ensure crashes;
 * with "gone-NAME" the machine of a Node is gone. */
#define _GNU_SOURCE
#include <davit/cloud.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

DAVIT_NOTE("{\"name\":\"slow-cloud\",\"version\":\"1\",\"abi\":\"" DAVIT_ABI_VERSION_TEXT
           "\",\"requires\":[\"davit.object/1\",\"davit.informer/1\",\"davit.cloud-host/1\"],"
           "\"controllers\":[{\"name\":\"slow-cloud\",\"offByDefault\":true,\"watches\":["
           "{\"version\":\"v1\",\"resource\":\"services\",\"projection\":[\"metadata.name\"]},"
           "{\"version\":\"v1\",\"resource\":\"nodes\",\"projection\":[\"metadata.name\"]}]}]}");

enum { kText = 512 };

static const davit_object_v1* objects;
static davit_name path[2];

static davit_str str(const char* text) {
  davit_str out = {text, strlen(text)};
  return out;
}

/* Whether there is such a file. */
static int asks(const char* what, const char* name) {
  char file[kText];
  const char* folder = getenv("DAVIT_SLOW_CLOUD");
  snprintf(file, sizeof(file), "%s/%s%s", folder == NULL ? "" : folder, what, name);
  return access(file, F_OK) == 0;
}

static void note_call(const char* function, const char* name) {
  char text[kText];
  const char* folder = getenv("DAVIT_SLOW_CLOUD");
  int file;
  snprintf(text, sizeof(text), "%s/calls", folder == NULL ? "" : folder);
  file = open(text, O_WRONLY | O_APPEND | O_CREAT, 0600);
  if (file < 0) return;
  snprintf(text, sizeof(text), "%s %s %d\n", function, name, (int)getpid());
  if (write(file, text, strlen(text)) < 0) abort();
  close(file);
}

static davit_code begin(const davit_call* call, const char* function, davit_value object,
                        char* name) {
  davit_value value;
  davit_str text = {NULL, 0};
  if (objects->path(object, path, 2, &value) != DAVIT_OK) return DAVIT_UNAVAILABLE;
  if (objects->string(value, &text) != DAVIT_OK) return DAVIT_UNAVAILABLE;
  snprintf(name, kText / 2, "%.*s", (int)text.size, text.data);
  note_call(function, name);
  while (asks("hang-", name)) {
    if (call->cancelled(call) != 0 && !asks("deaf", "")) return DAVIT_UNAVAILABLE;
    usleep(1000);
  }
  return DAVIT_OK;
}

static davit_code say(const davit_sink* status) {
  return status->write(status->self, str("{\"ingress\":[{\"ip\":\"192.0.2.77\"}]}"));
}

static davit_code get(void* self, const davit_call* call, davit_str cluster, davit_value service,
                      davit_cloud_answer* answer, const davit_sink* status) {
  (void)self, (void)call, (void)cluster, (void)service;
  answer->exists = 1;
  return say(status);
}

static davit_code ensure(void* self, const davit_call* call, davit_str cluster, davit_value service,
                         const davit_list* nodes, davit_cloud_answer* answer,
                         const davit_sink* status) {
  char name[kText];
  const davit_code code = begin(call, "ensure", service, name);
  (void)self, (void)cluster, (void)nodes, (void)answer;
  if (code != DAVIT_OK) return code;
  if (asks("crash", "")) {
    int* volatile nowhere = (int*)8;
    *nowhere = 1;
  }
  return say(status);
}

static davit_code update(void* self, const davit_call* call, davit_str cluster, davit_value service,
                         const davit_list* nodes, davit_cloud_answer* answer) {
  (void)self, (void)call, (void)cluster, (void)service, (void)nodes;
  answer->elsewhere = 1;
  return DAVIT_OK;
}

static davit_code remove_it(void* self, const davit_call* call, davit_str cluster,
                            davit_value service, davit_cloud_answer* answer) {
  (void)self, (void)call, (void)cluster, (void)service, (void)answer;
  return DAVIT_OK;
}

static davit_code exists(void* self, const davit_call* call, davit_value node,
                         davit_cloud_answer* answer) {
  char name[kText];
  const davit_code code = begin(call, "exists", node, name);
  (void)self;
  if (code != DAVIT_OK) return code;
  if (asks("gone-", name)) return DAVIT_NOT_FOUND;
  answer->exists = 1;
  return DAVIT_OK;
}

static davit_code is_off(void* self, const davit_call* call, davit_value node,
                         davit_cloud_answer* answer) {
  (void)self, (void)call, (void)node, (void)answer;
  return DAVIT_UNSUPPORTED;
}

static davit_code metadata(void* self, const davit_call* call, davit_value node,
                           davit_cloud_answer* answer, const davit_sink* out) {
  (void)self, (void)call, (void)node, (void)answer, (void)out;
  return DAVIT_OK;
}

static const void* capability(void* self, const davit_call* call, davit_str id) {
  static const davit_load_balancers kBalancers = {
      sizeof(davit_load_balancers), 0, get, ensure, update, remove_it};
  static const davit_instances kInstances = {sizeof(davit_instances), 0, exists, is_off, metadata};
  static const davit_cloud_provider_v1 kSide = {
      sizeof(davit_cloud_provider_v1), 0, &kBalancers, &kInstances, NULL, {NULL, 0}, 0, 0};
  const davit_str wanted = str("davit.cloud-provider/1");
  (void)self, (void)call;
  return id.size == wanted.size && memcmp(id.data, wanted.data, id.size) == 0 ? &kSide : NULL;
}

static void destroy(void* self, const davit_call* call) { (void)self, (void)call; }

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
  objects = context->capability(call, str("davit.object/1"));
  path[0] = objects->name(call, str("metadata"));
  path[1] = objects->name(call, str("name"));
  out->capability = capability;
  out->destroy = destroy;
  if (watch(informers, call, "services") != DAVIT_OK) return DAVIT_FAILED;
  return watch(informers, call, "nodes") == DAVIT_OK ? DAVIT_STARTED : DAVIT_FAILED;
}

static const davit_row kRows[] = {{{"slow-cloud", 10}, init}};
static const davit_plugin kPlugin = {sizeof(davit_plugin), sizeof(davit_row), kRows, 1};
const davit_plugin* davit_plugin_v1(void) { return &kPlugin; }
