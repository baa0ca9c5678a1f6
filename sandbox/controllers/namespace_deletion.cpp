#include "sandbox/controllers/namespace_deletion.hpp"

#include <algorithm>
#include <davit/kube/time.hpp>

#include "sandbox/controllers/object_meta.hpp"

namespace davit::sandbox {

namespace {

using Outcome = ApiWriter::Outcome;

constexpr std::string_view kKubernetesFinalizer = "kubernetes";

bool is_namespaces(const Collection& collection) {
  return collection.group.empty() && collection.resource == "namespaces";
}

bool supports(const Resource& resource, std::string_view verb) {
  return std::find(resource.verbs.begin(), resource.verbs.end(), verb) != resource.verbs.end();
}

Json background_options() {
  return Json::object(
      {{"kind", "DeleteOptions"}, {"apiVersion", "v1"}, {"propagationPolicy", "Background"}});
}

}  // namespace

void NamespaceDeletion::on_relist(const Collection& collection) {
  if (is_namespaces(collection)) {
    terminating_.clear();
    queue_.clear();
  }
  queue_ = terminating_;
}

void NamespaceDeletion::observe(const Collection& collection, const Change& change) {
  const Version& object = *change.object;
  if (!is_namespaces(collection)) {
    if (terminating_.contains(object.ns)) queue_.insert(object.ns);
    return;
  }
  if (change.type != ChangeType::kDeleted && object_meta(object).deleting) {
    terminating_.insert(object.name);
    queue_.insert(object.name);
  } else {
    terminating_.erase(object.name);
    queue_.erase(object.name);
  }
}

Time NamespaceDeletion::act(Time now) {
  writer_.begin_round(now);
  for (auto each = retries_.begin(); each != retries_.end();) {
    const bool due = each->second <= now;
    if (due && terminating_.contains(each->first)) queue_.insert(each->first);
    each = due ? retries_.erase(each) : std::next(each);
  }
  for (const std::string& name : std::exchange(queue_, {})) {
    if (!sync(name)) retries_[name] = now + writer_.retry_after();
  }
  Time next = writer_.next_round();
  for (const auto& [name, due] : retries_) next = std::min(next, due);
  return next;
}

std::vector<ResourcePtr> NamespaceDeletion::namespaced() const {
  std::vector<ResourcePtr> out;
  std::set<Collection> seen;
  const std::shared_ptr<const ResourceSet> served = parts_.resources();
  for (const ResourcePtr& each : served->all()) {
    if (each->namespaced && seen.insert(each->collection).second) out.push_back(each);
  }
  return out;
}

bool NamespaceDeletion::sync(const std::string& name) {
  const ResourcePtr resource = parts_.resources()->find("", "v1", "namespaces");
  if (resource == nullptr) return true;
  const VersionPtr ns = parts_.store.get(resource->collection, "", name);
  if (ns == nullptr || !object_meta(*ns).deleting) return true;
  const ResourcePtr pods = parts_.resources()->find("", "v1", "pods");
  if (pods != nullptr && empty(*ns, *pods) &&
      !parts_.store.list(pods->collection, name).objects.empty()) {
    // The conditions do not name pods that are still to go, as upstream's do not.
    return report(*resource, *ns, {});
  }
  const bool asked = empty(*ns);
  const std::vector<NamespaceContent> content = content_of(name);
  if (!report(*resource, *ns, content)) return false;
  // With something left, its going brings the namespace back here.
  return asked && (!content.empty() || finalize(*resource, name));
}

bool NamespaceDeletion::empty(const Version& ns) {
  bool all = true;
  for (const ResourcePtr& resource : namespaced()) all = empty(ns, *resource) && all;
  return all;
}

bool NamespaceDeletion::empty(const Version& ns, const Resource& resource) {
  const std::string& name = ns.name;
  std::vector<VersionPtr> left = parts_.store.list(resource.collection, name).objects;
  std::erase_if(left, [](const VersionPtr& each) { return object_meta(*each).deleting; });
  if (left.empty()) return true;
  if (supports(resource, "deletecollection")) {
    return is_done(writer_.remove(collection_path(resource, name), background_options(), ns.uid));
  }
  bool all = true;
  for (const VersionPtr& each : left) {
    all = is_done(writer_.remove(object_path(resource, name, each->name), background_options(),
                                 each->uid)) &&
          all;
  }
  return all;
}

std::vector<NamespaceContent> NamespaceDeletion::content_of(const std::string& name) const {
  std::vector<NamespaceContent> out;
  for (const ResourcePtr& resource : namespaced()) {
    const Snapshot left = parts_.store.list(resource->collection, name);
    if (left.objects.empty()) continue;
    NamespaceContent content{resource->group, resource->name, left.objects.size(), {}};
    for (const VersionPtr& each : left.objects) {
      for (const std::string& finalizer : object_meta(*each).finalizers) {
        ++content.finalizers[finalizer];
      }
    }
    out.push_back(std::move(content));
  }
  return out;
}

bool NamespaceDeletion::report(const Resource& resource, const Version& ns,
                               const std::vector<NamespaceContent>& content) {
  const Json object = ns.json();
  const Json& before = object.get("status").get("conditions");
  Json after = namespace_conditions(before, content, format_time(parts_.clock.wall_now()));
  if (after == before) return true;
  Json patch =
      Json::object({{"metadata", Json::object({{"resourceVersion", std::to_string(ns.revision)}})},
                    {"status", Json::object({{"conditions", std::move(after)}})}});
  return is_done(writer_.merge(object_path(resource, "", ns.name) + "/status", patch));
}

bool NamespaceDeletion::finalize(const Resource& resource, const std::string& name) {
  const VersionPtr ns = parts_.store.get(resource.collection, "", name);
  if (ns == nullptr) return true;
  Json object = ns->json();
  Json& finalizers = object["spec"]["finalizers"];
  const auto erased = std::erase_if(finalizers.make_array(), [](const Json& each) {
    return each.text() == kKubernetesFinalizer;
  });
  if (erased == 0) return true;  // Other finalizers remain.
  return is_done(writer_.update(object_path(resource, "", name) + "/finalize", object));
}

}  // namespace davit::sandbox
