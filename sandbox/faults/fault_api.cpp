// The run-time API of the fault layer.
#include <charconv>

#include "sandbox/faults/fault_layer.hpp"

namespace davit::sandbox {

namespace {

Response json_response(int status, const Json& body) {
  Response response;
  response.status = status;
  response.body = to_text(body) + '\n';
  return response;
}

Json list_of(Json items) {
  return Json::object({{"kind", "FaultList"}, {"items", std::move(items)}});
}

std::string lower_method(std::string_view method) {
  if (method == "GET") return "get";
  return method == "POST" ? "post" : "delete";
}

}  // namespace

Response FaultLayer::serve_api(const Request& request, std::string_view path) {
  if (ApiFailure refused = refuse(request, path)) return to_response(*refused);
  std::string_view id = path.substr(kFaultsPath.size());
  while (id.starts_with('/')) id.remove_prefix(1);
  if (!id.empty()) return serve_one(request, id);
  if (request.method == "GET") return json_response(200, list_of(board_.describe_all()));
  if (request.method == "POST") return post(request);
  if (request.method == "DELETE") {
    board_.clear();
    return json_response(200, list_of(Json::array()));
  }
  return to_response(method_not_allowed());
}

ApiFailure FaultLayer::refuse(const Request& request, std::string_view path) const {
  if (parts_.authenticator == nullptr || parts_.authorizer == nullptr) return std::nullopt;
  const Result<Identity> who = parts_.authenticator->authenticate(request);
  if (!who) return unauthorized();
  AccessAttributes what;
  what.verb = lower_method(request.method);
  what.resource = false;
  what.path = path;
  if (parts_.authorizer->authorize(*who, what).allowed()) return std::nullopt;
  return forbidden({},
                   "User \"" + who->user + "\" cannot " + what.verb + " path \"" + what.path + '"');
}

Response FaultLayer::post(const Request& request) {
  if (request.body_too_large) return to_response(bad_request("the script is too large"));
  const Result<Json> json = parse_json(request.body);
  if (!json) return to_response(bad_request(json.error().message()));
  Result<FaultScript> script = parse_fault_script(*json);
  if (!script) return to_response(bad_request(script.error().message()));
  Json added = Json::array();
  for (const std::uint64_t id : add(std::move(*script))) added.push_back(board_.describe(id));
  return json_response(201, list_of(std::move(added)));
}

Response FaultLayer::serve_one(const Request& request, std::string_view id) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number);
  const bool whole = error == std::errc() && end == id.data() + id.size();
  Json rule = whole ? board_.describe(number) : Json();
  if (rule.is_null()) return to_response(not_found({"", "faults", std::string(id)}));
  if (request.method == "DELETE") {
    board_.remove(number);
  } else if (request.method != "GET") {
    return to_response(method_not_allowed());
  }
  return json_response(200, rule);
}

}  // namespace davit::sandbox
