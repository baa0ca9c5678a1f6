#include "host/config/tracing_config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace davit::host {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

using Environment = std::map<std::string, std::string>;

TracingConfig read(const Environment& variables, const TracingSettings& settings = {}) {
  ConnectionEnvironment environment;
  environment.variable = [&variables](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  };
  return tracing_config(settings, environment);
}

TEST(TracingConfigTest, NothingIsTracedUnlessAnEndpointIsNamed) {
  EXPECT_EQ(read({}).endpoint, "");
  EXPECT_EQ(read({{"OTEL_TRACES_SAMPLER", "always_on"}, {"OTEL_SERVICE_NAME", "x"}}).endpoint, "");
}

struct EndpointCase {
  const char* settings;
  Environment variables;
  const char* endpoint;
};

TEST(TracingConfigTest, EndpointIsTheManifestsThenThatOfTracesThenTheGeneralOne) {
  const std::string general = "OTEL_EXPORTER_OTLP_ENDPOINT";
  const std::string traces = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
  const EndpointCase cases[] = {
      {"http://m/x", {{general, "http://g"}, {traces, "http://t/y"}}, "http://m/x"},
      {"http://m:4318", {}, "http://m:4318/v1/traces"},
      {"http://m:4318/", {}, "http://m:4318/v1/traces"},
      {"", {{general, "http://g"}, {traces, "http://t/y"}}, "http://t/y"},
      {"", {{general, "http://g:4318"}}, "http://g:4318/v1/traces"},
      {"", {{general, "http://g/otlp/"}}, "http://g/otlp/v1/traces"},
      {"", {{general, "http://g"}, {"OTEL_SDK_DISABLED", "True"}}, ""},
      {"", {{general, "http://g"}, {"OTEL_TRACES_EXPORTER", "none"}}, ""},
      {"http://m/x", {{"OTEL_SDK_DISABLED", "true"}}, "http://m/x"},
  };
  for (const EndpointCase& each : cases) {
    TracingSettings settings;
    settings.endpoint = each.settings;
    EXPECT_EQ(read(each.variables, settings).endpoint, each.endpoint);
  }
}

struct SamplerCase {
  const char* sampler;
  const char* argument;
  std::uint32_t per_million;
  std::size_t warnings;
};
constexpr SamplerCase kSamplers[] = {
    {"", "", 1'000'000, 0},
    {"always_on", "0.5", 1'000'000, 0},
    {"parentbased_always_on", "", 1'000'000, 0},
    {"always_off", "", 0, 0},
    {"parentbased_always_off", "", 0, 0},
    {"traceidratio", "0.25", 250'000, 0},
    {"parentbased_traceidratio", "0.000001", 1, 0},
    {"traceidratio", "", 1'000'000, 0},
    {"traceidratio", "2", 1'000'000, 1},
    {"traceidratio", "-1", 1'000'000, 1},
    {"traceidratio", "nan", 1'000'000, 1},
    {"traceidratio", "often", 1'000'000, 1},
    {"jaeger_remote", "", 1'000'000, 1},
};

TEST(TracingConfigTest, SamplerIsThatOfTheEnvironment) {
  for (const SamplerCase& each : kSamplers) {
    const TracingConfig config = read({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://g"},
                                       {"OTEL_TRACES_SAMPLER", each.sampler},
                                       {"OTEL_TRACES_SAMPLER_ARG", each.argument}});
    EXPECT_EQ(config.sampling_rate_per_million, each.per_million) << each.sampler << each.argument;
    EXPECT_EQ(config.warnings.size(), each.warnings) << each.sampler << each.argument;
  }
}

TEST(TracingConfigTest, ManifestWinsOverTheEnvironment) {
  TracingSettings settings;
  settings.endpoint = "http://m/x";
  settings.sampling_rate_per_million = 0;
  settings.headers = {{"a", "b"}};
  settings.certificate_authority = "/m.pem";
  const TracingConfig config = read({{"OTEL_TRACES_SAMPLER", "always_on"},
                                     {"OTEL_EXPORTER_OTLP_HEADERS", "c=d"},
                                     {"OTEL_EXPORTER_OTLP_CERTIFICATE", "/e.pem"}},
                                    settings);
  EXPECT_EQ(config.sampling_rate_per_million, 0U);
  EXPECT_THAT(config.headers, ElementsAre(Pair("a", "b")));
  EXPECT_EQ(config.certificate_authority, "/m.pem");
}

TEST(TracingConfigTest, RestIsTheEnvironments) {
  const TracingConfig config =
      read({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://g"},
            {"OTEL_EXPORTER_OTLP_HEADERS", "ignored=1"},
            {"OTEL_EXPORTER_OTLP_TRACES_HEADERS", " api-key = a%20b+c ,,x=y=z"},
            {"OTEL_EXPORTER_OTLP_CERTIFICATE", "/e.pem"},
            {"OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf"},
            {"OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "1500"},
            {"OTEL_RESOURCE_ATTRIBUTES", "service.name=a,deployment.environment=test"},
            {"OTEL_SERVICE_NAME", "mine"},
            {"OTEL_BSP_SCHEDULE_DELAY", "100"},
            {"OTEL_BSP_MAX_QUEUE_SIZE", "64"},
            {"OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "100"}});
  EXPECT_THAT(config.headers, ElementsAre(Pair("api-key", "a b+c"), Pair("x", "y=z")));
  EXPECT_EQ(config.certificate_authority, "/e.pem");
  EXPECT_EQ(config.timeout, milliseconds(1500));
  EXPECT_THAT(config.resource,
              ElementsAre(Pair("deployment.environment", "test"), Pair("service.name", "mine")));
  EXPECT_EQ(config.interval, milliseconds(100));
  EXPECT_EQ(config.queue_max, 64U);
  EXPECT_EQ(config.batch_max, 64U) << "no more than the queue holds";
  EXPECT_THAT(config.warnings, IsEmpty());
}

TEST(TracingConfigTest, MalformedVariableIsReportedWithoutItsValueAndIgnored) {
  const TracingConfig config = read({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://g"},
                                     {"OTEL_EXPORTER_OTLP_HEADERS", "t0p-s3cret"},
                                     {"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"},
                                     {"OTEL_EXPORTER_OTLP_TIMEOUT", "10s"},
                                     {"OTEL_BSP_MAX_QUEUE_SIZE", "0"},
                                     {"OTEL_BSP_SCHEDULE_DELAY", "99999999999999999999"}});
  const TracingConfig defaults;
  EXPECT_THAT(config.headers, IsEmpty());
  EXPECT_EQ(config.timeout, defaults.timeout);
  EXPECT_EQ(config.queue_max, defaults.queue_max);
  EXPECT_EQ(config.interval, defaults.interval);
  EXPECT_EQ(config.warnings.size(), 5U);
  for (const std::string& each : config.warnings) {
    EXPECT_THAT(each, HasSubstr(" is ignored: "));
    EXPECT_EQ(each.find("t0p-s3cret"), std::string::npos);
  }
}

}  // namespace
}  // namespace davit::host
