/* Compiled as C11 to C++20 by each compiler: the helpers need nothing else, and what is not used
 * costs no warning. */
#include <davit/c_helpers.h>

static const davit_resource pods = {"", "v1", "pods", "Pod"};

static int32_t init(const davit_call* call, const davit_context* context, davit_controller* out) {
  const davit_tables tables = davit_tables_of(call, context);
  davit_json json = davit_json_new();
  davit_value absent = davit_absent();
  davit_each each = davit_each_of(absent);
  davit_new_condition ready = {"Ready", "True", "AsWanted", NULL, 1};
  while (davit_next(&tables, &each)) davit_json_value(&json, &tables, NULL, each.value);
  davit_json_object(&json, NULL);
  davit_json_conditions(&json, &tables, absent, &ready, davit_now(&tables, call));
  davit_json_end(&json);
  (void)davit_merge(&tables, call, &pods, davit_key_from(davit_text("a/b")), "status",
                    davit_json_text(&json));
  davit_json_free(&json);
  return davit_started(out, NULL, davit_free_self);
}

DAVIT_ROWS(DAVIT_ROW("a-controller", init), DAVIT_ROW("b-controller", init));
