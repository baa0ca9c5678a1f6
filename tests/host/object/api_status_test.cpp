#include "host/object/api_status.hpp"

#include <gtest/gtest.h>

namespace davit::host {
namespace {

TEST(ApiStatusTest, DetailIsTakenOver) {
  const Status status = api_status(
      R"({"kind":"Status","status":"Failure","message":"no","reason":"Forbidden","code":403,)"
      R"("details":{"causes":[{"reason":"NamespaceTerminating"},{"message":"x"}],)"
      R"("retryAfterSeconds":3}})");

  EXPECT_EQ(status.code(), Code::kForbidden);
  EXPECT_EQ(status.message(), "no");
  EXPECT_TRUE(status.has_cause("NamespaceTerminating"));
  EXPECT_EQ(status.detail()->retry_after_ms, 3000U);
  EXPECT_EQ(status.detail()->causes.size(), 1U);
}

Status forbidden(const std::string& message) {
  return api_status(R"({"kind":"Status","status":"Failure","reason":"Forbidden","code":403,)"
                    R"("message":")" +
                    message + "\"}");
}

TEST(ApiStatusTest, RightThatIsMissingNamesTheCommandThatPrintsIt) {
  for (const std::string message :
       {R"(pods is forbidden: User \"davit\" cannot list resource \"pods\")",
        R"(forbidden: User \"davit\" cannot get path \"/x\")",
        R"(clusterroles \"x\" is forbidden: user \"davit\" is attempting to grant)"}) {
    EXPECT_TRUE(
        forbidden(message).message().ends_with("; `davit rbac` prints the rights that davit needs"))
        << message;
  }
}

TEST(ApiStatusTest, RefusalsThatNoRightAvoidsStayAsTheyAre) {
  for (const std::string message :
       {R"(pods \"a\" is forbidden: exceeded quota: q)",
        R"(pods \"a\" is forbidden: unable to create new content in namespace x)"}) {
    EXPECT_EQ(forbidden(message).message().find("davit rbac"), std::string::npos) << message;
  }
  EXPECT_EQ(api_status(R"({"code":404,"message":"forbidden: User \"a\""})").message(),
            "forbidden: User \"a\"");
}

TEST(ApiStatusTest, IsNeverSuccess) {
  for (const std::string_view text : {"{}", R"({"status":"Success","code":200})", "nonsense", ""}) {
    EXPECT_EQ(api_status(text).code(), Code::kInternal) << text;
  }
  EXPECT_EQ(api_status(R"({"code":503})").code(), Code::kUnavailable);
  EXPECT_EQ(api_status(R"({"code":409})").code(), Code::kConflict);
  EXPECT_EQ(api_status(R"({"code":409,"reason":"AlreadyExists"})").code(), Code::kAlreadyExists);
}

}  // namespace
}  // namespace davit::host
