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
