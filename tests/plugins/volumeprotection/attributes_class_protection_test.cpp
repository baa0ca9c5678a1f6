/// Rows PROT-18 to PROT-20 and PROT-26 of classes.
#include "plugins/volumeprotection/attributes_class_protection.hpp"

#include "tests/plugins/volumeprotection/fixture.hpp"

namespace davit::volumeprotection {
namespace {

using ::testing::IsEmpty;
using namespace std::chrono_literals;

class AttributesClassProtectionTest : public ProtectionTest {
 protected:
  static constexpr const char* kController = "volumeattributesclass-protection-controller";
  static constexpr const char* kOwn = R"(["kubernetes.io/vac-protection"])";

  void SetUp() override { start(); }
  void start() { ProtectionTest::start(kController, &AttributesClassProtection::open); }
  void add_class(const std::string& finalizers = kOwn) {
    cluster_.add(R"({"apiVersion":"storage.k8s.io/v1","kind":"VolumeAttributesClass",
        "metadata":{"name":"gold","finalizers":)" +
                 finalizers + R"(},"driverName":"d","parameters":{"a":"b"}})");
    settle();
  }
  void remove_class() {
    cluster_.clear_records();
    cluster_.remove<volumes::AttributesClass>(kClass);
    settle();
  }
  [[nodiscard]] bool has_class() { return has<volumes::AttributesClass>(kClass); }
  void add_claim(const std::string& spec, const std::string& status) {
    cluster_.add(R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"data",
        "namespace":"ns","uid":"uid-data"},"spec":{"accessModes":["ReadWriteOnce"],
        "resources":{"requests":{"storage":"1Gi"}})" +
                 spec + R"(},"status":{)" + status + "}}");
    settle();
  }

  const Key kClass{.ns = "", .name = "gold"};
  const Key kClaim{.ns = "ns", .name = "data"};
};

TEST_F(AttributesClassProtectionTest, PROT18_AnUnusedClassGoes) {
  add_class();
  remove_class();
  EXPECT_FALSE(has_class());
}

TEST_F(AttributesClassProtectionTest, PROT19_AClassThatAClaimNamesStays) {
  struct Use {
    const char* spec;
    const char* status;
  };
  for (const Use& each : {Use{R"(,"volumeAttributesClassName":"gold")", ""},
                          Use{"", R"("currentVolumeAttributesClassName":"gold")"},
                          Use{"", R"("modifyVolumeStatus":{"status":"Pending",
                  "targetVolumeAttributesClassName":"gold"})"}}) {
    for (const bool is_deleted : {true, false}) {
      add_class();
      add_claim(each.spec, each.status);
      remove_class();
      EXPECT_TRUE(has_class()) << each.spec << each.status;
      EXPECT_THAT(cluster_.requests(), IsEmpty());
      if (is_deleted) {
        cluster_.erase<volumes::Claim>(kClaim);
        settle();
      } else {
        add_claim(R"(,"volumeAttributesClassName":"silver")", "");
      }
      EXPECT_FALSE(has_class()) << each.spec << each.status;
    }
  }
}

TEST_F(AttributesClassProtectionTest, PROT19_AClassStaysUntilTheLastUserLetsGo) {
  add_class();
  add_claim(R"(,"volumeAttributesClassName":"gold")", "");
  cluster_.add(R"({"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"v"},
      "spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"},
      "hostPath":{"path":"/x"},"volumeAttributesClassName":"gold"}})");
  remove_class();
  cluster_.erase<volumes::Claim>(kClaim);
  settle();
  EXPECT_TRUE(has_class());
  cluster_.erase<volumes::Volume>({"", "v"});
  settle();
  EXPECT_FALSE(has_class());
}

TEST_F(AttributesClassProtectionTest, PROT20_AClassWithoutTheFinalizerGetsIt) {
  add_class("[]");
  EXPECT_EQ(finalizers<volumes::AttributesClass>(kClass), kOwn);
}

TEST_F(AttributesClassProtectionTest, PROT26_AClassThatWasDeletedBeforeTheStartIsFreed) {
  cluster_.stop(kController);
  add_class();
  remove_class();
  ASSERT_TRUE(has_class());
  start();
  EXPECT_FALSE(has_class());
}

TEST_F(AttributesClassProtectionTest, AServerWithoutTheKindSkipsTheController) {
  cluster_.stop(kController);
  cluster_.remove_resource("volumeattributesclasses");
  EXPECT_EQ(cluster_.start(kController, &AttributesClassProtection::open).code(),
            Code::kUnsupported);
}

}  // namespace
}  // namespace davit::volumeprotection
