#include <gtest/gtest.h>

#include "tests/sandbox/kinds/cell_cases.hpp"

namespace davit::sandbox {
namespace {

struct PodCase {
  std::string_view name;
  std::string_view pod;
  std::string_view cells;  ///< Ready, Status, Restarts.
};

// clang-format off
constexpr PodCase kPodCases[] = {
    {"Pending",
     R"({"spec":{"containers":[{}]},"status":{"phase":"Pending"}})", R"(["0/1","Pending","0"])"},
    {"ReasonOfTheStatusReplacesThePhase",
     R"({"spec":{"containers":[{}]},"status":{"phase":"Failed","reason":"Evicted"}})",
     R"(["0/1","Evicted","0"])"},
    {"Gated",
     R"({"spec":{"containers":[{}]},"status":{"phase":"Pending",
        "conditions":[{"type":"PodScheduled","status":"False","reason":"SchedulingGated"}]}})",
     R"(["0/1","SchedulingGated","0"])"},
    {"Running",
     R"({"spec":{"containers":[{},{}]},"status":{"phase":"Running",
        "containerStatuses":[{"ready":true,"state":{"running":{}}},{"ready":false,
        "state":{"running":{}}}]}})", R"(["1/2","Running","0"])"},
    {"Creating",
     R"({"spec":{"containers":[{}]},"status":{"phase":"Pending",
        "containerStatuses":[{"state":{"waiting":{"reason":"ContainerCreating"}}}]}})",
     R"(["0/1","ContainerCreating","0"])"},
    {"RestartsTellWhen",
     R"({"spec":{"containers":[{}]},"status":{"phase":"Running",
        "containerStatuses":[{"restartCount":3,"ready":true,"state":{"running":{}},
        "lastState":{"terminated":{"finishedAt":"2026-01-01T01:55:00Z"}}}]}})",
     R"x(["1/1","Running","3 (5m ago)"])x"},
    {"FirstContainerCountsMost",
     R"({"spec":{"containers":[{},{}]},"status":{"phase":"Running",
        "containerStatuses":[{"state":{"waiting":{"reason":"CrashLoopBackOff"}}},
        {"state":{"terminated":{"reason":"Error","exitCode":1}}}]}})",
     R"(["0/2","CrashLoopBackOff","0"])"},
    {"ExitCodeWithoutAReason",
     R"({"spec":{"containers":[{}]},"status":{"phase":"Failed",
        "containerStatuses":[{"state":{"terminated":{"exitCode":2}}}]}})",
     R"(["0/1","ExitCode:2","0"])"},
    {"SignalWithoutAReason",
     R"({"spec":{"containers":[{}]},"status":{"phase":"Failed",
        "containerStatuses":[{"state":{"terminated":{"exitCode":137,"signal":9}}}]}})",
     R"(["0/1","Signal:9","0"])"},
    {"CompletedBesideARunningOne",
     R"({"spec":{"containers":[{},{}]},"status":{"phase":"Running",
        "conditions":[{"type":"Ready","status":"True"}],
        "containerStatuses":[{"state":{"terminated":{"reason":"Completed","exitCode":0}}},
        {"ready":true,"state":{"running":{}}}]}})", R"(["1/2","Running","0"])"},
    {"CompletedBesideARunningOneOfAnUnreadyPod",
     R"({"spec":{"containers":[{},{}]},"status":{"phase":"Running",
        "containerStatuses":[{"state":{"terminated":{"reason":"Completed","exitCode":0}}},
        {"ready":true,"state":{"running":{}}}]}})", R"(["1/2","NotReady","0"])"},
    {"CompletedBesideAFailedOne",
     R"({"spec":{"containers":[{},{}]},"status":{"phase":"Failed",
        "containerStatuses":[{"state":{"terminated":{"reason":"Completed","exitCode":0}}},
        {"state":{"terminated":{"reason":"Error","exitCode":1}}}]}})", R"(["0/2","Error","0"])"},
    {"InitContainersInOrder",
     R"({"spec":{"initContainers":[{"name":"a"},{"name":"b"}],"containers":[{}]},
        "status":{"phase":"Pending","initContainerStatuses":[{"name":"a",
        "state":{"terminated":{"exitCode":0}}},{"name":"b","state":{"running":{}}}],
        "containerStatuses":[{"state":{"waiting":{"reason":"PodInitializing"}}}]}})",
     R"(["0/1","Init:1/2","0"])"},
    {"InitContainerThatWaits",
     R"({"spec":{"initContainers":[{"name":"a"}],"containers":[{}]},
        "status":{"phase":"Pending","initContainerStatuses":[{"name":"a","restartCount":2,
        "state":{"waiting":{"reason":"CrashLoopBackOff"}}}]}})",
     R"(["0/1","Init:CrashLoopBackOff","2"])"},
    {"InitContainerThatFailed",
     R"({"spec":{"initContainers":[{"name":"a"}],"containers":[{}]},
        "status":{"phase":"Pending","initContainerStatuses":[{"name":"a",
        "state":{"terminated":{"exitCode":3}}}]}})", R"(["0/1","Init:ExitCode:3","0"])"},
    {"InitContainersDoNotMatterOnceInitialized",
     R"({"spec":{"initContainers":[{"name":"a"}],"containers":[{}]},
        "status":{"phase":"Running","conditions":[{"type":"Initialized","status":"True"}],
        "initContainerStatuses":[{"name":"a","restartCount":5,"state":{"running":{}}}],
        "containerStatuses":[{"restartCount":1,"state":{"terminated":{"reason":"Error",
        "exitCode":1}}}]}})", R"(["0/1","Error","1"])"},
    {"SidecarsCount",
     R"({"spec":{"initContainers":[{"name":"a","restartPolicy":"Always"}],"containers":[{}]},
        "status":{"phase":"Running","initContainerStatuses":[{"name":"a","started":true,
        "ready":true,"restartCount":2,"state":{"running":{}}}],
        "containerStatuses":[{"ready":true,"state":{"running":{}}}]}})",
     R"(["2/2","Running","2"])"},
    {"Terminating",
     R"({"metadata":{"deletionTimestamp":"2026-01-01T01:59:00Z"},"spec":{"containers":[{}]},
        "status":{"phase":"Running"}})", R"(["0/1","Terminating","0"])"},
    {"FinishedPodsDoNotTerminate",
     R"({"metadata":{"deletionTimestamp":"2026-01-01T01:59:00Z"},"spec":{"containers":[{}]},
        "status":{"phase":"Succeeded"}})", R"(["0/1","Succeeded","0"])"},
    {"LostWithItsNode",
     R"({"metadata":{"deletionTimestamp":"2026-01-01T01:59:00Z"},"spec":{"containers":[{}]},
        "status":{"phase":"Running","reason":"NodeLost"}})", R"(["0/1","Unknown","0"])"},
};
// clang-format on

TEST(PodColumnsTest, StatusShowsWhatHoldsAPodUp) {
  for (const PodCase& each : kPodCases) {
    const Json cells = cells_of("", "pods", each.pod);
    ASSERT_EQ(cells.size(), 9U);
    const Json::Items& all = cells.items();
    EXPECT_EQ(to_text(Json::array({all[1], all[2], all[3]})), each.cells) << each.name;
  }
}

TEST(PodColumnsTest, WideCellsShowWhereThePodIs) {
  const Json nowhere = cells_of("", "pods", R"({"status":{"phase":"Pending"}})");
  const Json somewhere = cells_of("", "pods", R"({
      "spec":{"nodeName":"n1","readinessGates":[{"conditionType":"a"},{"conditionType":"b"}]},
      "status":{"podIPs":[{"ip":"10.1.1.1"},{"ip":"fd00::1"}],"nominatedNodeName":"n2",
                "conditions":[{"type":"a","status":"True"},{"type":"b","status":"False"}]}})");

  EXPECT_EQ(to_text(nowhere),
            R"(["x","0/0","Pending","0","60m","<none>","<none>","<none>","<none>"])");
  EXPECT_EQ(to_text(somewhere), R"(["x","0/0","","0","60m","10.1.1.1","n1","n2","1/2"])");
}

}  // namespace
}  // namespace davit::sandbox
