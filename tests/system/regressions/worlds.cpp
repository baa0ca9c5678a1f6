#include "tests/system/regressions/worlds.hpp"

#include <utility>

namespace davit::test {

WorldOptions only(std::vector<std::string> controllers) {
  WorldOptions out{.host = {}};
  out.host.controllers = std::move(controllers);
  return out;
}

WorldOptions without_replica_sets() { return only({"deployment-controller"}); }

Record::Objects live_pods(const World& world, const std::string& app) {
  Record::Objects out = world.record().pods();
  std::erase_if(out, [&app](const auto& each) {
    const Json& metadata = each.second.get("metadata");
    return metadata.contains("deletionTimestamp") || metadata.get("labels").text_at({"app"}) != app;
  });
  return out;
}

}  // namespace davit::test
