/* A controller of which a test can tell the builds apart: for each pod it creates a pod named
 * <BUILD>-<key>. What a build does differently is asked for by macros. */
#include <davit/abi.h>
#include <stdlib.h>
#include <string.h>

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

DAVIT_NOTE("{\"name\":\"" PLUGIN "\",\"version\":\"" BUILD
           "\",\"abi\":\"1.0\",\"controllers\":[{\"name\":\"" CONTROLLER
           "\",\"rules\":[{\"group\":\"\",\"resource\":\"pods\",\"verbs\":[\"create\"]}],"
           "\"watches\":[{\"group\":\"\","
           "\"version\":\"v1\",\"resource\":\"pods\",\"projection\":" PROJECTION "}]}" ANOTHER
           "]}");

#define TEXT(literal) ((davit_str){literal, sizeof(literal) - 1})

typedef struct controller {
  davit_host* host;
  const davit_object_v1* object;
  const davit_queue_v1* queue;
  const davit_client_v1* client;
  davit_handle keys;
  davit_name path[2];
} controller;

static void on_event(void* self, const davit_event* event) {
  controller* me = self;
  davit_value name;
  davit_str text;
  if (me->object->path(event->value, me->path, 2, &name) != DAVIT_OK) return;
  if (me->object->string(name, &text) == DAVIT_OK) me->queue->add(me->host, me->keys, text);
}

#ifdef QUIET
static davit_code sync(void* self, davit_str key, davit_sync_result* result) {
  (void)self;
  (void)key;
  (void)result;
  return DAVIT_OK;
}
#else
static davit_code sync(void* self, davit_str key, davit_sync_result* result) {
  controller* me = self;
  char body[256] = "{\"metadata\":{\"name\":\"" BUILD "-";
  davit_request request = {.size = sizeof(request), .verb = DAVIT_CREATE};
  davit_response response = {.size = sizeof(response)};
  (void)result;
  strncat(body, key.data, key.size);
  strcat(body, "\"}}");
  request.version = TEXT("v1");
  request.resource = TEXT("pods");
  request.ns = TEXT("default");
  request.body = (davit_str){body, strlen(body)};
  return me->client->call(me->host, &request, &response);
}
#endif

static void destroy(void* self) { free(self); }

static int32_t init(const davit_context* context, davit_controller* out) {
  davit_informer_options pods = {.size = sizeof(pods)};
  davit_queue_options keys = {.size = sizeof(keys)};
  davit_handle informer = 0;
  controller* me = calloc(1, sizeof(*me));
  me->host = context->host;
  me->object = context->capability(context->host, TEXT("davit.object/1"));
  me->queue = context->capability(context->host, TEXT("davit.queue/1"));
  me->client = context->capability(context->host, TEXT("davit.client/1"));
  me->path[0] = me->object->name(me->host, TEXT("metadata"));
  me->path[1] = me->object->name(me->host, TEXT("name"));
#ifdef INIT_ASKS
  /* Waits for the server's answer, which may take as long as it likes. */
  (void)me->client->resource_exists(me->host, TEXT("apps"), TEXT("v1"), TEXT("deployments"));
#endif
  pods.version = TEXT("v1");
  pods.resource = TEXT("pods");
  pods.self = me;
  pods.on_event = on_event;
  keys.name = TEXT("sample");
  keys.self = me;
  keys.sync = sync;
  if (((const davit_informer_v1*)context->capability(context->host, TEXT("davit.informer/1")))
              ->open(me->host, &pods, &informer) != DAVIT_OK ||
      me->queue->open(me->host, &keys, &me->keys) != DAVIT_OK) {
    free(me);
    return DAVIT_FAILED;
  }
#ifdef INIT_FAILS
  context->error_text(context->host, TEXT("no luck today"));
  free(me);
  return DAVIT_FAILED;
#endif
  out->self = me;
  out->destroy = destroy;
  return DAVIT_STARTED;
}

#ifdef MORE
static int32_t init_more(const davit_context* context, davit_controller* out) {
  (void)context;
  (void)out;
  return DAVIT_SKIPPED;
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
