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
    const std::optional<Pod> pod = pods_.get(key);
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

}  // namespace

DAVIT_PLUGIN(R"({"name":"greeter","version":"0.1.0","abi":"1.0",
  "requires":["davit.object/1","davit.informer/1","davit.queue/1","davit.client/1"],
  "controllers":[{"name":"greeter-controller","aliases":["greeter"],"workers":1,
    "rules":[{"group":"","resource":"pods","verbs":["patch"]}],
    "watches":[{"group":"","version":"v1","resource":"pods",
      "projection":["metadata.labels","metadata.annotations"]}]}]})",
             {"greeter-controller", &davit::make<GreeterController>});
