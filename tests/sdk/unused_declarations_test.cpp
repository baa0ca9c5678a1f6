// The declarations of a note that its controllers do not need.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/kube/pod.hpp>
#include <davit/testing/cluster.hpp>

namespace davit {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Labels every pod.
class Labeller final : public Controller {
 public:
  explicit Labeller(Context& context)
      : queue_(context.open_queue(
            {.name = "labeller"},
            [&context](const Key& key) -> Result<Again> {
              constexpr const char* kLabel = R"({"metadata":{"labels":{"seen":"yes"}}})";
              const Status patched =
                  context.client().patch<Pod>(key, PatchType::kMerge, kLabel).error();
              if (!patched.ok()) return patched;
              return Again::when_changed();
            })),
        pods_(context.open_informer<Pod>({.added = [this](const Pod& pod) { queue_.add(pod); }})) {}

 private:
  Queue queue_;
  Informer<Pod> pods_;
};

std::string note_with(const std::string& rules, const std::string& watches) {
  return R"({"name":"labeller","version":"0.1.0","abi":"1.0","requires":["davit.object/1"],
    "controllers":[{"name":"labeller","rules":[)" +
         rules + R"(],"watches":[)" + watches + R"(]},{"name":"other","rules":[
    {"group":"","resource":"secrets","verbs":["get"]}],"watches":[]}]})";
}

constexpr const char* kPods = R"({"group":"","version":"v1","resource":"pods"})";

/// The unused declarations of a note after one pod was labelled.
std::vector<std::string> unused_of(const std::string& rules, const std::string& watches) {
  testing::Cluster cluster({.note = note_with(rules, watches)});
  EXPECT_TRUE(cluster.start("labeller", &make<Labeller>).ok());
  cluster.add(testing::PodBuilder("web"));
  cluster.run_until_idle();
  EXPECT_THAT(cluster.violations(), IsEmpty());
  return cluster.unused_declarations();
}

TEST(UnusedDeclarationsTest, NoteWithWhatIsNeededHasNone) {
  EXPECT_THAT(unused_of(R"({"group":"","resource":"pods","verbs":["patch"]})", kPods), IsEmpty());
  EXPECT_THAT(unused_of(R"({"group":"*","resource":"*","verbs":["*"]})", kPods), IsEmpty());
}

TEST(UnusedDeclarationsTest, VerbsAndRulesWithoutRequestAreNamed) {
  EXPECT_THAT(
      unused_of(R"({"group":"","resource":"pods","verbs":["patch","delete"]},
                   {"group":"apps","resource":"deployments","subresource":"scale","verbs":["get"]},
                   {"group":"","resource":"pods","subresource":"finalizers","verbs":["update"]},
                   {"nonResourceURLs":["/version"],"verbs":["get"]})",
                kPods),
      ElementsAre(
          R"(labeller: nothing needed "delete" of the rule {"group":"","resource":"pods",…};)"
          " remove it, or test what needs it",
          R"(labeller: nothing needed "get" of the rule {"group":"apps",)"
          R"("resource":"deployments","subresource":"scale",…}; remove it, or test what )"
          "needs it"));
}

TEST(UnusedDeclarationsTest, WatchesWithoutInformerAreNamed) {
  EXPECT_THAT(
      unused_of(R"({"group":"","resource":"pods","verbs":["patch"]})",
                std::string(kPods) +
                    R"(,{"group":"apps","version":"v1","resource":"deployments"},
                                {"group":"","version":"v1","resource":"pods",
                                 "labelSelector":"a=b"})"),
      ElementsAre(R"(labeller: no informer was opened for the watch {"group":"apps",)"
                  R"("version":"v1","resource":"deployments",…}; remove it, or open the )"
                  "informer",
                  R"(labeller: no informer was opened for the watch {"group":"",)"
                  R"("version":"v1","resource":"pods",…}; remove it, or open the informer)"));
}

}  // namespace
}  // namespace davit
