#include "cli/dev/build_output.hpp"

#include <gtest/gtest.h>

namespace davit::host {
namespace {

using Lines = std::vector<std::string>;

TEST(BuildOutputTest, OfAFailedBuildIsLeftWhatTheCompilerSays) {
  EXPECT_EQ(
      compiler_lines({"ninja: Entering directory `/p/build'", "[0/1] Re-running CMake...",
                      "-- Configuring done", "[1/2] Building CXX object CMakeFiles/a.dir/a.cpp.o",
                      "FAILED: CMakeFiles/a.dir/a.cpp.o ", "/usr/bin/c++ -o a.cpp.o -c /p/a.cpp",
                      "/p/a.cpp:3:1: error: 'x' was not declared in this scope", "    3 | x();",
                      "      | ^", "ninja: build stopped: subcommand failed."}),
      (Lines{"/p/a.cpp:3:1: error: 'x' was not declared in this scope", "    3 | x();",
             "      | ^"}));
}

TEST(BuildOutputTest, WhatNinjaCannotDoIsKept) {
  EXPECT_EQ(compiler_lines({"ninja: error: unknown target 'a.so'"}),
            Lines{"ninja: error: unknown target 'a.so'"});
  EXPECT_EQ(compiler_lines({"ninja: no work to do."}), Lines{});
}

struct TargetCase {
  const char* name;
  Lines targets;
  const char* wanted;
  const char* found;  ///< The target, or a part of the mistake.
};

const TargetCase kTargetCases[] = {
    {"ThePluginAmongOtherTargets",
     {"a: phony", "a.so: C_MODULE_LIBRARY_LINKER__a_Debug", "unit_test: CXX_EXECUTABLE_LINKER"},
     "",
     "a.so"},
    {"OneOfACustomCommandUnderBothItsNames",
     {"a.so: CUSTOM_COMMAND", "/p/build/a.so: CUSTOM_COMMAND"},
     "",
     "a.so"},
    {"OneInAFolder", {"sub/a.so: CXX_MODULE_LIBRARY_LINKER__a_Debug"}, "", "sub/a.so"},
    {"NoPlugin", {"a: phony", "a.so: phony"}, "", "builds no plugin: call davit_plugin()"},
    {"SeveralPlugins", {"b.so: L", "a.so: L"}, "", "choose one with --plugin: a, b"},
    {"TheOneThatIsWanted", {"b.so: L", "a.so: L"}, "b", "b.so"},
    {"NotTheOneThatIsWanted", {"b.so: L"}, "c", "builds no c.so"},
};

class PluginTargetTest : public testing::TestWithParam<TargetCase> {};

TEST_P(PluginTargetTest, IsFoundOrTheMistakeSaysWhatToDo) {
  const Result<std::string> target =
      plugin_target(GetParam().targets, GetParam().wanted, "/p/build");
  const std::string text = target ? *target : target.error().message();
  EXPECT_NE(text.find(GetParam().found), std::string::npos) << text;
  EXPECT_EQ(target.has_value(), text == GetParam().found);
}

INSTANTIATE_TEST_SUITE_P(Targets, PluginTargetTest, testing::ValuesIn(kTargetCases),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(BuildOutputTest, KnowsThatDavitsPackageIsMissing) {
  EXPECT_TRUE(
      lacks_davit({"  Could not find a package configuration file", "    davitConfig.cmake"}));
  EXPECT_FALSE(lacks_davit({"    GTestConfig.cmake"}));
}

}  // namespace
}  // namespace davit::host
