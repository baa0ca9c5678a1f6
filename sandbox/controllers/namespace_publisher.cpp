#include "sandbox/controllers/namespace_publisher.hpp"

#include <algorithm>
#include <utility>

#include "sandbox/controllers/object_meta.hpp"

namespace davit::sandbox {

namespace {

using Outcome = ApiWriter::Outcome;

constexpr const char* kAccount = "default";
constexpr const char* kRootCa = "kube-root-ca.crt";
constexpr const char* kRootCaKey = "ca.crt";
/// kubernetes:pkg/controller/certificates/rootcacertpublisher has this text.
constexpr const char* kRootCaDescription =
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal "
    "endpoints such as the internal service IP or kubernetes.default.svc. No other usage is "
    "guaranteed across distributions of Kubernetes clusters.";

bool is_core(const Collection& collection, std::string_view resource) {
  return collection.group.empty() && collection.resource == resource;
}

/// Whatever it came to, the object is there, or its namespace is not.
bool provided(Outcome outcome) { return outcome != Outcome::kFailed; }

}  // namespace

void NamespacePublisher::on_relist(const Collection&) {}

void NamespacePublisher::observe(const Collection& collection, const Change& change) {
  const Version& object = *change.object;
  if (is_core(collection, "namespaces")) {
    if (change.type == ChangeType::kAdded) queue_.insert(object.name);
  } else if (is_core(collection, "serviceaccounts")) {
    const bool gone = change.type == ChangeType::kDeleted;
    if (gone && object.name == kAccount) queue_.insert(object.ns);
  } else if (is_core(collection, "configmaps")) {
    if (object.name == kRootCa) queue_.insert(object.ns);
  }
}

Time NamespacePublisher::act(Time now) {
  writer_.begin_round(now);
  for (auto each = retries_.begin(); each != retries_.end();) {
    const bool due = each->second <= now;
    if (due) queue_.insert(each->first);
    each = due ? retries_.erase(each) : std::next(each);
  }
  for (const std::string& ns : std::exchange(queue_, {})) {
    if (!publish(ns)) retries_[ns] = now + writer_.retry_after();
  }
  Time next = writer_.next_round();
  for (const auto& [ns, due] : retries_) next = std::min(next, due);
  return next;
}

bool NamespacePublisher::publish(const std::string& ns) {
  const VersionPtr found = parts_.store.get({"", "namespaces"}, "", ns);
  if (found == nullptr || object_meta(*found).deleting) return true;
  const bool account = !defaults_.service_account || put_account(*found);
  const bool root_ca = defaults_.root_ca.empty() || put_root_ca(*found);
  return account && root_ca;
}

bool NamespacePublisher::put_account(const Version& owner) {
  const std::string& ns = owner.name;
  if (parts_.store.get({"", "serviceaccounts"}, ns, kAccount) != nullptr) return true;
  return provided(writer_.create(
      "/api/v1/namespaces/" + ns + "/serviceaccounts",
      Json::object({{"apiVersion", "v1"},
                    {"kind", "ServiceAccount"},
                    {"metadata", Json::object({{"name", kAccount}, {"namespace", ns}})}}),
      owner.uid));
}

bool NamespacePublisher::put_root_ca(const Version& owner) {
  const std::string& ns = owner.name;
  const std::string path = "/api/v1/namespaces/" + ns + "/configmaps";
  const Json data = Json::object({{kRootCaKey, defaults_.root_ca}});
  const VersionPtr found = parts_.store.get({"", "configmaps"}, ns, kRootCa);
  if (found != nullptr) {
    if (found->json().get("data") == data) return true;
    return provided(
        writer_.merge(path + '/' + kRootCa, Json::object({{"data", data}}), found->uid));
  }
  Json metadata = Json::object({{"name", kRootCa}, {"namespace", ns}});
  metadata.set("annotations", Json::object({{"kubernetes.io/description", kRootCaDescription}}));
  return provided(writer_.create(path,
                                 Json::object({{"apiVersion", "v1"},
                                               {"kind", "ConfigMap"},
                                               {"metadata", std::move(metadata)},
                                               {"data", data}}),
                                 owner.uid));
}

}  // namespace davit::sandbox
