/// The comparison of histories; needs no server.
#include <gtest/gtest.h>

#include <chrono>
#include <davit/kube/time.hpp>

#include "tests/live/oracle/picture.hpp"

namespace davit::oracle {
namespace {

Life life_of(const char* kind, const char* name, const std::vector<const char*>& versions) {
  Life out{find_kind(kind), name, {}, false};
  for (const char* each : versions) {
    out.versions.push_back(std::make_shared<const Json>(json_literal(each)));
  }
  return out;
}

Record history_of(const std::vector<Life>& lives) {
  const KnownDifferences known(DAVIT_ORACLE "/known_differences.yaml", "v1.36");
  return histories(lives, Names(lives), known, Compare::kHistory);
}

Record events_of(const std::vector<Life>& lives) {
  const KnownDifferences known(DAVIT_ORACLE "/known_differences.yaml", "v1.36");
  return events(lives, Names(lives), known, Compare::kHistory);
}

constexpr char kReadySlice[] =
    R"({"metadata":{"name":"s"},"addressType":"IPv4","endpoints":[{"addresses":["10.0.0.1"],)"
    R"("conditions":{"ready":true},"targetRef":{"name":"one"}}],"ports":[{"name":"","port":80}]})";
constexpr char kUnreadySlice[] =
    R"({"metadata":{"name":"s"},"addressType":"IPv4","endpoints":[{"addresses":["10.0.0.1"],)"
    R"("conditions":{"ready":false},"targetRef":{"name":"one"}}],"ports":[{"name":"","port":80}]})";

TEST(RecordTest, EndpointThatWasNotReadyForAWhileShows) {
  const Record steady = history_of({life_of("endpointslice", "s", {kReadySlice, kReadySlice})});
  const Record flapped =
      history_of({life_of("endpointslice", "s", {kReadySlice, kUnreadySlice, kReadySlice})});

  EXPECT_EQ(steady.count("endpointslice s: endpoint one at 80/ IPv4: 0 absent → 2 ready"), 1u);
  EXPECT_FALSE(differences(steady, flapped).empty());
}

TEST(RecordTest, EndpointThatWasNotReadyOnlyOnTheWayDoesNotShow) {
  constexpr char kEmpty[] = R"({"metadata":{"name":"s"},"addressType":"IPv4","endpoints":[]})";
  const Record at_once = history_of({life_of("endpointslice", "s", {kEmpty, kReadySlice})});
  const Record in_two =
      history_of({life_of("endpointslice", "s", {kEmpty, kUnreadySlice, kReadySlice})});

  EXPECT_TRUE(differences(at_once, in_two).empty());
}

TEST(RecordTest, ClaimsOfDevicesShowTheirConsumersAndNoRandomNames) {
  const Record record = history_of(
      {life_of("pod", "p",
               {R"({"metadata":{"name":"p"},"spec":{"resourceClaims":[{"name":"g",)"
                R"("resourceClaimTemplateName":"t"}]}})"}),
       life_of("resourceclaim", "p-g-x4x4x",
               {R"({"kind":"ResourceClaim","metadata":{"generateName":"p-g-"}})",
                R"({"kind":"ResourceClaim","metadata":{"generateName":"p-g-","finalizers":["f"]},)"
                R"("status":{"allocation":{"devices":{}},"reservedFor":[{"name":"p"}]}})"})});

  EXPECT_EQ(record.count("resourceclaim p-g-CLAIM: allocation: - → present"), 1u);
  EXPECT_EQ(record.count("resourceclaim p-g-CLAIM: reserved for: - → p"), 1u);
  EXPECT_EQ(record.count("resourceclaim p-g-CLAIM: finalizers: none → f"), 1u);
}

TEST(RecordTest, ARefusedClaimOfAPodHasNoRandomNameInAnEvent) {
  const Record record = events_of(
      {life_of("pod", "p",
               {R"({"metadata":{"name":"p"},"spec":{"resourceClaims":[{"name":"g",)"
                R"("resourceClaimTemplateName":"t"}]}})"}),
       life_of(
           "event", "e",
           {R"({"source":{"component":"resource_claim"},"type":"Warning","reason":"R",)"
            R"("involvedObject":{"kind":"Pod","name":"p"},"message":"\"p-g-x4x4x\" is not"})"})});

  EXPECT_EQ(record.count(R"(event Warning R of Pod p: "p-g-CLAIM" is not)"), 1u);
}

TEST(RecordTest, ClaimsAndVolumesShowTheirPhasesAndEachOther) {
  const Record record = history_of(
      {life_of("persistentvolume", "v",
               {R"({"kind":"PersistentVolume","status":{"phase":"Pending"}})",
                R"({"kind":"PersistentVolume","spec":{"claimRef":{"name":"c","uid":"1"}},)"
                R"("status":{"phase":"Bound"}})"}),
       life_of("persistentvolumeclaim", "c",
               {R"({"kind":"PersistentVolumeClaim","spec":{"volumeName":"v"},)"
                R"("status":{"phase":"Pending"}})",
                R"({"kind":"PersistentVolumeClaim","spec":{"volumeName":"v"},)"
                R"("status":{"phase":"Lost"}})"})});

  EXPECT_EQ(record.count("persistentvolume v: phase: Pending → Bound"), 1u);
  EXPECT_EQ(record.count("persistentvolume v: claim: - → c by UID"), 1u);
  EXPECT_EQ(record.count("persistentvolumeclaim c: phase: - → Lost"), 1u);
  EXPECT_EQ(record.count("persistentvolumeclaim c: volume: v"), 1u);
}

TEST(RecordTest, WhetherAnObjectBeginsWithAnEndpointDoesNotShow) {
  constexpr char kEmpty[] = R"({"metadata":{"name":"s"},"addressType":"IPv4","endpoints":[]})";
  const Record service_first = history_of({life_of("endpointslice", "s", {kEmpty, kReadySlice})});
  const Record pod_first = history_of({life_of("endpointslice", "s", {kReadySlice})});

  EXPECT_TRUE(differences(service_first, pod_first).empty());
}

TEST(RecordTest, SecondLifeOfEndpointsWithTheSameHistoryDoesNotShow) {
  const Life life = life_of("endpointslice", "s", {kReadySlice});
  const Life other = life_of("endpointslice", "s", {kReadySlice, kUnreadySlice});

  EXPECT_TRUE(differences(history_of({life}), history_of({life, life})).empty());
  EXPECT_FALSE(differences(history_of({life}), history_of({life, other})).empty());
}

TEST(RecordTest, ChangeOfSizeWithoutItsEventShows) {
  const Life deployment =
      life_of("deployment", "web", {R"({"metadata":{"name":"web","uid":"u"}})"});
  const Life set = life_of(
      "replicaset", "web-1",
      {R"({"metadata":{"name":"web-1","ownerReferences":[{"uid":"u"}]},"spec":{"replicas":2}})",
       R"({"metadata":{"name":"web-1","ownerReferences":[{"uid":"u"}]},"spec":{"replicas":3}})"});
  const auto told = [](const char* text) { return life_of("event", "e", {text}); };
  const Record both = events_of({deployment, set,
                                 told(R"({"reason":"ScalingReplicaSet",)"
                                      R"("involvedObject":{"uid":"u"},"count":2})")});
  const Record one = events_of({deployment, set,
                                told(R"({"reason":"ScalingReplicaSet",)"
                                     R"("involvedObject":{"uid":"u"},"count":1})")});

  EXPECT_EQ(differences(both, one).size(), 1u);
}

TEST(RecordTest, RemovalOfANodeShowsUnlessTheNodeWasCreatedAgain) {
  const auto node = [](const char* uid) {
    return life_of(
        "node", "a",
        {("{\"metadata\":{\"name\":\"a\",\"uid\":\"" + std::string(uid) + "\"}}").c_str()});
  };
  const Life removal = life_of("event", "e",
                               {R"({"reason":"RemovingNode","type":"Normal","count":1,)"
                                R"("source":{"component":"node-controller"},)"
                                R"("involvedObject":{"kind":"Node","name":"a"}})"});

  EXPECT_EQ(differences(events_of({node("first")}), events_of({node("first"), removal})).size(),
            1u);
  EXPECT_TRUE(differences(events_of({node("first"), node("second")}),
                          events_of({node("first"), node("second"), removal}))
                  .empty());
}

TEST(RecordTest, ReferenceToAFormerLifeOfANameShows) {
  const auto picture_with = [](const char* pod) {
    std::vector<Life> lives = {
        life_of("replicaset", "set", {R"({"metadata":{"name":"set","uid":"first"}})"}),
        life_of("replicaset", "set", {R"({"metadata":{"name":"set","uid":"second"}})"}),
        life_of("pod", "one", {pod})};
    lives.front().gone = true;
    const KnownDifferences known(DAVIT_ORACLE "/known_differences.yaml", "v1.36");
    return picture(lives, Names(lives), known, Compare::kHistory);
  };

  EXPECT_FALSE(
      differences(
          picture_with(R"({"metadata":{"name":"one","ownerReferences":[{"uid":"first"}]}})"),
          picture_with(R"({"metadata":{"name":"one","ownerReferences":[{"uid":"second"}]}})"))
          .empty());
}

Picture picture_of(const std::vector<Life>& lives) {
  const KnownDifferences known(DAVIT_ORACLE "/known_differences.yaml", "v1.36");
  return picture(lives, Names(lives), known, Compare::kHistory);
}

TEST(RecordTest, AddressesOutOfTheOrderOfTheirTextsShow) {
  const auto endpoints = [](const char* text) {
    return picture_of({life_of("endpoints", "web", {text})});
  };
  const Picture sorted =
      endpoints(R"({"subsets":[{"addresses":[{"ip":"10.0.0.10"},{"ip":"10.0.0.2"}]}]})");
  const Picture other =
      endpoints(R"({"subsets":[{"addresses":[{"ip":"10.0.0.2"},{"ip":"10.0.0.10"}]}]})");

  EXPECT_NE(sorted.front().second.find("\"addresses in order\":true"), std::string::npos);
  EXPECT_EQ(differences(sorted, other).size(), 1u);
}

TEST(RecordTest, InWhichOfSeveralSlicesAnEndpointIsDoesNotShow) {
  const auto slice = [](const std::string& name, const std::string& addresses) {
    Life out = life_of("endpointslice", name.c_str(), {"{}"});
    out.versions = {std::make_shared<const Json>(json_literal(
        R"({"metadata":{"name":")" + name +
        R"(","generateName":"web-","labels":{"kubernetes.io/service-name":"web"}},"endpoints":[)" +
        addresses + "]}"))};
    return out;
  };
  const std::string one = R"({"addresses":["10.0.0.1"]})";
  const std::string two = R"({"addresses":["10.0.0.2"]})";
  const std::string three = R"({"addresses":["10.0.0.3"]})";
  const Picture original = picture_of({slice("web-a", one + ',' + two), slice("web-b", three)});

  EXPECT_TRUE(
      differences(original, picture_of({slice("web-c", three + ',' + one), slice("web-d", two)}))
          .empty());
  EXPECT_FALSE(differences(original, picture_of({slice("web-c", one + ',' + two + ',' + three),
                                                 slice("web-d", "")}))
                   .empty());
  EXPECT_FALSE(
      differences(original, picture_of({slice("web-c", one + ',' + two), slice("web-d", two)}))
          .empty());
}

Record node_not_ready(const std::string& kind, int count) {
  Life event = life_of("event", "one", {"{}"});
  event.versions = {std::make_shared<const Json>(json_literal(
      R"({"type":"Warning","reason":"NodeNotReady","source":{"component":"node-controller"},)"
      R"("count":)" +
      std::to_string(count) + R"(,"involvedObject":{"kind":")" + kind + R"(","name":"one"}})"))};
  return events_of({event});
}

TEST(RecordTest, DayOnWhichATokenWasMarkedDoesNotShowIfItIsThisOne) {
  const WallTime now =
      std::chrono::time_point_cast<WallTime::duration>(std::chrono::system_clock::now());
  const auto picture_of = [](const std::string& day) {
    const std::string text =
        R"({"metadata":{"name":"t","labels":{"kubernetes.io/legacy-token-invalid-since":")" + day +
        R"("}}})";
    const std::vector<Life> lives = {life_of("secret", "t", {text.c_str()})};
    const KnownDifferences known(DAVIT_ORACLE "/known_differences.yaml", "v1.36");
    return picture(lives, Names(lives), known, Compare::kHistory).front().second;
  };
  EXPECT_NE(picture_of(format_time(now).substr(0, 10)).find("the day of the play"),
            std::string::npos);
  EXPECT_NE(picture_of("2020-01-01").find("2020-01-01"), std::string::npos);
}

TEST(RecordTest, WordsForARequestWithoutAResponseDoNotShow) {
  const auto refused = [](const std::string& what) {
    const std::string event = R"({"type":"Warning","reason":"FailedCreate",)"
                              R"("source":{"component":"replicaset-controller"},)"
                              R"("message":"Error creating: )" +
                              what + R"("})";
    return events_of({life_of("event", "e", {event.c_str()})});
  };
  const Record original =
      refused(R"(Post \"https://127.0.0.1:1/api/v1/namespaces/a/pods\": )"
              "read tcp 127.0.0.1:2->127.0.0.1:1: read: connection reset by peer");

  EXPECT_TRUE(
      differences(original, refused("POST https://127.0.0.1:3 (create pods): reset")).empty());
  EXPECT_FALSE(differences(original, refused("pods is forbidden")).empty());
}

TEST(RecordTest, HowOftenAnEventComesCountsUnlessItIsKnownToBeChanceForThatKind) {
  EXPECT_TRUE(differences(node_not_ready("Pod", 1), node_not_ready("Pod", 2)).empty());
  EXPECT_FALSE(differences(node_not_ready("Pod", 1), Record()).empty());
  EXPECT_FALSE(differences(node_not_ready("Node", 1), node_not_ready("Node", 2)).empty());
}

}  // namespace
}  // namespace davit::oracle
