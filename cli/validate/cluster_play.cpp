#include "cli/validate/cluster_play.hpp"

#include <string>
#include <utility>

#include "cli/validate/sample_objects.hpp"

namespace davit::host {
namespace {

constexpr int kOrdinaryObjects = 3;  // For each resource.
/// Attempts to remove one object.
constexpr int kRemovalsMost = 100;

std::string object_name(const TrialHost::Watched& resource, std::size_t number) {
  return resource.watch.resource + "-" + std::to_string(number);
}

}  // namespace

std::vector<std::string> add_ordinary(TrialHost& host, Random& random) {
  std::vector<std::string> refused;
  (void)host.put_objects();  // The server has taken them before the first check.
  for (const TrialHost::Watched& each : host.watched()) {
    if (host.example_of(each) != nullptr) continue;
    const Status made = add_ordinary(host, each, random);
    if (made.ok() || host.schema_of(each) == nullptr) continue;
    refused.push_back(
        "the object made from the schema of " + each.watch.resource +
        " breaks it; give a valid one with --objects: " + std::string(made.message()));
  }
  return refused;
}

Status add_ordinary(TrialHost& host, const TrialHost::Watched& each, Random& random) {
  Status refused;
  for (int i = 0; i < kOrdinaryObjects; ++i) {
    const auto number = static_cast<std::size_t>(i);
    Json object = ordinary_object(host, each, each.name_of(number, object_name(each, number)));
    const Status made = host.create(each, to_text(object));
    if (made.ok()) continue;
    refused = made;
    complete_metadata(object, each, random);
    (void)host.store().create(each.collection, host.draft(each, std::move(object)));
  }
  return refused;
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

void remove_each(TrialHost& host, const TrialHost::Watched& resource) {
  for (const sandbox::VersionPtr& listed : host.store().list(resource.collection, "").objects) {
    if (host.is_own_lease(resource, listed->ns, listed->name)) continue;
    sandbox::VersionPtr at = listed;
    // A controller may write the object meanwhile, but not for ever: it runs beside this loop.
    for (int tries = 0; at != nullptr && tries < kRemovalsMost; ++tries) {
      sandbox::Draft draft{at->ns, at->name, at->json(), at->labels, at->fields};
      if (host.store().remove(resource.collection, std::move(draft), at->revision)) break;
      at = host.store().get(resource.collection, at->ns, at->name);
    }
  }
}

void remove_all(TrialHost& host) {
  for (const TrialHost::Watched& each : host.watched()) remove_each(host, each);
}

}  // namespace davit::host
