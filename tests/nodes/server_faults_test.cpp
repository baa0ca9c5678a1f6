// Simulated nodes whose requests and watches fail.
#include <gtest/gtest.h>

#include "tests/nodes/world.hpp"

namespace davit::sandbox {
namespace {

using std::chrono::seconds;

HttpServerResponse refusal(int status) {
  HttpServerResponse response;
  response.status = status;
  response.body = R"({"kind":"Status","code":)" + std::to_string(status) + "}";
  return response;
}

bool is_watch(const HttpServerRequest& request) {
  return request.target.find("watch=true") != std::string::npos;
}

TEST(ServerFaultsTest, RefusedWritesAreTriedAgain) {
  World world(two_nodes());
  int left = 3;
  world.server.intercept =
      [&left](const HttpServerRequest& request) -> std::optional<HttpServerResponse> {
    if (request.method == "GET" || left-- <= 0) return std::nullopt;
    return refusal(left % 2 == 0 ? 500 : 429);
  };
  world.create_pod("web");

  world.pass(seconds(30));

  EXPECT_EQ(world.phase("web"), "Running");
}

TEST(ServerFaultsTest, WrongBodiesChangeNothing) {
  World world(two_nodes());
  world.create_pod("web");
  world.pass(seconds(30));
  ASSERT_EQ(world.phase("web"), "Running");
  bool is_wrong = true;
  world.server.intercept =
      [&](const HttpServerRequest& request) -> std::optional<HttpServerResponse> {
    if (!is_wrong) return std::nullopt;
    if (is_watch(request)) return refusal(410);
    const bool lists = request.target.starts_with("/api/v1/pods?");
    return json_response(200, lists ? R"({"kind":"SecretList","apiVersion":"v1",)"
                                      R"("metadata":{"resourceVersion":"9"},"items":[]})"
                                    : "{}");
  };
  world.stop();
  world.start();
  world.pass(seconds(30));
  is_wrong = false;
  world.create_pod("next");
  world.pass(seconds(60));

  EXPECT_EQ(world.phase("web"), "Running");
  EXPECT_EQ(world.phase("next"), "Running");
}

TEST(ServerFaultsTest, WatchThatBreaksContinuesWhereItWas) {
  World world(two_nodes());
  // Every watch ends after its first events.
  class Cut final : public HttpBodyStream {
   public:
    explicit Cut(std::unique_ptr<HttpBodyStream> inner) : inner_(std::move(inner)) {}
    State read(std::string& out, std::size_t max) override {
      const std::size_t before = out.size();
      const State state = inner_->read(out, max);
      return out.size() > before ? State::kCut : state;
    }
    void on_ready(std::function<void()> ready) override { inner_->on_ready(std::move(ready)); }
    Time next_read() const override { return inner_->next_read(); }

   private:
    std::unique_ptr<HttpBodyStream> inner_;
  };
  world.server.intercept =
      [&world](const HttpServerRequest& request) -> std::optional<HttpServerResponse> {
    HttpServerResponse response = world.sandbox.server->handle(request);
    if (response.stream) response.stream = std::make_unique<Cut>(std::move(response.stream));
    return response;
  };
  world.stop();
  world.start();

  for (int i = 0; i < 5; ++i) world.create_pod("p" + std::to_string(i));
  world.pass(seconds(60));

  for (int i = 0; i < 5; ++i) EXPECT_EQ(world.phase("p" + std::to_string(i)), "Running") << i;
}

TEST(ServerFaultsTest, HistoryThatIsGoneIsListedAgain) {
  World world(two_nodes());
  world.create_pod("old");
  world.stop();
  int lists = 0;
  bool expired = true;
  world.server.intercept =
      [&](const HttpServerRequest& request) -> std::optional<HttpServerResponse> {
    if (!is_watch(request)) {
      lists += request.target.starts_with("/api/v1/pods?") ? 1 : 0;
      return std::nullopt;
    }
    if (request.target.find("/pods") == std::string::npos || !expired) return std::nullopt;
    expired = false;
    return refusal(410);
  };
  world.start();
  world.create_pod("web");
  ASSERT_EQ(world.sandbox.remove("/api/v1/namespaces/default/pods/old?gracePeriodSeconds=0").code,
            200);

  world.pass(seconds(5));

  EXPECT_EQ(lists, 2);
  EXPECT_EQ(world.phase("web"), "Running");
}

TEST(ServerFaultsTest, PodThatIsReplacedUnderItsNameIsAnotherOne) {
  World world(two_nodes());
  world.create_pod("web", R"("nodeName":"node-1")");
  const std::string first = world.pod("web").text_at({"metadata", "uid"});
  ASSERT_EQ(world.sandbox.remove("/api/v1/namespaces/default/pods/web?gracePeriodSeconds=0").code,
            200);

  world.create_pod("web", R"("nodeName":"node-1")");

  EXPECT_NE(world.pod("web").text_at({"metadata", "uid"}), first);
  EXPECT_EQ(world.phase("web"), "Running");
}

}  // namespace
}  // namespace davit::sandbox
