#include "sandbox/faults/fault_layer.hpp"

#include <algorithm>
#include <charconv>

#include "lib/base/lower_case.hpp"
#include "sandbox/faults/degraded_response.hpp"
#include "sandbox/faults/fault_responses.hpp"
#include "sandbox/faults/fault_stream.hpp"
#include "sandbox/faults/stale_read.hpp"

namespace davit::sandbox {

namespace {

/// `kFaultsPath` itself or something below it.
bool is_api(std::string_view path) {
  return path.starts_with(kFaultsPath) &&
         (path.size() == kFaultsPath.size() || path[kFaultsPath.size()] == '/');
}

/// The faults that hit any response on its way out.
Degradation degradation_of(const RequestFaults& faults) {
  Degradation out;
  if (const FaultHit* delay = faults.find(FaultKind::kDelay)) out.delay = delay->rule->delay;
  if (const FaultHit* slow = faults.find(FaultKind::kSlow)) {
    out.bytes_per_second = slow->rule->bytes_per_second;
  }
  if (const FaultHit* cut = faults.find(FaultKind::kCut)) out.cut_after = cut->rule->after_bytes;
  return out;
}

bool is_ok(const HttpServerResponse& response) {
  return !response.aborted && response.status / 100 == 2;
}

std::string list_of(Json items) {
  return to_text(Json::object({{"kind", "FaultList"}, {"items", std::move(items)}}));
}

std::string lower_method(std::string_view method) {
  if (method == "GET") return "get";
  return method == "POST" ? "post" : "delete";
}

}  // namespace

HttpServerResponse FaultLayer::handle(const HttpServerRequest& request) {
  const std::string_view path =
      std::string_view(request.target).substr(0, request.target.find('?'));
  if (is_api(path)) return serve_api(request, path);
  // Nor do faults hit the rules of metrics, by which a test sets what the faults then hit.
  if (path.starts_with("/sandbox/")) return parts_.inner.handle(request);
  const ApiResult<Url> url = parse_url(request.target);
  if (!url) return parts_.inner.handle(request);
  RequestFacts who = request_facts(request, *url);
  const RequestFaults faults = board_.on_request(who);
  HttpServerResponse response = respond(request, *url, who, faults);
  if (const FaultHit* wrong = faults.find(FaultKind::kBody); wrong != nullptr && is_ok(response)) {
    response = json_response(response.status, wrong->rule->body);
  }
  if (faults.find(FaultKind::kLost) != nullptr) response = aborted_response();
  if (response.stream != nullptr) response = watched(std::move(response), std::move(who), faults);
  return degraded(std::move(response), degradation_of(faults), parts_.clock);
}

RequestFacts FaultLayer::request_facts(const HttpServerRequest& request, const Url& url) const {
  RequestFacts out;
  out.verb = url.is_resource ? std::string(to_text(verb_of(request.method, url)))
                             : lower_case(request.method);
  out.group = url.group;
  out.resource = url.resource;
  out.subresource = url.subresource;
  out.ns = url.ns;
  out.name = url.name;
  out.user_agent = request.header("User-Agent");
  if (parts_.authenticator != nullptr && board_.asks_for_user()) {
    if (const auto who = parts_.authenticator->authenticate(request)) out.user = who->name;
  }
  return out;
}

HttpServerResponse FaultLayer::respond(const HttpServerRequest& request, const Url& url,
                                       const RequestFacts& request_facts,
                                       const RequestFaults& faults) {
  if (faults.find(FaultKind::kReset) != nullptr) return aborted_response();
  const FaultHit* status = faults.find(FaultKind::kStatus);
  // An open watch hears of 410 in an event.
  if (status != nullptr && (status->rule->code != 410 || request_facts.verb != "watch")) {
    return to_response(fault_status(*status->rule, request_facts));
  }
  if (const FaultHit* stale = faults.find(FaultKind::kStale)) {
    const Revision current = parts_.store.revision();
    const Revision back = stale->rule->revisions_back.value_or(current - stale->revision);
    const Revision at = std::max<Revision>(current - std::min(current, back), 1);
    if (const auto question = stale_question(request, request_facts, at)) {
      HttpServerResponse list = parts_.inner.handle(*question);
      // History that is gone shows nothing earlier; the latest state is as good a response then.
      if (list.status == 200) return stale_response(std::move(list), request_facts);
    }
  }
  return parts_.inner.handle(request, url);
}

HttpServerResponse FaultLayer::watched(HttpServerResponse response, RequestFacts request_facts,
                                       const RequestFaults& faults) {
  const auto framing = response.content_type.ends_with("protobuf;stream=watch")
                           ? FaultStream::Framing::kProtobuf
                           : FaultStream::Framing::kLines;
  const FaultBoard::WatchId watch = board_.open_watch(std::move(request_facts), faults);
  response.stream = std::make_unique<FaultStream>(
      FaultStream::Parts{board_, watch, std::move(response.stream), std::move(response.body),
                         gone_event(parts_.store.revision(), framing), framing});
  response.body.clear();
  return response;
}

HttpServerResponse FaultLayer::serve_api(const HttpServerRequest& request, std::string_view path) {
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

ApiFailure FaultLayer::refuse(const HttpServerRequest& request, std::string_view path) const {
  if (parts_.authenticator == nullptr || parts_.authorizer == nullptr) return std::nullopt;
  const Result<UserInfo> who = parts_.authenticator->authenticate(request);
  if (!who) return unauthorized();
  AccessAttributes what;
  what.verb = lower_method(request.method);
  what.resource = false;
  what.path = path;
  if (parts_.authorizer->authorize(*who, what).allowed()) return std::nullopt;
  return forbidden({},
                   "User \"" + who->name + "\" cannot " + what.verb + " path \"" + what.path + '"');
}

HttpServerResponse FaultLayer::post(const HttpServerRequest& request) {
  if (request.body_too_large) return to_response(bad_request("the script is too large"));
  const Result<Json> json = parse_json(request.body);
  if (!json) return to_response(bad_request(json.error().message()));
  Result<FaultScript> script = parse_fault_script(*json);
  if (!script) return to_response(bad_request(script.error().message()));
  Json added = Json::array();
  for (const std::uint64_t id : add(std::move(*script))) added.push_back(board_.describe(id));
  return json_response(201, list_of(std::move(added)));
}

HttpServerResponse FaultLayer::serve_one(const HttpServerRequest& request, std::string_view id) {
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
  return json_response(200, to_text(rule));
}

}  // namespace davit::sandbox
