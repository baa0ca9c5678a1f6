#include "nodes/device_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/nodes/device_world.hpp"

namespace davit::sandbox {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> names(const Json& slice) {
  std::vector<std::string> out;
  for (const Json& each : slice.get("spec").get("devices").items()) {
    out.push_back(each.get("name").text());
  }
  return out;
}

/// "KEY:EFFECT" of the taints of one device.
std::vector<std::string> taints(const Json& slice, std::size_t device) {
  std::vector<std::string> out;
  for (const Json& each :
       slice.get("spec").get("devices").items().at(device).get("taints").items()) {
    out.push_back(each.get("key").text() + ":" + each.get("effect").text());
  }
  return out;
}

TEST(DeviceDriverTest, EachNodeHasAPoolAndTheDriverAClass) {
  DeviceWorld world;
  const Json slice = world.slice("node-1");
  EXPECT_THAT(names(slice), ElementsAre("gpu-0", "gpu-1"));
  const Json& spec = slice.get("spec");
  EXPECT_EQ(spec.get("driver").text(), "devices.sandbox.davit.dev");
  EXPECT_EQ(spec.get("nodeName").text(), "node-1");
  EXPECT_EQ(to_canonical_text(spec.get("pool")),
            R"({"generation":1,"name":"node-1","resourceSliceCount":1})");
  EXPECT_EQ(slice.get("metadata").get("ownerReferences").items().at(0).get("uid"),
            world.node("node-1").get("metadata").get("uid"));
  EXPECT_EQ(world.slices().size(), 2U);
  EXPECT_EQ(world.read("/apis/resource.k8s.io/v1/deviceclasses/sandbox").get("kind").text(),
            "DeviceClass");
}

TEST(DeviceDriverTest, AnAnnotationSetsTheNumberOfDevices) {
  DeviceWorld world(with_devices(0));
  EXPECT_EQ(world.slices().size(), 0U);
  world.annotate("node-1", "devices", "3");
  EXPECT_THAT(names(world.slice("node-1")), ElementsAre("gpu-0", "gpu-1", "gpu-2"));
  world.annotate("node-1", "devices", "0");
  EXPECT_EQ(world.slices().size(), 0U);
}

TEST(DeviceDriverTest, AnAnnotationListsDevicesAsASliceDoes) {
  DeviceWorld world(with_devices(0));
  world.annotate("node-2", "devices",
                 R"([{"name":"card","attributes":{"model":{"string":"x"}},)"
                 R"("capacity":{"memory":{"value":"1024Mi"}}}])");
  const int before = world.server.requests;
  EXPECT_THAT(names(world.slice("node-2")), ElementsAre("card"));
  world.pass(std::chrono::minutes(2));
  const std::string version = world.slice("node-2").text_at({"metadata", "resourceVersion"});
  world.annotate("node-2", "other", "x");
  EXPECT_EQ(world.slice("node-2").text_at({"metadata", "resourceVersion"}), version)
      << "nothing is written again; requests before: " << before;
}

TEST(DeviceDriverTest, ManyDevicesMakeSeveralSlicesOfOnePool) {
  DeviceWorld world(with_devices(0));
  world.annotate("node-1", "devices", "130");
  EXPECT_EQ(world.slices().size(), 3U);
  EXPECT_EQ(to_canonical_text(world.slice("node-1").get("spec").get("pool")),
            R"({"generation":1,"name":"node-1","resourceSliceCount":3})");
  world.annotate("node-1", "devices", "60");
  EXPECT_EQ(world.slices().size(), 1U);
  EXPECT_EQ(to_canonical_text(world.slice("node-1").get("spec").get("pool")),
            R"({"generation":2,"name":"node-1","resourceSliceCount":1})");
}

TEST(DeviceDriverTest, WithdrawnDevicesGetATaintThatKeepsItsTime) {
  DeviceWorld world;
  world.annotate("node-1", "withdrawn-devices", "gpu-1");
  const Json tainted = world.slice("node-1");
  EXPECT_THAT(taints(tainted, 0), IsEmpty());
  EXPECT_THAT(taints(tainted, 1), ElementsAre("devices.sandbox.davit.dev/withdrawn:NoExecute"));
  world.pass(std::chrono::minutes(1));
  world.annotate("node-1", "withdrawn-devices", "gpu-0, gpu-1");
  const Json both = world.slice("node-1");
  EXPECT_THAT(taints(both, 0), ElementsAre("devices.sandbox.davit.dev/withdrawn:NoExecute"));
  const auto time = [](const Json& slice) {
    return slice.get("spec").get("devices").items()[1].get("taints").items()[0].get("timeAdded");
  };
  EXPECT_EQ(time(both), time(tainted));
  world.annotate("node-1", "withdrawn-devices", "");
  EXPECT_THAT(taints(world.slice("node-1"), 1), IsEmpty());
}

TEST(DeviceDriverTest, ASliceThatSomebodyChangesOrDeletesIsPublishedAgain) {
  DeviceWorld world;
  const std::string path =
      std::string(DeviceWorld::kSlices) + "/node-1-devices.sandbox.davit.dev-0";
  world.merge(path, R"({"spec":{"devices":[{"name":"foreign"}]}})");
  EXPECT_THAT(names(world.slice("node-1")), ElementsAre("gpu-0", "gpu-1"));
  EXPECT_EQ(world.sandbox.remove(path).code, 200);
  world.run_until_idle();
  EXPECT_THAT(names(world.slice("node-1")), ElementsAre("gpu-0", "gpu-1"));
}

TEST(DeviceDriverTest, ARestartWritesNothing) {
  DeviceWorld world;
  const std::string version = world.slice("node-1").text_at({"metadata", "resourceVersion"});
  world.stop();
  world.start();
  world.pass(std::chrono::seconds(5));
  EXPECT_EQ(world.slice("node-1").text_at({"metadata", "resourceVersion"}), version);
}

TEST(DeviceDriverTest, AnAnnotationThatIsWrongIsReportedAndChangesNothing) {
  DeviceWorld world;
  world.annotate("node-1", "devices", "many");
  EXPECT_THAT(
      world.events("node-1"),
      testing::Contains(HasSubstr("InvalidDevices annotation sandbox.davit.dev/devices must "
                                  "be a number up to 1024")));
  EXPECT_THAT(names(world.slice("node-1")), ElementsAre("gpu-0", "gpu-1"));
}

}  // namespace
}  // namespace davit::sandbox
