// Definitions and their objects, beyond the black-box checks.
#include <gtest/gtest.h>

#include "tests/sandbox/server/sandbox.hpp"

namespace davit::sandbox {
namespace {

const std::string kDefinitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const std::string kWidgets = "/apis/ex.io/v1/namespaces/default/widgets";

std::string version(const std::string& name, const std::string& more, const std::string& size) {
  return R"({"name":")" + name + R"(","served":true,)" + more +
         R"("schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object",)"
         R"("properties":{"size":{"type":"integer")" +
         size + "}}}}}}}";
}

std::string definition(const std::string& versions) {
  return R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
         R"("metadata":{"name":"widgets.ex.io"},"spec":{"group":"ex.io","scope":"Namespaced",)"
         R"("names":{"plural":"widgets","kind":"Widget"},"versions":[)" +
         versions + "]}}";
}

std::string widget(const std::string& name, const std::string& metadata = "") {
  return R"({"apiVersion":"ex.io/v1","kind":"Widget","metadata":{"name":")" + name + '"' +
         metadata + R"(},"spec":{}})";
}

const std::string kStored = R"("storage":true,)";

TEST(CustomResourceTest, DefaultsThatCameLaterShowOnReading) {
  Sandbox sandbox;
  ASSERT_EQ(sandbox.post(kDefinitions, definition(version("v1", kStored, ""))).code, 201);
  ASSERT_EQ(sandbox.post(kWidgets, widget("w")).code, 201);

  const std::string patch = R"([{"op":"add","path":"/spec/versions/0/schema/openAPIV3Schema/)"
                            R"(properties/spec/properties/size/default","value":7}])";
  ASSERT_EQ(sandbox.patch(kDefinitions + "/widgets.ex.io", "json", patch).code, 200);

  const Answer read = sandbox.get(kWidgets + "/w");
  EXPECT_EQ(read.body.get("spec").get("size").integer_or(0), 7) << read.text;
}

TEST(CustomResourceTest, VersionsShareTheirObjects) {
  Sandbox sandbox;
  const std::string both =
      version("v1", kStored, "") + ',' + version("v2", R"("storage":false,)", "");
  ASSERT_EQ(sandbox.post(kDefinitions, definition(both)).code, 201);
  ASSERT_EQ(sandbox.post(kWidgets, widget("w")).code, 201);

  const Answer other = sandbox.get("/apis/ex.io/v2/namespaces/default/widgets/w");

  EXPECT_EQ(other.body.text_at({"apiVersion"}), "ex.io/v2");
  EXPECT_EQ(sandbox.get("/apis/ex.io/v2/widgets").names(), "w");
}

TEST(CustomResourceTest, ADefinitionGoesWhenItsLastObjectIsGone) {
  Sandbox sandbox;
  ASSERT_EQ(sandbox.post(kDefinitions, definition(version("v1", kStored, ""))).code, 201);
  ASSERT_EQ(sandbox.post(kWidgets, widget("held", R"(,"finalizers":["ex.io/f"])")).code, 201);
  ASSERT_EQ(sandbox.post(kWidgets, widget("free")).code, 201);
  const Answer watch =
      sandbox.get(kWidgets + "?watch=1&resourceVersion=" + sandbox.get(kWidgets).revision());

  const Answer deleted = sandbox.remove(kDefinitions + "/widgets.ex.io");
  EXPECT_EQ(deleted.code, 200);
  EXPECT_EQ(sandbox.get(kWidgets).names(), "held");
  EXPECT_EQ(sandbox.get(kDefinitions + "/widgets.ex.io").code, 200);

  ASSERT_EQ(sandbox.patch(kWidgets + "/held", "merge", R"({"metadata":{"finalizers":null}})").code,
            200);

  EXPECT_EQ(sandbox.get(kDefinitions + "/widgets.ex.io").code, 404);
  EXPECT_EQ(sandbox.get(kWidgets).text, "404 page not found\n");
  EXPECT_EQ(Sandbox::events(*watch.stream), "DELETED free, MODIFIED held, DELETED held");
  std::string rest;
  EXPECT_EQ(watch.stream->read(rest, 1), BodyStream::State::kEnded);
}

TEST(CustomResourceTest, ARestartedServerServesWhatIsStored) {
  Sandbox sandbox;
  ASSERT_EQ(sandbox.post(kDefinitions, definition(version("v1", kStored, ""))).code, 201);
  ASSERT_EQ(sandbox.post(kWidgets, widget("w")).code, 201);

  sandbox.reopen();

  EXPECT_EQ(sandbox.get(kWidgets).names(), "w");
}

}  // namespace
}  // namespace davit::sandbox
