#include "host/plugin/simulated_server.hpp"

#include <gtest/gtest.h>

#include <string_view>

#include "host/object/parse.hpp"
#include "lib/kube/json.hpp"

namespace davit::host {
namespace {

class SimulatedServerTest : public testing::Test {
 protected:
  SimulatedServerTest() {
    request_.path.version = "v1";
    request_.path.resource = "pods";
    request_.path.ns = "default";
  }

  ApiResponse answer(Verb verb, const std::string& name, std::string_view body = "") {
    request_.verb = verb;
    request_.body = body;
    if (verb != Verb::kCreate) request_.path.name = name;
    const ObjectRef object = parse_object(space_, body).value_or(ObjectRef());
    return simulate(request_, name, object, view_, *random_);
  }
  void cache_has(std::string_view object) { view_.object = *parse_object(space_, object); }

  ObjectSpace space_;
  const std::unique_ptr<Random> random_ = make_seeded_random(1);
  ApiRequest request_;
  CacheView view_;
};

TEST_F(SimulatedServerTest, CreatedObjectHasANameAUidAndAVersion) {
  const ApiResponse made =
      answer(Verb::kCreate, "", R"({"kind":"Pod","metadata":{"generateName":"web-"}})");

  EXPECT_EQ(made.http_status, 201);
  const Json object = json_literal(made.body);
  EXPECT_EQ(object.text_at({"metadata", "name"}).substr(0, 4), "web-");
  EXPECT_GT(object.text_at({"metadata", "name"}).size(), 4U);
  EXPECT_EQ(object.text_at({"metadata", "namespace"}), "default");
  EXPECT_EQ(object.text_at({"metadata", "uid"}).substr(0, 7), "shadow-");
  EXPECT_EQ(object.text_at({"metadata", "resourceVersion"}), "0");
  EXPECT_EQ(object.text_at({"kind"}), "Pod");
}

TEST_F(SimulatedServerTest, CreateOfAnObjectThatACacheHasIsAConflict) {
  cache_has(R"({"metadata":{"name":"web"}})");
  const ApiResponse refused = answer(Verb::kCreate, "web", R"({"metadata":{"name":"web"}})");
  EXPECT_EQ(refused.http_status, 409);
  ASSERT_NE(refused.status.detail(), nullptr);
  EXPECT_EQ(refused.status.detail()->reason, "AlreadyExists");
}

TEST_F(SimulatedServerTest, CreateOfWhatIsNoObjectIsRefused) {
  EXPECT_EQ(answer(Verb::kCreate, "web", "7").http_status, 400);
}

TEST_F(SimulatedServerTest, WriteToAnObjectIsNotFoundOnlyIfACacheWouldHaveIt) {
  EXPECT_EQ(answer(Verb::kPatch, "web", "{}").http_status, 200) << "no cache would have it";
  view_.cache = CacheView::Cache::kSees;
  EXPECT_EQ(answer(Verb::kPatch, "web", "{}").http_status, 404);
  EXPECT_EQ(answer(Verb::kDelete, "web").http_status, 404);
}

TEST_F(SimulatedServerTest, PatchReturnsTheObjectAsTheCacheHasIt) {
  cache_has(R"({"metadata":{"name":"web"},"spec":{"a":1}})");
  const ApiResponse patched = answer(Verb::kPatch, "web", R"({"spec":{"a":2}})");
  EXPECT_EQ(json_literal(patched.body).get("spec").get("a").integer_or(0), 1);
}

TEST_F(SimulatedServerTest, UpdateReturnsWhatWasSentAndADeleteSucceeds) {
  cache_has(R"({"metadata":{"name":"web"}})");
  EXPECT_EQ(answer(Verb::kUpdate, "web", R"({"a":1})").body, R"({"a":1})");
  EXPECT_EQ(json_literal(answer(Verb::kDelete, "web").body).text_at({"status"}), "Success");
}

}  // namespace
}  // namespace davit::host
