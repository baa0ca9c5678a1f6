#include "sandbox/server/request_metrics.hpp"

#include <array>
#include <set>
#include <utility>

namespace davit::sandbox {

namespace {

/// The values need no escapes: all come from tables of the server.
std::string labels_text(std::initializer_list<std::pair<std::string_view, std::string_view>> all) {
  std::string out;
  for (const auto& [name, value] : all) {
    out += (out.empty() ? "" : ",") + std::string(name) + "=\"" + std::string(value) + '"';
  }
  return out;
}

/// As upstream counts them: by method, but for reads of collections. k8s: CanonicalVerb.
std::string_view verb_label(const Call& call) {
  switch (call.verb) {
    case Verb::kList:
      return "LIST";
    case Verb::kWatch:
      return "WATCH";
    case Verb::kDeleteCollection:
      return "DELETECOLLECTION";
    case Verb::kPatch:
      return call.request.header("Content-Type").starts_with("application/apply-patch") ? "APPLY"
                                                                                        : "PATCH";
    default:
      break;
  }
  constexpr std::array<std::string_view, 6> kMethods = {"GET", "HEAD",   "POST",
                                                        "PUT", "DELETE", "OPTIONS"};
  for (const std::string_view each : kMethods) {
    if (call.request.method == each) return each;
  }
  return "other";
}

std::string_view scope_label(const Call& call) {
  if (call.resource == nullptr) return "";
  if (!call.url.name.empty()) return "resource";
  return call.url.ns.empty() ? "cluster" : "namespace";
}

void add_head(std::string& out, std::string_view name, std::string_view type,
              std::string_view help) {
  out += "# HELP " + std::string(name) + ' ' + std::string(help) + "\n# TYPE " + std::string(name) +
         ' ' + std::string(type) + '\n';
}

void add_sample(std::string& out, std::string_view name, const std::string& labels,
                std::uint64_t value) {
  out += std::string(name) + '{' + labels + "} " + std::to_string(value) + '\n';
}

void add_objects(std::string& out, const RestParts& parts) {
  constexpr std::string_view kName = "apiserver_resource_objects";
  add_head(out, kName, "gauge", "[ALPHA] Number of stored objects, by resource.");
  std::set<Collection> seen;
  for (const ResourcePtr& each : parts.resources.now()->all()) {
    if (!seen.insert(each->collection).second) continue;
    const std::size_t count = parts.store.list(each->collection, "").objects.size();
    add_sample(out, kName, labels_text({{"group", each->group}, {"resource", each->name}}), count);
  }
}

void add_build(std::string& out, const ServerVersion& version) {
  constexpr std::string_view kName = "kubernetes_build_info";
  add_head(out, kName, "gauge", "[BETA] Always 1; its labels are the version of the server.");
  add_sample(out, kName,
             labels_text({{"git_version", version.git_version},
                          {"major", version.major},
                          {"minor", version.minor}}),
             1);
}

}  // namespace

RequestMetrics::Labels RequestMetrics::labels_of(const Call& call) {
  const bool known = call.resource != nullptr;
  const auto labels = [&](bool shows_resource) {
    const auto label = [&](const std::string& text) -> std::string_view {
      return shows_resource ? std::string_view(text) : std::string_view();
    };
    const bool dry = known && !call.url.query.get("dryRun").empty();
    return labels_text({{"component", "apiserver"},
                        {"dry_run", dry ? "All" : ""},
                        {"group", label(call.url.group)},
                        {"resource", known && !shows_resource ? "other" : label(call.url.resource)},
                        {"scope", scope_label(call)},
                        {"subresource", label(call.url.subresource)},
                        {"verb", verb_label(call)},
                        {"version", label(call.url.version)}});
  };
  return {labels(known), labels(false)};
}

void RequestMetrics::note(const Labels& labels, int code) {
  const std::string start = labels_text({{"code", std::to_string(code)}}) + ',';
  MutexLock lock(mutex_);
  const auto found = requests_.find(start + labels.all);
  if (found != requests_.end()) {
    ++found->second;
  } else {
    ++requests_[start + (requests_.size() < kSeriesMax ? labels.all : labels.shared)];
  }
}

std::string RequestMetrics::requests() const {
  std::string out;
  constexpr std::string_view kRequests = "apiserver_request_total";
  add_head(out, kRequests, "counter",
           "[STABLE] Number of requests, by verb, resource, scope and response code.");
  MutexLock lock(mutex_);
  for (const auto& [labels, count] : requests_) add_sample(out, kRequests, labels, count);
  return out;
}

std::string RequestMetrics::page(const RestParts& parts, const ServerVersion& version) const {
  std::string out = requests();
  add_objects(out, parts);
  add_build(out, version);
  return out;
}

}  // namespace davit::sandbox
