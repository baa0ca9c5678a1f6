#include "plugins/statefulset/claim_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/testing/cluster.hpp>
#include <string>

namespace davit::statefulset {
namespace {

/// References of a claim by a short text: S and P are the set and pod, s and p earlier ones of the
/// name, O something else, C something else that is a controller; a dash after one: it is not the
/// controller.
std::string references(std::string_view text) {
  std::string out = "[";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '-') continue;
    const bool weak = text.substr(i + 1).starts_with('-') || c == 'O';
    const bool set = c == 'S' || c == 's';
    const bool pod = c == 'P' || c == 'p';
    out += out.size() > 1 ? "," : "";
    out += set   ? R"({"apiVersion":"apps/v1","kind":"StatefulSet","name":"web","uid":")"
           : pod ? R"({"apiVersion":"v1","kind":"Pod","name":"web-1","uid":")"
                 : R"({"apiVersion":"v1","kind":"ConfigMap","name":"o","uid":")";
    out += c;
    out += weak ? "\"}" : R"(","controller":true})";
  }
  return out + "]";
}

/// The short text of such references.
std::string short_text(Value references) {
  std::string out;
  for (const Value each : references.elements()) {
    out += each["uid"].string();
    const bool named_weak = each["uid"].string() == "O";
    if (!each["controller"].is_true() && !named_weak) out += "-";
  }
  return out;
}

struct ClaimCase {
  const char* when_deleted;
  const char* when_scaled;
  bool in_range;
  const char* before;
  const char* after;  ///< The same as before: up to date.
};
void PrintTo(const ClaimCase& c, std::ostream* out) {
  *out << c.when_deleted << "/" << c.when_scaled << (c.in_range ? " in " : " out ") << c.before;
}

class ClaimPlanTest : public ::testing::TestWithParam<ClaimCase> {
 protected:
  davit::testing::Cluster cluster_;
};

TEST_P(ClaimPlanTest, OwnersFollowThePolicy) {
  const ClaimCase& c = GetParam();
  const Retention policy =
      read_retention(cluster_.value(std::string(R"({"whenDeleted":")") + c.when_deleted +
                                    R"(","whenScaled":")" + c.when_scaled + R"("})"));
  const ClaimOwners owners{.set = {.name = "web", .uid = "S"},
                           .pod = {.name = "web-1", .uid = "P"},
                           .pod_is_in_range = c.in_range};
  const Value before = cluster_.value(references(c.before));
  const bool same = std::string_view(c.before) == c.after;
  EXPECT_EQ(are_up_to_date(before, policy, owners), same);
  if (same) return;
  const Value after = cluster_.value(wanted_references(before, policy, owners));
  EXPECT_EQ(short_text(after), c.after);
  EXPECT_TRUE(are_up_to_date(after, policy, owners)) << "one fix is enough";
}

constexpr const char* kKeep = "Retain";
constexpr const char* kDrop = "Delete";
// clang-format off
INSTANTIATE_TEST_SUITE_P(Spec13_3, ClaimPlanTest, ::testing::Values(
    ClaimCase{kKeep, kKeep, true, "", ""},
    ClaimCase{kKeep, kKeep, true, "S", ""},
    ClaimCase{kKeep, kKeep, false, "P", ""},
    ClaimCase{kKeep, kKeep, true, "S-", ""},
    ClaimCase{kKeep, kKeep, true, "C", "C"},
    ClaimCase{kKeep, kKeep, true, "SC", "C"},
    ClaimCase{kKeep, kKeep, true, "s", "s"},
    ClaimCase{kKeep, kKeep, true, "sS", "sS"},
    ClaimCase{"Later", "Never", true, "S", ""},
    ClaimCase{kDrop, kKeep, true, "", "S"},
    ClaimCase{kDrop, kKeep, false, "", "S"},
    ClaimCase{kDrop, kKeep, false, "P", "S"},
    ClaimCase{kDrop, kKeep, true, "S", "S"},
    ClaimCase{kDrop, kKeep, true, "S-", "S"},
    ClaimCase{kDrop, kKeep, true, "O", "OS"},
    ClaimCase{kDrop, kKeep, true, "C", "C"},
    ClaimCase{kDrop, kKeep, true, "S-C", "C"},
    ClaimCase{kDrop, kKeep, true, "s", "s"},
    ClaimCase{kDrop, kKeep, true, "p", "p"},
    ClaimCase{kDrop, kKeep, true, "pS-", "pS-"},
    ClaimCase{kKeep, kDrop, true, "", ""},
    ClaimCase{kKeep, kDrop, true, "P", ""},
    ClaimCase{kKeep, kDrop, true, "S", ""},
    ClaimCase{kKeep, kDrop, false, "", "P"},
    ClaimCase{kKeep, kDrop, false, "S", "P"},
    ClaimCase{kKeep, kDrop, false, "P", "P"},
    ClaimCase{kDrop, kDrop, true, "", "S"},
    ClaimCase{kDrop, kDrop, true, "P", "S"},
    ClaimCase{kDrop, kDrop, false, "S", "P"},
    ClaimCase{kDrop, kDrop, false, "SP", "P"},
    ClaimCase{kDrop, kDrop, false, "P", "P"}));
// clang-format on

TEST(ClaimConflictTest, AnotherControllerCountsOnlyIfThePolicyDeletes) {
  davit::testing::Cluster cluster;
  const ClaimOwners owners{.set = {"web", "S"}, .pod = {"web-1", "P"}};
  const auto conflicts = [&](std::string_view text, const Retention& policy) {
    return has_other_controller(cluster.value(references(text)), policy, owners);
  };
  const Retention deletes{.deletes_with_set = true};
  EXPECT_TRUE(conflicts("C", deletes));
  EXPECT_TRUE(conflicts("s", deletes));
  EXPECT_TRUE(conflicts("Sp-", deletes));
  EXPECT_FALSE(conflicts("SPO", deletes));
  EXPECT_FALSE(conflicts("C", Retention()));
}

TEST(StaleClaimTest, AnEarlierPodHoldsTheNameIfScalingDeletes) {
  davit::testing::Cluster cluster;
  const Retention scaled{.deletes_when_scaled = true};
  EXPECT_TRUE(is_stale_claim(cluster.value(references("p")), scaled, "web-1"));
  EXPECT_FALSE(is_stale_claim(cluster.value(references("p")), Retention(), "web-1"));
  EXPECT_FALSE(is_stale_claim(cluster.value(references("p")), scaled, "web-2"));
  EXPECT_FALSE(is_stale_claim(cluster.value(references("SO")), scaled, "web-1"));
}

TEST(StaleClaimTest, MalformedReferencesBelongToNothing) {
  davit::testing::Cluster cluster;
  const Retention policy{.deletes_with_set = true, .deletes_when_scaled = true};
  const ClaimOwners created{.set = {"web", "S"}, .pod = {"web-1", ""}};
  for (const char* each : {"7", "\"x\"", "{}", R"([7,"x",{},{"uid":""},{"uid":[]}])"}) {
    const Value value = cluster.value(each);
    EXPECT_FALSE(is_stale_claim(value, policy, "web-1")) << each;
    EXPECT_FALSE(has_other_controller(value, policy, created)) << each;
    EXPECT_FALSE(are_up_to_date(value, policy, created)) << each;
  }
}

}  // namespace
}  // namespace davit::statefulset
