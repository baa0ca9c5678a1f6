// k8s: plugin/pkg/admission/serviceaccount.
#include <algorithm>
#include <chrono>
#include <davit/kube/safe_text.hpp>

#include "sandbox/admission/chain.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kMountPath = "/var/run/secrets/kubernetes.io/serviceaccount";
/// A little more than an hour: kubelets renew tokens early.
constexpr std::int64_t kTokenSeconds = 3607;
constexpr std::int64_t kFileMode = 0644;
constexpr std::string_view kDefaultAccount = "default";
constexpr std::string_view kVolumePrefix = "kube-api-access-";
constexpr const char* kMirrorPod = "kubernetes.io/config.mirror";
/// A controller makes the default account of a new namespace. The original looks ten times in as
/// long.
constexpr Duration kRetryFor = std::chrono::milliseconds(1500);

/// As generateName appends it.
std::string suffix(Random& random) {
  return random_safe_text(kGeneratedSuffixBytes, [&random] { return random.next(); });
}

Json token_volume(const std::string& name) {
  const Json token = Json::object({{"expirationSeconds", kTokenSeconds}, {"path", "token"}});
  const Json certificates = Json::object(
      {{"name", "kube-root-ca.crt"},
       {"items", Json::array({Json::object({{"key", "ca.crt"}, {"path", "ca.crt"}})})}});
  const Json space = Json::object(
      {{"path", "namespace"},
       {"fieldRef", Json::object({{"apiVersion", "v1"}, {"fieldPath", "metadata.namespace"}})}});
  return Json::object(
      {{"name", name},
       {"projected",
        Json::object(
            {{"sources",
              Json::array({Json::object({{"serviceAccountToken", token}}),
                           Json::object({{"configMap", certificates}}),
                           Json::object({{"downwardAPI",
                                          Json::object({{"items", Json::array({space})}})}})})},
             {"defaultMode", kFileMode}})}});
}

bool has_mount(const Json& container) {
  return std::ranges::any_of(container.get("volumeMounts").items(), [](const Json& each) {
    return each.get("mountPath").text() == kMountPath;
  });
}

/// The name of a token's volume that the pod came with; empty: none.
std::string own_volume(const Json& spec) {
  for (const Json& each : spec.get("volumes").items()) {
    if (each.get("name").text().starts_with(kVolumePrefix)) return each.get("name").text();
  }
  return "";
}

/// Gives every container without one of its own the account's token.
void mount_token(Json& spec, Random& random) {
  const std::string own = own_volume(spec);
  const std::string name = own.empty() ? std::string(kVolumePrefix) + suffix(random) : own;
  bool used = false;
  for (const char* list : {"containers", "initContainers"}) {
    Json* containers = spec.find(list);
    if (containers == nullptr) continue;
    for (Json& each : containers->make_array()) {
      if (has_mount(each)) continue;
      each["volumeMounts"].push_back(
          Json::object({{"name", name}, {"readOnly", true}, {"mountPath", kMountPath}}));
      used = true;
    }
  }
  if (used && own.empty()) spec["volumes"].push_back(token_volume(name));
}

/// The pod's word counts before the account's; without any: yes.
bool wants_token(const Json& spec, const Json& account) {
  for (const Json* each : {&spec, &account}) {
    const Json& wish = each->get("automountServiceAccountToken");
    if (wish.is_boolean()) return wish.boolean();
  }
  return true;
}

}  // namespace

ApiFailure admit_service_account(const WriteRequest& request, Json& pod,
                                 const AdmissionContext& context) {
  // A kubelet shows pods of its own, which no account belongs to.
  if (pod.at({"metadata", "annotations", kMirrorPod}) != nullptr) return std::nullopt;
  Json& spec = pod["spec"];
  if (spec.get("serviceAccountName").text().empty()) {
    spec.set("serviceAccountName", kDefaultAccount);
    spec.set("serviceAccount", kDefaultAccount);
  }
  const std::string name = spec.get("serviceAccountName").text();
  const VersionPtr found = context.objects.get({"", "serviceaccounts"}, request.ns, name);
  if (found == nullptr) {
    ApiError error = refuse(request, pod,
                            "error looking up service account " + std::string(request.ns) + '/' +
                                name + ": serviceaccount " + to_text(Json(name)) + " not found");
    if (name == kDefaultAccount) error.retry_for = kRetryFor;
    return error;
  }
  const Json account = found->json();
  if (wants_token(spec, account)) mount_token(spec, context.random);
  const Json& secrets = account.get("imagePullSecrets");
  if (spec.get("imagePullSecrets").items().empty() && !secrets.items().empty()) {
    spec.set("imagePullSecrets", secrets);
  }
  return std::nullopt;
}

}  // namespace davit::sandbox
