#include "plugins/cloud/service_rules.hpp"

#include "plugins/cloud/node_set.hpp"
#include "tests/plugins/cloud/fixture.hpp"

namespace davit::cloud {
namespace {

TEST(ServiceRulesTest, OnlyGosWordsForFalseIncludeANode) {
  for (const char* const each : {"0", "f", "F", "false", "FALSE", "False"}) {
    EXPECT_TRUE(is_false(each)) << each;
  }
  for (const char* const each : {"", "no", "fALSE", "true", "1", " false"}) {
    EXPECT_FALSE(is_false(each)) << each;
  }
}

TEST(ServiceRulesTest, AnAddressWithoutAModeIsAVip) {
  Cluster cluster;
  const auto of = [&](const char* status) { return comparable_ingress(cluster.value(status)); };
  EXPECT_EQ(of(R"({"ingress":[{"ip":"192.0.2.1"}]})"),
            of(R"({"ingress":[{"ip":"192.0.2.1","ipMode":"VIP"}]})"));
  EXPECT_NE(of(R"({"ingress":[{"ip":"192.0.2.1"}]})"),
            of(R"({"ingress":[{"ip":"192.0.2.1","ipMode":"Proxy"}]})"));
  EXPECT_NE(of(R"({"ingress":[{"hostname":"a"},{"hostname":"b"}]})"),
            of(R"({"ingress":[{"hostname":"b"},{"hostname":"a"}]})"));
  EXPECT_EQ(of(R"({"ingress":[]})"), of("{}"));
}

}  // namespace
}  // namespace davit::cloud
