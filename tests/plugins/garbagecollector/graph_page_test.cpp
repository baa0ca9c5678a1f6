/// The debug page, byte by byte; pure.
#include "plugins/garbagecollector/graph_page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plugins/garbagecollector/graph_builder.hpp"

namespace davit::garbage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kEmpty[] = "strict digraph full {\n}\n";

TEST(GraphPageTest, GC85_NodesAndEdgesAreThere) {
  Graph graph;
  static_cast<void>(graph.observe(shown({"Deployment", "apps/v1", "ns", "o", "2"}), nullptr));
  static_cast<void>(
      graph.observe(deleted_in_foreground(shown({"Pod", "v1", "ns", "d", "1"},
                                                {{"apps/v1", "Deployment", "o", "2"}})),
                    nullptr));
  EXPECT_EQ(graph_page(graph, {}),
            R"(strict digraph full {
  // Node definitions.
  "1" [
    label="uid=1\nnamespace=ns\nPod.v1/d\nbeingDeleted,deletingDependents\n"
    group=""
    version="v1"
    kind="Pod"
    namespace="ns"
    name="d"
    uid="1"
    missing="false"
    beingDeleted="true"
    deletingDependents="true"
    virtual="false"
  ];
  "2" [
    label="uid=2\nnamespace=ns\nDeployment.v1.apps/o\n"
    group="apps"
    version="v1"
    kind="Deployment"
    namespace="ns"
    name="o"
    uid="2"
    missing="false"
    beingDeleted="false"
    deletingDependents="false"
    virtual="false"
  ];
  // Edge definitions.
  "1" -> "2";
}
)");
}

TEST(GraphPageTest, GC86_OnlyWhatIsConnectedWithTheUidIsShown) {
  Graph graph;
  static_cast<void>(graph.observe(shown(object("o")), nullptr));
  static_cast<void>(graph.observe(shown(object("d"), {reference("o")}), nullptr));
  static_cast<void>(graph.observe(shown(object("e"), {reference("p")}), nullptr));
  static_cast<void>(graph.observe(shown(object("alone")), nullptr));
  EXPECT_THAT(graph_page(graph, {}), Not(HasSubstr("alone-uid")));
  EXPECT_THAT(graph_page(graph, {}), HasSubstr("e-uid"));
  const std::string page = graph_page(graph, {"d-uid"});
  EXPECT_THAT(page, HasSubstr(R"("d-uid" -> "o-uid")"));
  EXPECT_THAT(page, Not(HasSubstr("e-uid")));
  EXPECT_THAT(graph_page(graph, {"alone-uid"}), HasSubstr("alone-uid"));
}

TEST(GraphPageTest, GC87_AnUnknownUidIsAnEmptyGraph) {
  Graph graph;
  static_cast<void>(graph.observe(shown(object("d"), {reference("o")}), nullptr));
  EXPECT_EQ(graph_page(graph, {"nope"}), kEmpty);
  EXPECT_EQ(graph_page(Graph(), {}), kEmpty);
}

TEST(GraphPageTest, TheQueryMayNameSeveral) {
  EXPECT_THAT(uids_of_query("uid=a&x=1&uid=b"), ElementsAre("a", "b"));
  EXPECT_THAT(uids_of_query(""), IsEmpty());
}

TEST(GraphPageTest, TextsAreEscaped) {
  Graph graph;
  static_cast<void>(
      graph.observe(shown({"K", "v1", "ns", "\x01\"\\\n", "u"}, {reference("o")}), nullptr));
  EXPECT_THAT(graph_page(graph, {"u"}), HasSubstr(R"(name="\x01\"\\\n")"));
}

}  // namespace
}  // namespace davit::garbage
