/// The validation of webhook configurations, APIServices and flow control.
#pragma once

#include <string>
#include <vector>

#include "lib/kube/json.hpp"
#include "lib/kube/validation/field_error.hpp"

namespace davit::sandbox {

// Each adds what it finds in `object`, metadata left out. `old` is the object before an update, or
// null.

/// k8s: pkg/apis/admissionregistration/validation, both kinds of webhook configurations.
void check_webhooks(const Json& object, const Json* old, FieldErrors& errors);
/// The same page: ValidatingAdmissionPolicy, MutatingAdmissionPolicy and their bindings.
void check_admission_policy(const Json& object, const Json* old, FieldErrors& errors);
void check_admission_policy_status(const Json& object, FieldErrors& errors);
/// k8s: kube-aggregator/pkg/apis/apiregistration/validation.
void check_api_service(const Json& object, const Json* old, FieldErrors& errors);
void check_api_service_status(const Json& object, FieldErrors& errors);
/// k8s: pkg/apis/flowcontrol/validation, without the fixed contents of mandatory objects.
void check_flow_schema(const Json& object, const Json* old, FieldErrors& errors);
void check_priority_level(const Json& object, const Json* old, FieldErrors& errors);
/// The status of both.
void check_flow_control_status(const Json& object, FieldErrors& errors);
/// k8s: pkg/apis/resource/validation. The spec of a claim or template never changes.
void check_resource_claim(const Json& object, const Json* old, FieldErrors& errors);
void check_resource_claim_template(const Json& object, const Json* old, FieldErrors& errors);
void check_device_class(const Json& object, const Json* old, FieldErrors& errors);
void check_resource_slice(const Json& object, const Json* old, FieldErrors& errors);
void check_device_taint_rule(const Json& object, const Json* old, FieldErrors& errors);
void check_taint_rule_status(const Json& object, FieldErrors& errors);
/// Removes what a server without DRAListTypeAttributes and DRANodeAllocatableResources ignores.
void drop_disabled_attributes(Json& slice);
/// Driver names should be lowercase.
[[nodiscard]] std::vector<std::string> slice_warnings(const Json& slice);
/// Consumers, devices and allocation of a claim. k8s: validateResourceClaimStatusUpdate.
void check_resource_claim_status(const Json& object, const Json& old, FieldErrors& errors);
/// Restores the metadata that a status update must not change. k8s: ResetObjectMetaForStatus.
void keep_metadata(Json& object, const Json& old);
/// The same, and removes the status of devices that the claim no longer has. k8s:
/// pkg/registry/resource/resourceclaim, dropDeallocatedStatusDevices.
void prepare_claim_status(Json& object, const Json& old);

}  // namespace davit::sandbox
