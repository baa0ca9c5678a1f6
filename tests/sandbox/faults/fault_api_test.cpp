#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sandbox/faults/fake_server.hpp"
#include "tests/sandbox/faults/header_users.hpp"

namespace davit::sandbox {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class FaultApiTest : public testing::Test {
 protected:
  HttpServerResponse call(std::string method, std::string path, std::string body = "") {
    return faulty_.layer.handle(request(std::move(method), std::move(path), std::move(body)));
  }

  FaultyServer faulty_;
};

TEST_F(FaultApiTest, PostedRuleIsInForce) {
  const HttpServerResponse response =
      call("POST", "/sandbox/faults", R"({"fault":"reset","count":1})");
  EXPECT_EQ(response.status, 201);
  EXPECT_EQ(json_literal(response.body), json_literal(R"({"kind":"FaultList","items":
                [{"id":"1","fault":"reset","count":1,"matched":0,"hits":0}]})"));
  EXPECT_TRUE(faulty_.get("/version").aborted);
  EXPECT_THAT(faulty_.server.request_facts, IsEmpty());
}

TEST_F(FaultApiTest, ScriptAddsAllItsRules) {
  const std::string script = R"({"seed":3,"rules":[{"fault":"gap"},{"fault":"hold"}]})";
  EXPECT_EQ(call("POST", "/sandbox/faults", script).status, 201);
  const Json all = json_literal(call("GET", "/sandbox/faults").body);
  ASSERT_EQ(all.get("items").size(), 2u);
  EXPECT_EQ(all.get("items").items()[1].text_at({"fault"}), "hold");
}

TEST_F(FaultApiTest, OneRuleIsShownAndRemovedByItsId) {
  faulty_.add(R"({"rules":[{"fault":"reset"},{"fault":"hold"}]})");
  EXPECT_EQ(json_literal(call("GET", "/sandbox/faults/1").body).text_at({"fault"}), "reset");
  EXPECT_EQ(call("DELETE", "/sandbox/faults/1").status, 200);
  EXPECT_EQ(call("GET", "/sandbox/faults/1").status, 404);
  EXPECT_EQ(call("DELETE", "/sandbox/faults/1").status, 404);
  EXPECT_EQ(call("GET", "/sandbox/faults/2").status, 200);
  EXPECT_FALSE(faulty_.get("/version").aborted);
}

TEST_F(FaultApiTest, DeleteForgetsAll) {
  faulty_.add(R"({"rules":[{"fault":"reset"},{"fault":"hold"}]})");
  EXPECT_EQ(call("DELETE", "/sandbox/faults").status, 200);
  EXPECT_EQ(json_literal(call("GET", "/sandbox/faults/").body).get("items").size(), 0u);
}

TEST_F(FaultApiTest, FaultsNeverHitTheirOwnApi) {
  faulty_.add(R"({"fault":"reset"})");
  EXPECT_FALSE(call("GET", "/sandbox/faults").aborted);
}

TEST_F(FaultApiTest, BadRequestsSayWhatIsWrong) {
  const HttpServerResponse mistake =
      call("POST", "/sandbox/faults", R"({"rules":[{"fault":"reset"},{"fault":"x"}]})");
  EXPECT_EQ(mistake.status, 400);
  EXPECT_THAT(mistake.body, HasSubstr("rules[1].fault: must be one of"));
  EXPECT_EQ(json_literal(call("GET", "/sandbox/faults").body).get("items").size(), 0u)
      << "all or nothing";
  EXPECT_EQ(call("POST", "/sandbox/faults", "{").status, 400);
  EXPECT_EQ(call("PUT", "/sandbox/faults", "{}").status, 405);
  EXPECT_EQ(call("PATCH", "/sandbox/faults/1", "{}").status, 404);
  EXPECT_EQ(call("GET", "/sandbox/faults/x").status, 404);
  EXPECT_EQ(call("GET", "/sandbox/faults/1/2").status, 404);
}

/// The admin may post faults; no other request is allowed.
class AdminOnly final : public Authorizer {
 public:
  Access authorize(const UserInfo& who, const AccessAttributes& what) const override {
    const bool known = !what.resource && what.path == "/sandbox/faults" && what.verb == "post";
    return {known && who.name == "admin" ? Decision::kAllow : Decision::kNoOpinion, ""};
  }
  std::vector<PolicyRule> rules(const UserInfo&, std::string_view) const override { return {}; }
  std::optional<std::vector<PolicyRule>> rules_of(const RoleReference&) const override {
    return std::nullopt;
  }
};

TEST_F(FaultApiTest, OnlyWhoMayPostCanPost) {
  const HeaderUsers users;
  const AdminOnly rules;
  FaultLayer layer({faulty_.server, faulty_.store, faulty_.clock, &users, &rules}, 1);
  HttpServerRequest post = request("POST", "/sandbox/faults", R"({"fault":"reset"})");
  EXPECT_EQ(layer.handle(post).status, 401);
  post.headers = {{"Test-User", "guest"}};
  const HttpServerResponse refused = layer.handle(post);
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(json_literal(refused.body).text_at({"message"}),
            R"(forbidden: User "guest" cannot post path "/sandbox/faults")");
  post.headers = {{"Test-User", "admin"}};
  EXPECT_EQ(layer.handle(post).status, 201);
}

}  // namespace
}  // namespace davit::sandbox
