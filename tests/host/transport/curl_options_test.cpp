#include "host/transport/curl_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cerrno>
#include <future>

#include "host/api/rest_client.hpp"
#include "host/transport/curl_transport.hpp"
#include "tests/host/api/rest_fixture.hpp"
#include "tests/host/transport/tiny_server.hpp"
#include "tests/support/collector.hpp"

namespace davit::host {
namespace {

using testing::StartsWith;

using CurlOptionsTest = RestTest;

// Bytes that the kernel has not sent yet must not arrive when another host leads.
TEST_F(CurlOptionsTest, WriteThatIsGivenUpResetsItsConnection) {
  const std::unique_ptr<Clock> clock = make_system_clock();
  test::Door arrived;
  std::promise<int> end;
  TinyServer server([&](Peer& peer) {
    EXPECT_THAT(peer.read_request(), StartsWith("PUT "));
    arrived.open();
    char byte = 0;
    const ssize_t got = ::recv(peer.descriptor(), &byte, 1, 0);
    end.set_value(got < 0 ? errno : 0);
  });
  ConnectionConfig config;
  config.server = server.url();
  const auto transport = make_curl_transport(config, *clock, metrics_, Logger(sink_));
  ASSERT_TRUE(transport) << transport.error().message();
  options_.rate = {-1, 0};
  RestClient client(**transport, *clock, metrics_, Logger(sink_), options_);
  std::stop_source stop;
  auto write = std::async(std::launch::async,
                          [&] { return client.call(write_pod(Verb::kUpdate), stop.get_token()); });
  arrived.pass();

  stop.request_stop();

  EXPECT_EQ(write.get().status.code(), Code::kUnavailable);
  EXPECT_EQ(end.get_future().get(), ECONNRESET) << "and not a proper end after all that was sent";
}

}  // namespace
}  // namespace davit::host
