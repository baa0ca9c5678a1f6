#include <gtest/gtest.h>

#include "tests/sandbox/admission/small_cluster.hpp"

namespace davit::sandbox {
namespace {

TEST(NamespaceLifecycleTest, NothingIsCreatedInAMissingNamespace) {
  AdmissionSetup setup;
  const ResourcePtr config_maps = find_plural("", "configmaps");
  Json object = json_literal(R"({"metadata":{"name":"y"}})");

  const ApiFailure failure =
      setup.admission->admit({*config_maps, WriteVerb::kCreate, "x", "", "", nullptr}, object);

  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, 404);
  EXPECT_EQ(failure->reason, "NotFound");
  EXPECT_EQ(failure->message, "namespaces \"x\" not found");
}

TEST(NamespaceLifecycleTest, ANamespaceOnItsWayOutTakesUpdatesOnly) {
  AdmissionSetup setup;
  const ResourcePtr config_maps = find_plural("", "configmaps");
  setup.cluster.add("", "namespaces",
                    R"({"metadata":{"name":"t1"},"status":{"phase":"Terminating"}})");
  Json object = json_literal(R"({"metadata":{"name":"y"}})");

  const ApiFailure failure =
      setup.admission->admit({*config_maps, WriteVerb::kCreate, "t1", "", "", nullptr}, object);

  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, 403);
  EXPECT_EQ(failure->message,
            "configmaps \"y\" is forbidden: unable to create new content in namespace t1 because "
            "it is being terminated");
  ASSERT_EQ(failure->details->causes.size(), 1U);
  EXPECT_EQ(failure->details->causes[0].reason, "NamespaceTerminating");
  EXPECT_EQ(failure->details->causes[0].message, "namespace t1 is being terminated");
  EXPECT_EQ(failure->details->causes[0].field, "metadata.namespace");
  EXPECT_FALSE(
      setup.admission->admit({*config_maps, WriteVerb::kUpdate, "t1", "y", "", &object}, object));
}

TEST(NamespaceLifecycleTest, AccessReviewsNeedNoNamespace) {
  AdmissionSetup setup;
  const ResourcePtr reviews = find_plural("authorization.k8s.io", "localsubjectaccessreviews");
  Json review = Json::object();

  EXPECT_FALSE(
      setup.admission->admit({*reviews, WriteVerb::kCreate, "x", "", "", nullptr}, review));
}

TEST(NamespaceLifecycleTest, SomeNamespacesAreImmortal) {
  AdmissionSetup setup;
  const ResourcePtr namespaces = find_plural("", "namespaces");

  for (const char* name : {"default", "kube-system", "kube-public"}) {
    const ApiFailure failure = setup.admission->admit_delete(*namespaces, "", name);
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->message, std::string("namespaces \"") + name +
                                    "\" is forbidden: this namespace may not be deleted");
  }
  EXPECT_FALSE(setup.admission->admit_delete(*namespaces, "", "kube-node-lease"));
  EXPECT_FALSE(setup.admission->admit_delete(*find_plural("", "configmaps"), "n", "default"));
}

}  // namespace
}  // namespace davit::sandbox
