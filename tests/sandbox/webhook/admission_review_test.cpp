#include "sandbox/webhook/admission_review.hpp"

#include <gtest/gtest.h>

#include <davit/base64.hpp>
#include <string>

namespace davit::sandbox {
namespace {

HookReply reply_of(std::string body, int status = 200) {
  return {
      .status = status, .content_type = "application/json", .body = std::move(body), .error = ""};
}

std::string review_of(const std::string& response) {
  return R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":)" + response +
         '}';
}

std::string allowed_with(const std::string& patch, const std::string& type) {
  return review_of(R"({"uid":"u","allowed":true,"patch":")" + encode_base64(patch) +
                   R"(","patchType":")" + type + "\"}");
}

struct ReplyCase {
  const char* name;
  HookKind kind;
  HookReply reply;
  const char* error;
};

constexpr HookKind kMutates = HookKind::kMutating;
constexpr HookKind kValidates = HookKind::kValidating;
constexpr const char* kHead = R"( into Go value of type struct { APIVersion string )"
                              R"("json:\"apiVersion,omitempty\""; Kind string )"
                              R"("json:\"kind,omitempty\"" })";

constexpr const char* kPatch = R"([{"op":"add","path":"/a","value":1}])";

// The words of kube-apiserver v1.36.2 on such replies.
TEST(AdmissionReviewTest, FaultsOfAReplyAreNamedAsTheServerNamesThem) {
  const std::string parse = "failed to call webhook: couldn't get version/kind; json parse error: ";
  const std::string text = parse + "json: cannot unmarshal string" + kHead;
  const std::string array = parse + "json: cannot unmarshal array" + kHead;
  const ReplyCase cases[] = {
      {"Garbage", kValidates, reply_of("garbage"), text.c_str()},
      {"Array", kValidates, reply_of("[1]"), array.c_str()},
      {"Empty", kValidates, reply_of(""),
       "failed to call webhook: 0-length response with status code: 200 and content type: "
       "application/json"},
      {"Oops", kValidates, reply_of("oops\n", 500),
       "failed to call webhook: an error on the server (\"oops\") has prevented the request from "
       "succeeding"},
      {"NotFound", kValidates, reply_of("nope", 404),
       "failed to call webhook: the server could not find the requested resource"},
      {"Forbidden", kValidates, reply_of("bad", 403), "failed to call webhook: bad"},
      {"Redirect", kValidates, reply_of("", 302),
       "failed to call webhook: the server responded with the status code 302 but did not return "
       "more information"},
      {"Status", kValidates,
       reply_of(R"({"kind":"Status","status":"Failure","message":"I am a teapot"})", 418),
       "failed to call webhook: I am a teapot"},
      {"NoResponse", kValidates,
       reply_of(R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"})"),
       "received invalid webhook response: webhook response was absent"},
      {"NoKind", kValidates, reply_of(R"({"response":{"uid":"u","allowed":true}})"),
       "received invalid webhook response: expected webhook response of admission.k8s.io/v1, "
       "Kind=AdmissionReview, got /, Kind="},
      {"OtherKind", kValidates, reply_of(R"({"kind":"Review","apiVersion":"admission.k8s.io/v1"})"),
       "failed to call webhook: no kind \"Review\" is registered for version "
       "\"admission.k8s.io/v1\" in scheme \"pkg/util/webhook/client.go:71\""},
      {"OtherVersion", kValidates,
       reply_of(R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1beta1"})"),
       "failed to call webhook: converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): "
       "unknown conversion"},
      {"OtherUid", kValidates, reply_of(review_of(R"({"uid":"x","allowed":true})")),
       R"(received invalid webhook response: expected response.uid="u", got "x")"},
      {"PatchOfAJudge", kValidates, reply_of(allowed_with(kPatch, "JSONPatch")),
       "received invalid webhook response: validating webhook may not return response.patch"},
      {"PatchWithoutType", kMutates,
       reply_of(review_of(R"({"uid":"u","allowed":true,"patch":"W10="})")),
       "received invalid webhook response: webhook returned response.patch but not "
       "response.patchType"},
      {"TypeWithoutPatch", kMutates,
       reply_of(review_of(R"({"uid":"u","allowed":true,"patchType":"JSONPatch"})")),
       "received invalid webhook response: webhook returned response.patchType but not "
       "response.patch"},
      {"OtherType", kMutates, reply_of(allowed_with(kPatch, "Merge")),
       R"(unsupported patch type "Merge")"},
      {"PatchThatIsAnObject", kMutates, reply_of(allowed_with("{}", "JSONPatch")),
       "received undecodable patch in webhook response: json: cannot unmarshal object into Go "
       "value of type jsonpatch.Patch"},
      {"Fine", kMutates, reply_of(allowed_with(kPatch, "JSONPatch")), ""},
  };
  for (const ReplyCase& each : cases) {
    const HookVerdict verdict = read_review(each.reply, "v1", "u", each.kind);
    EXPECT_EQ(verdict.error, each.error) << each.name;
    EXPECT_EQ(verdict.patch.is_null(), each.error[0] != 0) << each.name;
  }
}

TEST(AdmissionReviewTest, TheVersionIsTheFirstThatIsKnown) {
  EXPECT_EQ(review_version(json_literal(R"({"admissionReviewVersions":["v2","v1beta1","v1"]})")),
            "v1beta1");
  EXPECT_EQ(review_version(json_literal(R"({"admissionReviewVersions":["v2"]})")), "");
}

TEST(AdmissionReviewTest, ARefusalIsAtLeastABadRequest) {
  const ApiError low = refused_by_hook("h", json_literal(R"({"code":200,"reason":"Teapot"})"));
  EXPECT_EQ(low.code, 400);
  EXPECT_EQ(low.message, R"(admission webhook "h" denied the request: Teapot)");
  EXPECT_EQ(refused_by_hook("h", Json()).message,
            R"(admission webhook "h" denied the request without explanation)");
}

}  // namespace
}  // namespace davit::sandbox
