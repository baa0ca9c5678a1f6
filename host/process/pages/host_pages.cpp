#include "host/process/pages/host_pages.hpp"

#include <charconv>
#include <limits>
#include <string>
#include <system_error>
#include <utility>

#include "host/config/feature_gates.hpp"
#include "host/process/pages/configuration_page.hpp"
#include "host/process/pages/profile_page.hpp"
#include "host/process/pages/zpages.hpp"
#include "lib/base/json_text.hpp"

namespace davit::host {
namespace {

HttpServerResponse configz(const SettingsInForce& settings) {
  return page_response(200, kJsonText, to_text(configuration_page(settings)));
}

HttpServerResponse flag_response(int status, std::string text) {
  return page_response(status, "text/plain", std::move(text) + "\n");
}

/// The flags that can be changed at run time. As upstream's, it responds to every method. Rule:
/// docs/spec/host.md, 8.7.
HttpServerResponse flag_list(const HttpServerRequest&) {
  return page_response(200, "text/html; charset=utf-8",
                       "<!DOCTYPE html>\n<title>/debug/flags/</title>\n"
                       "<p>Flags that a PUT changes:</p>\n"
                       "<ul>\n<li><a href=\"/debug/flags/v\">v</a></li>\n</ul>\n");
}

/// PUT sets the verbosity to the number in the body; other methods get 406, as upstream's. Rule:
/// docs/spec/host.md, 8.7.
HttpServerResponse verbosity_response(const HttpServerRequest& request, const HostPages& pages) {
  if (request.method != "PUT") return flag_response(406, "unsupported http method");
  if (request.body_too_large) return flag_response(413, "the body is too large");
  const std::string& text = request.body;
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  // strconv.ParseUint with 31 bits.
  const bool is_number = end == text.data() + text.size() && !text.empty();
  const bool is_large = error == std::errc::result_out_of_range ||
                        value > static_cast<unsigned>(std::numeric_limits<int>::max());
  if (!is_number || is_large || error == std::errc::invalid_argument) {
    const bool is_range = is_number && is_large;
    return flag_response(400, "strconv.ParseUint: parsing " + json_string(text) +
                                  (is_range ? ": value out of range" : ": invalid syntax"));
  }
  if (pages.verbosity == nullptr) {
    return flag_response(500, "the verbosity of this log cannot be changed");
  }
  pages.verbosity->set(static_cast<int>(value));
  pages.log.info(0, "The log's verbosity was changed", {{"v", value}});
  return flag_response(200, "successfully set klog.logging.verbosity to " + std::to_string(value));
}

std::string_view stage_text(FeatureGate::Stage stage) {
  switch (stage) {
    case FeatureGate::Stage::kAlpha:
      return "ALPHA";
    case FeatureGate::Stage::kBeta:
      return "BETA";
    case FeatureGate::Stage::kDeprecated:
      return "DEPRECATED";
    case FeatureGate::Stage::kGa:
      break;
  }
  return "";
}

}  // namespace

void add_host_pages(ObservabilityRoutes& routes, const HostPages& pages) {
  const Manifest manifest = pages.settings().manifest;
  const GateSettings& gates = manifest.feature_gates;
  if (manifest.serving.profiling) add_profile_page(routes, pages.clock);
  routes.add_route("/configz", [settings = pages.settings](const HttpServerRequest&) {
    return configz(settings());
  });
  routes.add_route("/debug/flags", flag_list, RouteMethods::kAny);
  routes.add_route("/debug/flags/", flag_list, RouteMethods::kAny);
  routes.add_route(
      "/debug/flags/v",
      [pages](const HttpServerRequest& request) { return verbosity_response(request, pages); },
      RouteMethods::kAny);
  if (is_gate_on("ComponentFlagz", gates)) {
    routes.add_route("/flagz", [settings = pages.settings](const HttpServerRequest& request) {
      const SettingsInForce now = settings();
      FlagValues flags = upstream_flags_in_force(now);
      flags.merge(own_flags_in_force(now));
      return flagz_response(request.header("Accept"), flags);
    });
  }
  if (!is_gate_on("ComponentStatusz", gates)) return;
  routes.add_route("/statusz", [&routes, &clock = pages.clock, started = pages.clock.now(),
                                wall = pages.clock.wall_now()](const HttpServerRequest& request) {
    return statusz_response(
        request.header("Accept"),
        {.started = wall, .up = clock.now() - started, .paths = routes.top_paths()});
  });
}

void report_feature_gates(const GateSettings& gates, Metrics& metrics) {
  for (const FeatureGate& each : known_feature_gates()) {
    const bool on = is_gate_on(each.name, gates);
    metrics.feature(each.name, stage_text(each.stage),
                    on ? Metrics::Enabled::kYes : Metrics::Enabled::kNo);
  }
}

}  // namespace davit::host
