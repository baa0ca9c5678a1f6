#include "host/config/names.hpp"

#include <gtest/gtest.h>

namespace davit::host {
namespace {

TEST(NamesTest, SubresourceStaysWithItsObject) {
  EXPECT_TRUE(is_subresource_of("pods", "eviction"));
  EXPECT_TRUE(is_subresource_of("namespaces", "finalize"));
  for (const char* text : {"secrets", "secrets/x", "pods", ""}) {
    EXPECT_FALSE(is_subresource_of("namespaces", text)) << text;
  }
  for (const char* text : {"log/../x", "log?x", "", "."}) {
    EXPECT_FALSE(is_subresource_of("pods", text)) << text;
  }
  EXPECT_TRUE(is_resource_name("replicasets"));
  for (const char* text : {"watch", "proxy", "status", "finalize", "pods/log", ""}) {
    EXPECT_FALSE(is_resource_name(text)) << text;
  }
  EXPECT_TRUE(is_client_name("node-controller"));
  for (const char* text : {"", "a b", "a\r\nX: y", "a/b"}) EXPECT_FALSE(is_client_name(text));
}

TEST(NamesTest, MetricsHaveAnyNameOfOneSegment) {
  for (const char* text : {"http_requests", "queue.Ready|s0", "hits"}) {
    EXPECT_TRUE(is_metric_segment(text)) << text;
  }
  for (const char* text : {"", "a/b", "..", "a%2fb", "watch", "status"}) {
    EXPECT_FALSE(is_metric_segment(text)) << text;
  }
  EXPECT_TRUE(is_metrics_group("external.metrics.k8s.io"));
  EXPECT_FALSE(is_metrics_group("metrics.k8s.io"));
}

}  // namespace
}  // namespace davit::host
