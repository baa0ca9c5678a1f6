// The fault layer in front of the API server itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sandbox/faults/fault_layer.hpp"
#include "sandbox/server/api_server.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/recording_log_sink.hpp"

namespace davit::sandbox {
namespace {

using testing::HasSubstr;

constexpr const char* kConfigMaps = "/api/v1/namespaces/default/configmaps";
constexpr const char* kOne = "/api/v1/namespaces/default/configmaps/a";

class ApiServerFaultsTest : public testing::Test {
 protected:
  ApiServerFaultsTest() {
    auto opened = ApiServer::open({store_, clock_, *random_, Logger(log_)});
    server_ = std::move(*opened);
    layer_ = std::make_unique<FaultLayer>(FaultParts{*server_, store_, clock_}, 1);
  }

  HttpServerResponse call(std::string method, std::string target, std::string body = "") {
    HttpServerRequest request;
    request.headers = {
        {"Content-Type", method == "PATCH" ? "application/merge-patch+json" : "application/json"},
        {"Accept", accept_}};
    request.method = std::move(method);
    request.target = std::move(target);
    request.body = std::move(body);
    return layer_->handle(request);
  }
  void create(const std::string& name) {
    const HttpServerResponse response =
        call("POST", kConfigMaps, R"({"metadata":{"name":")" + name + R"("}})");
    EXPECT_EQ(response.status, 201) << response.body;
  }
  std::uint64_t add(std::string_view rule) {
    return layer_->add(*parse_fault_script(json_literal(rule))).at(0);
  }

  std::string accept_ = "application/json";
  test::FakeClock clock_;
  test::RecordingLogSink log_;
  const std::unique_ptr<Random> random_ = make_seeded_random(1);
  Store store_{clock_};
  std::unique_ptr<ApiServer> server_;
  std::unique_ptr<FaultLayer> layer_;
};

TEST_F(ApiServerFaultsTest, StaleReadsShowTheStateOfThePast) {
  create("a");
  add(R"({"fault":"stale"})");
  const std::string before = call("GET", kOne).body;
  call("PATCH", kOne, R"({"data":{"key":"new"}})");
  create("b");
  EXPECT_EQ(json_literal(call("GET", kOne).body), json_literal(before));
  EXPECT_EQ(call("GET", std::string(kConfigMaps) + "/b").status, 404);
  const Json list = json_literal(call("GET", kConfigMaps).body);
  EXPECT_EQ(list.get("items").size(), 1u);

  layer_->clear();
  EXPECT_THAT(call("GET", kOne).body, HasSubstr(R"("key":"new")"));
}

TEST_F(ApiServerFaultsTest, LostResponseLeavesTheWriteApplied) {
  add(R"({"fault":"lost","count":1,"target":{"verb":"create"}})");
  EXPECT_TRUE(call("POST", kConfigMaps, R"({"metadata":{"name":"a"}})").aborted);
  EXPECT_EQ(call("GET", kOne).status, 200);
}

TEST_F(ApiServerFaultsTest, HeldWatchGetsEveryEventInTheEnd) {
  const HttpServerResponse watch = call("GET", std::string(kConfigMaps) + "?watch=1");
  bool ready = false;
  watch.stream->on_ready([&] { ready = true; });
  const std::uint64_t rule = add(R"({"fault":"hold","target":{"resource":"configmaps"}})");
  create("a");
  create("b");
  std::string out;
  EXPECT_EQ(watch.stream->read(out, 1'000'000), HttpBodyStream::State::kOpen);
  EXPECT_EQ(out, "");

  ready = false;
  layer_->remove(rule);
  EXPECT_TRUE(ready);
  EXPECT_EQ(watch.stream->read(out, 1'000'000), HttpBodyStream::State::kOpen);
  EXPECT_LT(out.find(R"("name":"a")"), out.find(R"("name":"b")"));
  EXPECT_THAT(out, HasSubstr(R"("name":"b")"));
}

TEST_F(ApiServerFaultsTest, GapHidesADeletion) {
  create("a");
  add(R"({"fault":"gap","events":"DELETED"})");
  const HttpServerResponse watch = call("GET", std::string(kConfigMaps) + "?watch=1");
  call("DELETE", kOne);
  create("b");
  std::string out;
  EXPECT_EQ(watch.stream->read(out, 1'000'000), HttpBodyStream::State::kOpen);
  EXPECT_THAT(out, Not(HasSubstr("DELETED")));
  EXPECT_THAT(out, HasSubstr(R"("name":"b")"));
}

/// "TYPE name" of each frame.
std::vector<std::string> frames(std::string_view bytes) {
  std::vector<std::string> out;
  while (const std::optional<ProtobufEvent> event = decode_protobuf_event(bytes)) {
    out.push_back(event->type + " " + event->object.text_at({"metadata", "name"}));
    bytes.remove_prefix(event->bytes);
  }
  EXPECT_EQ(bytes, "");
  return out;
}

TEST_F(ApiServerFaultsTest, WatchesInProtobufAreCutBetweenTheirEventsToo) {
  accept_ = "application/vnd.kubernetes.protobuf";
  create("a");
  add(R"({"fault":"gap","events":"DELETED"})");
  const HttpServerResponse watch = call("GET", std::string(kConfigMaps) + "?watch=1");
  call("DELETE", kOne);
  create("b");
  std::string out;
  EXPECT_EQ(watch.stream->read(out, 1'000'000), HttpBodyStream::State::kOpen);
  const std::vector<std::string> seen = frames(out);
  EXPECT_THAT(seen, testing::IsSupersetOf({"ADDED a", "ADDED b"}));
  EXPECT_THAT(seen, testing::Not(testing::Contains("DELETED a")));

  layer_->clear();
  add(R"({"fault":"status","code":410})");
  out.clear();
  EXPECT_EQ(watch.stream->read(out, 1'000'000), HttpBodyStream::State::kEnded);
  EXPECT_THAT(frames(out), testing::ElementsAre("ERROR "));
}

TEST_F(ApiServerFaultsTest, StaleReadsOfClientsOfProtobufAreJson) {
  create("a");
  add(R"({"fault":"stale"})");
  accept_ = "application/vnd.kubernetes.protobuf";
  const HttpServerResponse response = call("GET", kOne);
  EXPECT_EQ(response.content_type, "application/json");
  EXPECT_EQ(json_literal(response.body).text_at({"metadata", "name"}), "a");
}

}  // namespace
}  // namespace davit::sandbox
