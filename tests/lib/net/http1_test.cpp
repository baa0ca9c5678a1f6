// Statuses, and responses to requests for another protocol. The rest: PooledCallTest.
#include "lib/net/http1.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace davit {
namespace {

using State = Http1Response::State;

struct Kept final : ResponseReader {
  void on_head(int code, const HttpHeaders& head) override {
    ++heads;
    status = code;
    headers = head;
  }
  Flow on_body(std::string_view chunk) override {
    body += chunk;
    return Flow::kMore;
  }
  void on_end(const TransportEnd&) override {}

  int heads = 0;
  int status = 0;
  HttpHeaders headers;
  std::string body;
};

/// The response in `wire`, which arrives in pieces of `size` bytes.
struct Reading {
  Reading(std::string_view wire, ProtocolSwitch protocol_switch, std::size_t size) {
    const Http1Route route;
    Http1Response response(kept, ResponseBody::kPossible, route, protocol_switch);
    std::size_t at = 0;
    while (at < wire.size() && state == State::kMore) {
      const std::string_view piece = wire.substr(at, size);
      state = response.feed(piece);
      at += piece.size();
    }
    if (state == State::kDone) rest = response.take_rest() + std::string(wire.substr(at));
    end = response.end();
  }

  State state = State::kMore;
  Kept kept;
  std::string rest;  ///< The bytes behind the response.
  TransportEnd end;
};

// Its body would come before any head, or before the body of the next response.
TEST(ResponseStatusTest, LowerThanAnyThatHasAMeaningIsMalformed) {
  for (const std::string status : {"000", "001", "099"}) {
    const std::string wire = "HTTP/1.1 " + status + " X\r\nContent-Length: 3\r\n\r\nabc" +
                             "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    for (const std::size_t size : {std::size_t{1}, wire.size()}) {
      const Reading got(wire, ProtocolSwitch::kRefused, size);
      EXPECT_EQ(got.state, State::kBroken) << status;
      EXPECT_EQ(got.end.kind, Break::kOther);
      EXPECT_EQ(got.kept.heads, 0);
      EXPECT_EQ(got.kept.body, "");
    }
  }
}

constexpr std::string_view kSwitch =
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: words\r\nConnection: Upgrade\r\n\r\n";

TEST(ProtocolSwitchTest, BytesBehindTheHeadAreNotHttp) {
  const std::string wire = std::string(kSwitch) + "0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n";
  for (std::size_t size = 1; size <= wire.size(); ++size) {
    SCOPED_TRACE(size);
    const Reading got(wire, ProtocolSwitch::kWanted, size);
    ASSERT_EQ(got.state, State::kDone);
    EXPECT_EQ(got.kept.status, 101);
    EXPECT_EQ(got.kept.headers, (HttpHeaders{{"upgrade", "words"}, {"connection", "Upgrade"}}));
    EXPECT_EQ(got.kept.body, "");
    EXPECT_EQ(got.rest, "0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n");
  }
}

TEST(ProtocolSwitchTest, AHeadWithALengthHasNoBodyEither) {
  const Reading got("HTTP/1.1 101 X\r\nContent-Length: 3\r\n\r\nabcd", ProtocolSwitch::kWanted,
                    1000);
  ASSERT_EQ(got.state, State::kDone);
  EXPECT_EQ(got.rest, "abcd");
}

TEST(ProtocolSwitchTest, OtherInformationalResponsesAreSkipped) {
  const std::string wire = "HTTP/1.1 100 Continue\r\n\r\n" + std::string(kSwitch);
  const Reading got(wire, ProtocolSwitch::kWanted, 7);
  ASSERT_EQ(got.state, State::kDone);
  EXPECT_EQ(got.kept.heads, 1);
  EXPECT_EQ(got.kept.status, 101);
}

TEST(ProtocolSwitchTest, AServerMayRefuseInChunks) {
  const std::string wire =
      "HTTP/1.1 403 X\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n0\r\n\r\n";
  for (std::size_t size = 1; size <= wire.size(); ++size) {
    SCOPED_TRACE(size);
    const Reading got(wire, ProtocolSwitch::kWanted, size);
    ASSERT_EQ(got.state, State::kDone);
    EXPECT_EQ(got.kept.status, 403);
    EXPECT_EQ(got.kept.body, "no");
  }
}

TEST(ProtocolSwitchTest, NoServerMaySwitchUnasked) {
  const Reading got(kSwitch, ProtocolSwitch::kRefused, 1000);
  EXPECT_EQ(got.state, State::kBroken);
  EXPECT_EQ(got.end.kind, Break::kOther);
  EXPECT_EQ(got.kept.heads, 0);
}

}  // namespace
}  // namespace davit
