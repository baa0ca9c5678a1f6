/* A provider with one part in plain C, from cloud.h alone: each Service gets the same address. */
#include <davit/cloud.h>
#include <string.h>

DAVIT_NOTE("{\"name\":\"c-cloud\",\"version\":\"0.1.0\",\"abi\":\"" DAVIT_ABI_VERSION_TEXT
           "\",\"requires\":[\"davit.cloud-host/1\"],"
           "\"controllers\":[{\"name\":\"c-cloud\",\"offByDefault\":true}]}");

static davit_str str(const char* text) {
  davit_str out;
  out.data = text;
  out.size = strlen(text);
  return out;
}

static davit_code say(const davit_sink* status) {
  return status->write(status->self, str("{\"ingress\":[{\"ip\":\"192.0.2.77\"}]}"));
}

static davit_code get(void* self, const davit_call* call, davit_str cluster, davit_value service,
                      davit_cloud_answer* answer, const davit_sink* status) {
  (void)self, (void)call, (void)cluster, (void)service;
  answer->exists = 1;
  return say(status);
}

static davit_code ensure(void* self, const davit_call* call, davit_str cluster, davit_value service,
                         const davit_list* nodes, davit_cloud_answer* answer,
                         const davit_sink* status) {
  (void)self, (void)call, (void)cluster, (void)service, (void)nodes, (void)answer;
  return say(status);
}

static davit_code update(void* self, const davit_call* call, davit_str cluster, davit_value service,
                         const davit_list* nodes, davit_cloud_answer* answer) {
  (void)self, (void)call, (void)cluster, (void)service, (void)nodes;
  answer->elsewhere = 1;
  return DAVIT_OK;
}

static davit_code remove_it(void* self, const davit_call* call, davit_str cluster,
                            davit_value service, davit_cloud_answer* answer) {
  (void)self, (void)call, (void)cluster, (void)service, (void)answer;
  return DAVIT_OK;
}

static const davit_load_balancers kLoadBalancers = {
    sizeof(davit_load_balancers), 0, get, ensure, update, remove_it};
static const davit_cloud_provider_v1 kSide = {
    sizeof(davit_cloud_provider_v1), 0, &kLoadBalancers, NULL, NULL, {NULL, 0}, 0, 0};

static const void* capability(void* self, const davit_call* call, davit_str id) {
  const davit_str wanted = str("davit.cloud-provider/1");
  (void)self, (void)call;
  return id.size == wanted.size && memcmp(id.data, wanted.data, id.size) == 0 ? &kSide : NULL;
}

static void destroy(void* self, const davit_call* call) { (void)self, (void)call; }

static int32_t init(const davit_call* call, const davit_context* context, davit_controller* out) {
  (void)call, (void)context;
  out->capability = capability;
  out->destroy = destroy;
  return DAVIT_STARTED;
}

static const davit_row kRows[] = {{{"c-cloud", 7}, init}};
static const davit_plugin kPlugin = {sizeof(davit_plugin), sizeof(davit_row), kRows, 1};
const davit_plugin* davit_plugin_v1(void) { return &kPlugin; }
