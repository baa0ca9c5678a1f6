#include "sandbox/faults/stale_read.hpp"

#include <algorithm>

#include "lib/base/lower_case.hpp"
#include "lib/base/take_until.hpp"
#include "sandbox/kinds/api_error.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kList = "List";

/// The list's query without what says which state is wanted. Nothing with a continue token.
std::optional<std::string> list_query(std::string_view query) {
  std::string out;
  while (!query.empty()) {
    const std::string_view part = take_until(query, "&");
    if (part.starts_with("continue=") && part != "continue=") return std::nullopt;
    if (part.empty() || part.starts_with("resourceVersion")) continue;
    out.append(part).append("&");
  }
  return out;
}

/// An object's place in a list leaves out what the list says once.
Json object_of(const Json& list, const Json& item) {
  std::string kind = list.text_at({"kind"});
  if (kind.ends_with(kList)) kind.resize(kind.size() - kList.size());
  Json out = Json::object({{"kind", kind}, {"apiVersion", list.get("apiVersion")}});
  for (const Json::Member& each : item.members()) out.set(each.key, each.value);
  return out;
}

}  // namespace

std::optional<HttpServerRequest> stale_question(const HttpServerRequest& request,
                                                const RequestFacts& request_facts,
                                                Revision revision) {
  const std::string_view target = request.target;
  const std::size_t mark = std::min(target.find('?'), target.size());
  std::string_view path = target.substr(0, mark);
  std::string query;
  if (request_facts.verb == "get") {
    const std::size_t slash = path.rfind('/');
    query = "fieldSelector=metadata.name%3D" + std::string(path.substr(slash + 1)) + '&';
    path = path.substr(0, slash);
  } else {
    std::optional<std::string> kept = list_query(target.substr(std::min(mark + 1, target.size())));
    if (!kept) return std::nullopt;
    query = std::move(*kept);
  }
  HttpServerRequest out = request;
  // The one object is taken from the list's text, and clients of protobuf read JSON as well.
  if (request_facts.verb == "get") {
    for (auto& [name, value] : out.headers) {
      if (lower_case(name) == "accept" && value.find("protobuf") != std::string::npos) {
        value = "application/json";
      }
    }
  }
  out.target = std::string(path) + '?' + query +
               "resourceVersionMatch=Exact&resourceVersion=" + std::to_string(revision);
  return out;
}

HttpServerResponse stale_response(HttpServerResponse list, const RequestFacts& request_facts) {
  if (request_facts.verb == "list") return list;
  const Result<Json> parsed = parse_json(list.body);
  const bool table = parsed && parsed->text_at({"kind"}) == "Table";
  const Json::Items& found =
      parsed ? parsed->get(table ? "rows" : "items").items() : Json().items();
  if (found.empty())
    return to_response(
        not_found({request_facts.group, request_facts.resource, request_facts.name}));
  if (!table) list.body = to_text(object_of(*parsed, found.front()));
  return list;
}

}  // namespace davit::sandbox
