#include "sandbox/metrics/consumer.hpp"

#include <charconv>

#include "lib/base/take_until.hpp"
#include "lib/kube/script_fields.hpp"
#include "lib/net/query.hpp"

namespace davit::sandbox {

namespace {

constexpr Nanos kMegabyte = Nanos{1024} * 1024;
constexpr std::size_t kMetricBytesMax = 253;
constexpr std::string_view kMissing = "not given function argument";
constexpr std::string_view kWrong = "incorrect function argument";

/// As http.Error of Go: text with a line feed.
HttpServerResponse refusal(int code, std::string_view why) {
  HttpServerResponse response;
  response.status = code;
  response.body = std::string(why) + '\n';
  return response;
}

HttpServerResponse accepted(std::string body) {
  HttpServerResponse response;
  response.body = std::move(body);
  return response;
}

/// Go's strconv.Atoi.
std::optional<std::int64_t> parse_int(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return out;
}

/// The arguments of one call: those of the body win, as in Go's ParseForm.
class Arguments {
 public:
  explicit Arguments(const Call& call) : query_(call.url.query) {
    const std::string_view type = call.request.header("Content-Type");
    if (type.starts_with("application/x-www-form-urlencoded")) {
      body_ = Query(parse_query(call.request.body));
    }
  }
  [[nodiscard]] std::string text(std::string_view name) const {
    const std::optional<std::string_view> own = body_.find(name);
    return std::string(own ? *own : query_.get(name));
  }
  [[nodiscard]] std::optional<std::int64_t> number(std::string_view name) const {
    return parse_int(text(name));
  }

 private:
  const Query& query_;
  Query body_;
};

/// The segments after "proxy".
std::string function_of(const Url& url) {
  const std::size_t at = url.path.find("/proxy");
  std::string_view rest = std::string_view(url.path).substr(std::min(at, url.path.size()));
  rest.remove_prefix(std::min(rest.size(), std::string_view("/proxy").size()));
  while (rest.starts_with('/')) rest.remove_prefix(1);
  return std::string(rest);
}

/// "web" of "http:web:80".
std::string object_name(std::string_view name) {
  const std::string_view first = take_until(name, ":");
  if (name.empty()) return std::string(first);
  const bool has_scheme = first == "http" || first == "https" || first.empty();
  return std::string(has_scheme ? take_until(name, ":") : first);
}

Time end_of(const MetricParts& parts, std::int64_t seconds) {
  constexpr std::int64_t kSecondsMax = 60 * 60 * 24 * 365;
  return parts.rest.clock.now() +
         std::chrono::seconds(std::clamp<std::int64_t>(seconds, 0, kSecondsMax));
}

HttpServerResponse take(const MetricParts& parts, PodLoad load, std::string answer) {
  const Status taken = parts.board.add_load(std::move(load), parts.rest.clock.now());
  return taken.ok() ? accepted(std::move(answer)) : refusal(429, taken.message());
}

/// ConsumeCPU and ConsumeMem: `unit` nanos for each of `argument`.
HttpServerResponse consume(const MetricParts& parts, const Arguments& arguments, PodLoad load,
                           std::string_view argument) {
  const bool cpu = argument == "millicores";
  if (arguments.text(argument).empty() || arguments.text("durationSec").empty()) {
    return refusal(400, kMissing);
  }
  const std::optional<std::int64_t> amount = arguments.number(argument);
  const std::optional<std::int64_t> seconds = arguments.number("durationSec");
  if (!amount || !seconds) return refusal(400, kWrong);
  const Nanos unit = cpu ? kNanosPerUnit / 1000 : kNanosPerUnit * kMegabyte;
  const Nanos nanos = std::clamp<Nanos>(Nanos{*amount} * unit, 0, kNanosMax);
  (cpu ? load.cpu : load.memory) = nanos;
  load.until = end_of(parts, *seconds);
  return take(parts, std::move(load),
              std::string(cpu ? "ConsumeCPU" : "ConsumeMem") + '\n' + std::to_string(*amount) +
                  ' ' + std::string(argument) + '\n' + std::to_string(*seconds) + " durationSec\n");
}

HttpServerResponse bump(const MetricParts& parts, const Arguments& arguments, PodLoad load) {
  load.metric = arguments.text("metric");
  const std::string delta = arguments.text("delta");
  if (load.metric.empty() || delta.empty() || arguments.text("durationSec").empty()) {
    return refusal(400, kMissing);
  }
  const std::optional<Nanos> value = parse_nanos(delta);
  const std::optional<std::int64_t> seconds = arguments.number("durationSec");
  const bool fits = load.metric.size() <= kMetricBytesMax;
  if (!value || !seconds || !fits) return refusal(400, kWrong);
  load.value = *value;
  load.until = end_of(parts, *seconds);
  std::string answer = "BumpMetric\n" + load.metric + " metric\n" + delta + " delta\n" +
                       std::to_string(*seconds) + " durationSec\n";
  return take(parts, std::move(load), std::move(answer));
}

HttpServerResponse run_function(const MetricParts& parts, const Call& call, PodLoad load) {
  if (call.request.method != "POST") return refusal(400, "Bad request. Not a POST request");
  if (call.request.body_too_large) return refusal(400, "http: request body too large");
  const Arguments arguments(call);
  const std::string function = function_of(call.url);
  if (function == "ConsumeCPU") return consume(parts, arguments, std::move(load), "millicores");
  if (function == "ConsumeMem") return consume(parts, arguments, std::move(load), "megabytes");
  if (function == "BumpMetric") return bump(parts, arguments, std::move(load));
  if (function == "GetCurrentStatus") {
    return accepted("Warning: not implemented!\nGetCurrentStatus");
  }
  return refusal(404, "unknown function: /" + function);
}

/// Whether a pod of the load is Ready.
bool has_pods(const MetricParts& parts, const PlacedLoad& load) {
  const std::vector<VersionPtr> pods = parts.rest.store.list({"", "pods"}, load.load.ns).objects;
  const std::vector<VersionPtr> nodes = parts.rest.store.list({"", "nodes"}, "").objects;
  const MetricRules rules;
  const std::vector<PlacedLoad> loads;
  const UsageFacts facts{pods,
                         nodes,
                         rules,
                         loads,
                         parts.board.options(),
                         parts.rest.clock.now(),
                         parts.rest.clock.wall_now()};
  UsageModel model(facts);
  return std::ranges::any_of(model.carriers(load), [&](const VersionPtr& each) {
    const MeasuredPod& pod = model.facts_of(each);
    return pod.runs != PodRuns::kNot && (pod.ready || !load.load.pod.empty());
  });
}

}  // namespace

ApiResult<HttpServerResponse> serve_consumer(const MetricParts& parts, const Call& call) {
  const bool service = call.resource->name == "services";
  PlacedLoad load;
  load.load.ns = call.ns();
  const std::string name = object_name(call.url.name);
  (service ? load.load.service : load.load.pod) = name;
  const VersionPtr object = parts.rest.store.get(call.resource->collection, call.ns(), name);
  if (object == nullptr) return not_found(Subject::resource(*call.resource, name));
  bool placed = !service;
  if (service) {
    if (const std::optional<LabelSelector> selector = selector_of_service(object->json())) {
      load.selector = *selector;
      placed = true;
    }
  }
  if (!placed || !has_pods(parts, load)) {
    return without_details(reason::kServiceUnavailable,
                           service ? "no endpoints available for service \"" + name + '"'
                                   : "pod \"" + name + "\" does not run");
  }
  return run_function(parts, call, load.load);
}

}  // namespace davit::sandbox
