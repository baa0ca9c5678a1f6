#include "cli/controller_config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temp_directory.hpp"

namespace davit::host {
namespace {

using testing::HasSubstr;

class ControllerConfigTest : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    return directory_.write(name, text);
  }

  const TempDirectory directory_;
};

TEST_F(ControllerConfigTest, FileBelongsToTheOnlyControllerOrToANamedOne) {
  const std::string one = write("one.yaml", "colour: red\n");
  const std::string two = write("two.json", R"({"colour": "blue"})");
  const auto configs = read_controller_configs({one, "other=" + two});
  ASSERT_TRUE(configs) << configs.error().message();
  EXPECT_EQ((*configs)[0].controller, "");
  EXPECT_EQ(config_for({&(*configs)[0], 1}, "any"), R"({"colour":"red"})");
  EXPECT_EQ(config_for({&(*configs)[1], 1}, "other"), R"({"colour":"blue"})");
  EXPECT_EQ(config_for({&(*configs)[1], 1}, "any"), "");
}

TEST_F(ControllerConfigTest, EqualsSignInAFolderIsPartOfThePath) {
  const std::string file = write("a=b/config.yaml", "{}");
  const auto configs = read_controller_configs({file});
  ASSERT_TRUE(configs) << configs.error().message();
  EXPECT_EQ(configs->front().file, file);
}

TEST_F(ControllerConfigTest, MistakesNameFileAndLine) {
  const std::string list = write("list.yaml", "# no mapping\n- a\n");
  EXPECT_EQ(read_controller_configs({list}).error().message(),
            list + ":2:1: a configuration is a mapping, not a list");
  const std::string twice = write("twice.yaml", "a: 1\na: 2\n");
  EXPECT_THAT(read_controller_configs({twice}).error().message(), HasSubstr(twice + ":2:1: "));
  EXPECT_EQ(read_controller_configs({"/nowhere"}).error().message(),
            "cannot read /nowhere: no such file or directory");
  EXPECT_EQ(read_controller_configs({directory_.path()}).error().message(),
            "cannot read " + directory_.path().string() + ": is a directory");
}

TEST_F(ControllerConfigTest, EachControllerHasOneConfigurationAtMost) {
  const std::vector<std::string> controllers = {"one", "two"};
  const ControllerConfig unnamed{"", "a.yaml", "{}"};
  EXPECT_EQ(check_controller_configs({&unnamed, 1}, controllers).message(),
            "--config a.yaml names no controller: the plugin has one, two; write --config "
            "CONTROLLER=a.yaml");
  const std::vector<ControllerConfig> twice = {{"one", "a.yaml", "{}"}, {"one", "b.yaml", "{}"}};
  EXPECT_EQ(check_controller_configs(twice, controllers).message(),
            "--config gives one two configurations");
  EXPECT_TRUE(check_controller_configs({&unnamed, 1}, {"one"}).ok());
}

}  // namespace
}  // namespace davit::host
