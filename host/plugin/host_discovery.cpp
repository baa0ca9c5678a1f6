/// "davit.discovery/1".
#include <forward_list>
#include <memory>
#include <utility>
#include <vector>

#include "host/plugin/host_tables.hpp"

namespace davit::host {
namespace {

constexpr unsigned kAskCall = kInitCall | kSyncCall;

/// Resources in the form of abi.h, with what they point to.
class LentCatalog {
 public:
  /// Keeps `catalog`, whose texts it lends.
  explicit LentCatalog(std::shared_ptr<const ApiCatalog> catalog) : catalog_(std::move(catalog)) {
    for (const ApiCatalog::Group& group : catalog_->groups) {
      for (const ApiCatalog::Version& version : group.versions) add(group, version);
    }
  }
  /// One resource, which it keeps.
  LentCatalog(ResourceInfo resource, bool is_preferred) : single_(std::move(resource)) {
    add(single_, is_preferred);
  }
  LentCatalog(const LentCatalog&) = delete;
  LentCatalog& operator=(const LentCatalog&) = delete;

  [[nodiscard]] const davit_served_resource& front() const { return resources_.front(); }
  [[nodiscard]] davit_catalog all() const {
    davit_catalog out{};
    out.resource_size = sizeof(davit_served_resource);
    out.resources = resources_.data();
    out.resource_count = resources_.size();
    out.unknown_size = sizeof(davit_unknown_version);
    out.unknown = unknown_.data();
    out.unknown_count = unknown_.size();
    out.fetched_ns = catalog_->fetched.time_since_epoch().count();
    return out;
  }

 private:
  void add(const ApiCatalog::Group& group, const ApiCatalog::Version& version) {
    if (!version.error.ok()) {
      davit_unknown_version unknown{};
      unknown.size = sizeof(unknown);
      unknown.group = lend_view(group.name);
      unknown.version = lend_view(version.version);
      unknown.message = lend_view(version.error.message());
      unknown_.push_back(unknown);
    }
    const bool is_preferred = &version == &group.versions.front();
    for (const ResourceInfo& resource : version.resources) add(resource, is_preferred);
  }

  void add(const ResourceInfo& from, bool is_preferred) {
    davit_served_resource to{};
    to.size = sizeof(to);
    to.scope = from.scope == Scope::kNamespaced ? DAVIT_SCOPE_NAMESPACED : DAVIT_SCOPE_CLUSTER;
    to.group = lend_view(from.group);
    to.version = lend_view(from.version);
    to.resource = lend_view(from.resource);
    to.kind = lend_view(from.kind);
    to.singular = lend_view(from.singular);
    to.verbs = lend(from.verbs);
    to.verb_count = from.verbs.size();
    to.subresources = lend(from.subresources);
    to.subresource_count = from.subresources.size();
    to.is_preferred = is_preferred ? 1 : 0;
    resources_.push_back(to);
  }

  const davit_str* lend(const std::vector<std::string>& texts) {
    std::vector<davit_str>& views = texts_.emplace_front();
    for (const std::string& each : texts) views.push_back(lend_view(each));
    return views.data();
  }

  std::shared_ptr<const ApiCatalog> catalog_;
  ResourceInfo single_;
  std::vector<davit_served_resource> resources_;
  std::vector<davit_unknown_version> unknown_;
  std::forward_list<std::vector<davit_str>> texts_;  // Node based: what was lent does not move.
};

bool is_preferred(const ApiCatalog& catalog, const ResourceInfo& resource) {
  const ApiCatalog::Group* const group = catalog.group(resource.group);
  return group != nullptr && !group->versions.empty() &&
         group->versions.front().version == resource.version;
}

/// Runs `search(discovery, stop)` and lends the resource that it finds.
template <typename Search>
davit_code find_resource(CallFrame& frame, davit_served_resource* out, Search search) {
  if (out == nullptr) return DAVIT_MISUSE;
  put(davit_served_resource{}, out);
  Discovery& discovery = frame.controller().services.discovery;
  Result<ResourceInfo> found = search(discovery, frame.stop());
  if (!found) return frame.fail(found.error());
  const auto catalog = discovery.catalog(frame.stop());
  const bool preferred = catalog && is_preferred(**catalog, *found);
  const auto lent = std::make_shared<const LentCatalog>(*std::move(found), preferred);
  put(lent->front(), out);
  frame.keep(lent);
  return DAVIT_OK;
}

davit_code discovery_find(CallFrame& frame, davit_str group, davit_str version, davit_str resource,
                          davit_served_resource* out) {
  return find_resource(frame, out, [&](Discovery& discovery, const std::stop_token& stop) {
    return discovery.find(view(group), view(version), view(resource), stop);
  });
}

davit_code discovery_find_kind(CallFrame& frame, davit_str group, davit_str version, davit_str kind,
                               davit_served_resource* out) {
  return find_resource(frame, out, [&](Discovery& discovery, const std::stop_token& stop) {
    return discovery.find_kind(view(group), view(version), view(kind), stop);
  });
}

/// Lends the catalog that `ask(discovery, stop)` gives.
template <typename Ask>
davit_code lend_catalog(CallFrame& frame, davit_catalog* out, Ask ask) {
  if (out == nullptr) return DAVIT_MISUSE;
  put(davit_catalog{}, out);
  const Result<std::shared_ptr<const ApiCatalog>> known =
      ask(frame.controller().services.discovery, frame.stop());
  if (!known) return frame.fail(known.error());
  const auto lent = std::make_shared<const LentCatalog>(*known);
  put(lent->all(), out);
  frame.keep(lent);
  return DAVIT_OK;
}

davit_code discovery_catalog(CallFrame& frame, davit_catalog* out) {
  return lend_catalog(frame, out, [](Discovery& discovery, const std::stop_token& stop) {
    return discovery.catalog(stop);
  });
}

davit_code discovery_fetch(CallFrame& frame, davit_catalog* out) {
  return lend_catalog(frame, out, [](Discovery& discovery, const std::stop_token& stop) {
    return discovery.fetch(stop);
  });
}

davit_code discovery_wake(CallFrame& frame, davit_handle queue, davit_str key) {
  const Status status = frame.controller().work.wake_on_discovery(queue, view(key));
  return status.ok() ? DAVIT_OK : frame.fail(status);
}

davit_code discovery_refresh(CallFrame& frame) {
  frame.controller().services.discovery.request_refresh();
  return DAVIT_OK;
}

}  // namespace

const void* host_table(Capability<davit_discovery_v1>) {
  static constexpr davit_discovery_v1 kTable = table_of<davit_discovery_v1>(
      host_function<discovery_find, kAskCall>, host_function<discovery_find_kind, kAskCall>,
      host_function<discovery_catalog, kAskCall>, host_function<discovery_wake, kAnyCall>,
      host_function<discovery_refresh, kAnyCall>, host_function<discovery_fetch, kAskCall>);
  return &kTable;
}

}  // namespace davit::host
