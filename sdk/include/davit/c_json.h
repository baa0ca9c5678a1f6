/* davit/c_json.h: writes JSON text in C, for the bodies of requests. Part of davit/c_helpers.h.
 *
 *     davit_json body = davit_json_new();
 *     davit_json_object(&body, NULL);
 *     davit_json_object(&body, "status");
 *     davit_json_integer(&body, "replicas", 3);
 *     davit_json_end(&body);
 *     davit_json_end(&body);
 *     … davit_json_text(&body) …
 *     davit_json_free(&body);
 *
 * Each function takes the member's key, NULL for elements of an array and for the whole value. A
 * mistake (a key in an array, none in an object, an end too many, nested deeper than 64) and a lack
 * of memory make the text empty, for good: check the end, not each step. A writer belongs to one
 * thread at a time. */
#ifndef DAVIT_C_JSON_H_
#define DAVIT_C_JSON_H_

#include <davit/abi.h>
#include <stdlib.h>
#include <string.h>

/* Owned by its user; all zero is an empty one. Members are the writer's own. */
typedef struct davit_json {
  char* data;
  size_t size, capacity;
  uint64_t objects; /* bit i: the i-th open value is an object */
  uint64_t filled;  /* bit i: it has a member or element */
  int depth;
  int failed;
} davit_json;

static inline davit_json davit_json_new(void) {
  davit_json out;
  memset(&out, 0, sizeof(out));
  return out;
}

static inline void davit_json_free(davit_json* json) {
  free(json->data);
  *json = davit_json_new();
}

/* The whole text, borrowed until the next call; empty after a mistake and while something is open.
 */
static inline davit_str davit_json_text(const davit_json* json) {
  davit_str out = {NULL, 0};
  if (json->failed || json->depth != 0) return out;
  out.data = json->data;
  out.size = json->size;
  return out;
}

static inline void davit_json_append_(davit_json* json, const char* data, size_t size) {
  if (json->failed || size == 0) return;
  if (size > json->capacity - json->size) {
    const size_t capacity = (json->size + size) * 2 + 256;
    char* const grown = size > SIZE_MAX / 4 ? NULL : (char*)realloc(json->data, capacity);
    if (grown == NULL) {
      json->failed = 1;
      return;
    }
    json->data = grown;
    json->capacity = capacity;
  }
  memcpy(json->data + json->size, data, size);
  json->size += size;
}

/* The bytes of the UTF-8 character that `text` begins with; 0: it begins with none. */
static inline size_t davit_utf8_(davit_str text) {
  const unsigned char* const at = (const unsigned char*)text.data;
  const size_t size = at[0] < 0x80 ? 1 : at[0] < 0xC2 ? 0 : at[0] < 0xE0 ? 2 : at[0] < 0xF0 ? 3 : 4;
  size_t i;
  if (size == 0 || at[0] > 0xF4 || size > text.size) return 0;
  for (i = 1; i < size; ++i) {
    if ((at[i] & 0xC0) != 0x80) return 0;
  }
  if ((at[0] == 0xE0 && at[1] < 0xA0) || (at[0] == 0xED && at[1] > 0x9F)) return 0;
  if ((at[0] == 0xF0 && at[1] < 0x90) || (at[0] == 0xF4 && at[1] > 0x8F)) return 0;
  return size;
}

/* In quotes. A byte that is not UTF-8 becomes U+FFFD, which the server accepts. */
static inline void davit_json_quote_(davit_json* json, davit_str text) {
  static const char hex[] = "0123456789abcdef";
  davit_json_append_(json, "\"", 1);
  while (text.size > 0) {
    const unsigned char c = (unsigned char)*text.data;
    const size_t size = davit_utf8_(text);
    if (size == 0) {
      davit_json_append_(json, "\xEF\xBF\xBD", 3);
    } else if (c == '"' || c == '\\') {
      davit_json_append_(json, "\\", 1);
      davit_json_append_(json, text.data, 1);
    } else if (c < 0x20) {
      char escaped[] = "\\u0000";
      escaped[4] = hex[c >> 4];
      escaped[5] = hex[c & 15];
      davit_json_append_(json, escaped, 6);
    } else {
      davit_json_append_(json, text.data, size);
    }
    text.data += size == 0 ? 1 : size;
    text.size -= size == 0 ? 1 : size;
  }
  davit_json_append_(json, "\"", 1);
}

/* What stands before a value: a comma, and the key in an object, where `key` is not NULL. */
static inline void davit_json_begin_(davit_json* json, const davit_str* key) {
  const uint64_t bit = json->depth == 0 ? 0 : (uint64_t)1 << (json->depth - 1);
  if (json->depth == 0 ? json->size > 0 : ((json->objects & bit) != 0) != (key != NULL))
    json->failed = 1;
  if (json->depth == 0 && key != NULL) json->failed = 1;
  if ((json->filled & bit) != 0) davit_json_append_(json, ",", 1);
  json->filled |= bit;
  if (key != NULL) {
    davit_json_quote_(json, *key);
    davit_json_append_(json, ":", 1);
  }
}

static inline void davit_json_member_(davit_json* json, const char* key) {
  davit_str text;
  text.data = key;
  text.size = key == NULL ? 0 : strlen(key);
  davit_json_begin_(json, key == NULL ? NULL : &text);
}

static inline void davit_json_open_(davit_json* json, const char* key, int is_object) {
  davit_json_member_(json, key);
  if (json->depth == 64) json->failed = 1;
  if (json->failed) return;
  davit_json_append_(json, is_object ? "{" : "[", 1);
  json->objects =
      (json->objects & ~((uint64_t)1 << json->depth)) | ((uint64_t)(is_object != 0) << json->depth);
  json->filled &= ~((uint64_t)1 << json->depth);
  ++json->depth;
}

/* Begins an object; davit_json_end() ends it. */
static inline void davit_json_object(davit_json* json, const char* key) {
  davit_json_open_(json, key, 1);
}

/* Begins an array; davit_json_end() ends it. */
static inline void davit_json_array(davit_json* json, const char* key) {
  davit_json_open_(json, key, 0);
}

/* Ends what was begun last. */
static inline void davit_json_end(davit_json* json) {
  if (json->depth == 0) json->failed = 1;
  if (json->failed) return;
  --json->depth;
  davit_json_append_(json, (json->objects >> json->depth & 1) != 0 ? "}" : "]", 1);
}

static inline void davit_json_string(davit_json* json, const char* key, davit_str value) {
  davit_json_member_(json, key);
  davit_json_quote_(json, value);
}

/* A string whose key is data, such as that of a label. */
static inline void davit_json_entry(davit_json* json, davit_str key, davit_str value) {
  davit_json_begin_(json, &key);
  davit_json_quote_(json, value);
}

static inline void davit_json_integer(davit_json* json, const char* key, int64_t value) {
  char digits[20];
  size_t at = sizeof(digits);
  uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  do {
    digits[--at] = (char)('0' + rest % 10);
    rest /= 10;
  } while (rest > 0);
  if (value < 0) digits[--at] = '-';
  davit_json_member_(json, key);
  davit_json_append_(json, digits + at, sizeof(digits) - at);
}

static inline void davit_json_boolean(davit_json* json, const char* key, int value) {
  davit_json_member_(json, key);
  davit_json_append_(json, value ? "true" : "false", value ? 4 : 5);
}

/* In a merge patch: removes the member. */
static inline void davit_json_null(davit_json* json, const char* key) {
  davit_json_member_(json, key);
  davit_json_append_(json, "null", 4);
}

/* JSON text as it is; an empty one is a mistake. */
static inline void davit_json_raw(davit_json* json, const char* key, davit_str text) {
  davit_json_member_(json, key);
  if (text.size == 0) json->failed = 1;
  davit_json_append_(json, text.data, text.size);
}

#endif /* DAVIT_C_JSON_H_ */
