/// Credentials of a configuration, over a scripted transport.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "host/credentials/credentials.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/fake_transport.hpp"
#include "tests/support/recording_log_sink.hpp"
#include "tests/support/recording_rest_metrics.hpp"
#include "tests/support/temp_directory.hpp"

namespace davit::host {

/// Keeps the head and the end of one response.
class Collector final : public ResponseReader {
 public:
  void on_head(int status, const HttpHeaders&) override { status_ = status; }
  Flow on_body(std::string_view) override { return Flow::kMore; }
  void on_end(const TransportEnd& end) override { end_ = end; }

  int status_ = 0;
  TransportEnd end_;
};

class CredentialsTest : public testing::Test {
 protected:
  Result<std::unique_ptr<Credentials>> make() {
    return make_credentials(config_, clock_, metrics_, Logger(sink_, "api"));
  }

  // The Authorization header of the next request.
  static std::string authorization(Credentials& credentials) {
    const Result<Credential> got = credentials.get();
    return got ? got->authorization : "error: " + got.error().message();
  }

  TempDirectory dir_;
  ConnectionConfig config_;
  test::FakeClock clock_;
  test::RecordingRestMetrics metrics_;
  test::RecordingLogSink sink_{10};
};

/// An AuthenticatedTransport over a fake one that the test keeps a pointer to.
struct Stack {
  explicit Stack(std::unique_ptr<Credentials> credentials, HttpHeaders impersonation = {}) {
    auto inner = std::make_unique<test::FakeTransport>();
    fake = inner.get();
    whole = add_credentials(std::move(inner), std::move(credentials), std::move(impersonation));
  }
  test::FakeTransport* fake;
  std::unique_ptr<Transport> whole;
};

}  // namespace davit::host
