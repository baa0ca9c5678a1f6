/// The rules of labels and the ledger of uses. Rows CC126 and CC127.
#include "plugins/selinuxwarning/conflicts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace davit::selinuxwarning {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const Key kA{"ns", "a"};
const Key kB{"ns", "b"};

Use labelled(const std::string& volume, const std::string& label) {
  return {volume, label, ChangePolicy::kMountOption};
}

TEST(LabelsTest, CC126_APartThatOneLacksFitsAny) {
  EXPECT_FALSE(labels_conflict("u:r:t:s0", ":::s0"));
  EXPECT_FALSE(labels_conflict("u:r:t:s0:c1,c2", ":::s0:c1,c2"));
}

TEST(LabelsTest, CC127_PartsThatBothHaveAndLevelsHaveToBeEqual) {
  EXPECT_FALSE(labels_conflict("::t:", "u:::"));
  EXPECT_TRUE(labels_conflict("::t:", "::t2:"));
  EXPECT_TRUE(labels_conflict("::t:", ":::s0"));
  EXPECT_TRUE(labels_conflict("", ":::s0"));
  EXPECT_FALSE(labels_conflict("", ""));
}

TEST(LabelsTest, AMessageNamesAPodOfTheSameNamespaceOnly) {
  Conflict conflict{Property::kLabel, kA, ":::s0:c1", kB, ":::s0:c2"};
  EXPECT_EQ(message_of(conflict),
            "SELinuxLabel \":::s0:c1\" conflicts with pod b that uses the same volume as this pod "
            "with SELinuxLabel \":::s0:c2\". If both pods land on the same node, only one of them "
            "may access the volume.");
  conflict.other.ns = "other";
  EXPECT_EQ(message_of(conflict),
            "SELinuxLabel\":::s0:c1\" conflicts with another pod that uses the same volume as this "
            "pod with a different SELinuxLabel. If both pods land on the same node, only one of "
            "them may access the volume.");
}

TEST(ConflictLedgerTest, AConflictHasTwoSidesAndEndsWithEitherPod) {
  ConflictLedger ledger;
  EXPECT_THAT(ledger.replace(kA, {labelled("v", ":::s0")}).begun, IsEmpty());
  const Changes came = ledger.replace(kB, {labelled("v", ":::s1")});
  const Conflict ab{Property::kLabel, kA, ":::s0", kB, ":::s1"};
  const Conflict ba{Property::kLabel, kB, ":::s1", kA, ":::s0"};
  EXPECT_THAT(came.begun, ElementsAre(ab, ba));
  EXPECT_THAT(came.to_report, ElementsAre(ba, ab));
  EXPECT_THAT(came.ended, IsEmpty());

  const Changes went = ledger.replace(kA, {});
  EXPECT_THAT(went.ended, ElementsAre(ab, ba));
  EXPECT_THAT(went.to_report, IsEmpty());
  EXPECT_THAT(ledger.replace(kB, {}).ended, IsEmpty());
}

TEST(ConflictLedgerTest, TheSameUseAgainReportsNothing) {
  ConflictLedger ledger;
  static_cast<void>(ledger.replace(kA, {labelled("v", ":::s0")}));
  static_cast<void>(ledger.replace(kB, {labelled("v", ":::s1")}));
  const Changes again = ledger.replace(kB, {labelled("v", ":::s1")});
  EXPECT_THAT(again.to_report, IsEmpty());
  EXPECT_THAT(again.begun, IsEmpty());
  EXPECT_THAT(again.ended, IsEmpty());
}

TEST(ConflictLedgerTest, AConflictOnTwoVolumesLastsUntilBothAreFree) {
  ConflictLedger ledger;
  static_cast<void>(ledger.replace(kA, {labelled("v", ":::s0"), labelled("w", ":::s0")}));
  const Changes came = ledger.replace(kB, {labelled("v", ":::s1"), labelled("w", ":::s1")});
  EXPECT_THAT(came.begun, SizeIs(2));
  EXPECT_THAT(came.to_report, SizeIs(4)) << "one for each volume and side";
  EXPECT_THAT(ledger.replace(kB, {labelled("v", ":::s1")}).ended, IsEmpty());
  EXPECT_THAT(ledger.replace(kB, {}).ended, SizeIs(2));
}

TEST(ConflictLedgerTest, AnotherUseOfAVolumeEndsTheConflictsOfTheFormerOne) {
  ConflictLedger ledger;
  static_cast<void>(ledger.replace(kA, {labelled("v", ":::s0")}));
  static_cast<void>(ledger.replace(kB, {labelled("v", ":::s1")}));
  const Changes changed = ledger.replace(kB, {{"v", "", ChangePolicy::kRecursive}});
  EXPECT_THAT(changed.ended, SizeIs(2));
  EXPECT_THAT(changed.begun, SizeIs(4)) << "policy and label, both sides";
}

}  // namespace
}  // namespace davit::selinuxwarning
