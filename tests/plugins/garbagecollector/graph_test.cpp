/// The changes that each event makes in the graph, and the work that it causes; pure.
#include "plugins/garbagecollector/graph.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plugins/garbagecollector/graph_builder.hpp"

namespace davit::garbage {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class GraphTest : public ::testing::Test {
 protected:
  Effects show(const Observed& now) { return graph_.observe(now, nullptr); }
  Effects show(const Observed& now, const Observed& past) { return graph_.observe(now, &past); }

  static Key real(const std::string& name) { return node_key(name + "-uid"); }
  static Key imagined(const std::string& name) { return virtual_key(name + "-uid"); }
  std::vector<std::string> names_of_dependents(const std::string& owner) {
    std::vector<std::string> out;
    for (const Identity& each : graph_.dependents(owner + "-uid")) out.push_back(each.name);
    return out;
  }

  Graph graph_;
};

TEST_F(GraphTest, KeysKeepAnyUid) {
  EXPECT_EQ(uid_of(Key::parse(node_key("/a/b").text())), "/a/b");
  EXPECT_TRUE(is_virtual(virtual_key("a")));
  EXPECT_FALSE(is_virtual(node_key("a")));
}

TEST_F(GraphTest, AnOwnerThatWasNotShownIsVirtualAndIsVerified) {
  const Effects effects = show(shown(object("d"), {reference("o")}));
  EXPECT_THAT(effects.deletions, ElementsAre(imagined("o")));
  EXPECT_TRUE(graph_.find("o-uid")->is_virtual);
  EXPECT_EQ(graph_.find("o-uid")->identity, object("o"));

  EXPECT_THAT(show(shown(object("o"))).deletions, IsEmpty());
  EXPECT_FALSE(graph_.find("o-uid")->is_virtual);
  EXPECT_THAT(names_of_dependents("o"), ElementsAre("d"));
}

TEST_F(GraphTest, AVirtualOwnerGoesWithItsLastDependent) {
  show(shown(object("d"), {reference("o")}));
  show(shown(object("e"), {reference("o")}));
  EXPECT_THAT(graph_.remove(object("d")).forgotten, ElementsAre("d-uid"));
  EXPECT_THAT(show(shown(object("e"))).forgotten, ElementsAre("o-uid"));
  EXPECT_FALSE(graph_.find("o-uid"));

  show(shown(object("e"), {reference("o"), reference("o")}));
  EXPECT_THAT(graph_.remove(object("e")).forgotten, UnorderedElementsAre("e-uid", "o-uid"));
  EXPECT_EQ(graph_.nodes().size(), 0U);

  show(shown(object("o")));
  show(shown(object("d"), {reference("o")}));
  static_cast<void>(graph_.remove(object("d")));
  EXPECT_TRUE(graph_.find("o-uid")) << "an informer has shown it";
}

TEST_F(GraphTest, AnObjectInDoubtIsLookedUpUnderItsPresentIdentity) {
  show(shown(object("o")));
  Identity now = object("o");
  now.api_version = "v2";
  EXPECT_THAT(graph_.doubt(now).deletions, ElementsAre(doubt_key("o-uid")));
  EXPECT_EQ(graph_.find("o-uid")->identity, now);
  EXPECT_THAT(graph_.doubt(object("p")).deletions, IsEmpty());
  show(shown(object("d"), {reference("v")}));
  EXPECT_THAT(graph_.doubt(object("v")).deletions, IsEmpty()) << "it is being looked up already";
}

TEST_F(GraphTest, ObjectsOfAKindAreFoundInEveryVersionOfTheirGroup) {
  Identity a = object("a");
  a.api_version = "apps/v1";
  Identity b = object("b");
  b.api_version = "apps/v1beta1";
  for (const Identity& each : {a, b, object("c")}) show(shown(each));
  show(shown(object("d"), {reference("virtual")}));
  EXPECT_THAT(graph_.shown("apps", "ConfigMap"), UnorderedElementsAre(a, b));
  EXPECT_THAT(graph_.shown("", "ConfigMap"), UnorderedElementsAre(object("c"), object("d")));
  EXPECT_THAT(graph_.shown("apps", "Secret"), IsEmpty());
}

TEST_F(GraphTest, DependentsAreVerifiedWhenTheirOwnerGoes) {
  show(shown(object("o")));
  show(shown(object("d1"), {reference("o")}));
  show(shown(object("d2"), {reference("o")}));
  EXPECT_THAT(graph_.remove(object("o")).deletions, UnorderedElementsAre(real("d1"), real("d2")));
  EXPECT_TRUE(graph_.absent().contains(reference("o"), "ns"));
  EXPECT_FALSE(graph_.find("o-uid"));
  EXPECT_THAT(graph_.remove(object("o")).deletions, IsEmpty()) << "it is gone already";
}

// As after a backup of etcd is restored.
TEST_F(GraphTest, AnOwnerThatComesBackWithItsUidIsNotAbsent) {
  show(shown(object("o")));
  show(shown(object("d"), {reference("o")}));
  (void)graph_.remove(object("o"));
  ASSERT_TRUE(graph_.absent().contains(reference("o"), "ns"));
  show(shown(object("o")));
  EXPECT_FALSE(graph_.absent().contains(reference("o"), "ns"));
}

TEST_F(GraphTest, AnOwnerThatDeletesItsDependentsIsLookedAtWhenOneGoes) {
  show(deleted_in_foreground(shown(object("o"))));
  show(shown(object("d"), {blocking_reference("o")}));
  EXPECT_THAT(graph_.remove(object("d")).deletions, ElementsAre(real("o")));
}

TEST_F(GraphTest, AnOwnerThatIsNotDeletedIsNotLookedAtWhenADependentGoes) {
  show(shown(object("o")));
  show(shown(object("d"), {blocking_reference("o")}));
  EXPECT_THAT(graph_.remove(object("d")).deletions, IsEmpty());
  EXPECT_THAT(names_of_dependents("o"), IsEmpty());
}

TEST_F(GraphTest, ForegroundDeletionBeginsOnce) {
  const Observed before = shown(object("o"));
  const Observed after = deleted_in_foreground(before);
  show(before);
  show(shown(object("d"), {reference("o")}));
  EXPECT_THAT(show(after, before).deletions, UnorderedElementsAre(real("d"), real("o")));
  EXPECT_TRUE(graph_.find("o-uid")->deletes_dependents);
  EXPECT_THAT(show(after, after).deletions, IsEmpty());
  EXPECT_THAT(show(after).deletions, UnorderedElementsAre(real("d"), real("o")))
      << "shown anew, as after a restart";
}

TEST_F(GraphTest, OrphaningBeginsOnceAndComesFirst) {
  const Observed before = shown(object("o"));
  Observed after = deleted_in_foreground(before);
  after.orphans_dependents = true;
  show(before);
  const Effects effects = show(after, before);
  EXPECT_THAT(effects.orphans, ElementsAre(real("o")));
  EXPECT_THAT(effects.deletions, IsEmpty());
  EXPECT_THAT(show(after, after).orphans, IsEmpty());
}

TEST_F(GraphTest, AReferenceThatBlocksNoLongerReleasesTheOwner) {
  show(shown(object("o")));
  show(shown(object("d"), {blocking_reference("o")}));
  EXPECT_THAT(show(shown(object("d"), {reference("o")})).deletions, ElementsAre(real("o")));
  EXPECT_THAT(show(shown(object("d"), {})).deletions, IsEmpty()) << "it did not block any more";

  show(shown(object("d"), {blocking_reference("o")}));
  EXPECT_THAT(show(shown(object("d"), {})).deletions, ElementsAre(real("o")));
  EXPECT_THAT(names_of_dependents("o"), IsEmpty());
}

TEST_F(GraphTest, ChangedCoordinatesOfAKnownUidAreNotVerifiedAgain) {
  show(shown(object("o")));
  show(shown(object("d"), {reference("o")}));
  Reference other = reference("o");
  other.name = "p";
  EXPECT_THAT(show(shown(object("d"), {other})).deletions, IsEmpty());
}

TEST_F(GraphTest, GC47_AnOwnerInAnotherNamespaceIsWarnedAboutOnceAndVerified) {
  show(shown(object("o", "ns2")));
  const Effects effects = show(shown(object("d"), {reference("o"), reference("o")}));
  ASSERT_EQ(effects.warnings.size(), 1U);
  EXPECT_EQ(effects.warnings[0].dependent, object("d"));
  EXPECT_EQ(effects.warnings[0].reference, reference("o"));
  EXPECT_THAT(effects.deletions, ElementsAre(real("d")));
}

TEST_F(GraphTest, GC49_AnOwnerThatAppearsInAnotherNamespaceIsWarnedAbout) {
  show(shown(object("d"), {reference("o")}));
  show(shown(object("g", "ns2"), {reference("o")}));
  const Effects effects = show(shown(object("o", "ns2")));
  ASSERT_EQ(effects.warnings.size(), 1U);
  EXPECT_EQ(effects.warnings[0].dependent, object("d"));
  EXPECT_THAT(effects.deletions, ElementsAre(real("d")));
  EXPECT_EQ(graph_.find("o-uid")->identity, object("o", "ns2"));
}

TEST_F(GraphTest, OtherCoordinatesAreVerifiedWithoutAWarning) {
  show(shown(object("o")));
  Reference bad = reference("o");
  bad.kind = "Secret";
  const Effects effects = show(shown(object("d"), {bad}));
  EXPECT_THAT(effects.warnings, IsEmpty());
  EXPECT_THAT(effects.deletions, ElementsAre(real("d")));
}

TEST_F(GraphTest, AVirtualOwnerWithoutANamespaceIsVerifiedForEachNamespace) {
  show(shown(object("c", ""), {reference("o")}));
  EXPECT_THAT(show(shown(object("d"), {reference("o")})).deletions, ElementsAre(real("d")));
}

TEST_F(GraphTest, AnAbsentVirtualOwnerTakesItsDependentsAlong) {
  show(shown(object("d"), {reference("o")}));
  EXPECT_THAT(graph_.remove_absent(object("o")).deletions, ElementsAre(real("d")));
  EXPECT_FALSE(graph_.find("o-uid"));
  EXPECT_TRUE(graph_.absent().contains(reference("o"), "ns"));
}

TEST_F(GraphTest, GC55_OtherIdentitiesOfAnAbsentUidAreTriedInTurn) {
  Reference secret = reference("o");
  secret.kind = "Secret";
  show(shown(object("bad"), {secret}));
  show(shown(object("good"), {reference("o")}));
  Identity as_secret = object("o");
  as_secret.kind = "Secret";
  ASSERT_EQ(graph_.find("o-uid")->identity, as_secret);

  const Effects effects = graph_.remove_absent(as_secret);
  EXPECT_THAT(effects.deletions, ElementsAre(real("bad")));
  EXPECT_THAT(effects.retries, ElementsAre(imagined("o")));
  EXPECT_EQ(graph_.find("o-uid")->identity, object("o"));
  EXPECT_FALSE(graph_.absent().contains(reference("o"), "ns"));

  const Effects back = graph_.remove_absent(object("o"));
  EXPECT_THAT(back.deletions, ElementsAre(real("good")));
  EXPECT_EQ(graph_.find("o-uid")->identity, as_secret) << "the first follows the last";
}

TEST_F(GraphTest, AnIdentityThatIsNotTheObservedOneIsAbsentForItsDependentsOnly) {
  show(shown(object("o")));
  Reference secret = reference("o");
  secret.kind = "Secret";
  show(shown(object("bad"), {secret}));
  show(shown(object("good"), {reference("o")}));
  Identity as_secret = object("o");
  as_secret.kind = "Secret";
  EXPECT_THAT(graph_.remove_absent(as_secret).deletions, ElementsAre(real("bad")));
  EXPECT_TRUE(graph_.find("o-uid"));
  EXPECT_THAT(graph_.remove_absent(object("o")).deletions,
              UnorderedElementsAre(real("bad"), real("good")))
      << "the observed one";
  EXPECT_FALSE(graph_.find("o-uid"));
}

TEST_F(GraphTest, ADeletionIsTheFirstAppearanceToo) {
  show(shown(object("d"), {reference("o")}));
  const Effects effects = graph_.remove(object("o", "ns2"));
  EXPECT_THAT(effects.deletions, ElementsAre(real("d"), real("d")));
  EXPECT_EQ(effects.warnings.size(), 1U);
  EXPECT_FALSE(graph_.find("o-uid"));
}

TEST_F(GraphTest, AnObjectThatOwnsItselfGoes) {
  show(deleted_in_foreground(shown(object("o"), {blocking_reference("o")})));
  EXPECT_THAT(graph_.remove(object("o")).deletions, IsEmpty());
  EXPECT_FALSE(graph_.find("o-uid"));
}

TEST_F(GraphTest, WhatDependentsMeanForADeletion) {
  show(shown(object("o")));
  EXPECT_FALSE(graph_.dependents_state("o-uid").are_there);
  show(shown(object("d"), {reference("o")}));
  EXPECT_TRUE(graph_.dependents_state("o-uid").are_there);
  EXPECT_FALSE(graph_.dependents_state("o-uid").some_block);
  show(shown(object("b"), {blocking_reference("o")}));
  show(deleted_in_foreground(shown(object("f"), {blocking_reference("o")})));
  const DependentsState state = graph_.dependents_state("o-uid");
  EXPECT_TRUE(state.some_block);
  EXPECT_TRUE(state.some_delete_theirs);
  EXPECT_THAT(state.to_delete, ElementsAre(real("b")));
}

TEST_F(GraphTest, APreferredVersionThatChangesChangesTheNode) {
  show(shown(object("o")));
  Identity later = object("o");
  later.api_version = "v2";
  show(shown(later));
  EXPECT_EQ(graph_.find("o-uid")->identity, later);
}

struct OtherCase {
  const char* name;
  Identity absent;
  Identity dependent;
  Reference reference;
  std::optional<Identity> other;
};

TEST(OtherIdentityTest, CandidatesAreWhatDependentsSay) {
  const Identity in_ns = object("o");
  const Identity in_none = object("o", "");
  Reference renamed = reference("o");
  renamed.name = "p";
  Identity named_p = in_ns;
  named_p.name = "p";
  Identity p_in_none = in_none;
  p_in_none.name = "p";
  Reference secret = reference("o");
  secret.kind = "Secret";
  Identity as_secret = in_ns;
  as_secret.kind = "Secret";
  const OtherCase cases[] = {
      {"the absent one itself", in_ns, object("d"), reference("o"), std::nullopt},
      {"in the dependent's namespace", object("o", "ns2"), object("d"), reference("o"), in_ns},
      {"cluster-scoped is everywhere", in_none, object("d"), reference("o"), std::nullopt},
      {"the kind is cluster-scoped", in_none, object("d"), renamed, p_in_none},
      {"another name", in_ns, object("d"), renamed, named_p},
      {"another kind", in_none, object("d"), secret, as_secret},
  };
  for (const OtherCase& each : cases) {
    NodeState dependent;
    dependent.identity = each.dependent;
    dependent.owners = {each.reference};
    EXPECT_EQ(other_identity(each.absent, {dependent}), each.other) << each.name;
  }
}

}  // namespace
}  // namespace davit::garbage
