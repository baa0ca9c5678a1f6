#include "lib/kube/validation/schema_node.hpp"

#include <gtest/gtest.h>

#include "lib/kube/schema/build.hpp"

namespace davit {
namespace {

std::string to_lines(const FieldErrors& errors) {
  std::string out;
  for (const FieldError& each : errors) out += each.field + ": " + each.message + '\n';
  return out;
}

std::string violations(std::string_view type, std::string_view object) {
  FieldErrors errors;
  check_fields(type, json_literal(object), FieldPath("spec"), errors);
  return to_lines(errors);
}

TEST(SchemaNodeTest, EveryConstraintOfTheTableCompiles) {
  for (const auto& message : schemas().all()) {
    if (constraints_of(message->name).empty()) continue;
    FieldErrors errors;
    check_fields(message->name, Json::object(), FieldPath(), errors);
  }
}

TEST(SchemaNodeTest, ErrorsComeInTheOrderOfTheTable) {
  EXPECT_EQ(violations("core.v1.ContainerPort",
                       R"({"hostPort":70000,"name":"-","containerPort":0,"protocol":"X"})"),
            "spec.name: Invalid value: \"-\": must contain at least one letter (a-z)\n"
            "spec.name: Invalid value: \"-\": must not begin or end with a hyphen\n"
            "spec.containerPort: Required value\n"
            "spec.hostPort: Invalid value: 70000: must be between 1 and 65535, inclusive\n"
            "spec.protocol: Unsupported value: \"X\": supported values: \"SCTP\", \"TCP\", "
            "\"UDP\"\n");
}

TEST(SchemaNodeTest, ElementsAndNestedFieldsHaveTheirPaths) {
  EXPECT_EQ(violations("core.v1.EndpointSubset", R"({"addresses":[{"ip":"127.0.0.1"}]})"),
            "spec.addresses[0].ip: Invalid value: \"127.0.0.1\": may not be in the loopback range "
            "(127.0.0.0/8, ::1/128)\n");
}

TEST(SchemaNodeTest, ValueBehindAPointerIsCheckedEvenIfEmpty) {
  EXPECT_EQ(violations("coordination.v1.LeaseSpec", "{}"), "");
  EXPECT_EQ(violations("coordination.v1.LeaseSpec", R"({"leaseDurationSeconds":0})"),
            "spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0\n");
}

TEST(SchemaNodeTest, AMissingValueThatIsCheckedCountsAsZero) {
  EXPECT_EQ(violations("core.v1.WeightedPodAffinityTerm", "{}"),
            "spec.weight: Invalid value: 0: must be in the range 1-100\n");
}

TEST(SchemaNodeTest, AnImmutableFieldMustBeAsBefore) {
  FieldErrors errors;
  check_immutable_fields("core.v1.Secret", json_literal(R"({"type":"a"})"),
                         json_literal(R"({"type":"b"})"), FieldPath(), errors);

  EXPECT_EQ(to_lines(errors), "type: Invalid value: \"a\": field is immutable\n");
}

}  // namespace
}  // namespace davit
