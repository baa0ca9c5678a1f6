#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sandbox/controllers/cluster.hpp"

namespace davit::sandbox {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class NamespaceDeletionTest : public testing::Test {
 protected:
  NamespaceDeletionTest() { cluster_.create("/api/v1/namespaces", R"({"metadata":{"name":"t"}})"); }

  void put(const std::string& name, const std::string& finalizers = "[]") {
    cluster_.create("/api/v1/namespaces/t/configmaps",
                    R"({"metadata":{"name":")" + name + R"(","finalizers":)" + finalizers + "}}");
  }
  /// On a node, so that it ends in its own time.
  void put_pod() {
    cluster_.create(kPods, R"({"metadata":{"name":"p"},"spec":{"nodeName":"n",)"
                           R"("containers":[{"name":"c","image":"i"}]}})");
  }
  [[nodiscard]] bool pod_is_ending() {
    return !cluster_.get(kPods + "/p").get("metadata").get("deletionTimestamp").empty();
  }
  /// As the kubelet does in the end.
  void end_pod() { cluster_.call("DELETE", kPods + "/p", R"({"gracePeriodSeconds":0})"); }
  void delete_namespace() {
    EXPECT_EQ(cluster_.call("DELETE", "/api/v1/namespaces/t").status, 200);
  }

  inline static const std::string kPods = "/api/v1/namespaces/t/pods";
  Cluster cluster_;
};

TEST_F(NamespaceDeletionTest, NamespaceGoesWithAllThatIsInIt) {
  put("a");
  cluster_.create("/apis/coordination.k8s.io/v1/namespaces/t/leases",
                  R"({"metadata":{"name":"l"}})");
  cluster_.config_map("elsewhere");
  delete_namespace();
  cluster_.step();
  EXPECT_TRUE(cluster_.get("/api/v1/namespaces/t").is_null());
  EXPECT_THAT(cluster_.config_maps("t"), IsEmpty());
  EXPECT_TRUE(cluster_.store.list({"coordination.k8s.io", "leases"}, "t").objects.empty());
  EXPECT_THAT(cluster_.config_maps(), ElementsAre("elsewhere"));
}

TEST_F(NamespaceDeletionTest, EmptyNamespaceGoesAtOnce) {
  delete_namespace();
  cluster_.step();
  EXPECT_TRUE(cluster_.get("/api/v1/namespaces/t").is_null());
}

TEST_F(NamespaceDeletionTest, NamespaceSaysWhatHoldsItAndGoesAfterIt) {
  put("held", R"(["example.com/hold"])");
  put("free");
  delete_namespace();
  cluster_.step();
  EXPECT_THAT(cluster_.config_maps("t"), ElementsAre("held"));
  const Json conditions = cluster_.get("/api/v1/namespaces/t").get("status").get("conditions");
  EXPECT_THAT(to_text(conditions), HasSubstr("configmaps. has 1 resource instances"));
  EXPECT_THAT(to_text(conditions), HasSubstr("example.com/hold in 1 resource instances"));

  cluster_.call("PATCH", "/api/v1/namespaces/t/configmaps/held",
                R"({"metadata":{"finalizers":[]}})");
  cluster_.step();
  EXPECT_TRUE(cluster_.get("/api/v1/namespaces/t").is_null());
}

TEST_F(NamespaceDeletionTest, PodsAreGivenTheirGracePeriod) {
  put_pod();
  delete_namespace();
  cluster_.step();
  EXPECT_TRUE(pod_is_ending());
  EXPECT_FALSE(cluster_.get("/api/v1/namespaces/t").is_null());

  end_pod();
  cluster_.step();
  EXPECT_TRUE(cluster_.get("/api/v1/namespaces/t").is_null());
}

TEST_F(NamespaceDeletionTest, NothingElseGoesBeforeThePodsAreGone) {
  put("settings");
  put_pod();
  delete_namespace();
  cluster_.step();
  EXPECT_TRUE(pod_is_ending());
  EXPECT_THAT(cluster_.config_maps("t"), ElementsAre("settings")) << "the pod may read it";
  EXPECT_THAT(to_text(cluster_.get("/api/v1/namespaces/t").get("status").get("conditions")),
              HasSubstr("All content successfully deleted, may be waiting on finalization"));

  end_pod();
  cluster_.step();
  EXPECT_THAT(cluster_.config_maps("t"), IsEmpty());
  EXPECT_TRUE(cluster_.get("/api/v1/namespaces/t").is_null());
}

TEST_F(NamespaceDeletionTest, FinalizersOfOthersAreLeft) {
  const Json object = cluster_.get("/api/v1/namespaces/t");
  Json changed = object;
  changed["spec"]["finalizers"].push_back("example.com/mine");
  EXPECT_EQ(cluster_.call("PUT", "/api/v1/namespaces/t/finalize", to_text(changed)).status, 200);
  delete_namespace();
  EXPECT_EQ(cluster_.step(), Time::max());
  const Json left = cluster_.get("/api/v1/namespaces/t").get("spec").get("finalizers");
  EXPECT_EQ(to_text(left), R"(["example.com/mine"])");
}

}  // namespace
}  // namespace davit::sandbox
