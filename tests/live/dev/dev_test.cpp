/// `davit dev` as a developer uses it, on a project that `davit plugin new` made: save, and look.
/// Needs kubectl, cmake and ninja.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "tests/live/support/process.hpp"

namespace davit::live {
namespace {

using testing::HasSubstr;
using testing::Not;

class DevTest : public testing::Test {
 protected:
  /// The SDK as it is installed, and a project on it.
  void begin_project(const std::string& language) {
    const Outcome installed =
        run({DAVIT_CMAKE, "--install", DAVIT_BUILD, "--component", "sdk", "--prefix", sdk()});
    ASSERT_EQ(installed.code, 0) << installed.err;
    const Outcome made =
        run({DAVIT_PROGRAM, "plugin", "new", "say-hello", "--watches=v1/configmaps",
             "--lang=" + language, "--dir=" + dir().string()});
    ASSERT_EQ(made.code, 0) << made.err;
  }
  [[nodiscard]] std::filesystem::path dir() const { return scratch_.path() / "say-hello"; }
  [[nodiscard]] std::string sdk() const { return (scratch_.path() / "sdk").string(); }
  [[nodiscard]] std::vector<std::string> dev() const {
    return {DAVIT_PROGRAM, "dev", dir().string(), "--debug",
            "--cmake-arg=-DCMAKE_PREFIX_PATH=" + sdk()};
  }
  [[nodiscard]] std::filesystem::path log() const { return scratch_.path() / "log"; }

  /// Saves `file` with another text in place of `from`.
  void edit(const std::string& file, const std::string& from, const std::string& to) const {
    std::string text = read_file(dir() / file);
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << text;
    write_file(dir() / file, text.replace(at, from.size(), to));
  }
  static bool says(Process& dev, const std::string& text) {
    static_cast<void>(eventually(std::chrono::minutes(3), [&] {
      return !dev.running() || dev.output().find(text) != std::string::npos;
    }));
    const std::string output = dev.output();
    EXPECT_THAT(output, HasSubstr(text));
    return output.find(text) != std::string::npos;
  }
  void create(const std::string& name) const {
    const std::string object =
        R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name +
        R"(","namespace":"default","annotations":{"say-hello.example.com/greet":""}}})";
    const Outcome created =
        run({"kubectl", "--kubeconfig", (dir() / "build/davit-dev/sandbox.kubeconfig").string(),
             "create", "-f", "-"},
            object);
    EXPECT_EQ(created.code, 0) << created.err;
  }

  ScratchDir scratch_;
};

TEST_F(DevTest, ASavedChangeIsSwappedInAndAMistakeLeavesTheOldBuildServing) {
  begin_project("c");
  Process program(dev(), log());
  ASSERT_TRUE(says(program, "==> running: say-hello-controller"));
  create("first");
  says(program, "PATCH /api/v1/namespaces/default/configmaps/first");
  says(program, "==> gdb -p ");

  edit("plugin.c", R"(davit_text("yes"))", R"(davit_text("gladly"))");
  ASSERT_TRUE(says(program, "==> swapped: generation 2"));
  says(program, "from the save to the end of the first sync");

  edit("plugin.c", "#define ASKS", "this is no C\n#define ASKS");
  ASSERT_TRUE(says(program, "==> build failed: the old build keeps serving"));
  EXPECT_THAT(program.output(), HasSubstr("plugin.c:4:"));
  create("second");
  says(program, "PATCH /api/v1/namespaces/default/configmaps/second");
  says(program, R"(greeted":"gladly")");

  // A plugin with another name cannot replace the build.
  edit("plugin.c", "this is no C\n", "");
  edit("plugin.c", R"({\"name\":\"say-hello\")", R"({\"name\":\"say-more\")");
  says(program, "==> restarting the host, because ");

  program.signal(SIGINT);
  EXPECT_EQ(program.wait(std::chrono::minutes(1)), 0) << program.output();
  says(program, "==> ended");
}

TEST_F(DevTest, APluginThatCrashesIsStartedAgainByTheNextSave) {
  begin_project("c");
  const std::string sound = "  (void)result;\n";
  edit("plugin.c", sound, sound + "  abort();\n");
  Process program(dev(), log());
  ASSERT_TRUE(says(program, "==> running: say-hello-controller"));
  create("first");
  ASSERT_TRUE(says(program, "==> the host has exited with SIGABRT"));
  edit("plugin.c", sound + "  abort();\n", sound);
  says(program, "PATCH /api/v1/namespaces/default/configmaps/first");
  program.signal(SIGTERM);
  EXPECT_EQ(program.wait(std::chrono::minutes(1)), 0) << program.output();
}

TEST_F(DevTest, LoopWithoutEndIsNamedByKeyAndLineAndTheNextBuildGetsANewHost) {
  begin_project("c");
  const std::string sound = "GREETED \"']\")) return DAVIT_OK;\n";
  const std::filesystem::path looping = scratch_.path() / "looping";
  const std::string loop = sound + "  { extern int creat(const char *, unsigned); creat(\"" +
                           looping.string() + "\", 0600); } for (;;) (void)result;\n";
  edit("plugin.c", sound, loop);
  Process program(dev(), log());
  ASSERT_TRUE(says(program, "==> running: say-hello-controller"));
  create("first");
  ASSERT_TRUE(says(program, "==> sync of default/first has been running for "));
  const std::string text = read_file(dir() / "plugin.c");
  const auto begin = text.begin();
  const auto line = 2 + std::count(begin, begin + static_cast<long>(text.find(sound)), '\n');
  EXPECT_TRUE(says(program, "    sync_key at plugin.c:" + std::to_string(line)));

  edit("plugin.c", loop, sound);
  ASSERT_TRUE(
      says(program, "==> restarting the host, because sync of default/first has not returned"));
  ASSERT_TRUE(says(program, "PATCH /api/v1/namespaces/default/configmaps/first"));

  edit("plugin.c", sound, loop);
  ASSERT_TRUE(says(program, "==> swapped: generation 2"));
  std::filesystem::remove(looping);
  create("second");
  ASSERT_TRUE(eventually(std::chrono::minutes(3), [&] { return exists(looping); }));
  edit("plugin.c", loop, sound);  // Before anybody can know that the sync does not end.
  ASSERT_TRUE(says(program, "PATCH /api/v1/namespaces/default/configmaps/second"));

  edit("plugin.c", sound, loop);
  ASSERT_TRUE(eventually(std::chrono::minutes(3), [&] {
    const std::string output = program.output();
    return output.find("==> swapped: generation 2", output.find("configmaps/second")) !=
           std::string::npos;
  })) << program.output();
  create("third");
  ASSERT_TRUE(says(program, "==> sync of default/third has been running for "));
  program.signal(SIGINT);
  EXPECT_EQ(program.wait(std::chrono::minutes(1)), 0) << program.output();
}

TEST_F(DevTest, ObjectsAndConfigurationAreAppliedAgainWhenTheirFilesAreSaved) {
  begin_project("c");
  std::filesystem::create_directory(dir() / "objects");
  const auto map = [](const std::string& name) {
    return "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: " + name +
           "\n  annotations: {say-hello.example.com/greet: \"\"}\n";
  };
  write_file(dir() / "objects/first.yaml", map("first"));
  write_file(dir() / "config.yaml", "colour: red\n");
  std::vector<std::string> argv = dev();
  argv.push_back("--objects=" + (dir() / "objects").string());
  argv.push_back("--config=" + (dir() / "config.yaml").string());
  Process program(argv, log());
  ASSERT_TRUE(says(program, "==> the sandbox has 1 object of --crd and --objects"));
  ASSERT_TRUE(says(program, "PATCH /api/v1/namespaces/default/configmaps/first"));

  write_file(dir() / "objects/second.yaml", map("second"));
  ASSERT_TRUE(says(program, "==> the sandbox has 2 objects of --crd and --objects"));
  ASSERT_TRUE(says(program, "PATCH /api/v1/namespaces/default/configmaps/second"));
  write_file(dir() / "objects/second.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {}\n");
  ASSERT_TRUE(says(program, "second.yaml:3:11: an object needs name, a string"));

  write_file(dir() / "config.yaml", "- none\n");
  ASSERT_TRUE(says(program, "config.yaml:1:1: a configuration is a mapping, not a list"));
  write_file(dir() / "config.yaml", "colour: blue\n");
  ASSERT_TRUE(says(program, "==> restarting the host, because the configuration has changed"));
  program.signal(SIGINT);
  EXPECT_EQ(program.wait(std::chrono::minutes(1)), 0) << program.output();
  EXPECT_THAT(program.output(), Not(HasSubstr("the plugin has not changed")))
      << "the files are not part of the source";
}

TEST_F(DevTest, MistakesOfTheUserAreOneLine) {
  const auto said = [](const std::vector<std::string>& args) {
    std::vector<std::string> argv = {DAVIT_PROGRAM, "dev"};
    argv.insert(argv.end(), args.begin(), args.end());
    const Outcome outcome = run(argv);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    return outcome.err;
  };
  std::filesystem::create_directory(dir());
  EXPECT_THAT(said({(dir() / "nowhere").string()}), HasSubstr("there is no folder"));
  EXPECT_THAT(said({dir().string()}), HasSubstr("there is no CMakeLists.txt in"));
  write_file(dir() / "CMakeLists.txt", "");
  EXPECT_THAT(said({(dir() / "CMakeLists.txt").string()}), HasSubstr("is not a folder"));
  EXPECT_THAT(said({dir().string(), "--kubeconfig=/nowhere"}), HasSubstr("/nowhere"));
  EXPECT_THAT(said({dir().string(), "--objects=/nowhere"}),
              HasSubstr("/nowhere: there is no such file or folder"));
  EXPECT_THAT(said({dir().string(), "--config=/nowhere"}), HasSubstr("cannot read /nowhere"));
  EXPECT_THAT(said({dir().string(), "--kubeconfig=/nowhere", "--crd=/nowhere"}),
              HasSubstr("apply them to that cluster with kubectl"));
}

}  // namespace
}  // namespace davit::live
