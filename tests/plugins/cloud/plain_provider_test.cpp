/// A provider in C, loaded from its file. Ids: docs/spec/cloud.md.
#include <dlfcn.h>

#include <davit/testing/json.hpp>

#include "tests/plugins/cloud/fixture.hpp"

namespace davit::cloud {
namespace {

using ::testing::HasSubstr;

TEST(PlainProviderTest, CLD119_AProviderInCWithOnePartWorks) {
  void* const library = ::dlopen(C_CLOUD, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << ::dlerror();
  const auto entry = reinterpret_cast<davit_plugin_v1_fn>(::dlsym(library, DAVIT_PLUGIN_SYMBOL));
  ASSERT_NE(entry, nullptr);
  const std::string text = testing::note_of(entry);
  EXPECT_THAT(text, HasSubstr("davit.cloud-host/1")) << "the note shows that it is a provider";
  // One note with the controllers of both.
  Json note = Json::must(text);
  const Json loops = Json::must(note_text<declare>());
  for (const Json& each : loops.find("controllers")->items()) {
    note["controllers"].items().push_back(each);
  }

  Cluster cluster({.note = note.dump()});
  ASSERT_TRUE(cluster.start("c-cloud", entry()->rows[0].init).ok());
  ASSERT_TRUE(cluster.start(kLoop, &ServiceLbController::open).ok());
  EXPECT_EQ(cluster.start("cloud-node-controller", &CloudNodeController::open).code(),
            Code::kUnsupported);
  cluster.add(
      R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"s","namespace":"default"},)"
      R"("spec":{"type":"LoadBalancer","ports":[{"port":80,"protocol":"TCP"}]}})");
  cluster.run_until_idle();
  const Key key{"default", "s"};
  EXPECT_EQ(cluster.find<Service>(key)->status()["loadBalancer"]["ingress"].json(),
            R"([{"ip":"192.0.2.77","ipMode":"VIP"}])");
  cluster.remove<Service>(key);
  cluster.run_until_idle();
  EXPECT_FALSE(cluster.find<Service>(key));
  EXPECT_THAT(cluster.violations(), ::testing::IsEmpty());
}

}  // namespace
}  // namespace davit::cloud
