/// The capabilities that a note may require, and their tables.
#include "host/plugin/host_abi.hpp"

#include <gtest/gtest.h>

#include "host/loading/capabilities.hpp"
#include "host/loading/note.hpp"

namespace davit::host {
namespace {

TEST(HostAbiTest, EveryCapabilityThatANoteMayRequireHasATable) {
  for (const std::string& id : host_capabilities()) {
    EXPECT_NE(host_capability(id), nullptr) << id;
  }
}

TEST(HostAbiTest, AWakerAndRequestsToTheOutsideMayBeRequired) {
  EXPECT_TRUE(missing_capabilities({"davit.waker/1", "davit.http/1"}, host_capabilities()).empty());
}

TEST(HostAbiTest, AnUnknownCapabilityHasNoTable) {
  EXPECT_EQ(host_capability("davit.waker/2"), nullptr);
}

}  // namespace
}  // namespace davit::host
