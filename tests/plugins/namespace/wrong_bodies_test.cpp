/// Responses that are not what was asked for do not show that a namespace is empty.
#include "tests/plugins/namespace/fixture.hpp"

namespace davit::namespaces {
namespace {

struct BodyCase {
  const char* name;
  int http_status;
  const char* body;
};
constexpr BodyCase kBodies[] = {
    {"Empty", 200, "{}"},
    {"Status", 200, R"({"kind":"Status","apiVersion":"v1","status":"Success"})"},
    {"ItemsAlone", 200, R"({"items":[]})"},
    {"OtherKind", 200,
     R"({"kind":"SecretList","apiVersion":"v1",)"
     R"("metadata":{"resourceVersion":"9"},"items":[]})"},
    {"NoVersion", 200,
     R"({"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1",)"
     R"("metadata":{},"items":[]})"},
    {"PageOfAProxy", 404, "404 page not found"},
};

class WrongListTest : public NamespaceTest, public ::testing::WithParamInterface<BodyCase> {};
INSTANTIATE_TEST_SUITE_P(Each, WrongListTest, ::testing::ValuesIn(kBodies),
                         [](const auto& each) { return std::string(each.param.name); });

TEST_P(WrongListTest, DoesNotEndANamespaceWithContent) {
  add_config_map("c", R"(["f.io/keep"])");
  start();
  cluster().fail_next({.verb = Verb::kList,
                       .resource = "configmaps",
                       .http_status = GetParam().http_status,
                       .times = Fault::kAlways,
                       .body = GetParam().body});
  delete_and_sync();
  advance(1min);
  EXPECT_EQ(count(Verb::kUpdate, "namespaces", "finalize"), 0U);
  EXPECT_TRUE(has_config_map("c"));

  cluster().clear_faults();
  drop_finalizers("c");
  advance(20min);
  EXPECT_FALSE(has_namespace());
}

}  // namespace
}  // namespace davit::namespaces
