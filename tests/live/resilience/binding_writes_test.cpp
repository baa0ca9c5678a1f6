/// Row PV003 of docs/spec/volumes.md by the API server's audit log. Needs KUBEBUILDER_ASSETS.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/live/resilience/writes.hpp"
#include "tests/live/support/control_plane.hpp"

namespace davit::live {
namespace {

using std::chrono::minutes;
using testing::ElementsAre;

constexpr char kVolume[] = R"(
apiVersion: v1
kind: PersistentVolume
metadata: {name: v}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOnce]
  storageClassName: none
  hostPath: {path: /x}
)";

std::string claim(const std::string& name, const std::string& storage_class) {
  return "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: " + name +
         "}\nspec: {accessModes: [ReadWriteOnce], storageClassName: '" + storage_class +
         "', resources: {requests: {storage: 1Gi}}}\n";
}

TEST(BindingWritesTest, PV003_TheServerSeesFourWritesInTheirOrder) {
  if (assets().empty()) GTEST_SKIP() << no_assets();
  const AuditLog audit;
  ControlPlane cluster(audit.options());
  const auto becomes = [&](const std::vector<std::string>& object, const std::string& path,
                           const auto& is_right) {
    return eventually(minutes(4), [&] {
      std::vector<std::string> args = {"get"};
      args.insert(args.end(), object.begin(), object.end());
      args.push_back("-o=jsonpath=" + path);
      return is_right(cluster.kubectl(args).out);
    });
  };
  const auto is = [](const std::string& wanted) {
    return [wanted](const std::string& found) { return found == wanted; };
  };
  const auto davit = cluster.davit({"--controllers=persistentvolume-binder-controller",
                                    "--leader-elect=false", "--pvclaimbinder-sync-period=1s"});
  cluster.must({"create", "-f", "-"}, kVolume);
  ASSERT_TRUE(becomes({"pv", "v"}, "{.status.phase}", is("Available"))) << davit->output();
  cluster.must({"create", "-f", "-"}, claim("c", "none"));
  ASSERT_TRUE(becomes({"pvc", "c"}, "{.status.phase}", is("Bound"))) << davit->output();
  // Each pass over all objects has an Event for a claim that waits.
  cluster.must({"create", "-f", "-"}, claim("waiting", ""));
  ASSERT_TRUE(becomes({"events", "--field-selector=involvedObject.name=waiting"},
                      "{.items[0].count}",
                      [](const std::string& count) { return std::atoi(count.c_str()) >= 4; }))
      << davit->output();

  std::vector<std::string> writes;
  for (const AuditedWrite& each : audit.writes()) {
    if (each.program == "davit") writes.push_back(each.what + " " + each.name);
  }
  // The first one makes the volume available.
  EXPECT_THAT(writes,
              ElementsAre("patch persistentvolumes/status v", "patch persistentvolumes v",
                          "patch persistentvolumes/status v", "patch persistentvolumeclaims c",
                          "patch persistentvolumeclaims/status c"));
}

}  // namespace
}  // namespace davit::live
