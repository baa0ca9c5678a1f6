#include "host/upstream/controllers_flag.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace davit::host {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::vector<KnownController> kKnown = {
    {"foo-controller", {"foo"}, false},
    {"bar-controller", {"bar"}, false},
    {"off-controller", {"off"}, true},
};

struct EnabledCase {
  std::vector<std::string> list;
  bool foo;
  bool bar;
  bool off;
};

TEST(ControllersFlagTest, TheFirstEntryForANameWinsThenTheStarDecides) {
  const EnabledCase cases[] = {
      {{"*"}, true, true, false},
      {{}, false, false, false},
      {{"foo"}, true, false, false},
      {{"foo-controller"}, true, false, false},
      {{"*", "-foo"}, false, true, false},
      {{"*", "-foo-controller"}, false, true, false},
      {{"-foo", "*"}, false, true, false},
      {{"-foo", "foo"}, false, false, false},
      {{"foo", "-foo"}, true, false, false},
      {{"*", "off"}, true, true, true},
      {{"off"}, false, false, true},
      {{"*", "-off", "off"}, true, true, false},
      {{"*", "*"}, true, true, false},
  };
  for (const EnabledCase& each : cases) {
    const std::vector<std::string> list = translate_aliases(each.list, kKnown);
    const std::string shown = testing::PrintToString(each.list);
    EXPECT_EQ(controller_enabled(list, "foo-controller", false), each.foo) << shown;
    EXPECT_EQ(controller_enabled(list, "bar-controller", false), each.bar) << shown;
    EXPECT_EQ(controller_enabled(list, "off-controller", true), each.off) << shown;
    EXPECT_THAT(unknown_controllers(list, kKnown), IsEmpty()) << shown;
  }
}

TEST(ControllersFlagTest, AliasesAreTranslatedAlsoBehindAMinus) {
  EXPECT_THAT(translate_aliases({"foo", "-bar", "*", "-*", "x"}, kKnown),
              ElementsAre("foo-controller", "-bar-controller", "*", "-*", "x"));
}

TEST(ControllersFlagTest, UnknownEntriesAreReported) {
  EXPECT_THAT(unknown_controllers({"zzzzzzzz"}, kKnown),
              ElementsAre("\"zzzzzzzz\" is not in the list of known controllers (known: "
                          "foo-controller, bar-controller, off-controller)"));
  EXPECT_THAT(unknown_controllers({"-foo-controler", "*"}, kKnown),
              ElementsAre("\"foo-controler\" is not in the list of known controllers; did you "
                          "mean \"foo-controller\"?"));
  EXPECT_THAT(unknown_controllers({"-*"}, {}),
              ElementsAre("\"*\" is not in the list of known controllers (known: none)"));
}

TEST(ControllersFlagTest, ControllersOfKubeControllerManagerMayBeNamed) {
  std::vector<std::string> warnings;
  EXPECT_THAT(
      without_foreign_controllers({"*", "-svm", "-job", "foo-controller"}, kKnown, warnings),
      ElementsAre("*", "foo-controller"));
  EXPECT_THAT(warnings, IsEmpty());

  EXPECT_THAT(without_foreign_controllers({"job", "nothing"}, kKnown, warnings),
              ElementsAre("job", "nothing"))
      << "a controller whose plugin is missing is a mistake";
  EXPECT_THAT(warnings, IsEmpty());
}

TEST(ControllersFlagTest, SettingsOfAControllerThatIsNotLoadedGetAWarning) {
  std::vector<std::string> warnings;
  EXPECT_THAT(check_named_controllers({"foo", "podgc"}, kKnown, warnings), IsEmpty());
  EXPECT_THAT(warnings,
              ElementsAre("no plugin that is loaded has pod-garbage-collector-controller: "
                          "its settings have no effect"));
  EXPECT_EQ(check_named_controllers({"fooo"}, kKnown, warnings).size(), 1U);
}

}  // namespace
}  // namespace davit::host
