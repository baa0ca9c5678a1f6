#include "sandbox/rest/url.hpp"

#include <algorithm>
#include <davit/percent_code.hpp>

#include "lib/base/lower_case.hpp"
#include "lib/base/take_until.hpp"
#include "lib/base/trimmed.hpp"
#include "lib/kube/required_name.hpp"
#include "lib/net/query.hpp"

namespace davit::sandbox {

namespace {

std::vector<std::string> split_path(std::string_view path) {
  path = trimmed(path, "/");
  std::vector<std::string> out;
  while (!path.empty()) out.emplace_back(take_until(path, "/"));
  return out;
}

/// Parts of the namespace object itself, not a namespaced resource.
bool is_namespace_part(const std::string& segment) {
  return segment == "status" || segment == "finalize";
}

/// Fills in what the segments after the version mean.
void read_resource(Url& url, std::size_t next) {
  const std::vector<std::string>& parts = url.segments;
  if (next < parts.size() && parts[next] == "watch") {
    url.watch_prefix = true;
    ++next;
  }
  if (next + 1 < parts.size() && parts[next] == "namespaces") {
    url.ns = parts[next + 1];
    if (next + 2 < parts.size() && !is_namespace_part(parts[next + 2])) next += 2;
  }
  if (next >= parts.size()) return;
  url.is_resource = true;
  url.resource = parts[next];
  if (next + 1 < parts.size()) url.name = parts[next + 1];
  if (next + 2 < parts.size()) url.subresource = parts[next + 2];
  url.has_more = next + 3 < parts.size();
}

}  // namespace

std::optional<std::string_view> Query::find(std::string_view name) const {
  const auto found =
      std::ranges::find_if(pairs_, [&](const auto& each) { return each.first == name; });
  if (found == pairs_.end()) return std::nullopt;
  return found->second;
}

std::string_view Query::get(std::string_view name) const {
  return find(name).value_or(std::string_view());
}

std::vector<std::string> Query::all(std::string_view name) const {
  std::vector<std::string> out;
  for (const auto& [key, value] : pairs_) {
    if (key == name) out.push_back(value);
  }
  return out;
}

bool Query::flag(std::string_view name) const {
  const std::optional<std::string_view> value = find(name);
  if (!value || *value == "0") return false;
  return lower_case(std::string(*value)) != "false";
}

std::string_view to_text(Verb verb) {
  switch (verb) {
    case Verb::kGet:
      return "get";
    case Verb::kList:
      return "list";
    case Verb::kWatch:
      return "watch";
    case Verb::kCreate:
      return "create";
    case Verb::kUpdate:
      return "update";
    case Verb::kPatch:
      return "patch";
    case Verb::kDelete:
      return "delete";
    case Verb::kDeleteCollection:
      return "deletecollection";
    case Verb::kOther:
      break;
  }
  return "";
}

ApiResult<Url> parse_url(std::string_view target) {
  Url url;
  target = target.substr(0, target.find('#'));
  const std::size_t question = std::min(target.find('?'), target.size());
  const std::optional<std::string> path = percent_unescaped(target.substr(0, question));
  if (!path) return bad_request("invalid URL escape in the path");
  url.path = *path;
  url.query = Query(parse_query(target.substr(std::min(question + 1, target.size()))));
  url.segments = split_path(url.path);
  if (url.segments.size() >= 3 && url.segments[0] == "api") {
    url.version = url.segments[1];
    read_resource(url, 2);
  } else if (url.segments.size() >= 4 && url.segments[0] == "apis") {
    url.group = url.segments[1];
    url.version = url.segments[2];
    read_resource(url, 3);
  }
  if (url.name.empty()) url.selected_name = required_name(url.query.get("fieldSelector"));
  return url;
}

Verb verb_of(std::string_view method, const Url& url) {
  if (method == "GET" || method == "HEAD") {
    if (url.watch_prefix) return Verb::kWatch;
    if (!url.name.empty()) return Verb::kGet;
    return url.query.flag("watch") ? Verb::kWatch : Verb::kList;
  }
  if (method == "POST") return Verb::kCreate;
  if (method == "PUT") return Verb::kUpdate;
  if (method == "PATCH") return Verb::kPatch;
  if (method == "DELETE") return url.name.empty() ? Verb::kDeleteCollection : Verb::kDelete;
  return Verb::kOther;
}

}  // namespace davit::sandbox
