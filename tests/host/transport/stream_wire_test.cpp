// Lists and watches that their caller's thread drives: what the wire may do to them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <future>

#include "host/api/rest_client.hpp"
#include "host/transport/curl_transport.hpp"
#include "tests/host/api/rest_fixture.hpp"
#include "tests/host/transport/tiny_server.hpp"

namespace davit::host {
namespace {

using testing::HasSubstr;

/// Far beyond what anything here takes; only a failure waits for it.
constexpr std::chrono::seconds kTimeout{60};

ApiRequest stream_of_pods(Verb verb) {
  ApiRequest request;
  request.verb = verb;
  request.path = {"", "v1", "pods", "", "", ""};
  return request;
}

std::string chunk(std::string_view text) {
  std::string size(8, '0');
  static_cast<void>(std::snprintf(size.data(), size.size(), "%zx", text.size()));
  return std::string(size.c_str()).append("\r\n").append(text).append("\r\n");
}

constexpr std::string_view kChunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

class StreamWireTest : public testing::Test {
 protected:
  void connect_to(const TinyServer& server) {
    ConnectionConfig config;
    config.server = server.url();
    auto made = make_curl_transport(config, *clock_, metrics_, Logger(sink_));
    ASSERT_TRUE(made) << made.error().message();
    transport_ = *std::move(made);
    client_ = std::make_unique<RestClient>(*transport_, *clock_, metrics_, Logger(sink_),
                                           RestOptions{.rate = {-1, 0}});
  }

  const std::unique_ptr<Clock> clock_ = make_system_clock();
  test::RecordingRestMetrics metrics_;
  test::RecordingLogSink sink_;
  std::unique_ptr<Transport> transport_;
  std::unique_ptr<RestClient> client_;
};

TEST_F(StreamWireTest, EventsOfAWatchAreReadAsTheyComeOnTheCallersThread) {
  std::atomic<int> seen = 0;
  TinyServer server([&](Peer& peer) {
    peer.read_request();
    peer.write(kChunked);
    for (int i = 0; i < 3; ++i) {
      peer.write(chunk("event" + std::to_string(i)));
      for (int now = seen; now <= i; now = seen) seen.wait(now);  // Not before it was read.
    }
    peer.write("0\r\n\r\n");
  });
  connect_to(server);
  std::string received;
  const std::thread::id caller = std::this_thread::get_id();
  const Status status = client_->stream(stream_of_pods(Verb::kWatch), {}, [&](auto piece) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    received += piece;
    if (!piece.empty()) ++seen;
    seen.notify_all();
    return Status();
  });
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(received, "event0event1event2");
}

TEST_F(StreamWireTest, ALongListIsUsedInPiecesAndNotAsAWhole) {
  std::string body;
  while (body.size() < (std::size_t{16} << 20)) body += std::to_string(body.size()) + ',';
  TinyServer server([&](Peer& peer) {
    peer.read_request();
    peer.respond(body);
  });
  connect_to(server);
  std::string received;
  std::size_t longest = 0;
  const Status status = client_->stream(stream_of_pods(Verb::kList), {}, [&](auto piece) {
    longest = std::max(longest, piece.size());
    received += piece;
    return Status();
  });
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_TRUE(received == body);
  EXPECT_LE(longest, std::size_t{128} << 10);
}

TEST_F(StreamWireTest, StopEndsASilentWatchAndItsConnection) {
  std::promise<void> asked;
  std::promise<void> closed;
  TinyServer server([&](Peer& peer) {
    peer.read_request();
    peer.write(kChunked);
    asked.set_value();
    EXPECT_EQ(peer.read_request(), "");
    closed.set_value();
  });
  connect_to(server);
  std::stop_source stop;
  auto watch = std::async(std::launch::async, [&] {
    return client_->stream(stream_of_pods(Verb::kWatch), stop.get_token(),
                           [](auto) { return Status(); });
  });
  asked.get_future().wait();
  stop.request_stop();
  EXPECT_EQ(watch.get().code(), Code::kCancelled);
  EXPECT_EQ(closed.get_future().wait_for(kTimeout), std::future_status::ready);
}

TEST_F(StreamWireTest, TimeLimitEndsAListThatHangsInTheMiddle) {
  TinyServer server([](Peer& peer) {
    peer.read_request();
    peer.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nbegin");
    peer.read_request();
  });
  connect_to(server);
  ApiRequest list = stream_of_pods(Verb::kList);
  std::string received;
  // A busy machine may not let the server begin within the first limits.
  for (std::chrono::milliseconds limit{50}; received.empty() && limit < kTimeout; limit *= 2) {
    list.timeout = limit;
    const Status status = client_->stream(list, {}, [&](auto piece) {
      received += piece;
      return Status();
    });
    EXPECT_EQ(status.code(), Code::kUnavailable);
    EXPECT_THAT(status.message(), HasSubstr("the server took too long to respond"));
  }
  EXPECT_EQ(received, "begin");
}

TEST_F(StreamWireTest, AReaderThatTakesNoMoreClosesTheConnection) {
  std::promise<void> closed;
  TinyServer server([&](Peer& peer) {
    peer.read_request();
    peer.write(kChunked);
    while (peer.write(chunk(std::string(1000, 'x')))) {
    }
    closed.set_value();
  });
  connect_to(server);
  const Status status = client_->stream(stream_of_pods(Verb::kWatch), {}, [](auto piece) {
    return piece.empty() ? Status() : Status(Code::kInvalid, "enough");
  });
  EXPECT_EQ(status.code(), Code::kInvalid);
  EXPECT_EQ(closed.get_future().wait_for(kTimeout), std::future_status::ready);
}

TEST_F(StreamWireTest, ListsShareAConnectionOneAfterTheOther) {
  TinyServer server([](Peer& peer) {
    while (!peer.read_request().empty()) peer.respond("{}");
  });
  connect_to(server);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(
        client_->stream(stream_of_pods(Verb::kList), {}, [](auto) { return Status(); }).ok());
  }
  EXPECT_EQ(server.connections(), 1u);
}

}  // namespace
}  // namespace davit::host
