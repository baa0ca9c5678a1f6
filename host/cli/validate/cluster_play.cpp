#include "host/cli/validate/cluster_play.hpp"

#include <string>
#include <utility>

#include "host/cli/validate/sample_objects.hpp"

namespace davit::host {
namespace {

using sandbox::Json;

constexpr int kOrdinaryObjects = 3;  // Of each resource.

std::string object_name(const TrialHost::Watched& resource, std::size_t number) {
  return resource.watch.resource + "-" + std::to_string(number);
}

}  // namespace

sandbox::Draft draft_of(const TrialHost::Watched& resource, Json object) {
  sandbox::Draft draft;
  draft.name = object.get("metadata").text_at({"name"});
  if (resource.namespaced) draft.ns = "default";
  draft.object = std::move(object);
  return draft;
}

void add_ordinary(TrialHost& host, Random& random) {
  constexpr int kCreated = 201;
  for (const TrialHost::Watched& each : host.watched()) {
    for (int i = 0; i < kOrdinaryObjects; ++i) {
      Json object = ordinary_object(each, object_name(each, static_cast<std::size_t>(i)));
      if (host.create(each, to_text(object)) == kCreated) continue;
      complete_metadata(object, each, random);
      (void)host.store().create(each.collection, draft_of(each, std::move(object)));
    }
  }
}

void touch_all(TrialHost& host, int number) {
  for (const TrialHost::Watched& each : host.watched()) {
    for (const sandbox::VersionPtr& version : host.store().list(each.collection, "").objects) {
      Json object = version->json();
      object["metadata"]["annotations"].set("touched", std::to_string(number));
      sandbox::Draft draft{version->ns, version->name, std::move(object), version->labels,
                           version->fields};
      (void)host.store().update(each.collection, std::move(draft), version->revision);
    }
  }
}

void remove_all(TrialHost& host) {
  for (const TrialHost::Watched& each : host.watched()) {
    for (const sandbox::VersionPtr& version : host.store().list(each.collection, "").objects) {
      sandbox::Draft draft{version->ns, version->name, version->json(), version->labels,
                           version->fields};
      (void)host.store().remove(each.collection, std::move(draft), version->revision);
    }
  }
}

}  // namespace davit::host
