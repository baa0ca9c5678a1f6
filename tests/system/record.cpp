#include "tests/system/record.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace davit::test {

namespace {

using sandbox::Revision;

/// A watch ends after an hour unless it is asked for longer.
constexpr char kForEver[] = "?watch=1&timeoutSeconds=1000000000";
constexpr std::size_t kReadBytesMax = 1 << 20;

Revision revision_of(const Json& object) {
  return std::stoull(object.text_at({"metadata", "resourceVersion"}));
}

}  // namespace

Record::Record(HttpHandler& server) {
  constexpr std::pair<const char*, const char*> kWatched[] = {
      {"Deployment", "/apis/apps/v1/deployments"},
      {"ReplicaSet", "/apis/apps/v1/replicasets"},
      {"Pod", "/api/v1/pods"},
      {"Service", "/api/v1/services"},
      {"Endpoints", "/api/v1/endpoints"},
      {"EndpointSlice", "/apis/discovery.k8s.io/v1/endpointslices"},
      {"Node", "/api/v1/nodes"},
  };
  for (const auto& [kind, target] : kWatched) {
    HttpServerRequest request;
    request.method = "GET";
    request.target = target + std::string(kForEver);
    objects_[kind];
    watches_.push_back({kind, server.handle(request).stream});
  }
}

void Record::read() {
  for (Watch& each : watches_) read(each);
}

void Record::read(Watch& watch) {
  std::string text;
  std::size_t before = 0;
  do {
    before = text.size();
    static_cast<void>(watch.stream->read(text, kReadBytesMax));
  } while (text.size() > before);
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    const Json event = json_literal(rest.substr(0, end));
    rest.remove_prefix(end + 1);
    Step step{revision_of(event.get("object")), watch.kind, event.get("type").text() == "DELETED",
              event.get("object")};
    const std::string uid = step.object.text_at({"metadata", "uid"});
    if (step.deleted) {
      objects_[watch.kind].erase(uid);
    } else {
      objects_[watch.kind][uid] = step.object;
    }
    steps_.push_back(std::move(step));
  }
}

Json Record::find(const std::string& kind, const std::string& name) const {
  for (const auto& [uid, object] : objects_.at(kind)) {
    if (object.text_at({"metadata", "name"}) == name) return object;
  }
  return {};
}

std::vector<Step> Record::steps() const {
  std::vector<Step> out = steps_;
  std::ranges::stable_sort(out, {}, &Step::revision);
  return out;
}

Revision Record::revision() const {
  Revision out = 0;
  for (const Step& each : steps_) out = std::max(out, each.revision);
  return out;
}

}  // namespace davit::test
