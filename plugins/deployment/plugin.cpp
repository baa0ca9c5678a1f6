#include <davit/entry.hpp>

#include "plugins/deployment/deployment_controller.hpp"

DAVIT_PLUGIN(R"({
  "name": "deployment", "version": "0.1.0", "abi": "1.0",
  "controllers": [{
    "name": "deployment-controller", "aliases": ["deployment"],
    "clientName": "deployment-controller", "workers": 5,
    "rules": [
      {"group": "apps", "resource": "deployments", "verbs": ["patch"]},
      {"group": "apps", "resource": "deployments", "subresource": "status", "verbs": ["patch"]},
      {"group": "apps", "resource": "deployments", "subresource": "finalizers",
       "verbs": ["update"]},
      {"group": "apps", "resource": "replicasets", "verbs": ["create", "patch", "delete"]}],
    "watches": [
      {"group": "apps", "version": "v1", "resource": "deployments"},
      {"group": "apps", "version": "v1", "resource": "replicasets"},
      {"group": "", "version": "v1", "resource": "pods", "projection": [
        "metadata.ownerReferences[].controller", "metadata.ownerReferences[].kind",
        "metadata.ownerReferences[].name", "metadata.ownerReferences[].uid", "status.phase"]}]}]
})",
             {"deployment-controller", &davit::deployment::DeploymentController::open});
