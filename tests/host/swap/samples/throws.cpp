// A build whose InitFunc breaks the contract.
#include <davit/abi.h>

#include <stdexcept>

DAVIT_NOTE(R"({"name":"sample","version":"v2","abi":"1.0",)"
           R"("controllers":[{"name":"sample-controller"}]})");

namespace {

std::int32_t init(const davit_call*, const davit_context*, davit_controller*) {
  throw std::runtime_error("no luck");
}

constexpr davit_row kRows[] = {{{"sample-controller", 17}, init}};
constexpr davit_plugin kPlugin = {sizeof(davit_plugin), sizeof(davit_row), kRows, 1};

}  // namespace

extern "C" const davit_plugin* davit_plugin_v1(void) { return &kPlugin; }
