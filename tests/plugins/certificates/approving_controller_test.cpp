/// Rows CERT056 to CERT066.
#include "plugins/certificates/approving_controller.hpp"

#include <set>

#include "tests/plugins/certificates/signing_fixture.hpp"

namespace davit::certificates {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using namespace std::chrono_literals;

class ApprovingControllerTest : public SigningTest {
 protected:
  static constexpr const char* kByNode =
      "Approved AutoApproved Auto approving kubelet client certificate after SubjectAccessReview.";
  static constexpr const char* kBySelf =
      "Approved AutoApproved Auto approving self kubelet client certificate after "
      "SubjectAccessReview.";

  void SetUp() override {
    // The reviews of the server: what `granted_` has is allowed.
    cluster_.on_request([this](const testing::RequestRecord& each) {
      if (each.resource != "subjectaccessreviews") return;
      const Json body = each.json();
      const bool allowed =
          granted_.contains(body.text_at({"spec", "resourceAttributes", "subresource"}));
      Json reply = body;
      reply["status"]["allowed"] = Json::must(allowed ? "true" : "false");
      cluster_.fail_next({.verb = Verb::kCreate,
                          .resource = "subjectaccessreviews",
                          .http_status = 201,
                          .body = reply.dump()});
    });
    ASSERT_TRUE(cluster_.start(kApproving, &make_without_options<ApprovingController>).ok());
    settle();
  }
  void add_node_request(const std::string& name, const std::string& user,
                        std::string_view patch = "{}",
                        const RequestOptions& options = {.subject = node_subject()},
                        const char* signer = kKubelet,
                        Usages usages = {"digital signature", "client auth"}) {
    Json all = Json::must(patch);
    all["spec"]["username"] = user;
    add_request(name, signer, make_request(options), usages, all.dump());
  }
  /// The subresources that were asked about.
  [[nodiscard]] std::vector<std::string> reviews() const {
    std::vector<std::string> out;
    for (const testing::RequestRecord& each :
         cluster_.requests_of(Verb::kCreate, "subjectaccessreviews")) {
      out.push_back(each.json().text_at({"spec", "resourceAttributes", "subresource"}));
    }
    return out;
  }

  std::set<std::string> granted_;
};

TEST_F(ApprovingControllerTest, CERT056_ANewNodesRequestIsApproved) {
  granted_ = {"nodeclient"};
  add_node_request("a", "system:bootstrap:abcdef",
                   R"({"spec":{"uid":"u1","groups":["boots","system:authenticated"]}})");
  EXPECT_THAT(conditions("a"), ElementsAre(kByNode));
  const auto asked = cluster_.requests_of(Verb::kCreate, "subjectaccessreviews");
  ASSERT_THAT(asked, SizeIs(1));
  EXPECT_EQ(asked[0].json().find("spec")->canonical(),
            Json::must(R"({"resourceAttributes":{"verb":"create","group":"certificates.k8s.io",
                "version":"*","resource":"certificatesigningrequests","subresource":"nodeclient"},
                "user":"system:bootstrap:abcdef","uid":"u1",
                "groups":["boots","system:authenticated"]})")
                .canonical());
  EXPECT_THAT(requests(), ElementsAre("create subjectaccessreviews 201",
                                      "patch certificatesigningrequests/a/approval 200"));
}

TEST_F(ApprovingControllerTest, CERT057_ANodeRenewsItsOwnCertificate) {
  granted_ = {"selfnodeclient", "nodeclient"};
  add_node_request("a", "system:node:n1");
  EXPECT_THAT(conditions("a"), ElementsAre(kBySelf));
  EXPECT_THAT(reviews(), ElementsAre("selfnodeclient"));
}

TEST_F(ApprovingControllerTest, CERT058_ARightForAnyNodeIsEnough) {
  granted_ = {"nodeclient"};
  add_node_request("a", "system:node:n1");
  EXPECT_THAT(conditions("a"), ElementsAre(kByNode));
  EXPECT_THAT(reviews(), ElementsAre("selfnodeclient", "nodeclient"));
}

TEST_F(ApprovingControllerTest, CERT059_ANodeCannotRenewForAnother) {
  granted_ = {"selfnodeclient"};
  add_node_request("a", "system:node:n1", "{}",
                   {.subject = {{"O", "system:nodes"}, {"CN", "system:node:n2"}}});
  EXPECT_THAT(conditions("a"), IsEmpty());
  EXPECT_THAT(reviews(), ElementsAre("nodeclient"));
}

TEST_F(ApprovingControllerTest, CERT060_ARefusalIsReviewedAgainEverLater) {
  add_node_request("a", "alice");
  std::vector<std::size_t> counts;
  Duration at = 0ms;
  for (const std::chrono::milliseconds time :
       {199ms, 250ms, 650ms, 1500ms, 3100ms, 6300ms, 14000ms}) {
    cluster_.advance(time - at);
    at = time;
    counts.push_back(reviews().size());
  }
  EXPECT_THAT(counts, ElementsAre(1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(conditions("a"), IsEmpty());
}

TEST_F(ApprovingControllerTest, CERT061_ARightThatIsGrantedLaterApproves) {
  add_node_request("a", "alice");
  cluster_.advance(1min);
  granted_ = {"nodeclient"};
  cluster_.advance(1min);
  EXPECT_THAT(conditions("a"), ElementsAre(kByNode));
}

TEST_F(ApprovingControllerTest, CERT062_OtherRequestsAreNotReviewed) {
  granted_ = {"nodeclient", "selfnodeclient"};
  add_node_request("a", "system:node:n1", "{}",
                   {.subject = node_subject(), .alternative_names = "DNS:n1"}, kServing,
                   {"digital signature", "server auth"});
  add_node_request("b", "alice", "{}", {.subject = {{"CN", "alice"}}}, certificates::kClient,
                   {"client auth"});
  add_node_request("c", "system:node:n1", "{}",
                   {.subject = node_subject(), .alternative_names = "DNS:n1"});
  add_node_request("d", "system:node:n1", "{}",
                   {.subject = node_subject({{"O", "system:masters"}})});
  add_node_request("e", "system:node:n1", "{}", {.subject = node_subject()}, kKubelet,
                   {"digital signature", "client auth", "cert sign"});
  add_node_request("f", "system:node:n1", "{}", {.subject = node_subject()}, "example.com/x");
  add_request("g", "example.com/x", "garbage", {"client auth"});
  cluster_.advance(1h);
  EXPECT_THAT(requests(), IsEmpty());
  for (const testing::SyncRecord& each : cluster_.syncs()) EXPECT_TRUE(each.ok()) << each.error;
}

TEST_F(ApprovingControllerTest, CERT063_ExtraOfTheRequesterIsReviewed) {
  add_node_request("a", "alice", R"({"spec":{"extra":{"scopes":["a","b"]}}})");
  const auto asked = cluster_.requests_of(Verb::kCreate, "subjectaccessreviews");
  ASSERT_THAT(asked, SizeIs(1));
  EXPECT_EQ(asked[0].json().at({"spec", "extra"})->dump(), R"({"scopes":["a","b"]})");
  EXPECT_EQ(asked[0].json().at({"spec", "uid"}), nullptr);
}

TEST_F(ApprovingControllerTest, CERT064_ADeniedRequestIsNotReviewed) {
  granted_ = {"nodeclient"};
  add_node_request("a", "alice",
                   R"({"status":{"conditions":[{"type":"Denied","status":"True"}]}})");
  EXPECT_THAT(requests(), IsEmpty());
}

TEST_F(ApprovingControllerTest, CERT065_AReviewThatFailsIsTriedAgain) {
  cluster_.on_request({});
  cluster_.fail_next({.verb = Verb::kCreate, .resource = "subjectaccessreviews"});
  cluster_.fail_next(
      {.verb = Verb::kCreate,
       .resource = "subjectaccessreviews",
       .http_status = 201,
       .body = R"({"kind":"SubjectAccessReview","apiVersion":"authorization.k8s.io/v1",
                   "metadata":{},"spec":{},"status":{"allowed":true}})"});
  add_node_request("a", "alice");
  EXPECT_THAT(conditions("a"), IsEmpty());
  cluster_.advance(1s);
  EXPECT_THAT(conditions("a"), ElementsAre(kByNode));
}

TEST_F(ApprovingControllerTest, CERT066_BothControllersGiveANodeItsCertificate) {
  granted_ = {"nodeclient"};
  start_with(make_ca());
  add_node_request("a", "system:bootstrap:abcdef");
  const Issued made(certificate("a"));
  EXPECT_TRUE(made.is_signed_by(ca_.certificate));
  EXPECT_EQ(made.subject(), "O=system:nodes,CN=system:node:n1");
}

TEST_F(ApprovingControllerTest, AReviewWithoutAnAnswerApprovesNothing) {
  cluster_.on_request({});
  for (const char* body : {R"({"kind":"SubjectAccessReview","apiVersion":"authorization.k8s.io/v1",
                              "metadata":{},"spec":{},"status":{"allowed":"true"}})",
                           "{}", R"({"kind":"Status","apiVersion":"v1","status":"Success"})"}) {
    cluster_.fail_next({.verb = Verb::kCreate,
                        .resource = "subjectaccessreviews",
                        .http_status = 201,
                        .times = testing::Fault::kAlways,
                        .body = body});
    add_node_request("a", "alice");
    cluster_.advance(1min);
    EXPECT_THAT(conditions("a"), IsEmpty()) << body;
    cluster_.clear_faults();
    cluster_.erase<SigningRequest>({"", "a"});
    settle();
  }
}

TEST_F(ApprovingControllerTest, AConflictIsTriedAgain) {
  granted_ = {"nodeclient"};
  cluster_.fail_next({.verb = Verb::kPatch, .http_status = 409, .reason = "Conflict"});
  add_node_request("a", "alice");
  EXPECT_THAT(last_error(), HasSubstr("error updating approval for csr: "));
  cluster_.advance(1s);
  EXPECT_THAT(conditions("a"), ElementsAre(kByNode));
}

}  // namespace
}  // namespace davit::certificates
