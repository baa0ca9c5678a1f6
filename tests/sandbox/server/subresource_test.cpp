// Subresources beyond the black-box checks.
#include <gtest/gtest.h>

#include "tests/sandbox/server/sandbox.hpp"

namespace davit::sandbox {
namespace {

const std::string kPods = "/api/v1/namespaces/default/pods";

std::string pod(const std::string& name, const std::string& spec = "") {
  return R"({"metadata":{"name":")" + name +
         R"(","labels":{"app":"x"}},"spec":{"containers":[{"name":"c","image":"i"}])" + spec + "}}";
}

TEST(SubresourceTest, BindingMergesAnnotationsAndKeepsTheGeneration) {
  Sandbox sandbox;
  ASSERT_EQ(sandbox.post(kPods, pod("p")).code, 201);

  const Reply bound = sandbox.post(
      "/api/v1/namespaces/default/bindings",
      R"({"metadata":{"name":"p","annotations":{"a":"b"}},"target":{"kind":"Node","name":"n"}})");

  EXPECT_EQ(bound.code, 201) << bound.text;
  const Reply now = sandbox.get(kPods + "/p");
  EXPECT_EQ(now.body.text_at({"spec", "nodeName"}), "n");
  EXPECT_EQ(now.body.text_at({"metadata", "annotations", "a"}), "b");
  EXPECT_EQ(now.body.get("metadata").get("generation").integer_or(0), 1);
}

TEST(SubresourceTest, ABindingToNothingNamesBothMistakes) {
  Sandbox sandbox;
  ASSERT_EQ(sandbox.post(kPods, pod("p")).code, 201);
  const Reply response =
      sandbox.post(kPods + "/p/binding", R"({"metadata":{"name":"p"},"target":{"kind":"Foo"}})");
  EXPECT_EQ(response.code, 500);
  EXPECT_EQ(response.message(),
            R"([target.kind: Unsupported value: "Foo": supported values: "Node", "<empty>", )"
            "target.name: Required value]");
}

TEST(SubresourceTest, EphemeralContainersOnlyGrow) {
  Sandbox sandbox;
  ASSERT_EQ(sandbox.post(kPods, pod("p", R"(,"nodeName":"n")")).code, 201);
  const std::string target = kPods + "/p/ephemeralcontainers";

  const Reply added =
      sandbox.patch(target, "strategic",
                    R"({"spec":{"ephemeralContainers":[{"name":"debug","image":"busybox"}]}})");
  const Reply removed = sandbox.patch(target, "merge", R"({"spec":{"ephemeralContainers":null}})");

  EXPECT_EQ(added.code, 200) << added.text;
  EXPECT_EQ(added.body.get("spec").get("ephemeralContainers").items().size(), 1u);
  EXPECT_EQ(added.body.get("metadata").get("generation").integer_or(0), 2);
  EXPECT_EQ(removed.code, 422);
}

TEST(SubresourceTest, ReviewsNeedNoCredentialsWhereThereAreNone) {
  Sandbox sandbox;
  const Reply response =
      sandbox.post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
                   R"({"spec":{"resourceAttributes":{"verb":"list","resource":"pods"}}})");
  EXPECT_EQ(response.code, 201) << response.text;
  EXPECT_TRUE(response.body.get("status").get("allowed").boolean());
}

TEST(SubresourceTest, TokensAreIssuedForAccountsThatExist) {
  Sandbox sandbox;
  const std::string accounts = "/api/v1/namespaces/default/serviceaccounts";
  ASSERT_EQ(sandbox.post(accounts, R"({"metadata":{"name":"sa"}})").code, 201);
  EXPECT_EQ(sandbox.post(accounts + "/sa/token", "{}").code, 201);
  EXPECT_EQ(sandbox.post(accounts + "/other/token", "{}").code, 404);
}

TEST(SubresourceTest, AMissingScaleIsNamedByItsParent) {
  Sandbox sandbox;
  const std::string path = "/apis/apps/v1/namespaces/default/deployments/d/scale";
  EXPECT_EQ(sandbox.get(path).message(), R"(deployments.apps "d" not found)");
  EXPECT_EQ(sandbox.patch(path, "merge", R"({"spec":{"replicas":1}})").message(),
            R"(deployments.apps "d" not found)");
}

TEST(SubresourceTest, ANamespaceIsReplacedUnderItsUid) {
  Sandbox sandbox;
  Reply there = sandbox.get("/api/v1/namespaces/default");
  there.body["metadata"]["labels"].set("a", "b");

  const Reply put = sandbox.put("/api/v1/namespaces/default", to_text(there.body));

  EXPECT_EQ(put.code, 200) << put.text;
  EXPECT_EQ(put.body.text_at({"metadata", "labels", "a"}), "b");
}

TEST(SubresourceTest, ExecIsRefusedClearly) {
  Sandbox sandbox;
  ASSERT_EQ(sandbox.post(kPods, pod("p")).code, 201);
  EXPECT_NE(sandbox.post(kPods + "/p/exec", "").message().find("runs no containers"),
            std::string::npos);
}

}  // namespace
}  // namespace davit::sandbox
