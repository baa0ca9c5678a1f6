/* Deletes finished Pods and Jobs after a while, in plain C.
 *
 * The annotation `janitor.davit.dev/ttl: "30m"` says how long after its end a Pod or Job is kept: a
 * number with s, m, h or d behind it. Jobs are deleted in the background, their pods with them. A
 * text that is no such time causes an Event and changes nothing. What is deleted meanwhile, or
 * made again under the same name, is left alone. */
#include <davit/c_helpers.h>

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

/* What the two controllers do not have in common. */
static const davit_resource pods = {"", "v1", "pods", "Pod"};
static const davit_resource jobs = {"batch", "v1", "jobs", "Job"};

typedef struct janitor {
  davit_tables tables;
  const davit_resource* resource;
  davit_handle objects, keys;
} janitor;

/* ---- When it is time ---- */

static int64_t pod_end(const davit_tables* tables, davit_value pod) {
  const davit_str phase = davit_text_at(tables, pod, "status.phase", NULL);
  davit_each each = davit_each_of(davit_at(tables, pod, "status.containerStatuses"));
  int64_t end = DAVIT_NO_TIME;
  if (!davit_text_is(phase, "Succeeded") && !davit_text_is(phase, "Failed")) return DAVIT_NO_TIME;
  while (davit_next(tables, &each)) {
    const int64_t time = davit_time_at(tables, each.value, "state.terminated.finishedAt");
    if (time > end) end = time;
  }
  /* One that was refused by its node never had a container. */
  return end != DAVIT_NO_TIME ? end : davit_time_at(tables, pod, "metadata.creationTimestamp");
}

static int64_t job_end(const davit_tables* tables, davit_value job) {
  const char* const type = davit_condition_is_true(tables, job, "Complete") ? "Complete" : "Failed";
  if (!davit_condition_is_true(tables, job, type)) return DAVIT_NO_TIME;
  return davit_time_at(tables, davit_condition(tables, job, type), "lastTransitionTime");
}

/* "30m" in seconds; -1 for what is no such time. */
static int64_t seconds_of_ttl(davit_str ttl) {
  static const char units[] = "smhd";
  static const int64_t seconds[] = {1, 60, 3600, 86400};
  const char* unit;
  int count;
  if (ttl.size < 2 || ttl.size > 7) return -1;
  unit = strchr(units, ttl.data[ttl.size - 1]);
  count = davit_digits(ttl.data, (int)ttl.size - 1);
  return unit == NULL || *unit == '\0' || count < 0 ? -1 : count * seconds[unit - units];
}

/* ---- The controller ---- */

static void on_event(void* raw, const davit_call* call, const davit_event* event) {
  const janitor* self = raw;
  if (event->type == DAVIT_EVENT_DELETED) return;
  (void)davit_add(&self->tables, call, self->keys, event->value);
}

static davit_code sync_key(void* raw, const davit_call* call, davit_str key,
                           davit_sync_result* result) {
  const janitor* self = raw;
  const davit_tables* tables = &self->tables;
  davit_value object, ttl;
  int64_t seconds, end, left;
  davit_code code = davit_get(tables, call, self->objects, davit_key_from(key), &object);
  if (code != DAVIT_OK) return davit_unless(code, DAVIT_NOT_FOUND);
  ttl = davit_at(tables, object, "metadata.annotations['" TTL "']");
  if (davit_has(tables, object, "metadata.deletionTimestamp") || !davit_has(tables, ttl, "")) {
    return DAVIT_OK;
  }
  seconds = seconds_of_ttl(davit_text_at(tables, ttl, "", NULL));
  if (seconds < 0) {
    (void)davit_record(tables, call, self->resource, object, "Warning", "InvalidTTL",
                       "The annotation " TTL " wants a time such as 90s, 30m, 12h or 7d");
    return DAVIT_OK;
  }
  end = self->resource == &pods ? pod_end(tables, object) : job_end(tables, object);
  if (end == DAVIT_NO_TIME) return DAVIT_OK; /* Its end will be an event. */
  left = end + seconds - davit_now(tables, call);
  if (left > 0) {
    result->again_ms = (uint64_t)left * 1000;
    return DAVIT_OK;
  }
  code = davit_delete(tables, call, self->resource, object);
  /* After a conflict the key is tried again: by then the cache shows what has changed. */
  return davit_unless(code, DAVIT_NOT_FOUND);
}

static int32_t start(const davit_call* call, const davit_context* context, davit_controller* out,
                     const davit_resource* resource, const char* queue) {
  janitor* self = calloc(1, sizeof(*self));
  if (self == NULL) return DAVIT_FAILED;
  self->tables = davit_tables_of(call, context);
  self->resource = resource;
  if (davit_open_queue(&self->tables, call, queue, self, sync_key, &self->keys) != DAVIT_OK ||
      davit_open_informer(&self->tables, call, resource, self, on_event, &self->objects) !=
          DAVIT_OK) {
    free(self);
    return DAVIT_FAILED;
  }
  return davit_started(out, self, davit_free_self);
}

static int32_t start_pods(const davit_call* call, const davit_context* context,
                          davit_controller* out) {
  return start(call, context, out, &pods, "pod-janitor");
}

static int32_t start_jobs(const davit_call* call, const davit_context* context,
                          davit_controller* out) {
  return start(call, context, out, &jobs, "job-janitor");
}

DAVIT_ROWS(DAVIT_ROW("pod-janitor-controller", start_pods),
           DAVIT_ROW("job-janitor-controller", start_jobs));
