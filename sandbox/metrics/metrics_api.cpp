#include "sandbox/metrics/metrics_api.hpp"

#include "sandbox/metrics/metric_response.hpp"

namespace davit::sandbox {

namespace {

/// The response of the newest `raw` rule for the path of `call`.
std::optional<HttpServerResponse> raw_response(const MetricRules& rules, const Call& call) {
  const ActiveRule* newest = nullptr;
  for (const auto& each : rules) {
    if (each->rule.type != MetricRuleType::kRaw || each->rule.path != call.url.path) continue;
    newest = each.get();
  }
  if (newest == nullptr) return std::nullopt;
  return json_response(newest->rule.code, newest->rule.body);
}

}  // namespace

ApiResult<HttpServerResponse> serve_metrics(const MetricParts& parts, const Call& call) {
  if (call.verb != Verb::kGet && call.verb != Verb::kList) return method_not_allowed();
  const std::string& group = call.url.group;
  const std::string& version = call.url.version;
  if (version != "v1beta1" && (group != kCustomMetrics || version != "v1beta2")) {
    return page_not_found();
  }
  if (auto raw = raw_response(*parts.board.rules(), call)) return std::move(*raw);
  if (group == kResourceMetrics) return serve_usage(parts, call);
  return group == kCustomMetrics ? serve_custom_metrics(parts, call)
                                 : serve_external_metrics(parts, call);
}

std::optional<LabelSelector> selector_of_service(const Json& service) {
  std::string text;
  for (const Json::Member& each : service.get("spec").get("selector").members()) {
    text += (text.empty() ? "" : ",") + each.key + '=' + each.value.text();
  }
  const Result<LabelSelector> selector = LabelSelector::parse(text);
  if (text.empty() || !selector) return std::nullopt;
  return *selector;
}

std::vector<PlacedLoad> placed_loads(const MetricParts& parts) {
  std::vector<PlacedLoad> out;
  for (PodLoad& each : parts.board.loads(parts.rest.clock.now())) {
    PlacedLoad placed{std::move(each), {}};
    if (placed.load.pod.empty()) {
      const VersionPtr service =
          parts.rest.store.get({"", "services"}, placed.load.ns, placed.load.service);
      if (service == nullptr) continue;
      const std::optional<LabelSelector> selector = selector_of_service(service->json());
      if (!selector) continue;
      placed.selector = *selector;
    }
    out.push_back(std::move(placed));
  }
  return out;
}

ApiResult<OutputForm> metric_form(const Call& call, ResponseShape shape, std::string_view kind) {
  ApiResult<OutputForm> form =
      negotiate(call.request.header("Accept"), shape, kind, HasProtobuf::kNo);
  if (!form) return form.error();
  if (call.url.query.flag("pretty")) form->pretty = true;
  if (form->form == Form::kTable) {
    ApiResult<IncludeObject> include = parse_include_object(call.url.query.get("includeObject"));
    if (!include) return include.error();
    form->include = *include;
  }
  return form;
}

HttpServerResponse metric_response(const Json& body, const OutputForm& form) {
  HttpServerResponse response;
  EncodedBody encoded = encode_body(body, form);
  response.content_type = std::move(encoded.content_type);
  response.body = std::move(encoded.text);
  return response;
}

HttpServerResponse metric_list_response(std::string_view kind, const Call& call, Json items) {
  return json_response(200, to_text(Json::object({{"kind", kind},
                                                  {"apiVersion", call.url.api_version()},
                                                  {"metadata", Json::object()},
                                                  {"items", std::move(items)}})));
}

ApiResult<LabelSelector> metric_selector(const Call& call, std::string_view parameter) {
  Result<LabelSelector> selector = LabelSelector::parse(call.url.query.get(parameter));
  if (!selector) return bad_request(selector.error().message());
  return std::move(*selector);
}

}  // namespace davit::sandbox
