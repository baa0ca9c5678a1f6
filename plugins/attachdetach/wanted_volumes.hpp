/// The volumes that pods need on their nodes. Rule: docs/spec/attachdetach.md, 4.
#pragma once

#include <davit/queue.hpp>
#include <davit/result.hpp>
#include <optional>

#include "plugins/attachdetach/parts.hpp"

namespace davit::attachdetach {

/// Looks at a pod again, and adds the volumes that change to their queue. Thread-safe.
void look_at_pod(const Parts& parts, const Key& key);
/// The sync of a claim: adds the pods that use it.
[[nodiscard]] Result<Again> sync_claim(const Parts& parts, const Key& key);
/// Takes over an attachment that is there: as a pair that is to be confirmed or detached, or as one
/// that keeps the volume from other nodes. The caller has the lock.
void adopt(const Parts& parts, const volumes::Attachment& attachment);

}  // namespace davit::attachdetach
