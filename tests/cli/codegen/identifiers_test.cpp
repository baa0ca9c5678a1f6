#include "cli/codegen/identifiers.hpp"

#include <gtest/gtest.h>

#include <ostream>

namespace davit::host::codegen {
namespace {

struct CaseForm {
  std::string_view json;
  std::string_view snake;
  std::string_view pascal;

  friend std::ostream& operator<<(std::ostream& out, const CaseForm& each) {
    return out << each.json;
  }
};

class IdentifierFormTest : public testing::TestWithParam<CaseForm> {};

TEST_P(IdentifierFormTest, JsonNameBecomesIdentifier) {
  EXPECT_EQ(snake_case(GetParam().json), GetParam().snake);
  EXPECT_EQ(pascal_case(GetParam().json), GetParam().pascal);
}

constexpr CaseForm kCaseForms[] = {
    {"replicas", "replicas", "Replicas"},
    {"readyReplicas", "ready_replicas", "ReadyReplicas"},
    {"podIP", "pod_ip", "PodIP"},
    {"podIPs", "pod_ips", "PodIPs"},
    {"clusterIPsTTL", "cluster_ips_ttl", "ClusterIPsTTL"},
    {"externalIPPolicy", "external_ip_policy", "ExternalIPPolicy"},
    {"http2Port", "http2_port", "Http2Port"},
    {"x-kubernetes-map", "x_kubernetes_map", "XKubernetesMap"},
    {"$ref", "ref", "Ref"},
    {"2fa", "n2fa", "N2fa"},
    {"1.2", "n1_2", "N1_2"},
    {"", "unnamed", "Empty"},
    {"日本", "unnamed", "Empty"},
};
INSTANTIATE_TEST_SUITE_P(, IdentifierFormTest, testing::ValuesIn(kCaseForms));

TEST(ScopeTest, KeywordsReservedWordsAndRepeatedNamesGetOthers) {
  Scope scope({"raw"});

  EXPECT_EQ(scope.claim("class"), "class_");
  EXPECT_EQ(scope.claim("raw"), "raw_");
  EXPECT_EQ(scope.claim("foo_bar"), "foo_bar");
  EXPECT_EQ(scope.claim("foo_bar"), "foo_bar_");
  EXPECT_EQ(scope.claim("foo_bar"), "foo_bar_2");
}

}  // namespace
}  // namespace davit::host::codegen
