#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/reference/completion.hpp"
#include "cli/reference/manual_page.hpp"

namespace davit::host {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A program with one command that has all that there is.
CommandText program() {
  CommandText fetch;
  fetch.name = "tool fetch";
  fetch.text = "Fetch a file";
  fetch.arguments = {{"FILE", "The file's name", {}, true}, {"HOW", "", {"fast", "slow"}, false}};
  fetch.flags = {{{"-o", "--output"}, "FORMAT", {"text", "json"}, "The format", "Options"},
                 {{"--quiet"}, "", {}, "Don't talk\n.TP is no command", "Options"},
                 {{"--to"}, "PATH", {}, "A path, C:\\dir", "Places"}};
  CommandText tool;
  tool.name = "tool";
  tool.text = "Does things";
  tool.commands = {fetch};
  return tool;
}

TEST(ManualPageTest, NamesTheCommandItsArgumentsAndItsFlags) {
  const CommandText tool = program();
  const std::string page = manual_page(tool.commands.front(), &tool, "1.2.3");

  EXPECT_THAT(page, HasSubstr(".TH TOOL\\-FETCH 1 \"\" \"davit 1.2.3\""));
  EXPECT_THAT(page, HasSubstr(".SH NAME\ntool\\-fetch \\- Fetch a file\n"));
  EXPECT_THAT(page, HasSubstr("\\fBtool fetch\\fR [\\fIOPTIONS\\fR] \\fIFILE\\fR [\\fIHOW\\fR]\n"));
  EXPECT_THAT(page, HasSubstr(".TP\n\\fIHOW\\fR\nfast|slow\n"));
  EXPECT_THAT(page,
              HasSubstr(".TP\n\\fB\\-o\\fR, \\fB\\-\\-output\\fR \\fItext|json\\fR\nThe format\n"));
  EXPECT_THAT(page, HasSubstr(".SS Places\n.TP\n\\fB\\-\\-to\\fR \\fIPATH\\fR\n"));
  EXPECT_THAT(page, HasSubstr(".SH SEE ALSO\n.BR tool (1)\n"));
}

TEST(ManualPageTest, TextIsNeverACommandOfTroff) {
  const std::string page = manual_page(program().commands.front(), nullptr, "1");

  EXPECT_THAT(page, HasSubstr("Don't talk\n\\&.TP is no command\n"));
  EXPECT_THAT(page, HasSubstr("C:\\edir"));
}

TEST(ManualPageTest, TheProgramsPageListsItsCommands) {
  const std::string page = manual_page(program(), nullptr, "1");

  EXPECT_THAT(page, HasSubstr(".SH COMMANDS\n.TP\n\\fBtool fetch\\fR\nFetch a file\n"));
  EXPECT_THAT(page, HasSubstr(".BR tool\\-fetch (1)\n"));
  EXPECT_THAT(page, Not(HasSubstr(".SH OPTIONS")));
}

TEST(CompletionTest, EachShellOffersCommandsFlagsAndTheValuesOfAFlag) {
  const std::string bash = completion_script(program(), Shell::kBash);
  EXPECT_THAT(bash, HasSubstr("'tool') offered='fetch' ;;"));
  EXPECT_THAT(bash, HasSubstr("'tool fetch') offered='-o --output --quiet --to fast slow' ;;"));
  EXPECT_THAT(bash, HasSubstr("'tool fetch -o'|'tool fetch --output') values='text json'"));
  EXPECT_THAT(bash, HasSubstr("'tool fetch --to') values='' takes_value=1 ;;"));
  EXPECT_THAT(bash, Not(HasSubstr("'tool fetch --quiet')"))) << "no value follows";

  EXPECT_THAT(completion_script(program(), Shell::kZsh), HasSubstr("#compdef davit"));
  const std::string fish = completion_script(program(), Shell::kFish);
  EXPECT_THAT(fish, HasSubstr("-s o -l output -x -a 'text json' -d 'The format'"));
  EXPECT_THAT(fish, HasSubstr("-l to -r -d"));
}

}  // namespace
}  // namespace davit::host
