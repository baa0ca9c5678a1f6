#include "sandbox/kinds/api_error.hpp"

#include <gtest/gtest.h>

namespace davit::sandbox {
namespace {

const Subject kMap{"", "configmaps", "a"};
const Subject kDeployment{"apps", "deployments", "d"};

struct ErrorCase {
  ApiError error;
  int code;
  const char* reason;
  const char* message;
  const char* details;  // As JSON; empty: none.
};

TEST(ApiErrorTest, EveryReasonHasItsForm) {
  const ErrorCase cases[] = {
      {not_found(kDeployment), 404, "NotFound", R"(deployments.apps "d" not found)",
       R"({"name":"d","group":"apps","kind":"deployments"})"},
      {already_exists(kMap), 409, "AlreadyExists", R"(configmaps "a" already exists)",
       R"({"name":"a","kind":"configmaps"})"},
      {forbidden(kMap, "why"), 403, "Forbidden", R"(configmaps "a" is forbidden: why)",
       R"({"name":"a","kind":"configmaps"})"},
      {forbidden({"", "pods", ""}, "why"), 403, "Forbidden", "pods is forbidden: why",
       R"({"kind":"pods"})"},
      {unauthorized(), 401, "Unauthorized", "Unauthorized", ""},
      {unknown_resource(), 404, "NotFound", "the server could not find the requested resource",
       "{}"},
      {invalid({"apps", "Deployment", "d"}, {field_required("spec.selector")}), 422, "Invalid",
       R"(Deployment.apps "d" is invalid: spec.selector: Required value)",
       R"({"name":"d","group":"apps","kind":"Deployment","causes":[)"
       R"({"reason":"FieldValueRequired","message":"Required value","field":"spec.selector"}]})"},
      {future_revision(99, 7), 504, "Timeout",
       "Timeout: Too large resource version: 99, current: 7",
       R"({"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}],)"
       R"("retryAfterSeconds":1})"},
  };
  for (const ErrorCase& each : cases) {
    const Json status = to_status(each.error);
    EXPECT_EQ(status.get("code").integer_or(0), each.code) << each.message;
    EXPECT_EQ(status.text_at({"reason"}), each.reason);
    EXPECT_EQ(status.text_at({"message"}), each.message);
    const Json* details = status.find("details");
    EXPECT_EQ(details == nullptr ? "" : to_text(*details), each.details) << each.message;
  }
}

TEST(ApiErrorTest, SeveralCausesStandInBracketsAndEqualOnesOnce) {
  const ApiError error =
      invalid({"", "Pod", "p"}, {field_required("a"), field_required("b"), field_required("a")});
  EXPECT_EQ(error.message, R"(Pod "p" is invalid: [a: Required value, b: Required value])");
  EXPECT_EQ(error.details->causes.size(), 3u);
}

TEST(ApiErrorTest, AnUnknownGroupGetsAResponseInPlainText) {
  const HttpServerResponse response = to_response(page_not_found());
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(response.body, "404 page not found\n");
  EXPECT_EQ(response.content_type, "text/plain; charset=utf-8");
}

}  // namespace
}  // namespace davit::sandbox
