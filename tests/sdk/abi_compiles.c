/* Compiled as C11 to C++20 by each compiler: abi.h stands alone, its macros work in both languages,
 * and the layout that plugins rely on is pinned. The whole layout is in
 * tests/golden/abi_layout.txt. */
#include <davit/abi.h>
#include <davit/cloud.h>

#ifdef __cplusplus
#define PIN(condition) static_assert(condition, #condition)
#else
#define PIN(condition) _Static_assert(condition, #condition)
#endif

PIN(sizeof(davit_str) == 16);
PIN(sizeof(davit_value) == 16);
PIN(sizeof(davit_member) == 32);
PIN(sizeof(davit_list) == 16);
PIN(sizeof(davit_event) == 48);
PIN(sizeof(davit_sync_result) == 16);
PIN(sizeof(davit_request) == 256);
PIN(sizeof(davit_response) == 80);
PIN(sizeof(davit_call) == 88);
PIN(offsetof(davit_call, cancelled) == 72);
PIN(sizeof(davit_context) == 48);
PIN(sizeof(davit_controller) == 32);
PIN(sizeof(davit_row) == 24);
PIN(sizeof(davit_plugin) == 24);
PIN(offsetof(davit_context, capability) == 24);
PIN(offsetof(davit_controller, destroy) == 16);
PIN(offsetof(davit_request, body) == 104);
PIN(offsetof(davit_response, object) == 64);
PIN(offsetof(davit_object_v1, member) == 24);
PIN(sizeof(davit_handle) == 8);
PIN(sizeof(davit_code) == 4);

DAVIT_NOTE("{\"name\":\"layout\",\"abi\":\"" DAVIT_ABI_VERSION_TEXT "\"}");

const davit_plugin* davit_plugin_v1(void) { return NULL; }
