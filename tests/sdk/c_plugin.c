/* A plugin in plain C, written from abi.h alone: it deletes every pod that asks for it. */
#include <davit/abi.h>
#include <stdlib.h>
#include <string.h>

DAVIT_NOTE(
    "{\"name\":\"sweeper\",\"version\":\"0.1.0\",\"abi\":\"" DAVIT_ABI_VERSION_TEXT
    "\","
    "\"requires\":[\"davit.object/1\",\"davit.informer/1\",\"davit.queue/1\",\"davit.client/1\"],"
    "\"controllers\":[{\"name\":\"sweeper-controller\",\"aliases\":[\"sweeper\"],\"workers\":1,"
    "\"rules\":[{\"group\":\"\",\"resource\":\"pods\",\"verbs\":[\"delete\"]}],"
    "\"watches\":[{\"group\":\"\",\"version\":\"v1\",\"resource\":\"pods\","
    "\"projection\":[\"metadata.annotations\"]}]}]}");

typedef struct {
  const davit_object_v1* object;
  const davit_informer_v1* informer;
  const davit_queue_v1* queue;
  const davit_client_v1* client;
  davit_name metadata, name, ns, annotations;
  davit_handle pods, keys;
} sweeper;

static davit_str str(const char* text) {
  davit_str out;
  out.data = text;
  out.size = strlen(text);
  return out;
}

static davit_str text_at(const sweeper* self, davit_value value, davit_name first,
                         davit_name second) {
  davit_name names[2];
  davit_str out = {NULL, 0};
  names[0] = first;
  names[1] = second;
  if (self->object->path(value, names, 2, &value) == DAVIT_OK) {
    (void)self->object->string(value, &out);
  }
  return out;
}

static void on_event(void* raw, const davit_call* call, const davit_event* event) {
  const sweeper* self = raw;
  char key[512];
  const davit_str ns = text_at(self, event->value, self->metadata, self->ns);
  const davit_str name = text_at(self, event->value, self->metadata, self->name);
  davit_str text;
  if (event->type == DAVIT_EVENT_DELETED || ns.size + name.size + 1 > sizeof(key)) return;
  memcpy(key, ns.data, ns.size);
  key[ns.size] = '/';
  memcpy(key + ns.size + 1, name.data, name.size);
  text.data = key;
  text.size = ns.size + 1 + name.size;
  (void)self->queue->add(call, self->keys, text);
}

static davit_code sync_key(void* raw, const davit_call* call, davit_str key,
                           davit_sync_result* result) {
  const sweeper* self = raw;
  const char* slash = memchr(key.data, '/', key.size);
  davit_request request;
  davit_response response;
  davit_value pod, asked;
  davit_name path[2];
  (void)result;
  if (slash == NULL) return DAVIT_INTERNAL;
  memset(&request, 0, sizeof(request));
  memset(&response, 0, sizeof(response));
  request.size = sizeof(request);
  response.size = sizeof(response);
  request.verb = DAVIT_DELETE;
  request.version = str("v1");
  request.resource = str("pods");
  request.ns.data = key.data;
  request.ns.size = (size_t)(slash - key.data);
  request.name.data = slash + 1;
  request.name.size = key.size - request.ns.size - 1;
  path[0] = self->metadata;
  path[1] = self->annotations;
  if (self->informer->get(call, self->pods, request.ns, request.name, &pod) != DAVIT_OK ||
      self->object->path(pod, path, 2, &asked) != DAVIT_OK ||
      self->object->lookup(asked, str("example.davit.dev/sweep"), &asked) != DAVIT_OK) {
    return DAVIT_OK;
  }
  return self->client->call(call, &request, &response);
}

static void destroy(void* raw, const davit_call* call) {
  (void)call;
  free(raw);
}

static int32_t init(const davit_call* call, const davit_context* context, davit_controller* out) {
  davit_informer_options pods;
  davit_queue_options keys;
  sweeper* self = calloc(1, sizeof(*self));
  if (self == NULL) return DAVIT_FAILED;
  self->object = context->capability(call, str("davit.object/1"));
  self->informer = context->capability(call, str("davit.informer/1"));
  self->queue = context->capability(call, str("davit.queue/1"));
  self->client = context->capability(call, str("davit.client/1"));
  self->metadata = self->object->name(call, str("metadata"));
  self->name = self->object->name(call, str("name"));
  self->ns = self->object->name(call, str("namespace"));
  self->annotations = self->object->name(call, str("annotations"));
  memset(&pods, 0, sizeof(pods));
  memset(&keys, 0, sizeof(keys));
  keys.size = sizeof(keys);
  keys.name = str("sweeper");
  keys.self = self;
  keys.sync = sync_key;
  pods.size = sizeof(pods);
  pods.version = str("v1");
  pods.resource = str("pods");
  pods.self = self;
  pods.on_event = on_event;
  if (self->queue->open(call, &keys, &self->keys) != DAVIT_OK ||
      self->informer->open(call, &pods, &self->pods) != DAVIT_OK) {
    context->error_text(call, str("cannot open the queue or the informer"));
    free(self);
    return DAVIT_FAILED;
  }
  out->self = self;
  out->destroy = destroy;
  return DAVIT_STARTED;
}

static const davit_row rows[] = {{{"sweeper-controller", 18}, init}};
static const davit_plugin plugin = {sizeof(davit_plugin), sizeof(davit_row), rows, 1};

const davit_plugin* davit_plugin_v1(void) { return &plugin; }
