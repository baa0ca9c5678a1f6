#include "host/config/tracing_config.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <davit/percent_code.hpp>
#include <string_view>

#include "lib/base/take_until.hpp"
#include "lib/base/trimmed.hpp"

namespace davit::host {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

/// The environment's OTEL_* variables. OpenTelemetry's rule: an empty one counts as not set, one
/// that cannot be read is reported and ignored.
class Variables {
 public:
  Variables(const ConnectionEnvironment& environment, std::vector<std::string>& warnings)
      : environment_(environment), warnings_(warnings) {}

  [[nodiscard]] std::string text(const std::string& name) const {
    return environment_.variable ? environment_.variable(name).value_or("") : "";
  }
  /// OTEL_EXPORTER_OTLP_TRACES_<name>, else OTEL_EXPORTER_OTLP_<name>: the first one that is set.
  [[nodiscard]] std::string of_exporter(const std::string& name) const {
    for (const char* const prefix : {"OTEL_EXPORTER_OTLP_TRACES_", "OTEL_EXPORTER_OTLP_"}) {
      if (!text(prefix + name).empty()) return prefix + name;
    }
    return {};
  }

  template <typename Number>
  void number(const std::string& name, Number min, Number max, Number& out) {
    const std::string value = name.empty() ? "" : text(name);
    if (value.empty()) return;
    const std::string_view digits = trimmed(value);
    Number read{};
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), read);
    const bool is_whole = error == std::errc() && end == digits.data() + digits.size();
    if (!is_whole || !(read >= min && read <= max)) return ignored(name, "it is not in its range");
    out = read;
  }
  void milliseconds(const std::string& name, Duration& out) {
    constexpr std::int64_t kHour = 60 * 60 * 1000;
    std::int64_t count = std::chrono::duration_cast<std::chrono::milliseconds>(out).count();
    number<std::int64_t>(name, 1, kHour, count);
    out = std::chrono::milliseconds(count);
  }
  /// "key=value,key=value", percent-encoded values.
  [[nodiscard]] Pairs pairs(const std::string& name) {
    Pairs out;
    const std::string whole = name.empty() ? "" : text(name);
    std::string_view rest = whole;
    while (!rest.empty()) {
      const std::string_view pair = take_until(rest, ",");
      if (trimmed(pair).empty()) continue;
      const std::size_t equals = pair.find('=');
      const std::string_view key = trimmed(pair.substr(0, equals));
      std::optional<std::string> value;
      if (equals != pair.npos) {
        value = percent_unescaped(trimmed(pair.substr(equals + 1)), Plus::kLiteral);
      }
      // The value may be a secret, so the message does not show it.
      if (key.empty() || !value) return ignored(name, "it is not a list of key=value"), Pairs();
      out.emplace_back(key, *std::move(value));
    }
    return out;
  }

  void ignored(const std::string& name, const std::string& why) {
    warnings_.push_back(name + " is ignored: " + why);
  }

 private:
  const ConnectionEnvironment& environment_;
  std::vector<std::string>& warnings_;
};

std::string endpoint_of(const TracingSettings& settings, const Variables& variables) {
  if (!settings.endpoint.empty()) return settings.endpoint;
  const std::string traces = variables.text("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
  if (!traces.empty()) return traces;
  std::string base = variables.text("OTEL_EXPORTER_OTLP_ENDPOINT");
  if (base.empty()) return {};
  while (base.ends_with('/')) base.pop_back();
  return base + "/v1/traces";
}

/// With the path of traces, if it has none.
std::string with_path(std::string url) {
  const std::size_t mark = url.find("://");
  if (url.empty() || mark == url.npos) return url;
  const std::size_t path = url.find('/', mark + 3);
  if (path == url.npos) return url + "/v1/traces";
  return path + 1 == url.size() ? url + "v1/traces" : url;
}

std::uint32_t sampled_per_million(Variables& variables) {
  constexpr const char* kSampler = "OTEL_TRACES_SAMPLER";
  std::string sampler = variables.text(kSampler);
  constexpr std::string_view kParentBased = "parentbased_";
  if (sampler.starts_with(kParentBased)) sampler.erase(0, kParentBased.size());
  if (sampler.empty() || sampler == "always_on") return kSampleAll;
  if (sampler == "always_off") return 0;
  if (sampler != "traceidratio") {
    variables.ignored(kSampler,
                      "a sampler is always_on, always_off or traceidratio, or the same "
                      "with parentbased_ before it");
    return kSampleAll;
  }
  double ratio = 1;
  variables.number("OTEL_TRACES_SAMPLER_ARG", 0.0, 1.0, ratio);
  return static_cast<std::uint32_t>(std::lround(ratio * kSampleAll));
}

bool is_off(const Variables& variables) {
  std::string disabled = variables.text("OTEL_SDK_DISABLED");
  std::transform(disabled.begin(), disabled.end(), disabled.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return disabled == "true" || variables.text("OTEL_TRACES_EXPORTER") == "none";
}

void read_limits(Variables& variables, TracingConfig& config) {
  constexpr std::size_t kSpansMax = 1'000'000;  // About 1 GiB.
  variables.milliseconds(variables.of_exporter("TIMEOUT"), config.timeout);
  variables.milliseconds("OTEL_BSP_SCHEDULE_DELAY", config.interval);
  variables.number<std::size_t>("OTEL_BSP_MAX_QUEUE_SIZE", 1, kSpansMax, config.queue_max);
  variables.number<std::size_t>("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 1, kSpansMax, config.batch_max);
  config.batch_max = std::min(config.batch_max, config.queue_max);
}

}  // namespace

TracingConfig tracing_config(const TracingSettings& settings,
                             const ConnectionEnvironment& environment) {
  TracingConfig config;
  Variables variables(environment, config.warnings);
  if (settings.endpoint.empty() && is_off(variables)) return config;
  config.endpoint = with_path(endpoint_of(settings, variables));
  if (config.endpoint.empty()) return config;
  config.sampling_rate_per_million = settings.sampling_rate_per_million
                                         ? *settings.sampling_rate_per_million
                                         : sampled_per_million(variables);
  config.headers = Pairs(settings.headers.begin(), settings.headers.end());
  if (config.headers.empty()) config.headers = variables.pairs(variables.of_exporter("HEADERS"));
  config.certificate_authority = settings.certificate_authority;
  if (const std::string name = variables.of_exporter("CERTIFICATE");
      config.certificate_authority.empty() && !name.empty()) {
    config.certificate_authority = variables.text(name);
  }
  if (const std::string name = variables.of_exporter("PROTOCOL"); !name.empty()) {
    const std::string protocol = variables.text(name);
    if (protocol != "http/json" && protocol != "http/protobuf") {
      variables.ignored(name, "spans are sent by http/json only");
    }
  }
  for (auto& [key, value] : variables.pairs("OTEL_RESOURCE_ATTRIBUTES")) {
    config.resource[key] = value;
  }
  if (const std::string name = variables.text("OTEL_SERVICE_NAME"); !name.empty()) {
    config.resource["service.name"] = name;
  }
  read_limits(variables, config);
  return config;
}

}  // namespace davit::host
