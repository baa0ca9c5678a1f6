#include <gtest/gtest.h>

#include <algorithm>

#include "sandbox/kinds/conversion.hpp"
#include "tests/sandbox/kinds/rule_cases.hpp"

namespace davit::sandbox {
namespace {

/// As v1 stores it: the bare minimum.
constexpr std::string_view kOldStyle = R"({
  "kind": "Event", "apiVersion": "v1", "metadata": {"name": "e", "namespace": "conf"},
  "involvedObject": {"kind": "Pod", "namespace": "conf", "name": "p1"}, "reason": "R",
  "message": "m", "source": {"component": "c"}, "firstTimestamp": null, "lastTimestamp": null,
  "type": "Normal", "eventTime": null, "reportingComponent": "", "reportingInstance": ""})";

constexpr std::string_view kNewStyle = R"({
  "kind": "Event", "apiVersion": "v1", "metadata": {"name": "e", "namespace": "conf", "uid": "u"},
  "involvedObject": {"kind": "Pod", "namespace": "conf", "name": "p1"}, "reason": "R",
  "message": "m", "source": {}, "firstTimestamp": null, "lastTimestamp": null, "type": "Normal",
  "eventTime": "2026-01-01T00:00:00.000000Z", "action": "A", "reportingComponent": "a.b/c",
  "reportingInstance": "i"})";

TEST(EventRulesTest, TheOtherGroupSeesTheSameEventUnderOtherNames) {
  Json event = json_literal(kOldStyle);

  event_from_core(event);

  EXPECT_EQ(to_text(event),
            R"({"kind":"Event","apiVersion":"v1",)"
            R"("metadata":{"name":"e","namespace":"conf"},)"
            R"("regarding":{"kind":"Pod","namespace":"conf","name":"p1"},"reason":"R","note":"m",)"
            R"("deprecatedSource":{"component":"c"},"deprecatedFirstTimestamp":null,)"
            R"("deprecatedLastTimestamp":null,"type":"Normal","eventTime":null})");
  event_to_core(event);
  EXPECT_EQ(event, json_literal(kOldStyle));
}

/// As the other group's clients see and send it.
Json in_group_form(Json event) {
  event_from_core(event);
  event.set("apiVersion", "events.k8s.io/v1");
  return event;
}

bool has(const Pairs& fields, const std::string& name, const std::string& value) {
  return std::find(fields.begin(), fields.end(), std::pair(name, value)) != fields.end();
}

TEST(EventRulesTest, SelectorsOfBothGroupsFindTheSameEvent) {
  const ResourcePtr core = find_builtin("v1", "Event");
  const ResourcePtr group = find_builtin("events.k8s.io/v1", "Event");
  const Json event = json_literal(kOldStyle);

  EXPECT_TRUE(has(core->rules->fields(event), "involvedObject.name", "p1"));
  EXPECT_TRUE(has(core->rules->fields(event), "source", "c"));
  EXPECT_TRUE(has(core->rules->fields(event), "type", "Normal"));
  EXPECT_TRUE(has(group->rules->fields(in_group_form(event)), "regarding.name", "p1"));
  EXPECT_TRUE(has(group->rules->fields(in_group_form(event)), "reason", "R"));
  EXPECT_TRUE(core->rules->knows_field("involvedObject.fieldPath"));
  EXPECT_FALSE(core->rules->knows_field("regarding.name"));
  EXPECT_TRUE(group->rules->knows_field("regarding.name"));
  EXPECT_FALSE(group->rules->knows_field("source"));
}

// clang-format off
constexpr RuleCase kCoreCases[] = {
    {R"({})", ""},
    {R"({"metadata":{"name":"not.a:DNS name"}})", ""},
    {R"({"involvedObject":{"namespace":"other"}})",
     "involvedObject.namespace: Invalid value: \"other\": does not match event.namespace"},
    {R"({"involvedObject":{"namespace":null}})",
     "involvedObject.namespace: Invalid value: \"\": does not match event.namespace"},
    {R"({"involvedObject":{"namespace":null},"metadata":{"namespace":"default"}})", ""},
    {R"({"eventTime":"2026-01-01T00:00:00.000000Z"})",
     "reportingComponent: Required value\n"
     "reportingComponent: Invalid value: \"\": name part must be non-empty\n"
     "reportingComponent: Invalid value: \"\": name part must consist of alphanumeric characters, "
     "'-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or "
     "'my.name',  or '123-abc', regex used for validation is "
     "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')\n"
     "reportingInstance: Required value\naction: Required value"},
};

constexpr RuleCase kGroupCases[] = {
    {R"({})", ""},
    {R"({"type":"Odd","series":{"count":1}})",
     "series.count: Invalid value: \"\": should be at least 2\n"
     "series.lastObservedTime: Required value\n"
     "type: Invalid value: \"\": has invalid value: Odd"},
    {R"({"count":1,"source":{"component":"c"},"firstTimestamp":"2026-01-01T00:00:00Z"})",
     "firstTimestamp: Invalid value: \"\": needs to be unset\n"
     "count: Invalid value: \"\": needs to be unset\n"
     "source: Invalid value: \"\": needs to be unset"},
};
// clang-format on

TEST(EventRulesTest, OldStyleEventsNeedLittle) {
  const ResourcePtr core = find_builtin("v1", "Event");
  for (const RuleCase& each : kCoreCases) {
    EXPECT_EQ(to_lines(core->rules->validate_create(merged(kOldStyle, each.patch))), each.lines)
        << each.patch;
  }
}

TEST(EventRulesTest, NewStyleEventsAreChecked) {
  const ResourcePtr group = find_builtin("events.k8s.io/v1", "Event");
  for (const RuleCase& each : kGroupCases) {
    const Json event = in_group_form(merged(kNewStyle, each.patch));
    EXPECT_EQ(to_lines(group->rules->validate_create(event)), each.lines) << each.patch;
  }
}

TEST(EventRulesTest, OnlyTheSeriesOfANewStyleEventMayChange) {
  const ResourcePtr group = find_builtin("events.k8s.io/v1", "Event");
  const Json old = in_group_form(json_literal(kNewStyle));
  const Json changed = in_group_form(merged(kNewStyle, R"({"reason":"S"})"));
  const Json repeated = in_group_form(merged(
      kNewStyle, R"({"series":{"count":2,"lastObservedTime":"2026-01-01T00:01:00.000000Z"}})"));

  EXPECT_EQ(to_lines(group->rules->validate_update(changed, old, UpdateTarget::kObject)),
            "reason: Invalid value: \"S\": field is immutable");
  EXPECT_EQ(to_lines(group->rules->validate_update(repeated, old, UpdateTarget::kObject)), "");
}

}  // namespace
}  // namespace davit::sandbox
