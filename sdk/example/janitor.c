/* Deletes finished Pods and Jobs after a while, in plain C from abi.h alone.
 *
 * The annotation `janitor.davit.dev/ttl: "30m"` says how long after its end a Pod or Job is kept: a
 * number with s, m, h or d behind it. Jobs are deleted in the background, their pods with them. A
 * text that is no such time is told by an Event and changes nothing. What is deleted meanwhile, or
 * made again under the same name, is left alone. */
#include <davit/abi.h>
#include <stdlib.h>
#include <string.h>

#define TTL "janitor.davit.dev/ttl"
#define WATCH(group, resource, finished)                                              \
  "\"watches\":[{\"group\":\"" group "\",\"version\":\"v1\",\"resource\":\"" resource \
  "\",\"projection\":[\"metadata.annotations['" TTL                                   \
  "']\",\"metadata.creationTimestamp\","                                              \
  "\"metadata.deletionTimestamp\"," finished "]}]"
#define CONTROLLER(alias, group, resource, finished)             \
  "{\"name\":\"" alias "-controller\",\"aliases\":[\"" alias     \
  "\"],\"workers\":2,"                                           \
  "\"rules\":[{\"group\":\"" group "\",\"resource\":\"" resource \
  "\",\"verbs\":[\"delete\"]}]," WATCH(group, resource, finished) "}"

DAVIT_NOTE(
    "{\"name\":\"janitor\",\"version\":\"0.1.0\",\"abi\":\"" DAVIT_ABI_VERSION_TEXT
    "\",\"requires\":[\"davit.object/1\",\"davit.informer/1\",\"davit.queue/1\","
    "\"davit.client/1\",\"davit.clock/1\",\"davit.event/1\"],\"controllers\":["
    /* clang-format off */
           CONTROLLER("pod-janitor", "", "pods", "\"status.phase\","
                      "\"status.containerStatuses[].state.terminated.finishedAt\"") ","
           CONTROLLER("job-janitor", "batch", "jobs", "\"status.conditions\"")
    /* clang-format on */
    "]}");

enum { METADATA, NAME, NAMESPACE, UID, ANNOTATIONS, CREATED, DELETED, STATUS, PHASE, CONTAINERS };
enum { STATE = CONTAINERS + 1, TERMINATED, FINISHED, CONDITIONS, TYPE, CHANGED, NAMES };

static const char* const name_texts[NAMES] = {"metadata",
                                              "name",
                                              "namespace",
                                              "uid",
                                              "annotations",
                                              "creationTimestamp",
                                              "deletionTimestamp",
                                              "status",
                                              "phase",
                                              "containerStatuses",
                                              "state",
                                              "terminated",
                                              "finishedAt",
                                              "conditions",
                                              "type",
                                              "lastTransitionTime"};

/* What the two controllers do not have in common. */
typedef struct kind {
  const char *group, *resource, *api_version, *name;
} kind;

static const kind pod_kind = {"", "pods", "v1", "Pod"};
static const kind job_kind = {"batch", "jobs", "batch/v1", "Job"};

typedef struct janitor {
  const kind* what;
  const davit_object_v1* object;
  const davit_informer_v1* informer;
  const davit_queue_v1* queue;
  const davit_client_v1* client;
  const davit_clock_v1* clock;
  const davit_event_v1* event;
  davit_name names[NAMES];
  davit_handle objects, keys;
} janitor;

static davit_str str(const char* text) {
  davit_str out;
  out.data = text;
  out.size = strlen(text);
  return out;
}

static int equals(davit_str text, const char* other) {
  return text.size == strlen(other) && memcmp(text.data, other, text.size) == 0;
}

/* ---- Reading an object ---- */

static davit_value member(const janitor* self, davit_value value, int name) {
  davit_value out = {NULL, 0, 0};
  (void)self->object->member(value, self->names[name], &out);
  return out;
}

static davit_str text(const janitor* self, davit_value value) {
  davit_str out = {NULL, 0};
  (void)self->object->string(value, &out);
  return out;
}

static davit_str metadata_text(const janitor* self, davit_value object, int name) {
  return text(self, member(self, member(self, object, METADATA), name));
}

static int digits(const char* from, int count) {
  int number = 0;
  while (count-- > 0) {
    if (*from < '0' || *from > '9') return -1;
    number = number * 10 + (*from++ - '0');
  }
  return number;
}

/* Seconds since 1970 of "2026-01-31T12:00:00Z", the API's form of times; -1 for any other. */
static int64_t seconds_of(davit_str time) {
  int year, month, day, hour, minute, second;
  int64_t era, of_era, of_year;
  if (time.size < 20 || time.data[time.size - 1] != 'Z') return -1;
  year = digits(time.data, 4);
  month = digits(time.data + 5, 2);
  day = digits(time.data + 8, 2);
  hour = digits(time.data + 11, 2);
  minute = digits(time.data + 14, 2);
  second = digits(time.data + 17, 2);
  if (year < 1970 || month < 1 || month > 12 || day < 1 || hour < 0 || minute < 0 || second < 0) {
    return -1;
  }
  if (month <= 2) --year; /* Years that begin in March have their odd day at the end. */
  era = year / 400;
  of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  of_era = (year - era * 400) * 365 + (year % 400) / 4 - (year % 400) / 100 + of_year;
  return (era * 146097 + of_era - 719468) * 86400 + hour * 3600 + minute * 60 + second;
}

/* The latest time at `path`, of `depth` names, in the elements of a list; -1: none. */
static int64_t latest(const janitor* self, davit_value list, const int* path, int depth) {
  int64_t found = -1;
  size_t first = 0, count, i;
  davit_value elements[16];
  while ((count = self->object->elements(list, first, elements, 16)) > 0) {
    for (i = 0; i < count; ++i) {
      int64_t time;
      int step;
      davit_value at = elements[i];
      for (step = 0; step < depth; ++step) at = member(self, at, path[step]);
      time = seconds_of(text(self, at));
      if (time > found) found = time;
    }
    first += count;
  }
  return found;
}

static int64_t pod_end(const janitor* self, davit_value pod) {
  static const int path[] = {STATE, TERMINATED, FINISHED};
  const davit_value status = member(self, pod, STATUS);
  const davit_str phase = text(self, member(self, status, PHASE));
  int64_t end;
  if (!equals(phase, "Succeeded") && !equals(phase, "Failed")) return -1;
  end = latest(self, member(self, status, CONTAINERS), path, 3);
  /* One that was refused by its node never had a container. */
  return end >= 0 ? end : seconds_of(metadata_text(self, pod, CREATED));
}

static int64_t job_end(const janitor* self, davit_value job) {
  const davit_value conditions = member(self, member(self, job, STATUS), CONDITIONS);
  const size_t count = self->object->count(conditions);
  size_t i;
  for (i = 0; i < count; ++i) {
    davit_value condition, status;
    davit_str type;
    if (self->object->elements(conditions, i, &condition, 1) != 1) return -1;
    type = text(self, member(self, condition, TYPE));
    status = member(self, condition, STATUS);
    if (!equals(type, "Complete") && !equals(type, "Failed")) continue;
    if (equals(text(self, status), "True")) {
      return seconds_of(text(self, member(self, condition, CHANGED)));
    }
  }
  return -1;
}

/* "30m" in seconds; -1 for what is no such time. */
static int64_t seconds_of_ttl(davit_str ttl) {
  static const char units[] = "smhd";
  static const int64_t seconds[] = {1, 60, 3600, 86400};
  const char* unit;
  int count;
  if (ttl.size < 2 || ttl.size > 7) return -1;
  unit = strchr(units, ttl.data[ttl.size - 1]);
  count = digits(ttl.data, (int)ttl.size - 1);
  return unit == NULL || *unit == '\0' || count < 0 ? -1 : count * seconds[unit - units];
}

/* ---- The controller ---- */

static void on_event(void* raw, const davit_call* call, const davit_event* event) {
  const janitor* self = raw;
  const davit_str ns = metadata_text(self, event->value, NAMESPACE);
  const davit_str name = metadata_text(self, event->value, NAME);
  char key[512]; /* Names and namespaces have at most 253 bytes. */
  davit_str made;
  if (event->type == DAVIT_EVENT_DELETED || ns.size + name.size + 1 > sizeof(key)) return;
  if (ns.size > 0) memcpy(key, ns.data, ns.size);
  key[ns.size] = '/';
  if (name.size > 0) memcpy(key + ns.size + 1, name.data, name.size);
  made.data = key;
  made.size = ns.size + 1 + name.size;
  (void)self->queue->add(call, self->keys, made);
}

static void warn(const janitor* self, const davit_call* call, davit_value object) {
  davit_reference about;
  memset(&about, 0, sizeof(about));
  about.size = sizeof(about);
  about.api_version = str(self->what->api_version);
  about.kind = str(self->what->name);
  about.ns = metadata_text(self, object, NAMESPACE);
  about.name = metadata_text(self, object, NAME);
  about.uid = metadata_text(self, object, UID);
  (void)self->event->record(call, &about, str("Warning"), str("InvalidTTL"),
                            str("The annotation " TTL " wants a time such as 90s, 30m, 12h or 7d"));
}

static davit_code delete_object(const janitor* self, const davit_call* call, davit_value object) {
  davit_request request;
  davit_response response;
  davit_code code;
  memset(&request, 0, sizeof(request));
  memset(&response, 0, sizeof(response));
  request.size = sizeof(request);
  response.size = sizeof(response);
  request.verb = DAVIT_DELETE;
  request.answer = DAVIT_ANSWER_METADATA;
  request.group = str(self->what->group);
  request.version = str("v1");
  request.resource = str(self->what->resource);
  request.ns = metadata_text(self, object, NAMESPACE);
  request.name = metadata_text(self, object, NAME);
  request.precondition_uid = metadata_text(self, object, UID);
  request.propagation = DAVIT_PROPAGATION_BACKGROUND;
  code = self->client->call(call, &request, &response);
  /* Gone, or made again: the next event says which. */
  return code == DAVIT_NOT_FOUND || code == DAVIT_CONFLICT ? DAVIT_OK : code;
}

static davit_code sync_key(void* raw, const davit_call* call, davit_str key,
                           davit_sync_result* result) {
  const janitor* self = raw;
  const char* slash = memchr(key.data, '/', key.size);
  davit_str ns, name, ttl_text = {NULL, 0};
  davit_value object, ttl;
  int64_t end, left;
  davit_code code;
  if (slash == NULL) return DAVIT_INTERNAL;
  ns.data = key.data;
  ns.size = (size_t)(slash - key.data);
  name.data = slash + 1;
  name.size = key.size - ns.size - 1;
  code = self->informer->get(call, self->objects, ns, name, &object);
  if (code != DAVIT_OK) return code == DAVIT_NOT_FOUND ? DAVIT_OK : code;
  if (metadata_text(self, object, DELETED).size > 0) return DAVIT_OK;
  ttl = member(self, member(self, object, METADATA), ANNOTATIONS);
  if (self->object->lookup(ttl, str(TTL), &ttl) != DAVIT_OK) return DAVIT_OK;
  ttl_text = text(self, ttl);
  if (seconds_of_ttl(ttl_text) < 0) {
    warn(self, call, object);
    return DAVIT_OK;
  }
  end = self->what == &pod_kind ? pod_end(self, object) : job_end(self, object);
  if (end < 0) return DAVIT_OK; /* Its end will be an event. */
  left = end + seconds_of_ttl(ttl_text) - self->clock->wall_ns(call) / 1000000000;
  if (left <= 0) return delete_object(self, call, object);
  result->again_ms = (uint64_t)left * 1000;
  return DAVIT_OK;
}

static void destroy(void* raw, const davit_call* call) {
  (void)call;
  free(raw);
}

static const void* capability(const davit_call* call, const davit_context* context,
                              const char* id) {
  return context->capability(call, str(id));
}

static int32_t start(const davit_call* call, const davit_context* context, davit_controller* out,
                     const kind* what) {
  davit_informer_options informer;
  davit_queue_options queue;
  int i;
  janitor* self = calloc(1, sizeof(*self));
  if (self == NULL) return DAVIT_FAILED;
  self->what = what;
  /* All of them are required by the note, so they are there. */
  self->object = capability(call, context, "davit.object/1");
  self->informer = capability(call, context, "davit.informer/1");
  self->queue = capability(call, context, "davit.queue/1");
  self->client = capability(call, context, "davit.client/1");
  self->clock = capability(call, context, "davit.clock/1");
  self->event = capability(call, context, "davit.event/1");
  for (i = 0; i < NAMES; ++i) {
    self->names[i] = self->object->name(call, str(name_texts[i]));
  }
  memset(&queue, 0, sizeof(queue));
  queue.size = sizeof(queue);
  queue.name = str(what == &pod_kind ? "pod-janitor" : "job-janitor");
  queue.self = self;
  queue.sync = sync_key;
  memset(&informer, 0, sizeof(informer));
  informer.size = sizeof(informer);
  informer.group = str(what->group);
  informer.version = str("v1");
  informer.resource = str(what->resource);
  informer.self = self;
  informer.on_event = on_event;
  if (self->queue->open(call, &queue, &self->keys) != DAVIT_OK ||
      self->informer->open(call, &informer, &self->objects) != DAVIT_OK) {
    free(self);
    return DAVIT_FAILED;
  }
  out->self = self;
  out->destroy = destroy;
  return DAVIT_STARTED;
}

static int32_t start_pods(const davit_call* call, const davit_context* context,
                          davit_controller* out) {
  return start(call, context, out, &pod_kind);
}

static int32_t start_jobs(const davit_call* call, const davit_context* context,
                          davit_controller* out) {
  return start(call, context, out, &job_kind);
}

static const davit_row rows[] = {
    {{"pod-janitor-controller", sizeof("pod-janitor-controller") - 1}, start_pods},
    {{"job-janitor-controller", sizeof("job-janitor-controller") - 1}, start_jobs}};
static const davit_plugin plugin = {sizeof(davit_plugin), sizeof(davit_row), rows,
                                    sizeof(rows) / sizeof(rows[0])};

const davit_plugin* davit_plugin_v1(void) { return &plugin; }
