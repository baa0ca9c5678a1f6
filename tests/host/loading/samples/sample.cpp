// A plugin in C++ that does what keeps a library in memory.
#include <davit/abi.h>

#include <memory>

DAVIT_NOTE(R"({"name":"sample","version":"1","abi":"1.0","controllers":[{"name":"sample"}]})");

namespace {

std::int32_t init(const davit_call*, const davit_context*, davit_controller*) {
  return DAVIT_SKIPPED;
}

const davit_row kRows[] = {{{"sample", 6}, init}};
const davit_plugin kPlugin = {sizeof(davit_plugin), sizeof(davit_row), kRows, 1};

}  // namespace

#ifdef SAMPLE_UNIQUE
template <typename T>
struct Counter {
  static int next() {
    static int value = 0;
    return ++value;
  }
};
#endif

#ifdef SAMPLE_THREAD_LOCAL
struct Tracked {
  Tracked() = default;
  ~Tracked();
  int value = 1;
};
Tracked::~Tracked() { value = 0; }
thread_local Tracked tracked;
#endif

const davit_plugin* davit_plugin_v1() {
#ifdef SAMPLE_UNIQUE
  if (Counter<int>::next() < 0) return nullptr;
#endif
#ifdef SAMPLE_THREAD_LOCAL
  if (tracked.value < 0) return nullptr;
#endif
#ifdef SAMPLE_THROWS
  throw 1;
#else
  return &kPlugin;
#endif
}
