#include "cli/upstream/rest_flags.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/upstream/static_pod.hpp"
#include "host/upstream/upstream_process.hpp"
#include "lib/base/text_file.hpp"

namespace davit::host {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// The words of a command line that needs no more than simple quotes.
std::vector<std::string> words(const std::string& command) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (const char each : command) {
    if (each == '\'') {
      quoted = !quoted;
    } else if (!quoted && (each == ' ' || each == '\\' || each == '\n')) {
      if (!out.back().empty()) out.emplace_back();
    } else {
      out.back() += each;
    }
  }
  if (out.back().empty()) out.pop_back();
  return out;
}

TEST(RestFlagsTest, LeftoverKeepsItsFlagsWithoutTheControllersOfDavit) {
  const FromFlagsResult rest =
      rest_of_flags({"kube-controller-manager",
                     "--controllers=job,first-of-a-vendor,-ttl,tokencleaner,second-of-a-vendor",
                     "--kubeconfig=/a b.conf", "--concurrent-job-syncs=9",
                     "--external-cloud-volume-plugin=x", "--secure-port=10257"});

  EXPECT_THAT(rest.problems, IsEmpty());
  EXPECT_EQ(rest.text,
            "kube-controller-manager \\\n"
            "  '--kubeconfig=/a b.conf' \\\n"
            "  --external-cloud-volume-plugin=x \\\n"
            "  --controllers=first-of-a-vendor,second-of-a-vendor \\\n"
            "  --leader-elect-resource-name=kube-controller-manager-rest \\\n"
            "  --secure-port=10267\n");
  EXPECT_THAT(rest.warnings, ElementsAre(HasSubstr("kube-system/kube-controller-manager-rest"),
                                         HasSubstr("port 10267")));
}

TEST(RestFlagsTest, LeftoverOfKubeadmAndDavitShareNoController) {
  const std::string file = DAVIT_TESTS "/cli/upstream/kubeadm_pod.yaml";
  auto pod = command_line_of_pod(*read_text_file(file), file);
  ASSERT_TRUE(pod);
  for (std::string& each : *pod) {
    if (each.starts_with("--controllers=")) each += ",one-of-a-vendor";
  }

  const FromFlagsResult rest = rest_of_flags(*pod);

  const std::vector<std::string> args = words(rest.text);
  const GivenFlags given = read_command_line(args);
  EXPECT_THAT(given.problems, IsEmpty());
  const UpstreamProcess before = UpstreamProcess::of(read_command_line(*pod).flags);
  const UpstreamProcess after = UpstreamProcess::of(given.flags);
  for (const UpstreamController& each : upstream_controllers()) {
    EXPECT_EQ(after.runs(each), each.plugin.empty() && before.runs(each)) << each.name;
  }
  EXPECT_NE(after.lease, before.lease) << "davit holds that one";
  EXPECT_THAT(args, Not(Contains(HasSubstr("--cluster-signing-")))) << "davit signs";
  EXPECT_THAT(args, Contains("--use-service-account-credentials=true"));
  EXPECT_THAT(args, Not(Contains(HasSubstr("--service-account-private-key-file"))))
      << "it would switch on the controller of tokens";
}

TEST(RestFlagsTest, NothingIsLeftWhereDavitHasEverything) {
  const FromFlagsResult rest = rest_of_flags({"--controllers=job,cronjob"});
  EXPECT_EQ(rest.text, "");
  EXPECT_THAT(rest.warnings, ElementsAre("davit has every controller that this command line runs"));
}

TEST(RestFlagsTest, PortThatIsOffStaysOff) {
  const FromFlagsResult rest =
      rest_of_flags({"--controllers=*,one-of-a-vendor", "--secure-port=0", "--leader-elect=false"});
  EXPECT_THAT(rest.text, HasSubstr("--secure-port=0\n"));
  EXPECT_THAT(rest.text, Not(HasSubstr("resource-name")));
  EXPECT_THAT(rest.warnings, IsEmpty());
}

TEST(RestFlagsTest, MistakesLeaveNoCommandLine) {
  const FromFlagsResult rest = rest_of_flags({"--kube-api-qps=fast", "--unheard-of"});
  EXPECT_EQ(rest.text, "");
  EXPECT_THAT(rest.problems, testing::SizeIs(2));
}

}  // namespace
}  // namespace davit::host
