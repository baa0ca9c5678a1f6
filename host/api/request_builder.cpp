#include "host/api/request_builder.hpp"

#include <algorithm>
#include <davit/mutant.hpp>
#include <davit/percent_code.hpp>
#include <optional>
#include <utility>

#include "host/config/names.hpp"
#include "lib/base/header_value.hpp"
#include "lib/base/json_text.hpp"
#include "lib/base/lower_case.hpp"
#include "lib/base/take_until.hpp"

namespace davit::host {
namespace {

/// The parameters that decide what a request does. build_request() alone writes them.
constexpr std::string_view kHostParameters[] = {"dryRun", "timeout", "watch"};

/// kube-apiserver reads at most 1 MiB of a request's head (net/http.DefaultMaxHeaderBytes).
constexpr std::size_t kTargetBytesMax = std::size_t{1} << 20;

// k8s.io/apimachinery/pkg/api/validation/path: what a URL would not carry unharmed.
Status check_segment(std::string_view what, std::string_view value) {
  const auto bad = [&](std::string_view why) {
    return Status(Code::kMisuse, "invalid " + std::string(what) + " \"" + std::string(value) +
                                     "\": " + std::string(why));
  };
  if (value == "." || value == "..") return bad("may not be '.' or '..'");
  if (value.find('/') != value.npos) return bad("may not contain '/'");
  if (value.find('%') != value.npos) return bad("may not contain '%'");
  if (!is_header_value(value)) return bad("may not contain control characters");
  return {};
}

Status check_raw(const ApiRequest& request) {
  if (request.verb != Verb::kGet || request.raw_path.front() != '/') {
    return {Code::kMisuse, "a raw path must begin with '/' and can only be read"};
  }
  const bool plain = std::all_of(request.raw_path.begin(), request.raw_path.end(), [](char c) {
    return c > ' ' && c <= '~' && c != '?' && c != '#';
  });
  if (plain) return {};
  return {Code::kMisuse, "a raw path must not contain blanks, control characters, '?' or '#'"};
}

void add_parameter(std::string& query, std::string_view name, std::string_view value) {
  if (!query.empty()) query += '&';
  query += percent_escaped(name, "-._~") + "=" + percent_escaped(value, "-._~");
}

/// The caller's parameters, taken apart and encoded again: what they hold can neither end the query
/// ("#") nor pass for a parameter of the host's.
Result<std::string> own_parameters(std::string_view form) {
  std::string out;
  while (!form.empty()) {
    std::string_view rest = take_until(form, "&");
    if (rest.empty()) continue;
    const std::optional<std::string> name = percent_unescaped(take_until(rest, "="), Plus::kBlank);
    const std::optional<std::string> value = percent_unescaped(rest, Plus::kBlank);
    if (!name || !value) {
      return Status(Code::kMisuse, "the query has a '%' without two hexadecimal digits after it");
    }
    if (std::find(std::begin(kHostParameters), std::end(kHostParameters), *name) !=
        std::end(kHostParameters)) {
      return Status(Code::kMisuse, "the query parameter \"" + *name +
                                       "\" belongs to the host: leave it out of the query");
    }
    add_parameter(out, *name, *value);
  }
  return out;
}

std::string path_of(const ResourcePath& path) {
  std::string out = path.group.empty() ? "/api/" : "/apis/" + escape_path_segment(path.group) + "/";
  out += escape_path_segment(path.version);
  if (!path.ns.empty()) out += "/namespaces/" + escape_path_segment(path.ns);
  out += "/" + lower_case(escape_path_segment(path.resource));
  if (!path.name.empty()) out += "/" + escape_path_segment(path.name);
  if (!path.subresource.empty()) out += "/" + escape_path_segment(path.subresource);
  return out;
}

/// `query`: the caller's parameters, encoded.
std::string query_of(const ApiRequest& request, std::string query) {
  if (request.verb == Verb::kWatch) add_parameter(query, "watch", "true");
  // A DELETE has its options in the body; the server then ignores those of the query.
  if (is_write(request.verb) && !is_delete(request.verb) && request.dry_run == DryRun::kServer) {
    add_parameter(query, "dryRun", "All");
  }
  if (request.timeout > Duration::zero() && request.server_knows_timeout &&
      request.raw_path.empty()) {
    add_parameter(query, "timeout", go_duration(request.timeout));
  }
  return query;
}

std::string delete_body(const ApiRequest& request) {
  const DeleteOptions& options = request.delete_options;
  std::string out = R"({"kind":"DeleteOptions","apiVersion":"v1")";
  if (options.grace_seconds) {
    out += ",\"gracePeriodSeconds\":" + std::to_string(*options.grace_seconds);
  }
  const std::string uid = mutant("uid-precondition") ? "" : options.uid;
  if (!uid.empty() || !options.resource_version.empty()) {
    out += ",\"preconditions\":{";
    if (!uid.empty()) out += "\"uid\":" + json_string(uid);
    if (!options.resource_version.empty()) {
      if (!uid.empty()) out += ',';
      out += "\"resourceVersion\":" + json_string(options.resource_version);
    }
    out += '}';
  }
  switch (options.propagation) {
    case Propagation::kDefault:
      break;
    case Propagation::kOrphan:
      out += R"(,"propagationPolicy":"Orphan")";
      break;
    case Propagation::kBackground:
      out += R"(,"propagationPolicy":"Background")";
      break;
    case Propagation::kForeground:
      out += R"(,"propagationPolicy":"Foreground")";
      break;
  }
  if (request.dry_run == DryRun::kServer) out += R"(,"dryRun":["All"])";
  return out + "}";
}

std::string_view content_type(const ApiRequest& request) {
  if (request.verb != Verb::kPatch) return "application/json";
  switch (request.patch_type) {
    case PatchType::kJson:
      return "application/json-patch+json";
    case PatchType::kMerge:
      return "application/merge-patch+json";
    case PatchType::kStrategic:
      return "application/strategic-merge-patch+json";
    case PatchType::kApply:
      break;
  }
  return "application/apply-patch+yaml";
}

}  // namespace

std::string escape_path_segment(std::string_view text) {
  return percent_escaped(text, "-._~!$&'()*+,;=:@");
}

std::string go_duration(Duration time) {
  const std::int64_t ms = std::chrono::round<std::chrono::milliseconds>(time).count();
  const std::int64_t hours = ms / 3'600'000;
  const std::int64_t minutes = ms / 60'000 % 60;
  std::string out;
  if (hours > 0) out += std::to_string(hours) + "h";
  if (hours > 0 || minutes > 0) out += std::to_string(minutes) + "m";
  out += std::to_string(ms / 1000 % 60);
  if (ms % 1000 != 0) {
    std::string fraction = std::to_string(1000 + ms % 1000).substr(1);
    while (fraction.back() == '0') fraction.pop_back();
    out += "." + fraction;
  }
  return out + "s";
}

std::string_view verb_name(Verb verb) {
  constexpr std::string_view kNames[] = {"get",    "list",  "watch",  "create",
                                         "update", "patch", "delete", "deletecollection"};
  return kNames[static_cast<std::size_t>(verb)];
}

bool is_write(Verb verb) {
  return verb == Verb::kCreate || verb == Verb::kUpdate || verb == Verb::kPatch || is_delete(verb);
}

bool is_delete(Verb verb) { return verb == Verb::kDelete || verb == Verb::kDeleteCollection; }

std::string_view http_method(Verb verb) {
  constexpr std::string_view kMethods[] = {"GET", "GET",   "GET",    "POST",
                                           "PUT", "PATCH", "DELETE", "DELETE"};
  return kMethods[static_cast<std::size_t>(verb)];
}

Status check_request(const ApiRequest& request) {
  if (const auto query = own_parameters(request.query); !query) return query.error();
  const ResourcePath& path = request.path;
  if (!request.raw_path.empty()) return check_raw(request);
  if (path.version.empty() || path.resource.empty()) {
    return {Code::kMisuse, "a request needs a version and a resource"};
  }
  const std::pair<std::string_view, const std::string&> segments[] = {{"group", path.group},
                                                                      {"version", path.version},
                                                                      {"namespace", path.ns},
                                                                      {"resource name", path.name}};
  for (const auto& [what, value] : segments) {
    if (Status s = check_segment(what, value); !s.ok()) return s;
  }
  const std::string resource = lower_case(path.resource);
  const bool is_of_metrics = is_metrics_group(path.group);
  if (is_of_metrics ? !is_metric_segment(resource) : !is_resource_name(resource)) {
    return {Code::kMisuse, "invalid resource \"" + path.resource + "\""};
  }
  const auto is_subresource = [&] {
    return is_of_metrics ? is_metric_segment(path.subresource)
                         : is_subresource_of(resource, path.subresource);
  };
  if (!path.subresource.empty() && !is_subresource()) {
    return {Code::kMisuse, "invalid subresource \"" + path.subresource + "\" of " + path.resource};
  }
  const bool by_name = request.verb == Verb::kGet || request.verb == Verb::kUpdate ||
                       request.verb == Verb::kPatch || request.verb == Verb::kDelete ||
                       !path.subresource.empty();
  if (by_name && path.name.empty()) return {Code::kMisuse, "resource name may not be empty"};
  if (!by_name && !path.name.empty()) {
    return {Code::kMisuse, "a list, watch, create or deletecollection takes no resource name"};
  }
  return {};
}

Result<HttpRequest> build_request(const ApiRequest& request, std::string_view user_agent) {
  if (Status s = check_request(request); !s.ok()) return s;
  constexpr std::string_view kUserAgent = "User-Agent";
  if (const std::string fault = header_fault(user_agent, kUserAgent.size()); !fault.empty()) {
    return Status(Code::kMisuse, "the user agent " + fault);
  }
  HttpRequest out;
  out.method = http_method(request.verb);
  out.target = request.raw_path.empty() ? path_of(request.path) : request.raw_path;
  const std::string query = query_of(request, *own_parameters(request.query));
  if (!query.empty()) out.target += "?" + query;
  if (out.target.size() > kTargetBytesMax) {
    return Status(Code::kMisuse, "path and query have " + std::to_string(out.target.size()) +
                                     " bytes; a server reads at most 1 MiB");
  }
  out.headers.emplace_back("Accept", request.accept);
  out.headers.emplace_back(kUserAgent, user_agent);
  if (!request.traceparent.empty()) out.headers.emplace_back("Traceparent", request.traceparent);
  if (is_write(request.verb)) {
    out.body = is_delete(request.verb) ? delete_body(request) : request.body;
    out.headers.emplace_back("Content-Type", content_type(request));
  }
  return out;
}

bool has_query_parameter(std::string_view form, std::string_view name) {
  while (!form.empty()) {
    std::string_view rest = take_until(form, "&");
    if (percent_unescaped(take_until(rest, "="), Plus::kBlank) == name) return true;
  }
  return false;
}

std::string query_parameter(std::string_view form, std::string_view name) {
  std::optional<std::string> found;
  while (!form.empty()) {
    std::string_view rest = take_until(form, "&");
    if (percent_unescaped(take_until(rest, "="), Plus::kBlank) != name) continue;
    if (found) return {};
    found = percent_unescaped(rest, Plus::kBlank);
    if (!found) return {};
  }
  return found.value_or("");
}

bool is_confidential(const ResourcePath& path) {
  return path.resource == "secrets" || path.subresource == "token" ||
         path.resource == "tokenreviews";
}

std::string describe(const ApiRequest& request) {
  if (!request.raw_path.empty()) return "get " + request.raw_path;
  std::string out = std::string(verb_name(request.verb)) + " " + request.path.resource;
  if (!request.path.group.empty()) out += "." + request.path.group;
  if (!request.path.name.empty()) out += " " + request.path.name;
  return out;
}

}  // namespace davit::host
