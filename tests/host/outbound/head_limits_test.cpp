// The limits of heads that the client sends and reads: one below, at, and one beyond each of them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "host/api/request_builder.hpp"
#include "host/credentials/exec_plugin.hpp"
#include "host/outbound/outbound_client.hpp"
#include "host/transport/curl_transport.hpp"
#include "lib/base/header_value.hpp"
#include "lib/net/http1.hpp"
#include "tests/host/credentials/credentials_fixture.hpp"
#include "tests/host/transport/collected_response.hpp"
#include "tests/host/transport/tiny_server.hpp"

namespace davit::host {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// Beast's containers keep lengths in sixteen bits and threw from here on.
constexpr std::size_t kBeyondSixteenBits[] = {65'533, 65'534, 65'535, 65'536, 70'000};

std::string secret_of(std::size_t bytes) { return std::string(bytes, 's'); }

/// Matches a message about a header that is too long, without its value.
auto names(std::string_view header) {
  return AllOf(HasSubstr(std::string(header)), HasSubstr("bytes"), Not(HasSubstr("sssss")));
}

HttpRequest with_header(std::string name, std::string value) {
  HttpRequest request;
  request.method = "GET";
  request.target = "/";
  request.headers.emplace_back(std::move(name), std::move(value));
  return request;
}

class SentHeadTest : public CredentialsTest {};

TEST_F(SentHeadTest, HeaderOfExactlyTheLimitIsTheLongestSent) {
  const auto written = [](std::size_t name, std::size_t value) {
    return http1_request(with_header("X" + std::string(name - 1, 'n'), secret_of(value)),
                         {.host = "h"});
  };
  constexpr std::size_t kName = 20;
  EXPECT_TRUE(written(kName, kHeaderBytesMax - kName - 1));
  EXPECT_TRUE(written(kName, kHeaderBytesMax - kName));
  EXPECT_THAT(written(kName, kHeaderBytesMax - kName + 1).error().message(), names("Xnnn"));
  EXPECT_TRUE(written(kHeaderBytesMax - kName, kName));
  for (const std::size_t bytes : kBeyondSixteenBits) {
    EXPECT_EQ(written(kName, bytes).error().code(), Code::kMisuse);
    const Status long_name = written(bytes, kName).error();
    EXPECT_EQ(long_name.code(), Code::kMisuse);
    EXPECT_LT(long_name.message().size(), 300U) << "the name is cut";
  }
}

TEST_F(SentHeadTest, HostAndWholeHeadHaveLimits) {
  HttpRequest request = with_header("A", "b");
  EXPECT_TRUE(http1_request(request, {.host = std::string(kHeaderBytesMax, 'h')}));
  EXPECT_THAT(
      http1_request(request, {.host = std::string(kHeaderBytesMax + 1, 'h')}).error().message(),
      names("Host"));

  const std::size_t rest = http1_request(request, {.host = "h"})->size();
  constexpr std::size_t kMax = std::size_t{1} << 20U;
  for (const auto& [bytes, good] :
       {std::pair(kMax - 1, true), std::pair(kMax, true), std::pair(kMax + 1, false)}) {
    request.target = "/" + std::string(bytes - rest, 't');
    EXPECT_EQ(http1_request(request, {.host = "h"}).has_value(), good) << bytes;
  }
  request.target = "/";
  request.headers.assign(30, {"X-Many", secret_of(50'000)});
  EXPECT_EQ(http1_request(request, {.host = "h"}).error().code(), Code::kMisuse);
}

TEST_F(SentHeadTest, TokenOfExactlyTheLimitIsTheLongest) {
  constexpr std::size_t kMax = kHeaderBytesMax - std::string_view("Bearer ").size();
  for (const auto& [bytes, good] :
       {std::pair(kMax - 1, true), std::pair(kMax, true), std::pair(kMax + 1, false),
        std::pair(std::size_t{65'535}, false)}) {
    config_ = {};
    config_.token = secret_of(bytes);
    const auto of_token = make();
    EXPECT_EQ(of_token.has_value(), good) << bytes;
    if (!good) {
      EXPECT_THAT(of_token.error().message(), names("the token has"));
    }

    config_ = {};
    config_.token_file = dir_.write("token", secret_of(bytes));
    const auto of_file = make();
    ASSERT_TRUE(of_file);
    const auto got = (*of_file)->get();
    EXPECT_EQ(got.has_value(), good) << bytes;
    if (!good) {
      EXPECT_THAT(got.error().message(), names("the token in file"));
    }
  }
  for (const std::string& line : sink_.lines()) EXPECT_THAT(line, Not(HasSubstr("sssss")));
}

TEST_F(SentHeadTest, TokenOfAnyOtherSourceIsCheckedBeforeItIsSent) {
  class Source final : public Credentials {
   public:
    [[nodiscard]] Result<Credential> get() override {
      return Credential{secret_of(65'535), nullptr};
    }
    void rejected(const Credential&) override {}
  };
  Stack stack(std::make_unique<Source>());
  Collector response;
  const auto call = stack.whole->start({}, response);
  EXPECT_EQ(response.end_.kind, Break::kCredentials);
  EXPECT_THAT(response.end_.message, names("the token"));
  EXPECT_THAT(stack.fake->requests(), IsEmpty());
}

TEST_F(SentHeadTest, PasswordOfExactlyTheLimitIsTheLongest) {
  // Base64 makes four bytes of three.
  constexpr std::size_t kMax = (kHeaderBytesMax - std::string_view("Basic ").size()) / 4 * 3;
  config_.username = "u";
  for (const auto& [bytes, good] :
       {std::pair(kMax - 3, true), std::pair(kMax - 2, true), std::pair(kMax - 1, false)}) {
    config_.password = secret_of(bytes);
    const auto made = make();
    EXPECT_EQ(made.has_value(), good) << bytes;
    if (!good) {
      EXPECT_THAT(made.error().message(), names("password"));
    }
  }
}

TEST_F(SentHeadTest, ImpersonatedNamesHaveTheLimitOfAHeader) {
  constexpr std::size_t kUser = kHeaderBytesMax - std::string_view("Impersonate-User").size();
  EXPECT_TRUE(impersonation_headers({secret_of(kUser - 1), "", {}, {}}));
  EXPECT_TRUE(impersonation_headers({secret_of(kUser), "", {}, {}}));
  EXPECT_THAT(impersonation_headers({secret_of(kUser + 1), "", {}, {}}).error().message(),
              names("user"));
  const std::string too_long = secret_of(65'535);
  EXPECT_THAT(impersonation_headers({"u", too_long, {}, {}}).error().message(), names("uid"));
  EXPECT_THAT(impersonation_headers({"u", "", {"g", too_long}, {}}).error().message(),
              names("group"));
  EXPECT_THAT(impersonation_headers({"u", "", {}, {{"k", {too_long}}}}).error().message(),
              names("extra \"k\""));
  const Status long_key =
      impersonation_headers({"u", "", {}, {{std::string(65'535, 'k'), {"v"}}}}).error();
  EXPECT_EQ(long_key.code(), Code::kInvalid);
  EXPECT_LT(long_key.message().size(), 300U);
}

TEST_F(SentHeadTest, UserAgentHasTheLimitOfAHeader) {
  constexpr std::size_t kMax = kHeaderBytesMax - std::string_view("User-Agent").size();
  ApiRequest request;
  request.raw_path = "/healthz";
  EXPECT_TRUE(build_request(request, secret_of(kMax - 1)));
  EXPECT_TRUE(build_request(request, secret_of(kMax)));
  EXPECT_THAT(build_request(request, secret_of(kMax + 1)).error().message(), names("user agent"));
}

TEST_F(SentHeadTest, HeaderOfAPluginsRequestHasTheLimitOfAHeader) {
  OutboundRequest request;
  request.url = *OutboundUrl::parse("https://dns.example.com/x");
  request.method = "GET";
  for (const auto& [bytes, good] :
       {std::pair(kHeaderBytesMax - 4, true), std::pair(kHeaderBytesMax - 3, true),
        std::pair(kHeaderBytesMax - 2, false), std::pair(std::size_t{65'500}, false)}) {
    request.headers = {{"X-A", secret_of(bytes)}};
    const Status checked = check_outbound(request);
    EXPECT_EQ(checked.ok(), good) << bytes;
    if (!good) {
      EXPECT_THAT(checked.message(), names("X-A"));
    }
  }
}

TEST_F(SentHeadTest, RequestOverAConnectionHasTheSameLimits) {
  TinyServer server([](Peer& peer) {
    while (!peer.read_request().empty()) peer.respond("{}");
  });
  const auto clock = make_system_clock();
  config_.server = server.url();
  const auto transport = *make_curl_transport(config_, *clock, metrics_, Logger(sink_));
  const auto end_of = [&](std::size_t value) {
    CollectedResponse response;
    const auto call = transport->start(with_header("X-A", secret_of(value)), response);
    return response.wait();
  };
  EXPECT_EQ(end_of(kHeaderBytesMax - 3).kind, Break::kNone);
  for (const std::size_t bytes : kBeyondSixteenBits) {
    const TransportEnd end = end_of(bytes);
    EXPECT_EQ(end.kind, Break::kOther);
    EXPECT_THAT(end.message, names("X-A"));
  }
  EXPECT_EQ(end_of(1).kind, Break::kNone) << "the next one is sent";
}

// ---- Heads that are read.

constexpr std::string_view kStatusLine = "HTTP/1.1 200 OK\r\n";
constexpr std::string_view kEmptyBody = "Content-Length: 0\r\n\r\n";
constexpr std::string_view kInChunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

const Http1Route kServer{.host = "h"};

/// The end state of a reader of `wire`, the same however it is cut.
Http1Response::State read(std::string_view wire) {
  Http1Response::State first = Http1Response::State::kMore;
  for (const std::size_t piece : {wire.size(), std::size_t{16'384}, std::size_t{1000}}) {
    CollectedResponse collected;
    Http1Response response(collected, ResponseBody::kPossible, kServer);
    Http1Response::State state = Http1Response::State::kMore;
    for (std::size_t at = 0; at < wire.size() && state == Http1Response::State::kMore;
         at += piece) {
      state = response.feed(wire.substr(at, piece));
    }
    if (piece == wire.size()) first = state;
    EXPECT_EQ(state, first) << "in pieces of " << piece;
    if (state == Http1Response::State::kBroken) {
      EXPECT_THAT(response.end().message, Not(IsEmpty()));
    }
  }
  return first;
}

constexpr Http1Response::State kDone = Http1Response::State::kDone;
constexpr Http1Response::State kBroken = Http1Response::State::kBroken;

/// A line of `bytes` bytes with its end.
std::string line_of(std::size_t bytes) { return "X: " + std::string(bytes - 5, 'v') + "\r\n"; }

std::string lines(std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += "n: v\r\n";
  return out;
}

TEST(ReadHeadTest, HeadOfExactlyTheLimitIsTheLongest) {
  const std::size_t rest = kEmptyBody.size() - 2;
  const auto head = [&](std::size_t bytes) {
    return read(std::string(kStatusLine) + line_of(bytes - rest) + std::string(kEmptyBody));
  };
  // Beast counts the empty line, too.
  EXPECT_EQ(head(kHttpHeadBytesMax - 3), kDone);
  EXPECT_EQ(head(kHttpHeadBytesMax - 2), kDone);
  EXPECT_EQ(head(kHttpHeadBytesMax - 1), kBroken);
  for (const std::size_t bytes : kBeyondSixteenBits) EXPECT_EQ(head(bytes + 100), kBroken);
}

TEST(ReadHeadTest, HeadOfManyLinesHasTheSameLimit) {
  std::string head(kStatusLine);
  for (int i = 0; i < 17; ++i) head += line_of(4000);
  EXPECT_EQ(read(head + std::string(kEmptyBody)), kBroken);
}

TEST(ReadHeadTest, ExactlyTheLimitOfHeadersIsTaken) {
  const auto head = [](std::size_t fields) {
    return read(std::string(kStatusLine) + lines(fields - 1) + std::string(kEmptyBody));
  };
  EXPECT_EQ(head(kHttpFieldsMax - 1), kDone);
  EXPECT_EQ(head(kHttpFieldsMax), kDone);
  EXPECT_EQ(head(kHttpFieldsMax + 1), kBroken);
}

TEST(ReadHeadTest, TrailersHaveTheLimitsOfAHead) {
  const auto trailers = [](const std::string& text) {
    return read(std::string(kInChunks) + "0\r\n" + text + "\r\n");
  };
  EXPECT_EQ(trailers(lines(kHttpFieldsMax - 1)), kDone);
  EXPECT_EQ(trailers(lines(kHttpFieldsMax)), kDone);
  EXPECT_EQ(trailers(lines(kHttpFieldsMax + 1)), kBroken);
  EXPECT_EQ(trailers(line_of(kHttpHeadBytesMax - 1)), kDone);
  EXPECT_EQ(trailers(line_of(kHttpHeadBytesMax)), kDone);
  EXPECT_EQ(trailers(line_of(kHttpHeadBytesMax + 1)), kBroken);
  for (const std::size_t bytes : kBeyondSixteenBits) {
    EXPECT_EQ(trailers(line_of(bytes + 10)), kBroken);
  }
}

TEST(ReadHeadTest, EndlessLineOfAChunkIsNotKept) {
  CollectedResponse collected;
  Http1Response response(collected, ResponseBody::kPossible, kServer);
  Http1Response::State state = response.feed(std::string(kInChunks) + "1;");
  std::size_t bytes = 0;
  for (; state == Http1Response::State::kMore && bytes < 4 * kHttpHeadBytesMax; bytes += 1000) {
    state = response.feed(std::string(1000, 'x'));
  }
  EXPECT_EQ(state, kBroken);
  EXPECT_LE(bytes, kHttpHeadBytesMax + 1000);
}

// Beast 1.74 asserts where these five bytes come one by one.
TEST(ReadHeadTest, EmptyChunkedBodyMayComeByteByByte) {
  CollectedResponse collected;
  Http1Response response(collected, ResponseBody::kPossible, kServer);
  Http1Response::State state = response.feed(kInChunks);
  for (const char byte : std::string_view("0\r\n\r\n")) state = response.feed({&byte, 1});
  EXPECT_EQ(state, kDone);
}

TEST(ReadHeadTest, BodyThatLooksLikeALastChunkIsNotHeldBack) {
  CollectedResponse collected;
  Http1Response response(collected, ResponseBody::kPossible, kServer);
  EXPECT_EQ(response.feed("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"),
            Http1Response::State::kMore);
  EXPECT_EQ(response.feed("0\r\nx"), kDone);
  EXPECT_EQ(collected.body(), "0\r\nx");
}

TEST(ReadHeadTest, HeadsOverAConnectionHaveTheSameLimits) {
  const auto clock = make_system_clock();
  test::RecordingRestMetrics metrics;
  test::RecordingLogSink sink;
  const auto end_of = [&](const std::string& head) {
    const std::string wire =
        std::string(kStatusLine) + "Connection: close\r\n" + head + std::string(kEmptyBody);
    // Its own for each: a client that refuses a head ends before the server has sent it all.
    TinyServer server([&wire](Peer& peer) {
      if (!peer.read_request().empty()) peer.write(wire);
    });
    ConnectionConfig config;
    config.server = server.url();
    const auto transport = *make_curl_transport(config, *clock, metrics, Logger(sink));
    CollectedResponse response;
    const auto call = transport->start(with_header("A", "b"), response);
    return response.wait().kind;
  };
  constexpr std::size_t kOthers = 2;  // Connection and Content-Length.
  EXPECT_EQ(end_of(lines(kHttpFieldsMax - kOthers)), Break::kNone);
  EXPECT_EQ(end_of(lines(kHttpFieldsMax - kOthers + 1)), Break::kOther);
  EXPECT_EQ(end_of(line_of(kHttpHeadBytesMax - 1000)), Break::kNone);
  EXPECT_EQ(end_of(line_of(kHttpHeadBytesMax)), Break::kOther);
}

}  // namespace
}  // namespace davit::host
