/// A controller that does what a ConfigMap asks for: scales an object of any kind, and reads the
/// ConfigMap itself as raw bytes. It writes the results into the ConfigMap.
#include <davit/entry.hpp>
#include <davit/scale.hpp>
#include <string>

namespace {

using namespace davit;

class ConfigMap : public ObjectView {
 public:
  static constexpr Resource kResource{"", "v1", "configmaps", "ConfigMap"};
  using ObjectView::ObjectView;
};

class RequesterController : public Controller {
 public:
  explicit RequesterController(Context& context)
      : client_(context.client()),
        scales_(client_, context.discovery()),
        queue_(context.open_queue({.name = "requester"}, [this](const Key& k) { return sync(k); })),
        maps_(context.open_informer<ConfigMap>(
            {.added = [this](const ConfigMap& map) { queue_.add(map); }})) {}

 private:
  [[nodiscard]] Result<Again> sync(const Key& key) const {
    const Lookup<ConfigMap> map = maps_.get(key);
    if (!map) return Again::when_changed();
    const Value data = map->value()["data"];
    if (data["kind"].is_absent()) return Again::when_changed();  // The server's own.
    const Result<Scale> scale = scales_.get({std::string(data["apiVersion"].string()),
                                             std::string(data["kind"].string()),
                                             {key.ns, std::string(data["name"].string())}});
    if (!scale) return scale.error();
    const Result<Scale> scaled = scales_.set(*scale, scale->replicas + 2);
    if (!scaled) return scaled.error();
    const Status stale = scales_.set(*scale, 1).error();

    std::string raw;
    const Status read = client_.stream(Request::get<ConfigMap>(key),
                                       [&raw](std::string_view piece) { raw += piece; });
    if (!read.ok()) return read;
    const Status absent =
        client_.stream(Request::get<ConfigMap>({key.ns, "absent"}), [](std::string_view) {});

    JsonWriter patch;
    patch.begin_object().key("data").begin_object();
    patch.member("scaled", scaled->resource + " to " + std::to_string(scaled->replicas));
    patch.member("stale", stale.code() == Code::kConflict ? "conflict" : stale.message());
    patch.member("raw", raw.substr(0, raw.find(',')));
    patch.member("absent", absent.code() == Code::kNotFound ? "not found" : absent.message());
    patch.end_object().end_object();
    if (Status s = client_.patch<ConfigMap>(key, PatchType::kMerge, patch.text()).error();
        !s.ok()) {
      return s;
    }
    return Again::when_changed();
  }

  Client client_;
  Scales scales_;
  Queue queue_;
  Informer<ConfigMap> maps_;
};

constexpr void declare(Note& note) {
  note.plugin("requester", "1")
      .needs("davit.discovery/1")
      .controller({.name = "requester-controller", .factory = &make<RequesterController>})
      .rule<ConfigMap>({"patch"})
      .rule(kEveryResource, {"get", "update"}, {.subresource = "scale"})
      .watch<ConfigMap>({"data"});
}

}  // namespace

DAVIT_PLUGIN(declare);
