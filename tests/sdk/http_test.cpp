// HTTP requests to servers outside the cluster, as a controller in C++ makes them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/entry.hpp>
#include <davit/http.hpp>
#include <davit/testing/cluster.hpp>

namespace davit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::HttpRecord;
using testing::HttpReply;
using ::testing::IsEmpty;

constexpr char kNote[] = R"({"name":"caller","version":"1","abi":"1.0","requires":["davit.http/1"],
    "controllers":[{"name":"caller","http":{"hosts":["dns.example.com"]}}]})";

/// Runs what a test wants inside a sync.
class HttpTest : public ::testing::Test {
 protected:
  class Caller final : public Controller {
   public:
    Caller(Context& context, const std::function<void(Context&)>& what) {
      const Queue queue = context.open_queue({.name = "caller"}, [&context, &what](const Key&) {
        what(context);
        return Result<Again>(Again::when_changed());
      });
      queue.add(Key{"", "x"});
    }
  };

  void in_sync(std::function<void(Context&)> what) {
    what_ = std::move(what);
    const Status started = cluster_.start("caller", [this](Context& context) -> InitResult {
      return std::unique_ptr<Controller>(std::make_unique<Caller>(context, what_));
    });
    ASSERT_TRUE(started.ok()) << started.message();
    ASSERT_EQ(cluster_.run_until_idle(), 1u);
    cluster_.stop("caller");
  }

  testing::Cluster cluster_{{.note = kNote}};
  std::function<void(Context&)> what_;
};

TEST_F(HttpTest, ResponseIsReadInPlace) {
  cluster_.on_http([](const HttpRecord& request) {
    return HttpReply{201, "{\"id\":7}", {{"Location", request.url + "/7"}}};
  });
  in_sync([](Context& context) {
    const auto response = context.http().send(
        http::Request::json("POST", "https://dns.example.com/records", R"({"name":"a"})"));
    ASSERT_TRUE(response) << response.error().message();
    EXPECT_TRUE(response->ok());
    EXPECT_EQ(response->header("location"), "https://dns.example.com/records/7");
    EXPECT_EQ(response->url(), "https://dns.example.com/records");
    EXPECT_FALSE(response->is_simulated());
    EXPECT_EQ((*response->json())["id"].integer(), 7);
    EXPECT_TRUE(response->as_status().ok());
  });
  ASSERT_EQ(cluster_.http_requests().size(), 1u);
  const HttpRecord& sent = cluster_.http_requests().front();
  EXPECT_EQ(sent.text(), "POST https://dns.example.com/records 201");
  EXPECT_EQ(sent.json().text_at({"name"}), "a");
  EXPECT_EQ(sent.headers.front().second, "application/json");
}

struct StatusCase {
  int http_status;
  Code code;
};
constexpr StatusCase kStatusCases[] = {
    {200, Code::kOk},         {204, Code::kOk},          {302, Code::kUnsupported},
    {400, Code::kInvalid},    {401, Code::kForbidden},   {403, Code::kForbidden},
    {404, Code::kNotFound},   {408, Code::kUnavailable}, {409, Code::kConflict},
    {410, Code::kExpired},    {422, Code::kInvalid},     {429, Code::kThrottled},
    {500, Code::kUnavailable}};

TEST_F(HttpTest, StatusBecomesACodeThatACallerActsOn) {
  for (const StatusCase& each : kStatusCases) {
    davit_http_response raw{};
    raw.http_status = each.http_status;
    raw.url = to_c("https://dns.example.com/x?key=s3cret");
    raw.body = to_c("the key s3cret has expired");
    const Status status = http::Response(Api(), raw).as_status();
    EXPECT_EQ(status.code(), each.code) << each.http_status;
    if (status.ok()) continue;
    EXPECT_EQ(status.message(),
              "https://dns.example.com/x responds with " + std::to_string(each.http_status));
  }
}

TEST_F(HttpTest, BatchKeepsItsOrderAndReportsEachFailure) {
  cluster_.on_http([](const HttpRecord& request) {
    if (request.url.ends_with("/lost")) return HttpReply{.failure = HttpReply::Failure::kLost};
    return HttpReply{200, request.url};
  });
  in_sync([](Context& context) {
    std::vector<http::Request> requests;
    requests.push_back(http::Request::get("https://dns.example.com/a"));
    requests.push_back(http::Request::json("POST", "https://dns.example.com/lost", "{}"));
    requests.push_back(http::Request::get("https://evil.org/"));
    requests.push_back(http::Request::remove("https://dns.example.com/b"));
    const auto results = context.http().batch(requests);
    ASSERT_EQ(results.size(), 4u);
    EXPECT_EQ(results[0]->body(), "https://dns.example.com/a");
    EXPECT_EQ(results[1].error().code(), Code::kUnavailable);
    EXPECT_EQ(results[2].error().code(), Code::kUndeclared);
    EXPECT_EQ(results[3]->body(), "https://dns.example.com/b");
  });
  EXPECT_THAT(cluster_.violations(), ElementsAre(HasSubstr("no HTTP requests to evil.org")));
}

TEST_F(HttpTest, ServerThatHangsTakesTheClusterTimeOnly) {
  cluster_.on_http(
      [](const HttpRecord&) { return HttpReply{.failure = HttpReply::Failure::kHang}; });
  const Time before = cluster_.now();
  in_sync([](Context& context) {
    http::Request request = http::Request::get("https://dns.example.com/");
    request.timeout = std::chrono::seconds(7);
    EXPECT_EQ(context.http().send(request).error().code(), Code::kUnavailable);
  });
  EXPECT_EQ(cluster_.now() - before, std::chrono::seconds(7));
}

TEST_F(HttpTest, WithoutAServerNoneCanBeReached) {
  in_sync([](Context& context) {
    EXPECT_EQ(context.http().send(http::Request::get("https://dns.example.com/")).error().code(),
              Code::kUnavailable);
  });
  EXPECT_EQ(cluster_.http_requests().size(), 4u) << "the host tries four times";
}

TEST(HttpClientTest, OlderHostIsReported) {
  const Api api;
  const auto results =
      http::Client(api).batch(std::vector<http::Request>(2, http::Request::get("https://x/")));
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[1].error().code(), Code::kUnsupported);
}

TEST(HttpClientTest, PartsOfAUrlAreEscaped) {
  EXPECT_EQ(percent_escaped("a b/c?d=ä"), "a%20b%2Fc%3Fd%3D%C3%A4");
}

}  // namespace
}  // namespace davit
