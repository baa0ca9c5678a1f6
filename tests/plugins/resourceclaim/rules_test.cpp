/// The pure rules, and what the note allows.
#include "tests/plugins/resourceclaim/fixture.hpp"

namespace davit::resourceclaim {
namespace {

using ::testing::AnyOf;
using ::testing::Each;
using ::testing::HasSubstr;

using RulesTest = ResourceClaimTest;

TEST(GenerateNameTest, DRA05_PartsAreCutInProportion) {
  EXPECT_EQ(generate_name("p", "g"), "p-g-");
  const std::string fits(51, 'p');
  EXPECT_EQ(generate_name(fits, "abcd"), fits + "-abcd-");
  EXPECT_EQ(generate_name(std::string(55, 'p'), "b"), std::string(54, 'p') + "-");
}

TEST(DeletedConsumersTest, TheOldestIsForgotten) {
  DeletedConsumers deleted;
  for (std::size_t i = 0; i <= DeletedConsumers::kMax; ++i) {
    deleted.add(std::to_string(i));
    deleted.add(std::to_string(i));
  }
  EXPECT_FALSE(deleted.has("0"));
  EXPECT_TRUE(deleted.has("1"));
  EXPECT_TRUE(deleted.has(std::to_string(DeletedConsumers::kMax)));
}

TEST_F(RulesTest, AdminAccessIsCounted) {
  cluster_.add(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"t","labels":{
      "resource.kubernetes.io/admin-access":"true"}}})");
  add_template(R"({"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"gpu",
      "adminAccess":true}}]}})");
  start();
  add_pod("p", from_template());
  EXPECT_EQ(counted("resourceclaim_controller_creates_total", {"success", "true"}), 1);
}

TEST_F(RulesTest, OnlyTheRightThatServersAskAboutIsUnused) {
  cluster_.add(R"({"apiVersion":"scheduling.k8s.io/v1alpha2","kind":"PodGroup","metadata":{
      "name":"pg","namespace":"t"},"spec":{"resourceClaims":[)" +
               from_template() + "]}}");
  start(kOn);
  add_pod("p", from_template(), "n1");
  allocate(claim_of("p"), "");
  finish("p");
  // The test cluster writes no Events.
  EXPECT_THAT(cluster_.unused_declarations(),
              Each(AnyOf(HasSubstr(R"("subresource":"binding")"), HasSubstr(R"("events")"))));
}

}  // namespace
}  // namespace davit::resourceclaim
