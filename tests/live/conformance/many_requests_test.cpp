/// Many requests, raw lists and pages on a real API server.
#include <optional>
#include <string>
#include <vector>

#include "host/api/rest_client.hpp"
#include "host/object/parse.hpp"
#include "lib/base/json_text.hpp"
#include "tests/live/conformance/fixture.hpp"

namespace davit::live {
namespace {

constexpr std::size_t kMaps = 400;

class ManyRequestsLiveTest : public LiveTest {
 protected:
  [[nodiscard]] static host::ApiRequest about(host::Verb verb, std::string name = {}) {
    host::ApiRequest request;
    request.verb = verb;
    request.path = {"", "v1", "configmaps", "", ns(), std::move(name)};
    return request;
  }
};

/// Creates ConfigMaps of 10 KB.
class Creations final : public host::RequestSource {
 public:
  explicit Creations(host::ApiRequest create) : create_(std::move(create)) {}

  std::optional<host::ApiRequest> next() override {
    if (made_ == kMaps) return std::nullopt;
    create_.body =
        JsonText('{')
            .raw("metadata", JsonText('{').text("name", "map-" + std::to_string(made_++)).str())
            .raw("data", JsonText('{').text("text", std::string(10'000, 'x')).str())
            .str();
    return create_;
  }
  void done(std::size_t, host::ApiResponse response) override {
    created += response.status.ok() ? 1 : 0;
    if (!response.status.ok()) error = response.status.message();
  }

  std::size_t created = 0;
  std::string error;

 private:
  host::ApiRequest create_;
  std::size_t made_ = 0;
};

TEST_F(ManyRequestsLiveTest, FanOutCreatesAndARawListGivesEveryByteAndPagesEveryItem) {
  host::RestClient& client = cluster().client();
  Creations creations(about(host::Verb::kCreate));
  client.fan_out(creations, 20);
  ASSERT_EQ(creations.created, kMaps) << creations.error;

  const host::ApiResponse whole = client.call(about(host::Verb::kList));
  ASSERT_TRUE(whole.status.ok()) << whole.status.message();
  ASSERT_GT(whole.body.size(), kMaps * 10'000);
  // At the same version, which the server's own writes raise every few seconds.
  host::ObjectSpace space;
  const Result<host::ObjectRef> parsed = host::parse_object(space, whole.body);
  ASSERT_TRUE(parsed) << parsed.error().message();
  host::ApiRequest again = about(host::Verb::kList);
  again.query = "resourceVersionMatch=Exact&resourceVersion=" +
                std::string(parsed->root()["metadata"]["resourceVersion"].string());
  std::string raw;
  std::size_t pieces = 0;
  const Status streamed = client.stream(again, {}, [&](std::string_view piece) {
    raw += piece;
    ++pieces;
    return Status();
  });
  EXPECT_TRUE(streamed.ok()) << streamed.message();
  EXPECT_EQ(raw, whole.body);
  EXPECT_GT(pieces, 10u);

  host::ApiRequest page = about(host::Verb::kList);
  page.query = "limit=150";
  const host::ApiResponse first = client.call(page);
  ASSERT_TRUE(first.status.ok()) << first.status.message();
  EXPECT_NE(first.body.find("\"continue\":\""), std::string::npos);
  EXPECT_LT(first.body.size(), whole.body.size() / 2);
}

TEST_F(ManyRequestsLiveTest, EndOfTheReaderEndsALongList) {
  const Status status =
      cluster().client().stream(about(host::Verb::kList), {}, [](std::string_view piece) {
        return piece.empty() ? Status() : Status(Code::kInternal, "enough");
      });
  EXPECT_EQ(status.message(), "enough");
}

}  // namespace
}  // namespace davit::live
