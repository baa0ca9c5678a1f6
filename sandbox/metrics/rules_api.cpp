// /sandbox/metrics
#include <charconv>

#include "sandbox/metrics/metrics_api.hpp"

namespace davit::sandbox {

namespace {

std::string list_of(const MetricRules& rules) {
  Json items = Json::array();
  for (const auto& each : rules) items.push_back(each->describe());
  return to_text(Json::object({{"kind", "MetricRuleList"}, {"items", std::move(items)}}));
}

ApiError from_status(const Status& status) {
  if (status.code() == Code::kThrottled) return too_many_requests(status.message(), {}, 0);
  return bad_request(status.message());
}

ApiResult<std::vector<MetricRule>> rules_of(const HttpServerRequest& request) {
  if (request.body_too_large) return bad_request("the rules are too large");
  const Result<Json> json = parse_json(request.body);
  if (!json) return bad_request(json.error().message());
  Result<std::vector<MetricRule>> rules = parse_metric_rules(*json);
  if (!rules) return bad_request(rules.error().message());
  return std::move(*rules);
}

ApiResult<HttpServerResponse> serve_all(MetricBoard& board, Time now,
                                        const HttpServerRequest& request) {
  if (request.method == "GET") return json_response(200, list_of(*board.rules()));
  if (request.method == "DELETE") {
    board.clear();
    return json_response(200, list_of({}));
  }
  if (request.method != "POST" && request.method != "PUT") return method_not_allowed();
  ApiResult<std::vector<MetricRule>> rules = rules_of(request);
  if (!rules) return rules.error();
  const bool adds = request.method == "POST";
  const Result<MetricRules> added =
      adds ? board.add(std::move(*rules), now) : board.set(std::move(*rules), now);
  if (!added) return from_status(added.error());
  return json_response(adds ? 201 : 200, list_of(*added));
}

std::shared_ptr<const ActiveRule> find_rule(const MetricBoard& board, std::string_view id) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number);
  if (error != std::errc() || end != id.data() + id.size()) return nullptr;
  for (const auto& each : *board.rules()) {
    if (each->id == number) return each;
  }
  return nullptr;
}

ApiResult<HttpServerResponse> serve_one(MetricBoard& board, Time now,
                                        const HttpServerRequest& request, std::string_view id) {
  const std::shared_ptr<const ActiveRule> rule = find_rule(board, id);
  if (rule == nullptr) return not_found({"", "metrics", std::string(id)});
  if (request.method == "PUT") {
    ApiResult<std::vector<MetricRule>> rules = rules_of(request);
    if (!rules) return rules.error();
    if (rules->size() != 1) return bad_request("one rule replaces one");
    Status replaced = board.replace(rule->id, std::move(rules->front()), now);
    if (replaced.code() == Code::kNotFound) return not_found({"", "metrics", std::string(id)});
    if (!replaced.ok()) return from_status(replaced);
    const std::shared_ptr<const ActiveRule> next = find_rule(board, id);
    return json_response(200, to_text((next == nullptr ? rule : next)->describe()));
  }
  if (request.method == "DELETE") {
    board.remove(rule->id);
  } else if (request.method != "GET") {
    return method_not_allowed();
  }
  return json_response(200, to_text(rule->describe()));
}

}  // namespace

bool is_metric_rules_path(std::string_view path) {
  return path.starts_with(kMetricRulesPath) &&
         (path.size() == kMetricRulesPath.size() || path[kMetricRulesPath.size()] == '/');
}

ApiResult<HttpServerResponse> serve_metric_rules(MetricBoard& board, Time now,
                                                 const HttpServerRequest& request) {
  std::string_view id = request.path();
  id.remove_prefix(std::min(id.size(), kMetricRulesPath.size()));
  while (id.starts_with('/')) id.remove_prefix(1);
  return id.empty() ? serve_all(board, now, request) : serve_one(board, now, request, id);
}

}  // namespace davit::sandbox
