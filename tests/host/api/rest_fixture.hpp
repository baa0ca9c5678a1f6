/// A RestClient on a fake clock and a scripted transport.
#pragma once

#include <gtest/gtest.h>

#include <future>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/api/rest_client.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/fake_transport.hpp"
#include "tests/support/recording_log_sink.hpp"
#include "tests/support/recording_rest_metrics.hpp"

namespace davit::host {

/// A response to get_pod() and write_pod().
inline constexpr std::string_view kWebPod =
    R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"web","namespace":"ns","uid":"u",)"
    R"("resourceVersion":"1"}})";

/// The pod that a path names.
inline std::string pod_at(std::string_view target) {
  target = target.substr(0, target.find('?'));
  std::string out(kWebPod);
  const std::string_view name = target.substr(target.rfind('/') + 1);
  return out.replace(out.find("web"), std::string_view("web").size(), name);
}

inline ApiRequest get_pod(std::string name = "web") {
  ApiRequest request;
  request.path = {"", "v1", "pods", "", "ns", std::move(name)};
  return request;
}

/// A read whose response may be anything.
inline ApiRequest get_raw() {
  ApiRequest request;
  request.raw_path = "/raw";
  return request;
}

inline ApiRequest write_pod(Verb verb) {
  ApiRequest request = get_pod(verb == Verb::kCreate ? "" : "web");
  request.verb = verb;
  request.body = R"({"kind":"Pod"})";
  return request;
}

class RestTest : public testing::Test {
 protected:
  /// Waiting for the limiter, for Retry-After or for a response takes place on `clock_`: runs
  /// `call` on a thread of its own and moves the clock by each of `steps` once the call waits.
  template <typename Call>
  auto with_steps(const std::vector<Duration>& steps, Call call) {
    auto result = std::async(std::launch::async, std::move(call));
    for (const Duration step : steps) {
      clock_.await_waiters(1);
      clock_.advance(step);
    }
    return result.get();
  }

  RestClient client(TokenBucket::Rate rate = {-1, 0}) {
    options_.rate = rate;
    options_.user_agent = "davit";
    return RestClient(transport_, clock_, metrics_, Logger(sink_, "api"), options_);
  }

  /// Without a body: the Pod "web" if `status` reports success.
  static test::ScriptedResponse response_of(int status, std::optional<std::string> body = {},
                                            std::string retry_after = "") {
    test::ScriptedResponse out;
    out.status = status;
    out.body = body.value_or(status / 100 == 2 ? std::string(kWebPod) : "{}");
    if (!retry_after.empty()) out.headers.emplace_back("retry-after", std::move(retry_after));
    return out;
  }

  test::FakeClock clock_;
  test::FakeTransport transport_;
  test::RecordingRestMetrics metrics_;
  test::RecordingLogSink sink_{10};
  RestOptions options_;
};

}  // namespace davit::host
