#include "host/api/discovery.hpp"

#include <algorithm>
#include <davit/mutant.hpp>
#include <utility>

#include "host/api/discovery_document.hpp"

namespace davit::host {
namespace {

constexpr std::string_view kAccept =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";
constexpr Duration kTimeout = std::chrono::seconds(32);
constexpr int kNotFound = 404;

ApiRequest get(std::string path, std::string_view accept) {
  ApiRequest request;
  request.raw_path = std::move(path);
  request.accept = accept;
  request.timeout = kTimeout;
  return request;
}

/// One fetch of everything.
class Fetch {
 public:
  Fetch(RestClient& client, const std::stop_token& stop) : client_(client), stop_(stop) {}

  Result<ApiCatalog> run() {
    const Time began = client_.clock().now();
    Result<ApiCatalog> catalog = read();
    if (catalog) catalog->fetched = began;
    return catalog;
  }

 private:
  Result<ApiCatalog> read() {
    const ApiRequest roots[] = {get("/api", kAccept), get("/apis", kAccept)};
    const std::vector<ApiResponse> responses = client_.batch(roots, stop_);
    const bool has_core = responses[0].http_status != kNotFound;
    if (has_core && !responses[0].status.ok()) return responses[0].status;
    if (!responses[1].status.ok()) return responses[1].status;
    const bool is_core_aggregated = has_core && is_aggregated(responses[0].content_type);
    const bool are_groups_aggregated = is_aggregated(responses[1].content_type);
    if (are_groups_aggregated && (is_core_aggregated || !has_core)) {
      return from_aggregated(responses, has_core);
    }
    if (!are_groups_aggregated && !is_core_aggregated) return one_by_one(responses);
    const ApiRequest plain[] = {get("/api", "application/json"), get("/apis", "application/json")};
    return one_by_one(client_.batch(plain, stop_));
  }

  static Result<ApiCatalog> from_aggregated(const std::vector<ApiResponse>& responses,
                                            bool has_core) {
    ApiCatalog catalog;
    for (std::size_t i = has_core ? 0 : 1; i < responses.size(); ++i) {
      Result<std::vector<ApiCatalog::Group>> groups = read_aggregated(responses[i].body);
      if (!groups) return groups.error();
      for (ApiCatalog::Group& group : *groups) catalog.groups.push_back(std::move(group));
    }
    return catalog;
  }

  // Servers before 1.26: `responses` name all groups; each version of each has a document.
  Result<ApiCatalog> one_by_one(const std::vector<ApiResponse>& responses) {
    ApiCatalog catalog;
    if (responses[0].http_status != kNotFound) {
      if (!responses[0].status.ok()) return responses[0].status;
      Result<ApiCatalog::Group> core = read_core_versions(responses[0].body);
      if (!core) return core.error();
      catalog.groups.push_back(*std::move(core));
    }
    if (!responses[1].status.ok()) return responses[1].status;
    Result<std::vector<ApiCatalog::Group>> groups = read_groups(responses[1].body);
    if (!groups) return groups.error();
    for (ApiCatalog::Group& group : *groups) catalog.groups.push_back(std::move(group));
    fill(catalog);
    return catalog;
  }

  void fill(ApiCatalog& catalog) {
    std::vector<ApiRequest> requests;
    for (const ApiCatalog::Group& group : catalog.groups) {
      for (const ApiCatalog::Version& version : group.versions) {
        const std::string prefix = group.name.empty() ? "/api/" : "/apis/" + group.name + "/";
        requests.push_back(get(prefix + version.version, "application/json"));
      }
    }
    const std::vector<ApiResponse> responses = client_.batch(requests, stop_);
    std::size_t next = 0;
    for (ApiCatalog::Group& group : catalog.groups) {
      for (ApiCatalog::Version& version : group.versions) {
        const ApiResponse& response = responses[next++];
        version.error = response.status;
        if (!response.status.ok()) continue;
        Result<std::vector<ResourceInfo>> resources =
            read_resources(response.body, group.name, version.version);
        if (resources) {
          version.resources = *std::move(resources);
        } else {
          version.error = resources.error();
        }
      }
    }
  }

  RestClient& client_;
  const std::stop_token& stop_;
};

bool has_failures(const ApiCatalog& catalog) {
  for (const ApiCatalog::Group& group : catalog.groups) {
    for (const ApiCatalog::Version& version : group.versions) {
      if (!version.error.ok()) return true;
    }
  }
  return false;
}

/// Keeps the known core group where the answer lacks one. A server never loses it, and believing
/// such an answer would take every pod and every namespace for gone.
void keep_core(const ApiCatalog& known, ApiCatalog& fetched) {
  const ApiCatalog::Group* const core = known.group("");
  if (core == nullptr || fetched.group("") != nullptr || mutant("core-group")) return;
  ApiCatalog::Group unknown;
  for (const ApiCatalog::Version& each : core->versions) {
    unknown.versions.push_back(
        {each.version,
         Status(Code::kUnavailable, "the server has no /api, which it had before"),
         {}});
  }
  fetched.groups.insert(fetched.groups.begin(), std::move(unknown));
}

/// A lookup by any property of a resource.
template <typename Matches>
Result<ResourceInfo> search(const ApiCatalog& catalog, std::string_view group,
                            std::string_view version, const std::string& wanted,
                            const Matches& matches) {
  const auto missing = [&] { return Status(Code::kNotFound, "the server has no " + wanted); };
  const ApiCatalog::Group* const found = catalog.group(group);
  if (found == nullptr) return missing();
  const Status* failed = nullptr;
  for (const ApiCatalog::Version& each : found->versions) {
    if (!version.empty() && each.version != version) continue;
    if (!each.error.ok()) failed = &each.error;
    for (const ResourceInfo& resource : each.resources) {
      if (matches(resource)) return resource;
    }
  }
  if (failed == nullptr) return missing();
  return Status(Code::kUnavailable,
                "discovery of " + wanted + " failed on the server: " + failed->message());
}

std::string name_of(std::string_view what, std::string_view name, std::string_view group,
                    std::string_view version) {
  std::string out(what);
  out.append(" \"").append(name).append("\" in ");
  out.append(group.empty() ? "core" : group);
  if (!version.empty()) out.append("/").append(version);
  return out;
}

bool contains(const std::vector<std::string>& list, std::string_view wanted) {
  return std::find(list.begin(), list.end(), wanted) != list.end();
}

}  // namespace

bool ResourceInfo::has_verb(std::string_view verb) const { return contains(verbs, verb); }

bool ResourceInfo::has_subresource(std::string_view subresource) const {
  return contains(subresources, subresource);
}

const ApiCatalog::Group* ApiCatalog::group(std::string_view name) const {
  for (const Group& each : groups) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

Discovery::Discovery(RestClient& client) : client_(client) {}

Status Discovery::refresh(std::stop_token stop) { return fetch(std::move(stop)).error(); }

Result<std::shared_ptr<const ApiCatalog>> Discovery::fetch(std::stop_token stop) {
  std::uint64_t next = 0;
  {
    MutexLock lock(mutex_);
    next = begun_ + 1;
  }
  return share(next, stop);
}

Discovery::Fetched Discovery::share(std::uint64_t first, const std::stop_token& stop) {
  const std::stop_callback on_stop(stop, [this] {
    MutexLock lock(mutex_);
    landed_.notify_all();
  });
  std::uint64_t number = 0;
  {
    MutexLock lock(mutex_);
    while (is_flying_ && !stop.stop_requested() && !mutant("single-flight")) {
      ++waiting_;
      landed_.wait(mutex_);
      --waiting_;
      // A caller that was stopped has cancelled its own fetch only: another one asks again.
      const bool is_cancelled = outcome_.error().code() == Code::kCancelled;
      if (landed_ever_ >= first && !is_cancelled) return outcome_;
    }
    if (stop.stop_requested()) return Status(Code::kCancelled, "discovery was interrupted");
    is_flying_ = true;
    number = ++begun_;
  }
  const Fetched fetched = fetch_now(stop);
  land(number, fetched);
  return fetched;
}

Discovery::Fetched Discovery::fetch_now(const std::stop_token& stop) {
  std::shared_ptr<const ApiCatalog> known;
  {
    MutexLock lock(mutex_);
    known = catalog_;
  }
  const auto attempt = [&] {
    Result<ApiCatalog> fetched = Fetch(client_, stop).run();
    if (fetched && known != nullptr) keep_core(*known, *fetched);
    return fetched;
  };
  Result<ApiCatalog> fetched = attempt();
  // A group may be down for a moment: upstream, too, tries a partial failure once more.
  if (fetched && has_failures(*fetched)) {
    if (Result<ApiCatalog> again = attempt()) fetched = std::move(again);
  }
  if (!fetched) return fetched.error().with_context("discovery");
  return std::make_shared<const ApiCatalog>(*std::move(fetched));
}

void Discovery::land(std::uint64_t number, const Fetched& fetched) {
  MutexLock lock(mutex_);
  is_flying_ = false;
  landed_ever_ = number;
  outcome_ = fetched;
  landed_.notify_all();
  failure_ = fetched.error();
  if (!fetched) return;
  const bool is_changed = catalog_ == nullptr || !(*catalog_ == **fetched);
  catalog_ = *fetched;
  stale_ = number < trusted_;
  is_doubted_ = false;
  if (!is_changed) return;
  for (DiscoveryListener* listener : listeners_) listener->discovery_changed();
}

void Discovery::add_listener(DiscoveryListener& listener) {
  MutexLock lock(mutex_);
  listeners_.push_back(&listener);
}

void Discovery::remove_listener(DiscoveryListener& listener) {
  MutexLock lock(mutex_);
  std::erase(listeners_, &listener);
}

bool Discovery::has_listeners() const {
  MutexLock lock(mutex_);
  return !listeners_.empty();
}

std::size_t Discovery::waiting() const {
  MutexLock lock(mutex_);
  return waiting_;
}

void Discovery::request_refresh() {
  MutexLock lock(mutex_);
  is_refresh_wanted_ = true;
  requested_.notify_all();
}

bool Discovery::take_request() {
  MutexLock lock(mutex_);
  return std::exchange(is_refresh_wanted_, false);
}

void Discovery::await_request(Clock& clock, Time earliest, Time until,
                              const std::stop_token& stop) {
  const std::stop_callback on_stop(stop, [this] {
    MutexLock lock(mutex_);
    requested_.notify_all();
  });
  MutexLock lock(mutex_);
  while (!stop.stop_requested()) {
    const Time end = is_refresh_wanted_ ? std::min(earliest, until) : until;
    if (clock.now() >= end) return;
    clock.wait_until(requested_, mutex_, end);
  }
}

void Discovery::reset() {
  MutexLock lock(mutex_);
  stale_ = true;
  trusted_ = begun_ + 1;
}

Result<std::shared_ptr<const ApiCatalog>> Discovery::catalog(std::stop_token stop) {
  std::uint64_t wanted = 0;
  {
    MutexLock lock(mutex_);
    if (catalog_ != nullptr && !stale_) return catalog_;
    wanted = is_flying_ && begun_ >= trusted_ ? begun_ : begun_ + 1;
  }
  const Fetched fetched = share(wanted, stop);
  if (fetched) return fetched;
  MutexLock lock(mutex_);
  if (catalog_ != nullptr) return catalog_;
  if (fetched.error().code() == Code::kCancelled) return fetched;
  return Status(Code::kUnavailable, fetched.error().message());
}

Discovery::Known Discovery::known() const {
  MutexLock lock(mutex_);
  return {catalog_, catalog_ != nullptr && is_doubted_};
}

void Discovery::doubt() {
  MutexLock lock(mutex_);
  is_doubted_ = true;
}

Result<ResourceInfo> Discovery::find(std::string_view group, std::string_view version,
                                     std::string_view resource, std::stop_token stop) {
  const Result<std::shared_ptr<const ApiCatalog>> known = catalog(stop);
  if (!known) return known.error();
  return trusted(
      search(**known, group, version, name_of("resource", resource, group, version),
             [resource](const ResourceInfo& each) { return each.resource == resource; }));
}

Result<ResourceInfo> Discovery::find_kind(std::string_view group, std::string_view version,
                                          std::string_view kind, std::stop_token stop) {
  const Result<std::shared_ptr<const ApiCatalog>> known = catalog(stop);
  if (!known) return known.error();
  return trusted(search(**known, group, version, name_of("kind", kind, group, version),
                        [kind](const ResourceInfo& each) { return each.kind == kind; }));
}

std::shared_ptr<const ApiCatalog> known_catalog(Discovery& discovery, std::stop_token stop) {
  const Discovery::Known known = discovery.known();
  if (!known.is_doubted) return known.catalog;
  static_cast<void>(discovery.refresh(std::move(stop)));
  return discovery.known().catalog;
}

// An old catalog may say what there is, but not what there is not.
Result<ResourceInfo> Discovery::trusted(Result<ResourceInfo> found) {
  MutexLock lock(mutex_);
  if (found.error().code() != Code::kNotFound || !stale_) return found;
  std::string text = found.error().message() + " according to the last discovery, ";
  text += failure_.ok() ? "which is out of date"
                        : "which can no longer be repeated: " + failure_.message();
  return Status(Code::kUnavailable, std::move(text));
}

}  // namespace davit::host
