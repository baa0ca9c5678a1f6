/// The IPAddress objects that show which Service has which cluster IP, as kube-apiserver's
/// allocator and its repair loop keep them (k8s: pkg/registry/core/service/ipallocator). There are
/// none before the ServiceCIDR "kubernetes" exists.
#pragma once

#include "sandbox/rest/rest_parts.hpp"

namespace davit::sandbox {

/// A Service was stored: makes the objects of its addresses. `old`: its last state, or null.
void keep_addresses(const RestParts& parts, const Json& service, const Json* old);

/// An object of any kind was changed: replaces an IPAddress of a Service whose labels are gone.
void keep_labels(const RestParts& parts, const Resource& resource, const Version& stored);

/// An object of any kind has left the store: deletes the IPAddresses of a Service, makes that of a
/// Service that still has the address again, or reports the addresses that no range has any more.
void repair_addresses(const RestParts& parts, const Resource& resource, const Json& last);

/// Makes those that are missing, for Services that were stored without them.
void restore_addresses(const RestParts& parts);

}  // namespace davit::sandbox
