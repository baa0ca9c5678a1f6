#include "cli/manifest_command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/host/loading/samples.hpp"

namespace davit::host {
namespace {

const std::string kHead = "apiVersion: davit.dev/v1alpha1\nkind: ControllerHost\n";

class ManifestCommandTest : public testing::Test {
 protected:
  int check(const std::string& text) {
    std::ostringstream out;
    std::ostringstream err;
    const int code = run_manifest_check({directory_.write("m.yaml", text)}, out, err);
    out_ = without_directory(out.str(), directory_);
    err_ = without_directory(err.str(), directory_);
    return code;
  }

  TempDirectory directory_;
  std::string out_;
  std::string err_;
};

TEST_F(ManifestCommandTest, AGoodManifestGetsOneLine) {
  EXPECT_EQ(check(kHead + "plugins: []\n"), 0);
  EXPECT_EQ(out_, "DIR/m.yaml: ok\n");
  EXPECT_EQ(err_, "");
}

TEST_F(ManifestCommandTest, EveryMistakeGetsALineWithItsPlace) {
  EXPECT_EQ(check(kHead + "dryRun: 1\nhealth: {port: x}\n"), 2);
  EXPECT_EQ(err_,
            "DIR/m.yaml:3:9: dryRun must be true or false, not the number 1\n"
            "DIR/m.yaml:4:16: health.port must be a whole number from -1 to 65535, not the string "
            "\"x\"\n");
  EXPECT_EQ(out_, "");
}

TEST_F(ManifestCommandTest, PluginsThatAreElsewhereAreOnlyNoted) {
  EXPECT_EQ(check(kHead + "plugins: [{path: none.so}]\ncontrollers: [unknown]\n"), 0);
  EXPECT_EQ(out_,
            "DIR/m.yaml: note: plugin DIR/none.so is not on this machine; its controllers were not "
            "checked\nDIR/m.yaml: ok\n");
}

TEST_F(ManifestCommandTest, PluginsThatAreElsewhereAreNotedBesideMistakesToo) {
  (void)directory_.write("bad.so", "not a library");
  EXPECT_EQ(check(kHead + "plugins: [{path: one.so}, {path: bad.so}, {path: two.so}]\n"), 2);
  for (const char* name : {"one.so", "bad.so", "two.so"}) {
    EXPECT_THAT(err_, testing::HasSubstr(name));
  }
}

TEST_F(ManifestCommandTest, ControllersAreCheckedAgainstThePluginsThatAreHere) {
  copy_sample(directory_, "good", "p.so");
  EXPECT_EQ(check(kHead + "plugins: [{path: p.so}]\ncontrollers: ['*', -sample]\n"), 0) << err_;
  EXPECT_EQ(check(kHead + "plugins: [{path: p.so, controllers: {x: {}}}]\n"), 2);
  EXPECT_EQ(err_,
            "DIR/m.yaml:3:38: plugin sample has no controller \"x\" (allowed: "
            "sample-controller)\n");
  EXPECT_EQ(check(kHead + "plugins: [{path: p.so}]\ncontrollers: [smaple]\n"), 2);
  EXPECT_EQ(err_,
            "DIR/m.yaml: controllers: \"smaple\" is not in the list of known controllers; "
            "did you mean \"sample\"?\n");
}

TEST_F(ManifestCommandTest, MissingFilesAreReported) {
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(run_manifest_check({"/no/such.yaml"}, out, err), 2);
  EXPECT_EQ(err.str(), "/no/such.yaml: no such file or directory\n");
}

}  // namespace
}  // namespace davit::host
