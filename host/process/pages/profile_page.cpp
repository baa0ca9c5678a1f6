#include "host/process/pages/profile_page.hpp"

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "host/health/cpu_profile.hpp"
#include "lib/net/query.hpp"

namespace davit::host {
namespace {

/// ?seconds=; what is not a number above 0 is the default, as with net/http/pprof. Nothing: too
/// long.
std::optional<std::chrono::seconds> wanted_time(std::string_view query) {
  for (const auto& [name, value] : parse_query(query)) {
    if (name != "seconds") continue;
    std::uint32_t seconds = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), seconds);
    if (end != value.data() + value.size() || value.empty()) break;
    if (error == std::errc::result_out_of_range || seconds > kProfileTimeMax.count()) {
      return std::nullopt;
    }
    if (seconds > 0) return std::chrono::seconds(seconds);
    break;
  }
  return kProfileTime;
}

/// A profile under way. Destroyed early, because the server stops, it ends with that.
class Recording final : public HttpDeferredResponse {
 public:
  Recording(CpuProfile profile, Clock& clock, Time end)
      : profile_(std::move(profile)), clock_(clock), end_(end) {}

  [[nodiscard]] std::optional<HttpServerResponse> take() override {
    if (clock_.now() < end_) return std::nullopt;
    HttpServerResponse done = page_response(200, "application/octet-stream", profile_.finish());
    done.headers.emplace_back("Content-Disposition", R"(attachment; filename="profile")");
    return done;
  }
  [[nodiscard]] Time next_take() const override { return end_; }

 private:
  CpuProfile profile_;
  Clock& clock_;
  const Time end_;
};

HttpServerResponse profile_response(const HttpServerRequest& request, Clock& clock) {
  const std::optional<std::chrono::seconds> time = wanted_time(request.query());
  if (!time) {
    return page_response(
        400, kPlainText,
        "seconds must be at most " + std::to_string(kProfileTimeMax.count()) + "\n");
  }
  // A client that asks for the headers alone does not want to wait for them.
  if (request.method == "HEAD") return page_response(200, "application/octet-stream", "");
  Result<CpuProfile> profile = CpuProfile::start();
  if (!profile) {
    return page_response(500, kPlainText,
                         "Could not enable CPU profiling: " + profile.error().message() + "\n");
  }
  HttpServerResponse response;
  response.deferred = std::make_unique<Recording>(*std::move(profile), clock, clock.now() + *time);
  return response;
}

HttpServerResponse profile_list(const HttpServerRequest& request) {
  if (request.path() != "/debug/pprof/") return page_response(404, kPlainText, "Unknown profile\n");
  return page_response(
      200, "text/html; charset=utf-8",
      "<!DOCTYPE html>\n<title>/debug/pprof/</title>\n"
      "<ul>\n<li><a href=\"profile?seconds=30\">profile</a>: where the CPU time of the next "
      "30 seconds goes</li>\n</ul>\n");
}

}  // namespace

void add_profile_page(ObservabilityRoutes& routes, Clock& clock) {
  routes.add_route("/debug/pprof", [](const HttpServerRequest&) {
    HttpServerResponse moved = page_response(302, kPlainText, "");
    moved.headers.emplace_back("Location", "/debug/pprof/");
    return moved;
  });
  routes.add_route("/debug/pprof/", profile_list);
  routes.add_route("/debug/pprof/profile", [&clock](const HttpServerRequest& request) {
    return profile_response(request, clock);
  });
}

}  // namespace davit::host
