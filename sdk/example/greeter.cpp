/// The smallest useful controller: it labels every pod that asks to be greeted.
#include <davit/entry.hpp>
#include <davit/kube/pod.hpp>

namespace {

using namespace davit;

constexpr const char* kGreeting = R"({"metadata":{"labels":{"greeting":"hello"}}})";

class GreeterController : public Controller {
 public:
  explicit GreeterController(Context& context)
      : client_(context.client()),
        queue_(context.open_queue({.name = "greeter"}, [this](const Key& k) { return sync(k); })),
        pods_(context.open_informer<Pod>(
            {.added = [this](const Pod& pod) { queue_.add(pod); },
             .updated = [this](const Pod&, const Pod& pod) { queue_.add(pod); }})) {}

 private:
  [[nodiscard]] Result<Again> sync(const Key& key) const {
    const Lookup<Pod> pod = pods_.get(key);
    if (!pod || !pod->annotation("example.davit.dev/greet")) return Again::when_changed();
    if (pod->label("greeting")) return Again::when_changed();  // Greeted before: nothing to do.
    const Status greeted = client_.patch<Pod>(key, PatchType::kMerge, kGreeting).error();
    if (Status s = greeted.unless(Code::kNotFound); !s.ok()) return s;
    return Again::when_changed();
  }

  Client client_;
  Queue queue_;
  Informer<Pod> pods_;
};

constexpr void declare(Note& note) {
  note.plugin("greeter", "0.1.0")
      .controller({.name = "greeter-controller",
                   .factory = &make<GreeterController>,
                   .aliases = {"greeter"}})
      .rule<Pod>({"patch"})
      .watch<Pod>({"metadata.labels", "metadata.annotations"});
}

}  // namespace

DAVIT_PLUGIN(declare);
