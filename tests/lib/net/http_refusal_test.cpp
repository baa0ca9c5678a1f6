#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "lib/net/http_connection.hpp"
#include "tests/lib/net/http_conversation.hpp"

namespace davit {
namespace {

using testing::IsEmpty;
using testing::StartsWith;
using SocketAction = HttpConnection::SocketAction;

struct RefusalCase {
  const char* name;
  const char* wire;
  const char* response;
};

const RefusalCase kRefusals[] = {
    {"Nonsense", "nonsense\r\n\r\n", "HTTP/1.1 400 "},
    {"HttpTwo", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "HTTP/1.1 505 "},
    {"NoHost", "GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 400 "},
    {"TwoHosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "HTTP/1.1 400 "},
    {"NoPath", "GET a HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 400 "},
    {"LengthIsNoNumber", "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1x\r\n\r\n",
     "HTTP/1.1 400 "},
    {"TwoLengths", "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
     "HTTP/1.1 400 "},
    {"LengthAndChunks",
     "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
     "HTTP/1.1 400 "},
    {"UnknownEncoding", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n",
     "HTTP/1.1 501 "},
    {"UnknownExpectation", "POST / HTTP/1.1\r\nHost: x\r\nExpect: tea\r\nContent-Length: 1\r\n\r\n",
     "HTTP/1.1 417 "},
    {"BadChunk", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
     "HTTP/1.1 400 "},
    {"SpaceInName", "GET / HTTP/1.1\r\nHost: x\r\nA b: c\r\n\r\n", "HTTP/1.1 400 "},
};

class HttpRefusalTest : public test::HttpConversationTest,
                        public testing::WithParamInterface<RefusalCase> {};

TEST_P(HttpRefusalTest, GetsAResponseAndEndsTheConnection) {
  open();

  EXPECT_THAT(ask(GetParam().wire), StartsWith(GetParam().response));

  EXPECT_THAT(requests_, IsEmpty());
  EXPECT_EQ(connection_->action(), SocketAction::kHalfClose);
  pass(std::chrono::seconds(1));
  EXPECT_EQ(connection_->action(), SocketAction::kClose);
}

INSTANTIATE_TEST_SUITE_P(Table, HttpRefusalTest, testing::ValuesIn(kRefusals),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace davit
