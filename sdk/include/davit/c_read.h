/* davit/c_read.h: reads objects in C: by path, with a default, lists, times. Part of
 * davit/c_helpers.h, which says what holds for all of it. */
#ifndef DAVIT_C_READ_H_
#define DAVIT_C_READ_H_

#include <davit/abi.h>
#include <string.h>

/* ---- Texts ----------------------------------------------------------------------------------- */

/* A text of the plugin's own; NULL is empty. */
static inline davit_str davit_text(const char* text) {
  davit_str out = {NULL, 0};
  if (text != NULL) {
    out.data = text;
    out.size = strlen(text);
  }
  return out;
}

static inline int davit_same(davit_str a, davit_str b) {
  return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static inline int davit_text_is(davit_str text, const char* other) {
  return davit_same(text, davit_text(other));
}

/* ---- The host's tables ----------------------------------------------------------------------- */

/* NULL: this host does not have it, which a capability in `requires` of the note excludes. */
typedef struct davit_tables {
  const davit_context* context;
  const davit_object_v1* object;
  const davit_informer_v1* informer;
  const davit_queue_v1* queue;
  const davit_client_v1* client;
  const davit_timer_v1* timer;
  const davit_event_v1* event;
  const davit_log_v1* log;
  const davit_clock_v1* clock;
  const davit_metric_v1* metric;
  const davit_config_v1* config;
} davit_tables;

/* In init. The tables live as long as the process, `context` until destroy() returns. */
static inline davit_tables davit_tables_of(const davit_call* call, const davit_context* context) {
  davit_tables out;
#define DAVIT_TABLE_(name) \
  (const davit_##name##_v1*)context->capability(call, davit_text("davit." #name "/1"))
  out.context = context;
  out.object = DAVIT_TABLE_(object);
  out.informer = DAVIT_TABLE_(informer);
  out.queue = DAVIT_TABLE_(queue);
  out.client = DAVIT_TABLE_(client);
  out.timer = DAVIT_TABLE_(timer);
  out.event = DAVIT_TABLE_(event);
  out.log = DAVIT_TABLE_(log);
  out.clock = DAVIT_TABLE_(clock);
  out.metric = DAVIT_TABLE_(metric);
  out.config = DAVIT_TABLE_(config);
#undef DAVIT_TABLE_
  return out;
}

/* DAVIT_OK for `expected`: `davit_unless(code, DAVIT_NOT_FOUND)` where an object that is gone is
 * fine. */
static inline davit_code davit_unless(davit_code code, davit_code expected) {
  return code == expected ? DAVIT_OK : code;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static inline davit_value davit_absent(void) {
  davit_value out = {NULL, 0, 0};
  return out;
}

/* The member of an object for any key, such as that of a label. */
static inline davit_value davit_member_of(const davit_tables* tables, davit_value value,
                                          davit_str key) {
  davit_value out = davit_absent();
  if (tables->object == NULL || tables->object->lookup(value, key, &out) != DAVIT_OK) {
    return davit_absent();
  }
  return out;
}

/* The element of an array, from 0. */
static inline davit_value davit_element_of(const davit_tables* tables, davit_value value,
                                           size_t i) {
  davit_value out = davit_absent();
  if (tables->object == NULL || i >= tables->object->count(value) ||
      tables->object->elements(value, i, &out, 1) != 1) {
    return davit_absent();
  }
  return out;
}

/* The step "[…" at `*path`, which is moved behind it; absent, and the path at its end, for one that
 * is malformed. */
static inline davit_value davit_bracket_(const davit_tables* tables, davit_value value,
                                         const char** path) {
  const char* const begin = *path + 1;
  const char* end;
  size_t i = 0;
  if (*begin == '\'') {
    end = strstr(begin + 1, "']");
    if (end != NULL) {
      davit_str key;
      key.data = begin + 1;
      key.size = (size_t)(end - key.data);
      *path = end + 2;
      return davit_member_of(tables, value, key);
    }
  } else {
    for (end = begin; *end >= '0' && *end <= '9' && end - begin < 9; ++end) {
      i = i * 10 + (size_t)(*end - '0');
    }
    if (end != begin && *end == ']') {
      *path = end + 1;
      return davit_element_of(tables, value, i);
    }
  }
  *path += strlen(*path);
  return davit_absent();
}

/* The value at a path: "spec.template.spec", "metadata.annotations['example.com/a']",
 * "spec.ports[0].port". Absent when a part is not there or of another kind, and outside the
 * projection. */
static inline davit_value davit_at(const davit_tables* tables, davit_value value,
                                   const char* path) {
  while (*path != '\0') {
    if (*path == '[') {
      value = davit_bracket_(tables, value, &path);
    } else {
      davit_str name;
      name.data = path;
      name.size = strcspn(path, ".[");
      path += name.size;
      value = davit_member_of(tables, value, name);
    }
    if (*path == '.') ++path;
  }
  return value;
}

static inline int davit_has(const davit_tables* tables, davit_value value, const char* path) {
  return tables->object != NULL &&
         tables->object->kind(davit_at(tables, value, path)) != DAVIT_KIND_ABSENT;
}

/* The string at a path; `fallback`, which may be NULL, where there is none. */
static inline davit_str davit_text_at(const davit_tables* tables, davit_value value,
                                      const char* path, const char* fallback) {
  davit_str out = {NULL, 0};
  if (tables->object == NULL ||
      tables->object->string(davit_at(tables, value, path), &out) != DAVIT_OK) {
    return davit_text(fallback);
  }
  return out;
}

static inline int64_t davit_integer_at(const davit_tables* tables, davit_value value,
                                       const char* path, int64_t fallback) {
  int64_t out = 0;
  if (tables->object == NULL ||
      tables->object->integer(davit_at(tables, value, path), &out) != DAVIT_OK) {
    return fallback;
  }
  return out;
}

static inline int davit_boolean_at(const davit_tables* tables, davit_value value, const char* path,
                                   int fallback) {
  int32_t out = 0;
  if (tables->object == NULL ||
      tables->object->boolean(davit_at(tables, value, path), &out) != DAVIT_OK) {
    return fallback;
  }
  return out;
}

/* The controller's configuration in the manifest; absent: there is none. */
static inline davit_value davit_config(const davit_tables* tables, const davit_call* call) {
  return tables->config == NULL ? davit_absent() : tables->config->value(call);
}

/* The elements of an array, one by one:
 *     davit_each each = davit_each_of(list);
 *     while (davit_next(tables, &each)) … each.value … */
typedef struct davit_each {
  davit_value value; /* the present element */
  davit_value list_;
  davit_value batch_[16];
  size_t read_, count_, at_;
} davit_each;

static inline davit_each davit_each_of(davit_value list) {
  davit_each out;
  memset(&out, 0, sizeof(out));
  out.list_ = list;
  return out;
}

/* 0: there are no more. */
static inline int davit_next(const davit_tables* tables, davit_each* each) {
  if (each->at_ == each->count_) {
    if (tables->object == NULL) return 0;
    each->count_ = tables->object->elements(each->list_, each->read_, each->batch_, 16);
    each->read_ += each->count_;
    each->at_ = 0;
    if (each->count_ == 0) return 0;
  }
  each->value = each->batch_[each->at_++];
  return 1;
}

/* ---- Times ----------------------------------------------------------------------------------- */

/* Earlier than every time. */
#define DAVIT_NO_TIME INT64_MIN

/* `count` digits; -1: others. */
static inline int davit_digits(const char* text, int count) {
  int out = 0;
  while (count-- > 0) {
    if (*text < '0' || *text > '9') return -1;
    out = out * 10 + (*text++ - '0');
  }
  return out;
}

/* The days from 1970-01-01. A year that begins in March has its leap day at the end. */
static inline int64_t davit_days_(int64_t year, int month, int day) {
  int64_t era, of_year, of_era;
  if (month <= 2) --year;
  era = (year >= 0 ? year : year - 399) / 400;
  year -= era * 400;
  of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  of_era = year * 365 + year / 4 - year / 100 + of_year;
  return era * 146097 + of_era - 719468;
}

/* The seconds east of Greenwich of "Z" and "+01:00"; DAVIT_NO_TIME for others. */
static inline int64_t davit_zone_(const char* text, size_t size) {
  int hours, minutes;
  if (size == 1 && *text == 'Z') return 0;
  if (size != 6 || (*text != '+' && *text != '-') || text[3] != ':') {
    return DAVIT_NO_TIME;
  }
  hours = davit_digits(text + 1, 2);
  minutes = davit_digits(text + 4, 2);
  if (hours < 0 || hours > 24 || minutes < 0 || minutes > 59) return DAVIT_NO_TIME;
  return (*text == '-' ? -60 : 60) * (int64_t)(hours * 60 + minutes);
}

/* Seconds since 1970 of a time in an object: "2026-01-31T12:00:00Z", with fractions, which are cut
 * off, or another time zone. DAVIT_NO_TIME for every other text, and for Go's zero time in year 1.
 */
static inline int64_t davit_parse_time(davit_str text) {
  static const signed char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  int year, month, day, hour, minute, second, leap;
  size_t at = 19;
  int64_t zone, out;
  if (text.size < 20 || text.data[4] != '-' || text.data[7] != '-' || text.data[10] != 'T' ||
      text.data[13] != ':' || text.data[16] != ':') {
    return DAVIT_NO_TIME;
  }
  year = davit_digits(text.data, 4);
  month = davit_digits(text.data + 5, 2);
  day = davit_digits(text.data + 8, 2);
  hour = davit_digits(text.data + 11, 2);
  minute = davit_digits(text.data + 14, 2);
  second = davit_digits(text.data + 17, 2);
  leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  if (year < 0 || month < 1 || month > 12 || day < 1 ||
      day > days[month - 1] + (month == 2 && leap ? 1 : 0) || hour < 0 || hour > 23 || minute < 0 ||
      minute > 59 || second < 0 || second > 59) {
    return DAVIT_NO_TIME;
  }
  if (text.data[at] == '.') {
    for (++at; at < text.size && text.data[at] >= '0' && text.data[at] <= '9';) ++at;
    if (at == 20) return DAVIT_NO_TIME;
  }
  zone = davit_zone_(text.data + at, text.size - at);
  if (zone == DAVIT_NO_TIME) return DAVIT_NO_TIME;
  out = davit_days_(year, month, day) * 86400 + hour * 3600 + minute * 60 + second - zone;
  return out == -62135596800 ? DAVIT_NO_TIME : out;
}

/* Writes a time of the years 0 to 9999 as objects have it, with its NUL. */
static inline void davit_format_time(int64_t seconds, char out[21]) {
  static const char form[] = "0000-00-00T00:00:00Z";
  static const signed char places[] = {3, 6, 9, 12, 15, 18};
  int64_t days, era, of_era, year, of_year, month, parts[6];
  int i;
  if (seconds < -62167219200) seconds = -62167219200;
  if (seconds > 253402300799) seconds = 253402300799;
  days = (seconds >= 0 ? seconds : seconds - 86399) / 86400;
  seconds -= days * 86400;
  days += 719468;
  era = (days >= 0 ? days : days - 146096) / 146097;
  of_era = days - era * 146097;
  year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  of_year = of_era - (year * 365 + year / 4 - year / 100);
  month = (5 * of_year + 2) / 153; /* from March */
  parts[1] = month < 10 ? month + 3 : month - 9;
  parts[0] = year + era * 400 + (parts[1] <= 2 ? 1 : 0);
  parts[2] = of_year - (153 * month + 2) / 5 + 1;
  parts[3] = seconds / 3600;
  parts[4] = seconds / 60 % 60;
  parts[5] = seconds % 60;
  memcpy(out, form, sizeof(form));
  for (i = 0; i < 6; ++i) {
    char* digit = out + places[i];
    for (; parts[i] > 0; parts[i] /= 10) *digit-- = (char)('0' + parts[i] % 10);
  }
}

/* Seconds since 1970, by the host's clock ("davit.clock/1"); DAVIT_NO_TIME without it. */
static inline int64_t davit_now(const davit_tables* tables, const davit_call* call) {
  return tables->clock == NULL ? DAVIT_NO_TIME : tables->clock->wall_ns(call) / 1000000000;
}

static inline int64_t davit_time_at(const davit_tables* tables, davit_value value,
                                    const char* path) {
  return davit_parse_time(davit_text_at(tables, value, path, NULL));
}

#endif /* DAVIT_C_READ_H_ */
