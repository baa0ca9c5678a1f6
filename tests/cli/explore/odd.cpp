/// A controller that marks ConfigMaps. Each build of it misbehaves in one way, by the value of ODD.
#include <chrono>
#include <cstdlib>
#include <davit/entry.hpp>
#include <davit/kube/metadata.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace davit;

constexpr int kChance = 1;      // It writes what chance says.
constexpr int kLoops = 2;       // It writes again and again.
constexpr int kHurry = 3;       // It is never done with a key, and writes nothing.
constexpr int kAborts = 4;      // It ends the process when a write fails.
constexpr int kBlocks = 5;      // A call does not return when a write fails.
constexpr int kFloods = 6;      // A call writes until a write fails.
constexpr int kHolds = 7;       // It holds 100,000 objects.
constexpr int kWall = 8;        // It writes what the machine's clock says.
constexpr int kOnce = 9;        // It writes something else the first time that it tries again.
constexpr int kForgets = 10;    // It is done with a key whose write has failed.
constexpr int kStorms = 11;     // It reads again and again when a write fails.
constexpr int kOversteps = 12;  // It sends what it has not declared.

class ConfigMap : public ObjectView {
 public:
  static constexpr Resource kResource{"", "v1", "configmaps", "ConfigMap"};
  using ObjectView::ObjectView;
};

class OddController : public Controller {
 public:
  explicit OddController(Context& context)
      : client_(context.client()),
        queue_(context.open_queue({.name = "odd"}, [this](const Key& k) { return sync(k); })),
        maps_(context.open_informer<ConfigMap>(
            {.added = [this](const ConfigMap& map) { queue_.add(map); },
             .updated = [this](const ConfigMap&, const ConfigMap& map) { queue_.add(map); }})) {}

 private:
  [[nodiscard]] Result<Again> sync(const Key& key) {
    const Lookup<ConfigMap> map = maps_.get(key);
    if (!map) return Again::when_changed();
    if constexpr (ODD == kHurry) return Again::after(Duration::zero());
    if constexpr (ODD == kHolds) held_.assign(kHeld, *map);
    if (map->label("mark") && ODD != kLoops) return Again::when_changed();
    Status written = write_mark(key);
    while (ODD == kFloods && written.ok()) written = write_mark(key);
    if constexpr (ODD == kOversteps) static_cast<void>(client_.remove<ConfigMap>(key));
    if (written.ok()) return Again::when_changed();
    for (int i = 0; ODD == kStorms && i < kReads; ++i) {
      static_cast<void>(client_.get<ConfigMap>(key));
    }
    if constexpr (ODD == kAborts) std::abort();
    if constexpr (ODD == kForgets) return Again::when_changed();
    volatile bool is_waiting = ODD == kBlocks;
    while (is_waiting) {
    }
    return written;
  }

  [[nodiscard]] Status write_mark(const Key& key) {
    std::string mark = "m" + std::to_string(++marks_);
    if constexpr (ODD == kHolds) mark = "held";
    if constexpr (ODD == kOnce) {
      static bool has_written_again = false;
      mark = marks_ > 1 && !std::exchange(has_written_again, true) ? "other" : "same";
    }
    if constexpr (ODD == kWall) {
      mark = "m" + std::to_string(std::chrono::system_clock::now().time_since_epoch().count());
    }
    if constexpr (ODD == kChance) mark = "m" + std::to_string(std::random_device()());
    return client_
        .patch<ConfigMap>(key, PatchType::kMerge,
                          R"({"metadata":{"labels":{"mark":")" + mark + R"("}}})")
        .error();
  }

  static constexpr std::size_t kHeld = 100'000;
  static constexpr int kReads = 100;

  Client client_;
  Queue queue_;
  Informer<ConfigMap> maps_;
  std::vector<ConfigMap> held_;
  int marks_ = 0;
};

constexpr void declare(Note& note) {
  note.plugin("odd", "0.1.0")
      .controller({.name = "odd-controller", .factory = &make<OddController>})
      .rule<ConfigMap>({"get", "patch"})
      .watch<ConfigMap>({"metadata.labels"});
}

}  // namespace

DAVIT_PLUGIN(declare);
