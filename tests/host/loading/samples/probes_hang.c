/* Two controllers with a health check and a page: those of one never return. */
#include <davit/abi.h>
#include <unistd.h>

DAVIT_NOTE(
    "{\"name\":\"probes\",\"version\":\"1\",\"abi\":\"1.0\",\"controllers\":["
    "{\"name\":\"hanging-controller\"},{\"name\":\"well-controller\"}]}");

static int is_well; /* `self` of the controller that answers */

static davit_code check(void* self, const davit_call* call, const davit_sink* why) {
  (void)call;
  (void)why;
  while (self != &is_well) pause();
  return DAVIT_OK;
}

static davit_code serve(void* self, const davit_call* call, davit_str path, davit_str query,
                        const davit_page* page) {
  static const char text[] = "a page\n";
  (void)call;
  (void)path;
  (void)query;
  while (self != &is_well) pause();
  return page->body->write(page->body->self, (davit_str){text, sizeof(text) - 1});
}

/* Ids are "davit.health/1" and "davit.debug/1". */
static const void* capability(void* self, const davit_call* call, davit_str id) {
  static const davit_health_v1 health = {sizeof(davit_health_v1), 0, check};
  static const davit_debug_v1 debug = {sizeof(davit_debug_v1), 0, serve};
  (void)call;
  (void)self;
  if (id.size < 7) return 0;
  return id.data[6] == 'h' ? (const void*)&health : id.data[6] == 'd' ? &debug : 0;
}

static int32_t init_hanging(const davit_call* call, const davit_context* context,
                            davit_controller* out) {
  (void)call;
  (void)context;
  out->capability = capability;
  return DAVIT_STARTED;
}

static int32_t init_well(const davit_call* call, const davit_context* context,
                         davit_controller* out) {
  (void)call;
  (void)context;
  out->self = &is_well;
  out->capability = capability;
  return DAVIT_STARTED;
}

static const davit_row rows[] = {
    {{"hanging-controller", sizeof("hanging-controller") - 1}, init_hanging},
    {{"well-controller", sizeof("well-controller") - 1}, init_well},
};
static const davit_plugin plugin = {sizeof(davit_plugin), sizeof(davit_row), rows, 2};

const davit_plugin* davit_plugin_v1(void) { return &plugin; }
