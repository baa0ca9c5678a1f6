#include "sandbox/admission/chain.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "sandbox/admission/quota.hpp"
#include "sandbox/admission/service_addresses.hpp"

namespace davit::sandbox {

namespace {

/// Never deleted: parts of the system live there.
constexpr std::array<std::string_view, 3> kUndeletable = {"default", "kube-system", "kube-public"};

/// Both parts of a write's reservation.
class Holds final : public Reservation {
 public:
  explicit Holds(std::vector<std::unique_ptr<Reservation>> parts) : parts_(std::move(parts)) {}

  void commit() override {
    for (const auto& each : parts_) each->commit();
  }

 private:
  std::vector<std::unique_ptr<Reservation>> parts_;
};

class Chain final : public Admission {
 public:
  Chain(const AdmissionOptions& options, std::vector<ip::Prefix> ranges,
        const ObjectLookup& objects, Random& random)
      : options_(options),
        context_{objects, random},
        addresses_(std::move(ranges), {options.node_port_min, options.node_port_max}, objects,
                   random),
        quota_(objects) {}

  void restore() override {
    for (const VersionPtr& each : context_.objects.list({"", "services"}, "")) {
      addresses_.adopt(each->json());
    }
  }

  [[nodiscard]] ApiFailure admit(const WriteRequest& request, Json& object) const override {
    if (auto failure = check_namespace(request, object, context_.objects)) return failure;
    if (is_write_of(request, "", "pods")) return admit_pod(request, object);
    if (request.subresource == "binding" && object.text_at({"target", "kind"}) == "Node") {
      add_topology_labels(object, object.text_at({"target", "name"}), context_.objects);
    }
    if (request.verb != WriteVerb::kCreate) {
      return is_write_of(request, "scheduling.k8s.io", "priorityclasses")
                 ? check_default_class(request, object, context_.objects)
                 : std::nullopt;
    }
    if (is_write_of(request, "", "nodes")) add_not_ready_taint(object);
    if (is_write_of(request, "", "persistentvolumeclaims")) {
      set_default_storage_class(object, context_.objects);
      add_finalizer(object, "kubernetes.io/pvc-protection");
    }
    if (is_write_of(request, "", "persistentvolumes")) {
      add_finalizer(object, "kubernetes.io/pv-protection");
    }
    if (is_write_of(request, "storage.k8s.io", "volumeattributesclasses")) {
      add_finalizer(object, "kubernetes.io/vac-protection");
    }
    if (is_write_of(request, "scheduling.k8s.io", "priorityclasses")) {
      return check_default_class(request, object, context_.objects);
    }
    return std::nullopt;
  }

  [[nodiscard]] Reserved reserve(const WriteRequest& request, Json& object) override {
    std::vector<std::unique_ptr<Reservation>> parts;
    QuotaCharge charge;
    if (auto failure = check_admin_access(request, object, context_.objects)) {
      return {std::move(failure), nullptr, {}};
    }
    if (request.verb == WriteVerb::kCreate && request.subresource.empty()) {
      if (auto failure = check_limits(request, object, context_.objects)) {
        return {std::move(failure), nullptr, {}};
      }
      if (auto failure = check_overhead(request, object, context_.objects)) {
        return {std::move(failure), nullptr, {}};
      }
      Reserved quota = quota_.reserve(request, object);
      if (quota.refusal) return quota;
      if (quota.reservation) parts.push_back(std::move(quota.reservation));
      charge = std::move(quota.charge);
    }
    if (request.old != nullptr && is_write_of(request, "", "persistentvolumeclaims")) {
      if (auto failure = check_growth(request, object, context_.objects)) {
        return {std::move(failure), nullptr, {}};
      }
    }
    if (is_write_of(request, "", "services")) {
      Reserved addresses =
          addresses_.reserve(request.resource, object, request.old, request.dry_run);
      if (addresses.refusal) return addresses;
      parts.push_back(std::move(addresses.reservation));
    }
    if (parts.empty()) return {};
    return {std::nullopt, std::make_unique<Holds>(std::move(parts)), std::move(charge)};
  }

  [[nodiscard]] ApiFailure admit_delete(const Resource& resource, std::string_view,
                                        std::string_view name) const override {
    if (resource.group.empty() && resource.name == "namespaces" &&
        std::ranges::find(kUndeletable, name) != kUndeletable.end()) {
      return forbidden(Subject::resource(resource, std::string(name)),
                       "this namespace may not be deleted");
    }
    return std::nullopt;
  }

  void removed(const Resource& resource, const Json& object) override {
    if (resource.group.empty() && resource.name == "services") addresses_.release(object);
  }

 private:
  /// In the order of a real server's plugins.
  [[nodiscard]] ApiFailure admit_pod(const WriteRequest& request, Json& pod) const {
    const bool create = request.verb == WriteVerb::kCreate;
    if (create) default_limits(request, pod, context_.objects);
    if (create && options_.service_accounts == AdmissionOptions::ServiceAccounts::kOn) {
      if (auto failure = admit_service_account(request, pod, context_)) return failure;
    }
    if (auto failure = admit_priority(request, pod, context_.objects)) return failure;
    add_tolerations(pod);
    if (create) add_topology_labels(pod, pod.text_at({"spec", "nodeName"}), context_.objects);
    return create ? apply_runtime_class(request, pod, context_.objects) : std::nullopt;
  }

  const AdmissionOptions options_;
  const AdmissionContext context_;
  ServiceAddresses addresses_;
  Quota quota_;
};

}  // namespace

Subject subject_of(const WriteRequest& request, const Json& object) {
  std::string name(request.name);
  if (name.empty()) name = object.text_at({"metadata", "name"});
  if (name.empty()) name = object.text_at({"metadata", "generateName"});
  return Subject::resource(request.resource, name.empty() ? "Unknown" : std::move(name));
}

ApiError refuse(const WriteRequest& request, const Json& object, std::string_view why) {
  return forbidden(subject_of(request, object), why);
}

bool is_write_of(const WriteRequest& request, std::string_view group, std::string_view name) {
  return request.subresource.empty() && request.resource.group == group &&
         request.resource.name == name;
}

ApiFailure check_namespace(const WriteRequest& request, const Json& object,
                           const ObjectLookup& objects) {
  const Resource& resource = request.resource;
  if (!resource.namespaced || resource.group == "authorization.k8s.io") return std::nullopt;
  if (request.verb != WriteVerb::kCreate) return std::nullopt;
  const VersionPtr space = objects.get({"", "namespaces"}, "", request.ns);
  const std::string ns(request.ns);
  if (space == nullptr) return not_found({"", "namespaces", ns});
  // Every create comes here: the text is only read as JSON where it holds the word at all.
  if (space->text.find("\"Terminating\"") == std::string::npos) return std::nullopt;
  if (space->json().text_at({"status", "phase"}) != "Terminating") return std::nullopt;
  return forbidden(
      subject_of(request, object),
      "unable to create new content in namespace " + ns + " because it is being terminated",
      {{"NamespaceTerminating", "metadata.namespace", "namespace " + ns + " is being terminated"}});
}

Result<std::unique_ptr<Admission>> make_admission(AdmissionOptions options,
                                                  const ObjectLookup& objects, Random& random) {
  Result<std::vector<ip::Prefix>> ranges = parse_service_ranges(options.service_range);
  if (!ranges) return ranges.error();
  if (options.node_port_min < 1 || options.node_port_max > 65'535 ||
      options.node_port_min > options.node_port_max) {
    return Status(Code::kInvalid,
                  "not a range of node ports: " + std::to_string(options.node_port_min) + '-' +
                      std::to_string(options.node_port_max));
  }
  return std::unique_ptr<Admission>(
      std::make_unique<Chain>(options, std::move(*ranges), objects, random));
}

}  // namespace davit::sandbox
