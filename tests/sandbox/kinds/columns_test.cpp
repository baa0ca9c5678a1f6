#include "sandbox/kinds/columns.hpp"

#include <gtest/gtest.h>

#include "tests/sandbox/kinds/cell_cases.hpp"

namespace davit::sandbox {
namespace {

struct HeadCase {
  std::string_view group;
  std::string_view plural;
  std::string_view names;  ///< Those of -o wide in parentheses.
};

// clang-format off
constexpr HeadCase kHeadCases[] = {
    {"", "pods", "Name Ready Status Restarts Age (IP) (Node) (Nominated Node) (Readiness Gates)"},
    {"apps", "deployments", "Name Ready Up-to-date Available Age (Containers) (Images) (Selector)"},
    {"", "services", "Name Type Cluster-IP External-IP Port(s) Age (Selector)"},
    {"", "configmaps", "Name Data Age"},
    {"events.k8s.io", "events",
     "Last Seen Type Reason Object (Subobject) (Source) Message (First Seen) (Count) (Name)"},
    {"", "componentstatuses", "Name Status Message Error"},
    {"", "limitranges", "Name Created At"},
    {"rbac.authorization.k8s.io", "clusterroles", "Name Created At"},
};
// clang-format on

TEST(ColumnsTest, KindsHaveTheColumnsOfTheRealServer) {
  for (const HeadCase& each : kHeadCases) {
    std::string names;
    for (const Column& column : columns_of(each.group, each.plural).columns) {
      if (!names.empty()) names += ' ';
      names += column.priority == 0 ? column.name : '(' + column.name + ')';
      EXPECT_EQ(column.format, column.name == "Name" ? "name" : "");
    }
    EXPECT_EQ(names, each.names) << each.plural;
  }
}

TEST(ColumnsTest, EveryColumnOfTheTableHasACell) {
  for (const KindColumns& each : kind_columns()) {
    const ColumnSet set = columns_of(each.group, each.plural);
    EXPECT_NE(set.cells, columns_of("", "limitranges").cells)
        << each.plural << ": write its cells into a file columns_….cpp";
    EXPECT_EQ(set.cells(Json::object(), WallTime()).size(), set.columns.size()) << each.plural;
  }
}

// The columns were once typed by hand, and this one had drifted.
TEST(ColumnsTest, TheAttacherOfAnAttachmentIsAName) {
  EXPECT_EQ(columns_of("storage.k8s.io", "volumeattachments").columns[1].format, "name");
}

TEST(ColumnsTest, TypesAreThoseThatClientsSortBy) {
  const ColumnSet replica_sets = columns_of("apps", "replicasets");
  EXPECT_EQ(replica_sets.columns[0].type, "string");
  EXPECT_EQ(replica_sets.columns[1].type, "integer");
  EXPECT_EQ(columns_of("batch", "cronjobs").columns[3].type, "boolean");
  EXPECT_EQ(columns_of("", "limitranges").columns[1].type, "date");
}

// clang-format off
constexpr CellCase kWorkloadCases[] = {
    {"apps", "deployments",
     R"({"spec":{"replicas":3,"selector":{"matchLabels":{"b":"2","a":"1"}},
         "template":{"spec":{"containers":[{"name":"c","image":"i:1"},{"name":"d",
         "image":"j"}]}}},"status":{"readyReplicas":1,"updatedReplicas":2}})",
     R"(["x","1/3",2,0,"60m","c,d","i:1,j","a=1,b=2"])"},
    {"apps", "replicasets",
     R"({"spec":{"replicas":3,"selector":{"matchLabels":{"c":"1"},
         "matchExpressions":[{"key":"a","operator":"In","values":["y","x"]},{"key":"d",
         "operator":"NotIn","values":["z"]},{"key":"b","operator":"Exists"},{"key":"e",
         "operator":"DoesNotExist"}]}},"status":{"replicas":2,"readyReplicas":1}})",
     R"(["x",3,2,1,"60m","","","a in (x,y),b,c=1,d notin (z),!e"])"},
    {"", "replicationcontrollers",
     R"({"spec":{"replicas":1,"selector":{"b":"1","a":""}},"status":{"replicas":0}})",
     R"(["x",1,0,0,"60m","","","a=,b=1"])"},
    {"apps", "statefulsets", R"({"spec":{"replicas":2},"status":{"readyReplicas":2}})",
     R"(["x","2/2","60m","",""])"},
    {"apps", "daemonsets",
     R"({"spec":{"selector":{"matchLabels":{"a":"1"}},
         "template":{"spec":{"nodeSelector":{"disk":"ssd"}}}},
         "status":{"desiredNumberScheduled":5,"currentNumberScheduled":4,"numberReady":3,
         "updatedNumberScheduled":2,"numberAvailable":1}})",
     R"(["x",5,4,3,2,1,"disk=ssd","60m","","","a=1"])"},
    {"batch", "jobs",
     R"({"spec":{"completions":3,"parallelism":2},"status":{"succeeded":1,
         "startTime":"2026-01-01T01:58:00Z"}})",
     R"(["x","Running","1/3","2m","60m","","","<none>"])"},
    {"batch", "jobs",
     R"({"spec":{"parallelism":2},"status":{"conditions":[{"type":"Complete","status":"True"}],
         "startTime":"2026-01-01T01:00:00Z","completionTime":"2026-01-01T01:00:07Z"}})",
     R"(["x","Complete","0/1 of 2","7s","60m","","","<none>"])"},
    {"batch", "jobs",
     R"({"metadata":{"deletionTimestamp":"2026-01-01T01:30:00Z"},"spec":{"parallelism":1},
         "status":{"conditions":[{"type":"Suspended","status":"True"}]}})",
     R"(["x","Terminating","0/1","","60m","","","<none>"])"},
    {"batch", "jobs",
     R"({"status":{"conditions":[{"type":"Failed","status":"False"},{"type":"Suspended",
         "status":"True"}]}})",
     R"(["x","Suspended","0/1","","60m","","","<none>"])"},
    {"batch", "cronjobs", R"({"spec":{"schedule":"* * * * *","suspend":false}})",
     R"(["x","* * * * *","<none>","False",0,"<none>","60m","","","<none>"])"},
    {"batch", "cronjobs",
     R"({"spec":{"schedule":"@daily","timeZone":"Etc/UTC","suspend":true},
         "status":{"active":[{}],"lastScheduleTime":"2026-01-01T01:59:30Z"}})",
     R"(["x","@daily","Etc/UTC","True",1,"30s","60m","","","<none>"])"},
    {"apps", "controllerrevisions",
     R"({"metadata":{"ownerReferences":[{"apiVersion":"apps/v1","kind":"DaemonSet","name":"ds",
         "controller":true}]},"revision":4})",
     R"(["x","daemonset.apps/ds",4,"60m"])"},
    {"apps", "controllerrevisions", R"({"revision":1})", R"(["x","<none>",1,"60m"])"},
    {"policy", "poddisruptionbudgets",
     R"({"spec":{"minAvailable":"50%"},"status":{"disruptionsAllowed":2}})",
     R"(["x","50%","N/A",2,"60m"])"},
    {"policy", "poddisruptionbudgets",
     R"({"spec":{"maxUnavailable":0}})", R"(["x","N/A","0",0,"60m"])"},
    {"autoscaling", "horizontalpodautoscalers",
     R"({"spec":{"scaleTargetRef":{"kind":"Deployment","name":"web"},"minReplicas":2,
         "maxReplicas":9,"metrics":[{"type":"Resource","resource":{"name":"cpu",
         "target":{"averageUtilization":80}}},{"type":"Pods",
         "pods":{"target":{"averageValue":"5"}}},{"type":"External",
         "external":{"target":{"value":"1"}}}]},"status":{"currentReplicas":3,
         "currentMetrics":[{"type":"Resource","resource":{"name":"cpu",
         "current":{"averageUtilization":50}}}]}})",
     R"(["x","Deployment/web","cpu: 50%/80%, <unknown>/5 + 1 more...","2",9,3,"60m"])"},
    {"autoscaling", "horizontalpodautoscalers",
     R"({"spec":{"scaleTargetRef":{"kind":"ReplicaSet","name":"web"},"maxReplicas":2}})",
     R"(["x","ReplicaSet/web","<none>","<unset>",2,0,"60m"])"},
};

constexpr CellCase kNetworkCases[] = {
    {"", "services",
     R"({"spec":{"type":"ClusterIP","clusterIPs":["10.0.0.7"],"ports":[{"port":80,
         "protocol":"TCP"},{"port":53,"protocol":"UDP"}],"selector":{"a":"b"}}})",
     R"(["x","ClusterIP","10.0.0.7","<none>","80/TCP,53/UDP","60m","a=b"])"},
    {"", "services",
     R"({"spec":{"type":"NodePort","clusterIPs":["10.0.0.7"],"externalIPs":["1.1.1.1",
         "2.2.2.2"],"ports":[{"port":80,"nodePort":30492,"protocol":"TCP"}]}})",
     R"(["x","NodePort","10.0.0.7","1.1.1.1,2.2.2.2","80:30492/TCP","60m","<none>"])"},
    {"", "services", R"({"spec":{"type":"LoadBalancer","clusterIPs":["10.0.0.7"]}})",
     R"(["x","LoadBalancer","10.0.0.7","<pending>","<none>","60m","<none>"])"},
    {"", "services",
     R"({"spec":{"type":"LoadBalancer","clusterIPs":["10.0.0.7"],"externalIPs":["9.9.9.9"]},
         "status":{"loadBalancer":{"ingress":[{"hostname":"lb"},{"ip":"1.2.3.4"}]}}})",
     R"(["x","LoadBalancer","10.0.0.7","1.2.3.4,lb,9.9.9.9","<none>","60m","<none>"])"},
    {"", "services", R"({"spec":{"type":"ExternalName","externalName":"a.example"}})",
     R"(["x","ExternalName","<none>","a.example","<none>","60m","<none>"])"},
    {"", "endpoints", R"({})", R"(["x","<none>","60m"])"},
    {"", "endpoints",
     R"({"subsets":[{"addresses":[{"ip":"10.1.1.1"},{"ip":"10.1.1.2"}],"ports":[{"port":80},
         {"port":443}]},{"addresses":[{"ip":"fd00::1"}]}]})",
     R"(["x","10.1.1.1:80,10.1.1.2:80,10.1.1.1:443 + 2 more...","60m"])"},
    {"discovery.k8s.io", "endpointslices",
     R"({"addressType":"IPv4","ports":[{"port":80},{"name":""}],
         "endpoints":[{"addresses":["10.1.1.1"]},{"addresses":["10.1.1.2","10.1.1.3",
         "10.1.1.4"]}]})",
     R"(["x","IPv4","80,*","10.1.1.1,10.1.1.2,10.1.1.3 + 1 more...","60m"])"},
    {"discovery.k8s.io", "endpointslices", R"({"addressType":"FQDN"})",
     R"(["x","FQDN","<unset>","<unset>","60m"])"},
    {"networking.k8s.io", "ingresses",
     R"({"spec":{"ingressClassName":"nginx","tls":[{}],"rules":[{"host":"a"},{"host":"b"}]},
         "status":{"loadBalancer":{"ingress":[{"ip":"1.2.3.4"}]}}})",
     R"(["x","nginx","a,b","1.2.3.4","80, 443","60m"])"},
    {"networking.k8s.io", "ingresses",
     R"({"spec":{"rules":[{}]}})", R"(["x","<none>","*","","80","60m"])"},
    {"networking.k8s.io", "networkpolicies",
     R"({"spec":{"podSelector":{}}})", R"(["x","<none>","60m"])"},
};

constexpr CellCase kClusterCases[] = {
    {"", "componentstatuses",
     R"({"conditions":[{"type":"Other","status":"True"},{"type":"Healthy","status":"False",
         "message":"m","error":"e"}]})",
     R"(["x","Unhealthy","m","e"])"},
    {"", "nodes",
     R"({"metadata":{"labels":{"node-role.kubernetes.io/worker":"","kubernetes.io/role":"edge",
         "node-role.kubernetes.io/control-plane":""}},"spec":{"unschedulable":true},
         "status":{"conditions":[{"type":"Ready","status":"True"}],
         "addresses":[{"type":"InternalIP","address":"10.9.0.1"}],
         "nodeInfo":{"kubeletVersion":"v1.36.0","osImage":"Debian","kernelVersion":"6.1",
         "architecture":"amd64","containerRuntimeVersion":"containerd://2"}}})",

      R"x(["x","Ready,SchedulingDisabled","control-plane,edge,worker","60m","v1.36.0","10.9.0.1",)x"
     R"x("<none>","Debian","6.1 (amd64)","containerd://2"])x"},
    {"", "nodes", R"({"status":{"conditions":[{"type":"Ready","status":"Unknown"}]}})",
     R"(["x","NotReady","<none>","60m","","<none>","<none>","<unknown>","<unknown>","<unknown>"])"},
    {"", "nodes", R"({})",
     R"(["x","Unknown","<none>","60m","","<none>","<none>","<unknown>","<unknown>","<unknown>"])"},
    {"", "namespaces", R"({"status":{"phase":"Terminating"}})", R"(["x","Terminating","60m"])"},
    {"", "events",
     R"({"involvedObject":{"kind":"Pod","name":"p","fieldPath":"spec.containers{c}"},
         "type":"Normal","reason":"Pulled","message":" done\n","source":{"component":"kubelet",
         "host":"n1"},"firstTimestamp":"2026-01-01T01:50:00Z",
         "lastTimestamp":"2026-01-01T01:59:00Z","count":4})",
     R"(["60s","Normal","Pulled","pod/p","spec.containers{c}","kubelet, n1","done","10m",4,"x"])"},
    {"", "events",
     R"({"involvedObject":{"kind":"Node"},"type":"Warning","reason":"R",
         "reportingComponent":"c/d","reportingInstance":"i",
         "eventTime":"2026-01-01T01:59:50.000000Z","firstTimestamp":null,"lastTimestamp":null})",
     R"(["10s","Warning","R","node","","c/d, i","","10s",1,"x"])"},
    {"events.k8s.io", "events",
     R"({"involvedObject":{"kind":"Pod","name":"p"},"eventTime":"2026-01-01T01:59:50.000000Z",
         "series":{"count":7,"lastObservedTime":"2026-01-01T01:59:55.000000Z"}})",
     R"(["5s","","","pod/p","","","","10s",7,"x"])"},
    {"coordination.k8s.io", "leases", R"({"spec":{"holderIdentity":"me"}})", R"(["x","me","60m"])"},
    {"scheduling.k8s.io", "priorityclasses",
     R"({"value":1000,"globalDefault":true,"preemptionPolicy":"Never"})",
     R"(["x",1000,true,"60m","Never"])"},
    {"", "resourcequotas",
     R"({"status":{"hard":{"pods":"10","limits.cpu":"2","requests.cpu":"1"},"used":{"pods":"3"}}})",
     R"(["x","pods: 3/10, requests.cpu: 0/1","limits.cpu: 0/2","60m"])"},
    {"apiregistration.k8s.io", "apiservices",
     R"({"spec":{"service":{"namespace":"a","name":"b"}},
         "status":{"conditions":[{"type":"Available","status":"False","reason":"Gone"}]}})",
     R"x(["x","a/b","False (Gone)","60m"])x"},
};

constexpr CellCase kConfigCases[] = {
    {"", "configmaps", R"({"data":{"a":"1","b":"2"},"binaryData":{"c":""}})", R"(["x",3,"60m"])"},
    {"", "secrets", R"({"type":"Opaque","data":{"a":"MQ=="}})", R"(["x","Opaque",1,"60m"])"},
    {"", "serviceaccounts", R"({})", R"(["x","60m"])"},
    {"rbac.authorization.k8s.io", "rolebindings",
     R"({"roleRef":{"kind":"ClusterRole","name":"view"},"subjects":[{"kind":"User","name":"a"},
         {"kind":"User","name":"b"},{"kind":"Group","name":"g"},{"kind":"ServiceAccount",
         "namespace":"n","name":"s"}]})",
     R"(["x","ClusterRole/view","60m","a, b","g","n/s"])"},
    {"certificates.k8s.io", "certificatesigningrequests",
     R"({"spec":{"signerName":"s","username":"u","expirationSeconds":86400},
         "status":{"conditions":[{"type":"Approved"}],"certificate":"AA=="}})",
     R"(["x","60m","s","u","24h","Approved,Issued"])"},
    {"rbac.authorization.k8s.io", "roles", R"({})", R"(["x","2026-01-01T01:00:00Z"])"},
    {"", "persistentvolumeclaims",
     R"({"spec":{"volumeName":"pv","storageClassName":"fast","volumeMode":"Filesystem"},
         "status":{"phase":"Bound","accessModes":["ReadWriteMany","ReadWriteOnce"],
         "capacity":{"storage":"1Gi"}}})",
     R"(["x","Bound","pv","1Gi","RWO,RWX","fast","<unset>","60m","Filesystem"])"},
    {"", "persistentvolumeclaims", R"({"status":{"phase":"Pending"}})",
     R"(["x","Pending","","","","","<unset>","60m","<unset>"])"},
    {"", "persistentvolumes",
     R"({"spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],
         "persistentVolumeReclaimPolicy":"Retain","claimRef":{"namespace":"n","name":"c"}},
         "status":{"phase":"Bound"}})",
     R"(["x","1Gi","RWO","Retain","Bound","n/c","","<unset>","","60m","<unset>"])"},
    {"storage.k8s.io", "csidrivers", R"({"spec":{}})",
     R"(["x",true,false,false,"<unset>",false,"<none>","60m"])"},
    {"storage.k8s.io", "csidrivers",
     R"({"spec":{"attachRequired":false,"podInfoOnMount":true,"storageCapacity":true,
         "requiresRepublish":true,"tokenRequests":[{"audience":"a"},{"audience":"b"}],
         "volumeLifecycleModes":["Persistent","Ephemeral"]}})",
     R"(["x",false,true,true,"a,b",true,"Persistent,Ephemeral","60m"])"},
    {"storage.k8s.io", "volumeattachments",
     R"({"spec":{"attacher":"d","nodeName":"n1","source":{"persistentVolumeName":"pv"}},
         "status":{"attached":true}})",
     R"(["x","d","pv","n1",true,"60m"])"},
    {"storage.k8s.io", "storageclasses",
     R"({"metadata":{"annotations":{"storageclass.kubernetes.io/is-default-class":"true"}},
         "provisioner":"p"})",
     R"x(["x (default)","p","Delete","Immediate",false,"60m"])x"},
};
// clang-format on

TEST(ColumnsTest, CellsOfWorkloadsFollowTheRealPrinters) {
  for (const CellCase& each : kWorkloadCases) {
    EXPECT_EQ(to_text(cells_of(each.group, each.plural, each.object)), each.cells);
  }
}

TEST(ColumnsTest, CellsOfServicesAndTheirEndpointsFollowTheRealPrinters) {
  for (const CellCase& each : kNetworkCases) {
    EXPECT_EQ(to_text(cells_of(each.group, each.plural, each.object)), each.cells);
  }
}

TEST(ColumnsTest, CellsOfClusterObjectsFollowTheRealPrinters) {
  for (const CellCase& each : kClusterCases) {
    EXPECT_EQ(to_text(cells_of(each.group, each.plural, each.object)), each.cells);
  }
}

TEST(ColumnsTest, CellsOfConfigurationAndStorageFollowTheRealPrinters) {
  for (const CellCase& each : kConfigCases) {
    EXPECT_EQ(to_text(cells_of(each.group, each.plural, each.object)), each.cells);
  }
}

}  // namespace
}  // namespace davit::sandbox
