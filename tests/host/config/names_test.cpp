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

}  // namespace
}  // namespace davit::host
