#include "plugins/endpoint/slice_reconciler.hpp"

#include <algorithm>
#include <utility>

#include "plugins/endpoint/slice_object.hpp"
#include "plugins/endpoint/traffic_hints.hpp"
#include "plugins/endpoint/wanted_endpoints.hpp"

namespace davit::endpoint {

namespace {

/// The trafficDistribution in force, as the metrics name it.
std::string_view distribution_of(const Service& service) {
  if (wants_zone_hints(service)) return {};
  return traffic_distribution(service) == TrafficDistribution::kNone
             ? std::string_view()
             : service.spec()["trafficDistribution"].string();
}

}  // namespace

class SliceReconciler::Failures {
 public:
  void add(const Status& status) {
    if (!status.ok()) add(status.code(), status.message());
  }
  void add(Code code, const std::string& message) {
    if (messages_.empty()) code_ = code;
    if (std::find(messages_.begin(), messages_.end(), message) == messages_.end()) {
      messages_.push_back(message);
    }
  }
  /// utilerrors.NewAggregate's text: one message is itself.
  [[nodiscard]] Status status() const {
    if (messages_.empty()) return {};
    if (messages_.size() == 1) return Status(code_, messages_.front());
    std::string all = "[";
    for (const std::string& each : messages_) all += (all.size() == 1 ? "" : ", ") + each;
    return Status(code_, all + "]");
  }

 private:
  Code code_ = Code::kOk;
  std::vector<std::string> messages_;
};

Status SliceReconciler::run(const Work& work) {
  Failures failures;
  const std::vector<IpFamily> types = address_types(work.service);
  std::vector<EndpointSlice> unsupported;
  for (const EndpointSlice& each : work.slices) {
    const std::optional<IpFamily> type = ip::family_of(each.address_type());
    if (type && std::find(types.begin(), types.end(), *type) != types.end()) continue;
    if (type) shared_.zones.forget(work.service.key(), *type);
    unsupported.push_back(each);
  }
  for (const IpFamily type : types) run_type(work, type, failures);
  for (const EndpointSlice& each : unsupported) {
    const Status removed = remove(each, work.service);
    failures.add(removed.with_context("error deleting " + std::string(each.name()) +
                                      " EndpointSlice for Service " + work.service.key().text()));
  }
  return failures.status();
}

void SliceReconciler::run_type(const Work& work, IpFamily type, Failures& failures) {
  const Service& service = work.service;
  std::vector<EndpointSlice> listed;
  for (const EndpointSlice& each : work.slices) {
    if (each.address_type() == ip::family_name(type)) listed.push_back(each);
  }
  WantedEndpoints wanted =
      wanted_endpoints(service, work.pods, type,
                       [this](std::string_view name) { return shared_.nodes.get({}, name); });
  for (const std::string& each : wanted.errors) failures.add(Code::kNotFound, each);
  SlicePlan plan = plan_slices(service, listed, std::move(wanted.groups), endpoints_max_);
  const std::vector<Announcement> announcements = hint(service, type, plan);
  shared_.metrics.planned(service.key(), plan, listed.size(), distribution_of(service));
  reuse_names(plan, service);
  const Result<Written> written = write(work, type, plan);
  if (!written) failures.add(written.error());
  if (written && *written == Written::kAll) {
    shared_.metrics.done(plan, wants_zone_hints(service) ? "Auto" : "Disabled",
                         distribution_of(service));
  }
  for (const Announcement& each : announcements) {
    cluster_.events().record(Service::kResource, service, each.type, each.reason, each.message);
  }
}

std::vector<SliceReconciler::Announcement> SliceReconciler::hint(const Service& service,
                                                                 IpFamily type, SlicePlan& plan) {
  const Key key = service.key();
  const std::string suffix = ", addressType: " + std::string(ip::family_name(type));
  std::vector<Announcement> out;
  const auto disabled = [&](const std::string& why) {
    out.push_back({"Warning", "TopologyAwareHintsDisabled", why + suffix});
  };
  if (!wants_zone_hints(service)) {
    if (shared_.zones.has_hints(key)) disabled("Topology Aware Hints has been disabled");
    shared_.zones.forget(key, type);
    hint_traffic(plan, traffic_distribution(service));
    return out;
  }
  ZoneHints hints = hint_zones(plan, shared_.zones.ratios());
  if (!hints.allocated) {
    shared_.zones.forget(key, type);
    disabled(hints.refusal);
  } else if (shared_.zones.remember(key, type, std::move(*hints.allocated)) ==
             ZoneMemory::Seen::kFirst) {
    out.push_back(
        {"Normal", "TopologyAwareHintsEnabled", "Topology Aware Hints has been enabled" + suffix});
  }
  return out;
}

Result<SliceReconciler::Written> SliceReconciler::write(const Work& work, IpFamily type,
                                                        const SlicePlan& plan) {
  const Service& service = work.service;
  const Key key = service.key();
  const std::string of = " EndpointSlice for Service " + key.text();
  // A Service that is being deleted gets no new slices: the collector would have to chase them.
  const bool creates = !service.is_being_deleted();
  for (const PlannedSlice& each : plan.create) {
    if (!creates) break;
    const Status created =
        send(Request::create<EndpointSlice>(key.ns, slice_body(each, service, type, work.trigger),
                                            {.answer = Answer::kMetadata}),
             key);
    if (created.has_cause("NamespaceTerminating")) return Written::kNamespaceEnds;
    if (!created.ok()) return created.with_context("failed to create" + of);
    shared_.metrics.wrote("create");
  }
  for (const PlannedSlice& each : plan.update) {
    const std::string name = each.stored ? std::string(each.stored->name()) : each.name;
    const Status updated = send(Request::update<EndpointSlice>(
                                    {key.ns, name}, slice_body(each, service, type, work.trigger),
                                    {.answer = Answer::kMetadata}),
                                key);
    if (!updated.ok()) return updated.with_context("failed to update " + name + of);
    shared_.metrics.wrote("update");
  }
  for (const EndpointSlice& each : plan.remove) {
    const Status removed = remove(each, service);
    if (!removed.ok()) {
      return removed.with_context("failed to delete " + std::string(each.name()) + of);
    }
  }
  return Written::kAll;
}

Status SliceReconciler::send(const Request& request, const Key& service) {
  const Time began = cluster_.now();
  const Result<Value> response = cluster_.client().call(request);
  if (!response) return response.error();
  shared_.window.wrote(service, began, cluster_.now() - began);
  const EndpointSlice written(*response);
  shared_.generations.wrote(service, written.uid(), written.generation());
  return {};
}

Status SliceReconciler::remove(const EndpointSlice& slice, const Service& service) {
  Status removed = cluster_.client().remove<EndpointSlice>(slice.key());
  if (removed.ok()) {
    shared_.generations.removed(service.key(), slice.uid());
    shared_.metrics.wrote("delete");
    shared_.window.wrote(service.key(), cluster_.now());
  }
  return removed;
}

}  // namespace davit::endpoint
