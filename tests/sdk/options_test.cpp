#include <gtest/gtest.h>

#include <davit/options.hpp>
#include <davit/testing/cluster.hpp>
#include <string>

namespace davit {
namespace {

/// A controller that does nothing.
class Unconfigured final : public Controller {
 public:
  explicit Unconfigured(Context&) {}
};

class OptionsTest : public ::testing::Test {
 protected:
  std::string refusal(const std::string& config, std::initializer_list<std::string_view> known) {
    testing::Cluster cluster;
    const auto factory = [&](Context& context) -> InitResult {
      if (Status s = check_options(context.config(), known); !s.ok()) return s;
      return make<Unconfigured>(context);
    };
    return cluster.start("c", factory, config).message();
  }
};

TEST_F(OptionsTest, AnUnknownMemberIsRefusedWithTheKnownOnes) {
  EXPECT_EQ(refusal(R"({"window":1,"periode":2})", {"window", "period"}),
            "unknown configuration \"periode\"; known: window, period");
}

TEST_F(OptionsTest, KnownMembersAndNoConfigurationAreTaken) {
  EXPECT_EQ(refusal(R"({"period":2})", {"window", "period"}), "");
  EXPECT_EQ(refusal("{}", {"window"}), "");
  EXPECT_EQ(refusal("", {"window"}), "");
}

TEST_F(OptionsTest, AControllerWithoutOptionsRefusesEachMember) {
  testing::Cluster cluster;
  const Status status = cluster.start("c", &make_without_options<Unconfigured>, R"({"a":1})");
  EXPECT_EQ(status.message(), "unknown configuration \"a\"; known: none");
}

}  // namespace
}  // namespace davit
