#include "lib/kube/schema/describe.hpp"

#include <gtest/gtest.h>

#include "lib/kube/schema/build.hpp"

namespace davit {
namespace {

const Field* field_of(const Message& type, std::string_view name) {
  for (const Field& each : type.fields) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

TEST(DescriptionsTest, EveryTypeAndEveryFieldHasOne) {
  const Descriptions descriptions;
  for (const auto& type : schemas().all()) {
    EXPECT_NE(descriptions.of(*type), "") << type->name;
    for (const Field& field : type->fields) {
      EXPECT_NE(descriptions.of(*type, field), "") << type->name << '.' << field.name;
    }
  }
}

TEST(DescriptionsTest, EachIsOfATypeOrAFieldThatThereIs) {
  const Descriptions descriptions;
  for (const Descriptions::Entry& each : descriptions.entries()) {
    if (each.type.starts_with('(')) continue;
    const Message* type = schemas().find(each.type);
    ASSERT_NE(type, nullptr) << each.type;
    if (each.field.empty()) continue;
    EXPECT_NE(field_of(*type, each.field), nullptr) << each.type << '.' << each.field;
  }
}

TEST(DescriptionsTest, EachIsThereOnceAndConsistsOfSentences) {
  const Descriptions descriptions;
  const Descriptions::Entry* last = nullptr;
  for (const Descriptions::Entry& each : descriptions.entries()) {
    EXPECT_TRUE(each.text.ends_with('.')) << each.type << '.' << each.field;
    if (last != nullptr) {
      EXPECT_FALSE(last->type == each.type && last->field == each.field)
          << each.type << '.' << each.field;
    }
    last = &each;
  }
}

TEST(DescriptionsTest, AnEntryOfSeveralLinesIsOneLine) {
  const Descriptions descriptions;
  const Message& type = *schemas().find("batch.v1.CronJobSpec");
  EXPECT_EQ(descriptions.of(type, *field_of(type, "concurrencyPolicy")),
            "What happens if the last Job still runs: Allow starts another, Forbid skips one, "
            "Replace ends the old one first. Default: Allow.");
}

TEST(DescriptionsTest, CommonFieldsHaveThatOfTheirKindOfType) {
  const Descriptions descriptions;
  const auto of = [&](const char* name, const char* field) {
    const Message& type = *schemas().find(name);
    return descriptions.of(type, *field_of(type, field));
  };
  EXPECT_NE(of("core.v1.Pod", "status"), of("core.v1.PodCondition", "status"));
  EXPECT_EQ(of("core.v1.Pod", "status"), of("apps.v1.Deployment", "status"));
  EXPECT_EQ(of("core.v1.PodCondition", "status"), of("meta.v1.Condition", "status"));
  EXPECT_EQ(of("core.v1.NodeStatus", "conditions"), of("core.v1.PodStatus", "conditions"));
  EXPECT_EQ(of("core.v1.RBDVolumeSource", "fsType"), of("core.v1.FCVolumeSource", "fsType"));
}

TEST(DescriptionsTest, InlinedFieldsHaveThatOfTheTypeThatIsInlined) {
  const Descriptions descriptions;
  const Message& volume = *schemas().find("core.v1.Volume");
  const Message& source = *schemas().find("core.v1.VolumeSource");
  EXPECT_EQ(descriptions.of(volume, *field_of(volume, "emptyDir")),
            descriptions.of(source, *field_of(source, "emptyDir")));
}

TEST(DescriptionsTest, TypesWithTheSameFieldsShareTheirTexts) {
  const Descriptions descriptions;
  const Message& one = *schemas().find("core.v1.ISCSIVolumeSource");
  const Message& other = *schemas().find("core.v1.ISCSIPersistentVolumeSource");
  EXPECT_EQ(descriptions.of(one), descriptions.of(other));
  EXPECT_EQ(descriptions.of(one, *field_of(one, "iqn")),
            descriptions.of(other, *field_of(other, "iqn")));
}

}  // namespace
}  // namespace davit
