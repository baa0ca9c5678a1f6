#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "lib/net/http_connection.hpp"
#include "tests/lib/net/http_conversation.hpp"

namespace davit {
namespace {

using testing::SizeIs;

constexpr std::string_view kStatus = "HTTP/1.1 200 ";
constexpr std::size_t kHeadMax = 200;
constexpr std::size_t kBodyMax = 10;

struct CutCase {
  const char* name;
  std::string chunks;    ///< Behind the head of a request with a chunked body.
  const char* status;    ///< The reply's status line up to the reason; "" without a reply.
  std::size_t requests;  ///< That reach the handler.
};

std::string short_lines() {
  std::string lines;
  for (std::size_t i = 0; i < kBodyMax; ++i) lines += "1;" + std::string(50, 'x') + "\r\n1\r\n";
  return lines;
}

const CutCase kCuts[] = {
    {"EmptyBody", "0\r\n\r\n", "HTTP/1.1 200 ", 1},
    {"EmptyBodyWithTrailers", "0\r\nT: t\r\n\r\n", "HTTP/1.1 200 ", 1},
    {"MistakeBehindALargeBody", "b\r\n12345678901\r\nzz\r\n", "HTTP/1.1 200 ", 1},
    {"EndBehindALargeBody", "b\r\n12345678901\r\n0\r\n\r\n", "HTTP/1.1 200 ", 1},
    {"MistakeBeforeALargeBody", "a\r\n1234567890zz\r\n1\r\n1\r\n", "HTTP/1.1 400 ", 0},
    {"LongLineOfAChunk", "1;" + std::string(kHeadMax, 'x') + "\r\n1\r\n0\r\n\r\n", "HTTP/1.1 431 ",
     0},
    {"LongTrailers", "1\r\n1\r\n0\r\nT: " + std::string(kHeadMax, 't') + "\r\n\r\n",
     "HTTP/1.1 431 ", 0},
    {"OpenQuoteBehindAHugeSize", "fffffffffffffff0;a=\"\r\n0\r\n\r\n", "", 0},
    {"ShortLinesThatAreLongTogether", short_lines() + "0\r\n\r\n", "HTTP/1.1 200 ", 1},
};

class HttpCutTest : public test::HttpConversationTest,
                    public testing::WithParamInterface<CutCase> {};

TEST_P(HttpCutTest, GetsTheSameResponseHoweverItIsCut) {
  options_.header_bytes_max = kHeadMax;
  options_.body_bytes_max = kBodyMax;
  options_.large_body = LargeBody::kPassToHandler;
  const std::string wire =
      "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + GetParam().chunks;

  for (std::size_t size = 1; size <= wire.size(); ++size) {
    open();
    requests_.clear();

    for (std::size_t at = 0; at < wire.size(); at += size) {
      connection_->receive(std::string_view(wire).substr(at, size), now_);
    }

    EXPECT_EQ(sent().substr(0, kStatus.size()), GetParam().status) << size;
    EXPECT_THAT(requests_, SizeIs(GetParam().requests)) << size;
  }
}

INSTANTIATE_TEST_SUITE_P(Table, HttpCutTest, testing::ValuesIn(kCuts),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace davit
