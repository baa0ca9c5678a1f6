#include "host/api/request_builder.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "host/base/json_text.hpp"
#include "host/base/lower_case.hpp"

namespace davit::host {
namespace {

std::string escape(std::string_view text, std::string_view also_plain) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool alnum = byte < 0x80 && std::isalnum(byte) != 0;
    if (alnum || also_plain.find(c) != also_plain.npos) {
      out.push_back(c);
    } else {
      out.push_back('%');
      out.push_back(kHex[byte >> 4]);
      out.push_back(kHex[byte & 15]);
    }
  }
  return out;
}

// k8s.io/apimachinery/pkg/api/validation/path: what a URL would not carry unharmed.
Status check_segment(std::string_view what, std::string_view value) {
  const auto bad = [&](std::string_view why) {
    return Status(Code::kMisuse, "invalid " + std::string(what) + " \"" + std::string(value) +
                                     "\": " + std::string(why));
  };
  if (value == "." || value == "..") return bad("may not be '.' or '..'");
  if (value.find('/') != value.npos) return bad("may not contain '/'");
  if (value.find('%') != value.npos) return bad("may not contain '%'");
  return {};
}

Status check(const ApiRequest& request) {
  const ResourcePath& path = request.path;
  if (!request.raw_path.empty()) {
    if (request.verb == Verb::kGet && request.raw_path.front() == '/') return {};
    return {Code::kMisuse, "a raw path must begin with '/' and can only be read"};
  }
  if (path.version.empty() || path.resource.empty()) {
    return {Code::kMisuse, "a request needs a version and a resource"};
  }
  const std::pair<std::string_view, const std::string&> segments[] = {{"group", path.group},
                                                                      {"version", path.version},
                                                                      {"resource", path.resource},
                                                                      {"namespace", path.ns},
                                                                      {"resource name", path.name}};
  for (const auto& [what, value] : segments) {
    if (Status s = check_segment(what, value); !s.ok()) return s;
  }
  const bool by_name = request.verb == Verb::kGet || request.verb == Verb::kUpdate ||
                       request.verb == Verb::kPatch || request.verb == Verb::kDelete ||
                       !path.subresource.empty();
  if (by_name && path.name.empty()) return {Code::kMisuse, "resource name may not be empty"};
  if (!by_name && !path.name.empty()) {
    return {Code::kMisuse, "a list, watch or create takes no resource name"};
  }
  return {};
}

std::string path_of(const ResourcePath& path) {
  std::string out = path.group.empty() ? "/api/" : "/apis/" + escape_path_segment(path.group) + "/";
  out += escape_path_segment(path.version);
  if (!path.ns.empty()) out += "/namespaces/" + escape_path_segment(path.ns);
  out += "/" + lower_case(escape_path_segment(path.resource));
  if (!path.name.empty()) out += "/" + escape_path_segment(path.name);
  if (!path.subresource.empty()) out += "/" + escape(path.subresource, "-._~!$&'()*+,;=:@/");
  return out;
}

void add_parameter(std::string& query, std::string_view parameter) {
  if (!query.empty()) query += '&';
  query += parameter;
}

std::string query_of(const ApiRequest& request) {
  std::string query = request.query;
  if (request.verb == Verb::kWatch && ("&" + query).find("&watch=") == std::string::npos) {
    add_parameter(query, "watch=true");
  }
  // A DELETE has its options in the body; the server then ignores those of the query.
  if (is_write(request.verb) && request.verb != Verb::kDelete &&
      request.dry_run == DryRun::kServer) {
    add_parameter(query, "dryRun=All");
  }
  if (request.timeout > Duration::zero() && request.raw_path.empty()) {
    add_parameter(query, "timeout=" + go_duration(request.timeout));
  }
  return query;
}

std::string delete_body(const ApiRequest& request) {
  const DeleteOptions& options = request.delete_options;
  std::string out = R"({"kind":"DeleteOptions","apiVersion":"v1")";
  if (options.grace_seconds) {
    out += ",\"gracePeriodSeconds\":" + std::to_string(*options.grace_seconds);
  }
  if (!options.uid.empty() || !options.resource_version.empty()) {
    out += ",\"preconditions\":{";
    if (!options.uid.empty()) out += "\"uid\":" + json_string(options.uid);
    if (!options.resource_version.empty()) {
      if (!options.uid.empty()) out += ',';
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

std::string_view verb_name(Verb verb) {
  constexpr std::string_view kNames[] = {"get",    "list",  "watch", "create",
                                         "update", "patch", "delete"};
  return kNames[static_cast<std::size_t>(verb)];
}

}  // namespace

std::string escape_path_segment(std::string_view text) { return escape(text, "-._~!$&'()*+,;=:@"); }

std::string escape_query(std::string_view text) {
  std::string out = escape(text, "-._~ ");
  std::replace(out.begin(), out.end(), ' ', '+');
  return out;
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

bool is_write(Verb verb) {
  return verb == Verb::kCreate || verb == Verb::kUpdate || verb == Verb::kPatch ||
         verb == Verb::kDelete;
}

std::string_view http_method(Verb verb) {
  constexpr std::string_view kMethods[] = {"GET", "GET", "GET", "POST", "PUT", "PATCH", "DELETE"};
  return kMethods[static_cast<std::size_t>(verb)];
}

Result<HttpRequest> build_request(const ApiRequest& request, std::string_view user_agent) {
  if (Status s = check(request); !s.ok()) return s;
  HttpRequest out;
  out.method = http_method(request.verb);
  out.target = request.raw_path.empty() ? path_of(request.path) : request.raw_path;
  if (const std::string query = query_of(request); !query.empty()) out.target += "?" + query;
  out.headers.emplace_back("Accept", request.accept);
  out.headers.emplace_back("User-Agent", user_agent);
  if (is_write(request.verb)) {
    out.body = request.verb == Verb::kDelete ? delete_body(request) : request.body;
    out.headers.emplace_back("Content-Type", content_type(request));
  }
  return out;
}

std::string describe(const ApiRequest& request) {
  if (!request.raw_path.empty()) return "get " + request.raw_path;
  std::string out = std::string(verb_name(request.verb)) + " " + request.path.resource;
  if (!request.path.group.empty()) out += "." + request.path.group;
  if (!request.path.name.empty()) out += " " + request.path.name;
  return out;
}

}  // namespace davit::host
