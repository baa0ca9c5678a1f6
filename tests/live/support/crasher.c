/* A controller that crashes when a ConfigMap is named "boom", and ends the process by exit(0) when
 * one is named "leave", unless it is built as HARMLESS. */
#include <davit/abi.h>
#include <stdlib.h>
#include <string.h>

DAVIT_NOTE(
    "{\"name\":\"crasher\",\"version\":\"1\",\"abi\":\"1.0\",\"controllers\":[{\"name\":"
    "\"crasher-controller\",\"watches\":[{\"group\":\"\",\"version\":\"v1\",\"resource\":"
    "\"configmaps\",\"projection\":[\"metadata.labels\"]}]}]}");

#define TEXT(literal) ((davit_str){literal, sizeof(literal) - 1})

typedef struct controller {
  const davit_object_v1* object;
  const davit_queue_v1* queue;
  davit_handle keys;
  davit_name path[2];
} controller;

static void on_event(void* self, const davit_call* call, const davit_event* event) {
  controller* me = self;
  davit_value name;
  davit_str text;
  if (me->object->path(event->value, me->path, 2, &name) != DAVIT_OK) return;
  if (me->object->string(name, &text) == DAVIT_OK) me->queue->add(call, me->keys, text);
}

static davit_code sync(void* self, const davit_call* call, davit_str key,
                       davit_sync_result* result) {
  (void)call;
  (void)self;
  (void)key;
  (void)result;
#ifndef HARMLESS
  if (key.size == 4 && memcmp(key.data, "boom", 4) == 0) {
    int* volatile nowhere = (int*)8;
    *nowhere = 1;
  }
  if (key.size == 5 && memcmp(key.data, "leave", 5) == 0) exit(0);
#endif
  return DAVIT_OK;
}

static void destroy(void* self, const davit_call* call) {
  (void)call;
  free(self);
}

static int32_t init(const davit_call* call, const davit_context* context, davit_controller* out) {
  davit_informer_options maps = {.size = sizeof(maps)};
  davit_queue_options keys = {.size = sizeof(keys)};
  davit_handle informer = 0;
  controller* me = calloc(1, sizeof(*me));
  const davit_informer_v1* informers = context->capability(call, TEXT("davit.informer/1"));
  me->object = context->capability(call, TEXT("davit.object/1"));
  me->queue = context->capability(call, TEXT("davit.queue/1"));
  me->path[0] = me->object->name(call, TEXT("metadata"));
  me->path[1] = me->object->name(call, TEXT("name"));
  maps.version = TEXT("v1");
  maps.resource = TEXT("configmaps");
  maps.self = me;
  maps.on_event = on_event;
  keys.name = TEXT("crasher");
  keys.self = me;
  keys.sync = sync;
  out->self = me;
  out->destroy = destroy;
  if (informers->open(call, &maps, &informer) != DAVIT_OK ||
      me->queue->open(call, &keys, &me->keys) != DAVIT_OK) {
    free(me);
    return DAVIT_FAILED;
  }
  return DAVIT_STARTED;
}

static const davit_row rows[] = {{{"crasher-controller", 18}, init}};
static const davit_plugin plugin = {sizeof(davit_plugin), sizeof(davit_row), rows, 1};

const davit_plugin* davit_plugin_v1(void) { return &plugin; }
