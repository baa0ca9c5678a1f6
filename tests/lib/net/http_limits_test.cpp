// The limits of a head: one below, at, and one beyond each of them, however the bytes are cut.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "lib/net/http_connection.hpp"
#include "tests/lib/net/http_conversation.hpp"

namespace davit {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

constexpr std::string_view kFirst = "GET /a HTTP/1.1\r\nHost: x\r\n";
constexpr std::string_view kChunked =
    "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
constexpr std::string_view kOk = "HTTP/1.1 200 ";
constexpr std::string_view kTooLong = "HTTP/1.1 431 ";
constexpr std::string_view kSixteenBits = "length_error of Beast's fields";

/// Everything at once, and in pieces of these sizes: a line's end at the end of a piece, too.
constexpr std::size_t kPieces[] = {std::size_t{1} << 20U, 65'536, 4096, 1000};

/// A head of `bytes` bytes whose one long header is `name` and its value, or only a name.
std::string head_of(std::size_t bytes, std::string_view name) {
  std::string head(kFirst);
  head += name;
  head += ": ";
  head += std::string(bytes - head.size() - 4, 'v');
  return head += "\r\n\r\n";
}

std::string head_with_name(std::size_t bytes) {
  std::string head(kFirst);
  head += std::string(bytes - head.size() - 7, 'n');
  return head += ": v\r\n\r\n";
}

std::string target_of(std::size_t bytes) {
  constexpr std::string_view kRest = " HTTP/1.1\r\nHost: x\r\n\r\n";
  std::string head = "GET /";
  head += std::string(bytes - head.size() - kRest.size(), 't');
  return head += kRest;
}

/// `fields` headers, Host among them.
std::string head_with_fields(std::size_t fields) {
  std::string head(kFirst);
  for (std::size_t i = 1; i < fields; ++i) head += "n: v\r\n";
  return head += "\r\n";
}

/// A last chunk's line and trailers of `bytes` bytes together.
std::string trailers_of(std::size_t bytes) {
  constexpr std::string_view kBefore = "0\r\nT: ";
  std::string out(kChunked);
  return out.append(kBefore).append(bytes - kBefore.size() - 4, 't').append("\r\n\r\n");
}

std::string trailers_with_fields(std::size_t fields) {
  std::string out(kChunked);
  out += "0\r\n";
  for (std::size_t i = 0; i < fields; ++i) out += "n: v\r\n";
  return out += "\r\n";
}

class HttpLimitsTest : public test::HttpConversationTest {
 protected:
  /// The first response to `wire`, the same however it is cut.
  std::string answer(const std::string& wire) {
    std::string first;
    for (const std::size_t piece : kPieces) {
      requests_.clear();
      open();
      for (std::size_t at = 0; at < wire.size(); at += piece) {
        connection_->receive(std::string_view(wire).substr(at, piece), now_);
      }
      const std::string now = sent().substr(0, kOk.size());
      if (first.empty()) first = now;
      EXPECT_EQ(now, first) << "in pieces of " << piece;
      EXPECT_THAT(requests_, SizeIs(now == kOk ? 1 : 0));
    }
    return first;
  }
};

TEST_F(HttpLimitsTest, HeadOfExactlyTheLimitIsTheLongest) {
  constexpr std::size_t kMax = kHttpHeadBytesMax;
  EXPECT_EQ(answer(head_of(kMax - 1, "X")), kOk);
  EXPECT_EQ(answer(head_of(kMax, "X")), kOk);
  EXPECT_EQ(answer(head_of(kMax + 1, "X")), kTooLong);
  EXPECT_EQ(answer(head_with_name(kMax - 1)), kOk);
  EXPECT_EQ(answer(head_with_name(kMax)), kOk);
  EXPECT_EQ(answer(head_with_name(kMax + 1)), kTooLong);
  EXPECT_EQ(answer(target_of(kMax - 1)), kOk);
  EXPECT_EQ(answer(target_of(kMax)), kOk);
  EXPECT_EQ(answer(target_of(kMax + 1)), kTooLong);
}

TEST_F(HttpLimitsTest, HeaderBeyondSixteenBitsIsRefused) {
  for (const std::size_t bytes : {65'533, 65'534, 65'535, 65'536, 65'537, 70'000}) {
    const std::string value(bytes, 'v');
    EXPECT_EQ(answer(std::string(kFirst) + "X: " + value + "\r\n\r\n"), kTooLong) << kSixteenBits;
    EXPECT_EQ(answer(std::string(kFirst) + value + ": v\r\n\r\n"), kTooLong) << kSixteenBits;
    EXPECT_EQ(answer(std::string(kChunked) + "0\r\nT: " + value + "\r\n\r\n"), kTooLong);
  }
}

// A larger limit must not bring the length_error back.
TEST_F(HttpLimitsTest, LongHeaderArrivesWholeWhereTheLimitAllowsIt) {
  options_.header_bytes_max = std::size_t{1} << 20U;
  for (const std::size_t bytes : {65'533, 65'534, 65'535, 65'536, 500'000}) {
    const std::string value(bytes, 'v');
    EXPECT_EQ(answer(std::string(kFirst) + "X: " + value + "\r\n\r\n"), kOk);
    ASSERT_THAT(requests_, SizeIs(1));
    EXPECT_EQ(requests_[0].header("x"), value);
    EXPECT_EQ(answer(std::string(kFirst) + value + ": v\r\n\r\n"), kOk);
    EXPECT_EQ(answer(std::string(kChunked) + "0\r\nT: " + value + "\r\n\r\n"), kOk);
  }
}

TEST_F(HttpLimitsTest, ExactlyTheLimitOfHeadersIsTaken) {
  EXPECT_EQ(answer(head_with_fields(kHttpFieldsMax - 1)), kOk);
  EXPECT_EQ(answer(head_with_fields(kHttpFieldsMax)), kOk);
  EXPECT_EQ(answer(head_with_fields(kHttpFieldsMax + 1)), kTooLong);
}

TEST_F(HttpLimitsTest, TrailersHaveTheLimitsOfAHead) {
  EXPECT_EQ(answer(trailers_of(kHttpHeadBytesMax - 1)), kOk);
  EXPECT_EQ(answer(trailers_of(kHttpHeadBytesMax)), kOk);
  EXPECT_EQ(answer(trailers_of(kHttpHeadBytesMax + 1)), kTooLong);
  EXPECT_EQ(answer(trailers_with_fields(kHttpFieldsMax - 1)), kOk);
  EXPECT_EQ(answer(trailers_with_fields(kHttpFieldsMax)), kOk);
  EXPECT_EQ(answer(trailers_with_fields(kHttpFieldsMax + 1)), kTooLong);
}

TEST_F(HttpLimitsTest, HeadThatComesLineByLineHasTheSameLimit) {
  const std::string line = "n: " + std::string(4000, 'v') + "\r\n";
  open();
  connection_->receive(kFirst, now_);
  for (std::size_t bytes = 0; bytes < kHttpHeadBytesMax; bytes += line.size()) {
    EXPECT_THAT(sent(), IsEmpty()) << bytes;
    connection_->receive(line, now_);
  }
  EXPECT_THAT(sent(), StartsWith(kTooLong)) << "before its end";
}

TEST_F(HttpLimitsTest, ResponseWithATooLongHeadIsAnError) {
  std::size_t bytes = 0;
  std::size_t fields = 1;
  respond_ = [&](const HttpServerRequest&) {
    HttpServerResponse response;
    for (std::size_t i = 0; i < fields; ++i) {
      response.headers.emplace_back("Warning", std::string(bytes / fields, 'w'));
    }
    return response;
  };

  for (const std::size_t each : {std::size_t{60'000}, kHttpHeadBytesMax, std::size_t{200'000}}) {
    bytes = each;
    open();
    const std::string response = ask(test::kGet);
    EXPECT_THAT(response, StartsWith(each == 60'000 ? "HTTP/1.1 200 " : "HTTP/1.1 500 "));
    EXPECT_LT(response.size(), kHttpHeadBytesMax);
  }
  bytes = 0;
  fields = kHttpFieldsMax + 1;
  open();
  EXPECT_THAT(ask(test::kGet), StartsWith("HTTP/1.1 500 "));
}

// RFC 9112, 5.2: a proxy before the server may take the further line for a header of its own.
TEST_F(HttpLimitsTest, HeaderThatContinuesOnAnotherLineIsRefused) {
  for (const std::string folded :
       {"X: a\r\n b\r\n", "X: a\r\n\tb\r\n", "X:\r\n b\r\n", "X: \r\n \r\n", "X:\r\n\t\r\n",
        "X: a\r\n \r\n", "Transfer-Encoding:\r\n chunked\r\n", "Content-Length:\r\n 3\r\n"}) {
    EXPECT_EQ(answer(std::string(kFirst) + folded + "\r\n"), "HTTP/1.1 400 ") << folded;
    EXPECT_EQ(answer(std::string(kChunked) + "0\r\n" + folded + "\r\n"), "HTTP/1.1 400 ") << folded;
  }
  EXPECT_EQ(answer(std::string(kFirst) + "X:\r\nY: \t \r\nZ:z\r\n\r\n"), kOk);
}

}  // namespace
}  // namespace davit
