/* davit/c_helpers.h: what controllers in C need beside abi.h, as functions. Optional: it uses the
 * contract and adds nothing to it. Header-only; C11, C17 and C++11 to C++20.
 *
 * A controller fills a `davit_tables` in its init, keeps it, and passes it to each function. Texts
 * and values are borrowed as abi.h says. Every function accepts an absent value, an empty text and
 * any bytes in either, and a table that the host does not have: a read gives its default then,
 * everything else answers DAVIT_UNSUPPORTED. A failed request says its reason to the host
 * (davit_context.error_text), so that a sync can return the code as it is.
 *
 *     static davit_code sync_key(void* raw, const davit_call* call, davit_str key,
 *                                davit_sync_result* result) {
 *       controller* self = raw;
 *       davit_value object;
 *       davit_code code = davit_get(&self->tables, call, self->objects, davit_key_from(key),
 *                                   &object);
 *       if (code != DAVIT_OK) return davit_unless(code, DAVIT_NOT_FOUND);
 *       if (davit_integer_at(&self->tables, object, "spec.replicas", 1) > 0) …
 *     }
 */
#ifndef DAVIT_C_HELPERS_H_
#define DAVIT_C_HELPERS_H_

#include <davit/abi.h>
#include <davit/c_json.h>
#include <davit/c_read.h>
#include <stdlib.h>
#include <string.h>

/* ---- Conditions ------------------------------------------------------------------------------ */

/* The condition of this type in status.conditions of an object; absent: there is none. */
static inline davit_value davit_condition(const davit_tables* tables, davit_value object,
                                          const char* type) {
  davit_each each = davit_each_of(davit_at(tables, object, "status.conditions"));
  while (davit_next(tables, &each)) {
    if (davit_text_is(davit_text_at(tables, each.value, "type", NULL), type)) return each.value;
  }
  return davit_absent();
}

/* Whether it is "True". */
static inline int davit_condition_is_true(const davit_tables* tables, davit_value object,
                                          const char* type) {
  const davit_value condition = davit_condition(tables, object, type);
  return davit_text_is(davit_text_at(tables, condition, "status", NULL), "True");
}

/* A condition as it shall be. */
typedef struct davit_new_condition {
  const char* type;
  const char* status;  /* "True", "False" or "Unknown" */
  const char* reason;  /* one word; custom resources want one */
  const char* message; /* may be NULL */
  int64_t generation;  /* the metadata.generation that was processed; 0: left out */
} davit_new_condition;

/* Writes a value of the cluster into `json`; nothing for an absent one, the key included. A value
 * that is not declared as a whole is a mistake. */
static inline davit_code davit_json_sink_(void* self, davit_str chunk) {
  davit_json_append_((davit_json*)self, chunk.data, chunk.size);
  return ((davit_json*)self)->failed ? DAVIT_INTERNAL : DAVIT_OK;
}
static inline void davit_json_value(davit_json* json, const davit_tables* tables, const char* key,
                                    davit_value value) {
  davit_sink sink;
  if (tables->object == NULL || tables->object->kind(value) == DAVIT_KIND_ABSENT) return;
  memset(&sink, 0, sizeof(sink));
  sink.size = sizeof(sink);
  sink.self = json;
  sink.write = davit_json_sink_;
  davit_json_member_(json, key);
  if (tables->object->json(value, &sink) != DAVIT_OK) json->failed = 1;
}

/* Writes "conditions" of a status: those of the live object, with this one in its place or at the
 * end. The time of the last transition changes with the status only. Conditions are a list, which a
 * merge patch replaces as a whole. */
static inline void davit_json_conditions(davit_json* json, const davit_tables* tables,
                                         davit_value object, const davit_new_condition* wanted,
                                         int64_t now) {
  const davit_value live = davit_condition(tables, object, wanted->type);
  davit_str since = davit_text_at(tables, live, "lastTransitionTime", NULL);
  davit_each each = davit_each_of(davit_at(tables, object, "status.conditions"));
  char time[21];
  if (since.size == 0 ||
      !davit_text_is(davit_text_at(tables, live, "status", NULL), wanted->status)) {
    davit_format_time(now, time);
    since = davit_text(time);
  }
  davit_json_array(json, "conditions");
  while (davit_next(tables, &each)) {
    if (davit_text_is(davit_text_at(tables, each.value, "type", NULL), wanted->type)) continue;
    davit_json_value(json, tables, NULL, each.value);
  }
  davit_json_object(json, NULL);
  davit_json_string(json, "type", davit_text(wanted->type));
  davit_json_string(json, "status", davit_text(wanted->status));
  if (wanted->generation != 0) davit_json_integer(json, "observedGeneration", wanted->generation);
  davit_json_string(json, "lastTransitionTime", since);
  davit_json_string(json, "reason", davit_text(wanted->reason));
  davit_json_string(json, "message", davit_text(wanted->message));
  davit_json_end(json);
  davit_json_end(json);
}

/* ---- Keys, queues, informers ----------------------------------------------------------------- */

/* A kind of objects, as URLs and references name it. */
typedef struct davit_resource {
  const char *group, *version, *resource, *kind; /* "apps", "v1", "deployments", "Deployment" */
} davit_resource;

/* The name of an object; `ns` is empty for those of the cluster. */
typedef struct davit_key {
  davit_str ns, name;
} davit_key;

/* The parts of "namespace/name" or "name". */
static inline davit_key davit_key_from(davit_str text) {
  davit_key out = {{NULL, 0}, {NULL, 0}};
  const char* const slash = text.size == 0 ? NULL : (const char*)memchr(text.data, '/', text.size);
  out.name = text;
  if (slash != NULL) {
    out.ns.data = text.data;
    out.ns.size = (size_t)(slash - text.data);
    out.name.data = slash + 1;
    out.name.size = text.size - out.ns.size - 1;
  }
  return out;
}

static inline davit_key davit_key_of(const davit_tables* tables, davit_value object) {
  davit_key out;
  out.ns = davit_text_at(tables, object, "metadata.namespace", NULL);
  out.name = davit_text_at(tables, object, "metadata.name", NULL);
  return out;
}

/* Adds the key of an object, for a handler. */
static inline davit_code davit_add(const davit_tables* tables, const davit_call* call,
                                   davit_handle queue, davit_value object) {
  const davit_key key = davit_key_of(tables, object);
  char text[512]; /* Names and namespaces have at most 253 bytes. */
  davit_str made;
  if (tables->queue == NULL) return DAVIT_UNSUPPORTED;
  if (key.name.size == 0 || key.ns.size > 253 || key.name.size > 253) return DAVIT_INVALID;
  made.data = text;
  made.size = 0;
  if (key.ns.size > 0) {
    memcpy(text, key.ns.data, key.ns.size);
    text[key.ns.size] = '/';
    made.size = key.ns.size + 1;
  }
  memcpy(text + made.size, key.name.data, key.name.size);
  made.size += key.name.size;
  return tables->queue->add(call, queue, made);
}

/* The object from the cache; DAVIT_NOT_FOUND, and an absent one, when there is none. */
static inline davit_code davit_get(const davit_tables* tables, const davit_call* call,
                                   davit_handle informer, davit_key key, davit_value* out) {
  *out = davit_absent();
  if (tables->informer == NULL) return DAVIT_UNSUPPORTED;
  return tables->informer->get(call, informer, key.ns, key.name, out);
}

/* In init. `self` is passed back to `sync`. */
static inline davit_code davit_open_queue(const davit_tables* tables, const davit_call* call,
                                          const char* name, void* self,
                                          davit_code (*sync)(void*, const davit_call*, davit_str,
                                                             davit_sync_result*),
                                          davit_handle* out) {
  davit_queue_options options;
  if (tables->queue == NULL) return DAVIT_UNSUPPORTED;
  memset(&options, 0, sizeof(options));
  options.size = sizeof(options);
  options.name = davit_text(name);
  options.self = self;
  options.sync = sync;
  return tables->queue->open(call, &options, out);
}

/* In init. `self` is passed back to `on_event`. */
static inline davit_code davit_open_informer(
    const davit_tables* tables, const davit_call* call, const davit_resource* resource, void* self,
    void (*on_event)(void*, const davit_call*, const davit_event*), davit_handle* out) {
  davit_informer_options options;
  if (tables->informer == NULL) return DAVIT_UNSUPPORTED;
  memset(&options, 0, sizeof(options));
  options.size = sizeof(options);
  options.group = davit_text(resource->group);
  options.version = davit_text(resource->version);
  options.resource = davit_text(resource->resource);
  options.self = self;
  options.on_event = on_event;
  return tables->informer->open(call, &options, out);
}

/* ---- Requests -------------------------------------------------------------------------------- */

/* A request with everything else zero, for what the functions below do not do. */
static inline davit_request davit_request_of(const davit_resource* resource, int32_t verb,
                                             davit_key key) {
  davit_request out;
  memset(&out, 0, sizeof(out));
  out.size = sizeof(out);
  out.verb = verb;
  out.group = davit_text(resource->group);
  out.version = davit_text(resource->version);
  out.resource = davit_text(resource->resource);
  out.ns = key.ns;
  out.name = key.name;
  return out;
}

/* Sends it and waits. `response` may be NULL. */
static inline davit_code davit_send(const davit_tables* tables, const davit_call* call,
                                    const davit_request* request, davit_response* response) {
  davit_response own;
  davit_code code;
  if (response == NULL) response = &own;
  memset(response, 0, sizeof(*response));
  response->size = sizeof(*response);
  if (tables->client == NULL) return response->code = DAVIT_UNSUPPORTED;
  code = tables->client->call(call, request, response);
  if (code != DAVIT_OK) tables->context->error_text(call, response->message);
  return code;
}

/* `body` is that of davit_json_text(): an empty one is DAVIT_INTERNAL, and nothing is sent. */
static inline davit_code davit_send_body_(const davit_tables* tables, const davit_call* call,
                                          davit_request* request, davit_str body) {
  if (body.size == 0) {
    tables->context->error_text(call, davit_text("the body of the request could not be written"));
    return DAVIT_INTERNAL;
  }
  request->body = body;
  request->answer = DAVIT_ANSWER_METADATA;
  return davit_send(tables, call, request, NULL);
}

/* Creates the object of a JSON text, with its name in it. */
static inline davit_code davit_create(const davit_tables* tables, const davit_call* call,
                                      const davit_resource* resource, davit_str ns,
                                      davit_str body) {
  davit_request request;
  davit_key key = {{NULL, 0}, {NULL, 0}};
  key.ns = ns;
  request = davit_request_of(resource, DAVIT_CREATE, key);
  return davit_send_body_(tables, call, &request, body);
}

/* Applies a merge patch. `subresource` is NULL, or "status". */
static inline davit_code davit_merge(const davit_tables* tables, const davit_call* call,
                                     const davit_resource* resource, davit_key key,
                                     const char* subresource, davit_str body) {
  davit_request request = davit_request_of(resource, DAVIT_PATCH, key);
  request.subresource = davit_text(subresource);
  request.patch_type = DAVIT_PATCH_MERGE;
  return davit_send_body_(tables, call, &request, body);
}

/* Deletes this very object, its dependents in the background: DAVIT_CONFLICT for another one of
 * that name. */
static inline davit_code davit_delete(const davit_tables* tables, const davit_call* call,
                                      const davit_resource* resource, davit_value object) {
  davit_request request = davit_request_of(resource, DAVIT_DELETE, davit_key_of(tables, object));
  request.answer = DAVIT_ANSWER_METADATA;
  request.propagation = DAVIT_PROPAGATION_BACKGROUND;
  request.precondition_uid = davit_text_at(tables, object, "metadata.uid", NULL);
  return davit_send(tables, call, &request, NULL);
}

/* ---- Events, log ----------------------------------------------------------------------------- */

/* Records an Event about an object; `type` is "Normal" or "Warning". */
static inline davit_code davit_record(const davit_tables* tables, const davit_call* call,
                                      const davit_resource* resource, davit_value object,
                                      const char* type, const char* reason, const char* message) {
  davit_reference about;
  const size_t group = strlen(resource->group), version = strlen(resource->version);
  char api_version[512];
  if (tables->event == NULL) return DAVIT_UNSUPPORTED;
  if (group + version + 2 > sizeof(api_version)) return DAVIT_INVALID;
  memcpy(api_version, resource->group, group);
  if (group > 0) api_version[group] = '/';
  memcpy(api_version + group + (group > 0 ? 1 : 0), resource->version, version + 1);
  memset(&about, 0, sizeof(about));
  about.size = sizeof(about);
  about.api_version = davit_text(api_version);
  about.kind = davit_text(resource->kind);
  about.ns = davit_text_at(tables, object, "metadata.namespace", NULL);
  about.name = davit_text_at(tables, object, "metadata.name", NULL);
  about.uid = davit_text_at(tables, object, "metadata.uid", NULL);
  return tables->event->record(call, &about, davit_text(type), davit_text(reason),
                               davit_text(message));
}

/* Writes a log line with one pair; `key` may be NULL. */
static inline void davit_log(const davit_tables* tables, const davit_call* call, int32_t level,
                             const char* message, const char* key, davit_str value) {
  davit_log_field field;
  field.key = davit_text(key);
  field.value = value;
  if (tables->log == NULL) return;
  tables->log->write(call, level, davit_text(message), &field, key == NULL ? 0 : 1);
}

/* ---- The plugin ------------------------------------------------------------------------------ */

/* The end of an init: what the controller is. `destroy` frees `self`. */
static inline int32_t davit_started(davit_controller* out, void* self,
                                    void (*destroy)(void*, const davit_call*)) {
  out->self = self;
  out->destroy = destroy;
  return DAVIT_STARTED;
}

/* The destroy of a `self` from malloc() or calloc() that owns nothing. */
static inline void davit_free_self(void* self, const davit_call* call) {
  (void)call;
  free(self);
}

/* The table of a plugin: DAVIT_ROWS(DAVIT_ROW("pod-janitor-controller", start_pods), …); once in a
 * plugin. */
#define DAVIT_ROW(name, init) \
  { {name, sizeof(name) - 1}, init }
#define DAVIT_ROWS(...)                                                                            \
  static const davit_row davit_rows_[] = {__VA_ARGS__};                                            \
  static const davit_plugin davit_plugin_ = {sizeof(davit_plugin), sizeof(davit_row), davit_rows_, \
                                             sizeof(davit_rows_) / sizeof(davit_rows_[0])};        \
  const davit_plugin* davit_plugin_v1(void) { return &davit_plugin_; }                             \
  struct davit_rows_end_

#endif /* DAVIT_C_HELPERS_H_ */
