/// Rows AD014 to AD017, AD063 to AD065 and AD068: the sources of volumes and their names.
#include <string>

#include "tests/plugins/attachdetach/fixture.hpp"

namespace davit::attachdetach {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SourcesTest : public AttachDetachTest {
 protected:
  void SetUp() override {
    add_world();
    start();
  }
  /// The handle that a volume with this source is attached by.
  std::string handle_of(const std::string& source, const std::string& labels = "{}") {
    return resolved(source, labels).handle;
  }
  Source resolved(const std::string& source, const std::string& labels = "{}") {
    const std::optional<Source> out = source_of(cluster_.view_of<volumes::Volume>(
        R"({"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"pv","labels":)" +
        labels + R"(},"spec":)" +
        [&] {
          Json spec = Json::must(R"({"claimRef":{"namespace":"cns"}})");
          merge_patch(spec, Json::must(source));
          return spec.dump();
        }() +
        "}"));
    return out.value_or(Source{});
  }
};

TEST_F(SourcesTest, AD014_VolumesThatNeedNoAttachmentGetNone) {
  int i = 0;
  for (const char* source : {R"({"csi":{"driver":"d"}})", R"({"nfs":{"server":"s","path":"/"}})",
                             R"({"hostPath":{"path":"/x"}})", R"({"emptyDir":{}})"}) {
    add_pod_with("p" + std::to_string(++i), source);
  }
  add_volume("local", R"({"local":{"path":"/x"}})");
  add_pod("p0", "local");
  run();
  EXPECT_THAT(requests(), IsEmpty());
}

TEST_F(SourcesTest, AD015_AnIscsiVolumeIsReportedWithoutAnAttachment) {
  const auto source = [](int lun) {
    return R"({"iscsi":{"targetPortal":"1.2.3.4:3260","iqn":
        "iqn.2001-04.com.example:storage","lun":)" +
           std::to_string(lun) + "}}";
  };
  const std::string name = "kubernetes.io/iscsi/1.2.3.4:3260:iqn.2001-04.com.example:storage:";
  add_volume("vi", source(7));
  add_pod("p1", "vi");
  add_pod_with("p2", source(8), "n1");
  add_pod_with("p3", source(8), "n2");
  run();
  EXPECT_EQ(report("n1"), name + "7 " + name + "8");
  EXPECT_EQ(report("n2"), name + "8") << "an inline one is for any number of nodes";
  const std::string text =
      "Normal SuccessfulAttachVolume AttachVolume.Attach succeeded for volume ";
  EXPECT_EQ(times(text + "\"vi\" "), 1);
  EXPECT_EQ(times(text + "\"v\" "), 2) << "an inline one has the name in the pod";
  erase_pod("p1");
  EXPECT_EQ(report("n1"), name + "8");
  EXPECT_THAT(requests(), ::testing::Each(HasSubstr(" nodes/"))) << "there is no attachment";
}

TEST_F(SourcesTest, AD015_AnIscsiVolumeForOneNodeWaitsForIt) {
  add_volume("vi", R"({"iscsi":{"targetPortal":"t","iqn":"i","lun":0}})");
  add_pod("p1", "vi");
  run();
  add_pod("p2", "vi", "n2");
  run();
  EXPECT_EQ(report("n2"), "");
  erase_pod("p1");
  EXPECT_EQ(report("n2"), "kubernetes.io/iscsi/t:i:0");
}

TEST_F(SourcesTest, AD016_TheNamesOfFcVolumesHaveTheirPorts) {
  EXPECT_EQ(resolved(R"({"fc":{"targetWWNs":["50060e801049cfd1"],"lun":3}})").name,
            "kubernetes.io/fc/[50060e801049cfd1]:3");
  EXPECT_EQ(resolved(R"({"fc":{"targetWWNs":["a","b"],"lun":0}})").name,
            "kubernetes.io/fc/[a b]:0");
  EXPECT_EQ(resolved(R"({"fc":{"wwids":["w1","w2"]}})").name, "kubernetes.io/fc/[w1 w2]");
}

TEST_F(SourcesTest, AD016_AnFcVolumeIsReportedWithoutAnAttachment) {
  add_volume("one", R"({"fc":{"targetWWNs":["50060e801049cfd1"],"lun":3}})");
  add_volume("two", R"({"fc":{"targetWWNs":["a","b"],"lun":0}})");
  add_volume("ids", R"({"fc":{"wwids":["w1","w2"]}})");
  for (const char* each : {"one", "two", "ids"}) add_pod(std::string("p-") + each, each);
  run();
  EXPECT_EQ(report(),
            "kubernetes.io/fc/[50060e801049cfd1]:3 kubernetes.io/fc/[a b]:0 "
            "kubernetes.io/fc/[w1 w2]");
  EXPECT_THAT(requests(), ::testing::Each(HasSubstr(" nodes/"))) << "there is no attachment";
  erase_pod("p-two");
  EXPECT_EQ(report(), "kubernetes.io/fc/[50060e801049cfd1]:3 kubernetes.io/fc/[w1 w2]");
}

TEST_F(SourcesTest, AD017_AnEphemeralVolumeIsAttachedByTheClaimOfThePod) {
  add_volume("p1-v");
  const std::string source = R"({"ephemeral":{"volumeClaimTemplate":{"spec":{"accessModes":
      ["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}}})";
  add_pod_with("p1", source);
  run();
  EXPECT_EQ(creates(), 0U) << "the claim is not the pod's";
  add_claim("p1-v", "p1-v", "Bound", "ns",
            R"({"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p1","controller":true,
            "uid":")" +
                std::string(cluster_.find<Pod>({"ns", "p1"})->uid()) + R"("}]})");
  run();
  EXPECT_TRUE(has(attachment("n1", "h-p1-v")));
}

TEST_F(SourcesTest, AD063_AnInTreeVolumeIsAttachedByItsCsiDriver) {
  add_volume("aws", R"({"awsElasticBlockStore":{"volumeID":"aws://z/vol-1"}})");
  add_pod("p1", "aws");
  run();
  const std::string name = attachment("n1", "vol-1", "ebs.csi.aws.com");
  ASSERT_TRUE(has(name));
  EXPECT_EQ(cluster_.find<Attachment>({"", name})->volume_name(), "aws");
  attached(name);
  EXPECT_EQ(report(), "kubernetes.io/csi/ebs.csi.aws.com^vol-1");
}

TEST_F(SourcesTest, AD064_EachInTreeSourceHasItsHandle) {
  const std::string gce = R"({"gcePersistentDisk":{"pdName":"disk"}})";
  EXPECT_EQ(handle_of(gce), "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/disk");
  EXPECT_EQ(handle_of(gce, R"({"topology.kubernetes.io/zone":"z"})"),
            "projects/UNSPECIFIED/zones/z/disks/disk");
  EXPECT_EQ(handle_of(gce, R"({"topology.kubernetes.io/zone":"a__b",
                               "topology.kubernetes.io/region":"r"})"),
            "projects/UNSPECIFIED/regions/r/disks/disk");
  EXPECT_EQ(handle_of(R"({"cinder":{"volumeID":"c"}})"), "c");
  EXPECT_EQ(handle_of(R"({"azureDisk":{"diskName":"n","diskURI":"/uri"}})"), "/uri");
  const std::string secret = R"("secretName":"azure-storage-account-acc-secret")";
  EXPECT_EQ(handle_of(R"({"azureFile":{"shareName":"s",)" + secret + "}}"), "#acc#s#pv#cns");
  EXPECT_EQ(handle_of(R"({"azureFile":{"shareName":"s","secretNamespace":"sn",)" + secret + "}}"),
            "#acc#s#pv#sn");
  EXPECT_EQ(handle_of(R"({"azureFile":{"shareName":"s","secretName":"other"}})"),
            "#other#s#pv#cns");
  EXPECT_EQ(handle_of(R"({"vsphereVolume":{"volumePath":"[ds] p"}})"), "[ds] p");
  EXPECT_EQ(handle_of(R"({"portworxVolume":{"volumeID":"p"}})"), "p");
  EXPECT_EQ(handle_of(R"({"awsElasticBlockStore":{"volumeID":"vol-2"}})"), "vol-2");
}

TEST_F(SourcesTest, AD064_EachInTreeSourceIsAttachedByItsDriver) {
  struct Case {
    const char* source;
    const char* driver;
    const char* handle;
  };
  constexpr Case kCases[] = {
      {R"({"gcePersistentDisk":{"pdName":"disk"}})", "pd.csi.storage.gke.io",
       "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/disk"},
      {R"({"cinder":{"volumeID":"c"}})", "cinder.csi.openstack.org", "c"},
      {R"({"azureDisk":{"diskName":"n","diskURI":"/uri"}})", "disk.csi.azure.com", "/uri"},
      {R"({"azureFile":{"shareName":"s","secretName":"other"}})", "file.csi.azure.com",
       "#other#s#v4#ns"},
      {R"({"vsphereVolume":{"volumePath":"[ds] p"}})", "csi.vsphere.vmware.com", "[ds] p"},
      {R"({"portworxVolume":{"volumeID":"p"}})", "pxd.portworx.com", "p"},
  };
  int i = 0;
  for (const Case& each : kCases) {
    const std::string name = "v" + std::to_string(++i);
    add_volume(name, each.source);
    add_pod("p-" + name, name);
    run();
    const std::string expected = attachment("n1", each.handle, each.driver);
    ASSERT_TRUE(has(expected)) << each.source;
    const Attachment found = *cluster_.find<Attachment>({"", expected});
    EXPECT_EQ(found.driver(), each.driver);
    EXPECT_EQ(found.volume_name(), name) << "by the volume, not by a copy of its source";
    EXPECT_TRUE(found.spec()["source"]["inlineVolumeSpec"].is_absent());
    attached(expected);
    EXPECT_THAT(report(),
                HasSubstr(std::string("kubernetes.io/csi/") + each.driver + "^" + each.handle));
  }
}

TEST_F(SourcesTest, AD065_AnIdOfAnUnknownFormIsNotAttached) {
  add_volume("aws", R"({"awsElasticBlockStore":{"volumeID":"aws://z/xx"}})");
  add_pod("p1", "aws");
  run();
  EXPECT_THAT(requests(), IsEmpty());
}

TEST_F(SourcesTest, AnInlineVolumeOfAnInTreePluginIsKeptAndNotMade) {
  const std::string source = R"({"awsElasticBlockStore":{"volumeID":"vol-1"}})";
  const std::string name = attachment("n2", "vol-1", "ebs.csi.aws.com");
  add_attachment(name, "", "n2", true);
  cluster_.merge<Attachment>({"", name}, R"({"spec":{"attacher":"ebs.csi.aws.com","source":
      {"persistentVolumeName":null,"inlineVolumeSpec":{"csi":{"driver":"ebs.csi.aws.com",
      "volumeHandle":"vol-1"}}}}})");
  restart();
  EXPECT_FALSE(has(name)) << "no pod wants it";
  add_pod_with("p1", source);
  run();
  EXPECT_EQ(creates(), 0U);
  EXPECT_EQ(times("Warning FailedAttachVolume inline volume \"v\" of a migrated plugin is not "
                  "supported"),
            1);
}

TEST_F(SourcesTest, AD068_AHandleMayBeAnyText) {
  int i = 0;
  for (const std::string& handle :
       {std::string("a^b"), std::string(10000, 'x'), std::string("a b"), std::string("größe/1")}) {
    const std::string name = "odd" + std::to_string(++i);
    add_volume(name, csi(handle));
    add_pod(name, name);
    run();
    ASSERT_TRUE(has(attachment("n1", handle)));
    attached(attachment("n1", handle));
    EXPECT_THAT(report(), HasSubstr(handle));
    restart();
    erase_pod(name);
    EXPECT_FALSE(has(attachment("n1", handle)));
    EXPECT_EQ(report(), "");
  }
}

}  // namespace
}  // namespace davit::attachdetach
