#include "plugins/statefulset/semantic_equality.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <davit/testing/cluster.hpp>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "lib/kube/json.hpp"
#include "lib/kube/schema/schema.hpp"
#include "sandbox/kinds/pod_defaults.hpp"

namespace davit::statefulset {
namespace {

struct EqualityCase {
  const char* name;
  const char* stored;
  const char* present;
  bool equal;
};
void PrintTo(const EqualityCase& c, std::ostream* out) { *out << c.name; }

class SemanticEqualityTest : public ::testing::TestWithParam<EqualityCase> {};

TEST_P(SemanticEqualityTest, ComparesWhatAnOlderServerMeant) {
  const EqualityCase& c = GetParam();
  davit::testing::Cluster cluster;
  EXPECT_EQ(restores_to(cluster.value(c.stored), cluster.value(c.present)), c.equal);
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Spec9_2, SemanticEqualityTest, ::testing::Values(
    EqualityCase{"Same", R"({"$patch":"replace","spec":{"a":[1,{"b":"c"}]}})",
                 R"({"spec":{"a":[1,{"b":"c"}]}})", true},
    EqualityCase{"NullsDoNotCount", R"({"metadata":{"creationTimestamp":null,"labels":{"a":"b"}}})",
                 R"({"metadata":{"labels":{"a":"b"},"name":null}})", true},
    EqualityCase{"NullAgainstAValue", R"({"spec":{"x":null}})", R"({"spec":{"x":1}})", false},
    EqualityCase{"NullAgainstADefault", R"({"spec":{"dnsPolicy":null}})",
                 R"({"spec":{"dnsPolicy":"ClusterFirst"}})", true},
    EqualityCase{"DefaultsMayBeNew", R"({"spec":{"containers":[{"name":"c"}]}})",
                 R"({"spec":{"containers":[{"name":"c","resources":{},
                     "terminationMessagePolicy":"File"}],"restartPolicy":"Always",
                     "terminationGracePeriodSeconds":30}})", true},
    EqualityCase{"OtherValuesMayNot", R"({"spec":{}})",
                 R"({"spec":{"terminationGracePeriodSeconds":5}})", false},
    EqualityCase{"UnknownMembersMayNot", R"({"spec":{}})", R"({"spec":{"new":true}})", false},
    EqualityCase{"StoredMembersMustBeThere", R"({"spec":{"dnsPolicy":"ClusterFirst"}})",
                 R"({"spec":{}})", false},
    EqualityCase{"ALabelHasNoDefault", R"({"metadata":{"labels":{}}})",
                 R"({"metadata":{"labels":{"dnsPolicy":"ClusterFirst"}}})", false},
    EqualityCase{"ALabelCalledPatch", R"({"metadata":{"labels":{"$patch":"x"}}})",
                 R"({"metadata":{"labels":{}}})", false},
    EqualityCase{"ListsAreOrdered", R"({"spec":{"a":["x","y"]}})", R"({"spec":{"a":["y","x"]}})",
                 false},
    EqualityCase{"ListsAreWhole", R"({"spec":{"a":["x"]}})", R"({"spec":{"a":["x","y"]}})", false},
    EqualityCase{"QuantitiesAreText", R"({"spec":{"cpu":"1"}})", R"({"spec":{"cpu":"1000m"}})",
                 false},
    EqualityCase{"KindsDiffer", R"({"spec":{"a":{}}})", R"({"spec":{"a":[]}})", false},
    EqualityCase{"ASidecarIsNoDefault", R"({"spec":{"initContainers":[{"name":"c"}]}})",
                 R"({"spec":{"initContainers":[{"name":"c","restartPolicy":"Always"}]}})", false},
    EqualityCase{"ADriversAttributeHasNoDefault",
                 R"({"spec":{"volumes":[{"csi":{"volumeAttributes":{}}}]}})",
                 R"({"spec":{"volumes":[{"csi":{"volumeAttributes":{"protocol":"TCP"}}}]}})",
                 false},
    EqualityCase{"NoTemplate", R"("x")", R"("x")", false}));
// clang-format on

/// Every place in a pod template, made from the schema of the API: an object in which it is the
/// only thing. `visit` gets the template, and the object that lacks the member.
class TemplatePlaces {
 public:
  using Visit = std::function<void(const davit::Json& pod_template, davit::Json& holder,
                                   const Field& member)>;
  explicit TemplatePlaces(Visit visit) : visit_(std::move(visit)) {}

  void walk() {
    const Message& set = *find_schema("apps/v1", "StatefulSet");
    const Message& pod_template = *set.find("spec")->message->find("template")->message;
    root_ = davit::Json::object({{"spec", davit::Json::object()}});
    walk(*pod_template.find("spec")->message, *root_.find("spec"));
  }

 private:
  static constexpr int kDepthMax = 8;  // A claim's template in a volume ends before.

  void walk(const Message& message, davit::Json& holder) {
    if (++depth_ <= kDepthMax) {
      for (const Field& each : message.fields) {
        visit_(root_, holder, each);
        if (each.message == nullptr || each.shape == FieldShape::kMap) continue;
        davit::Json& inner = holder[each.name];
        if (each.shape == FieldShape::kList) {
          inner = davit::Json::array({davit::Json::object()});
          walk(*each.message, inner.make_array().front());
        } else {
          inner = davit::Json::object();
          walk(*each.message, inner);
        }
        holder.erase(each.name);
      }
    }
    --depth_;
  }

  Visit visit_;
  davit::Json root_;
  int depth_ = 0;
};

davit::Json with_defaults(davit::Json pod_template) {
  sandbox::set_pod_spec_defaults(*pod_template.find("spec"));
  return pod_template;
}

/// Whether `whole` has everything that `part` has.
bool contains(const davit::Json& whole, const davit::Json& part) {
  if (whole.kind() != part.kind() || whole.size() < part.size()) return false;
  if (part.is_array()) {
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (!contains(whole.items()[i], part.items()[i])) return false;
    }
    return whole.size() == part.size();
  }
  if (!part.is_object()) return whole == part;
  return std::all_of(part.members().begin(), part.members().end(), [&](const auto& each) {
    const davit::Json* const found = whole.find(each.key);
    return found != nullptr && contains(*found, each.value);
  });
}

/// Values that are the default of some member, of each type.
std::vector<const char*> some_defaults(const Field& member) {
  if (member.shape != FieldShape::kOne) return {};
  switch (member.type) {
    case FieldType::kMessage:
      return {"{}"};
    case FieldType::kInt32:
    case FieldType::kInt64:
      return {"420", "3600", "30", "10", "3", "1"};
    case FieldType::kBoolean:
      return {"false", "true"};
    default:
      return {R"("")",     R"("/")",      R"("TCP")",  R"("v1")",
              R"("HTTP")", R"("Always")", R"("File")", R"("ClusterFirst")"};
  }
}

TEST(SemanticEqualityTest, EveryMemberOfTheSchemaHasTheDefaultOfTheServerAndNoOther) {
  std::size_t places = 0;
  std::size_t accepted = 0;
  TemplatePlaces([&](const davit::Json& pod_template, davit::Json& holder, const Field& member) {
    ++places;
    // That of an image depends on its tag, and a volume without any source becomes an emptyDir:
    // both have been stored since the first servers that keep revisions.
    if (member.name == "imagePullPolicy" || member.name == "emptyDir") return;
    davit::testing::Cluster cluster;
    const std::string stored = to_text(pod_template);
    const davit::Json defaulted = with_defaults(pod_template);
    for (const char* const value : some_defaults(member)) {
      holder.set(member.name, json_literal(value));
      const davit::Json present = pod_template;
      holder.erase(member.name);
      const davit::Json complete = with_defaults(present);
      // The server would have added that very value.
      const bool is_default = contains(defaulted, complete) && contains(complete, present);
      accepted += is_default ? 1 : 0;
      EXPECT_EQ(restores_to(cluster.value(stored), cluster.value(to_text(present))), is_default)
          << stored << " against " << to_text(present);
    }
  }).walk();
  EXPECT_GT(places, 500U);
  EXPECT_GT(accepted, 40U);
}

}  // namespace
}  // namespace davit::statefulset
