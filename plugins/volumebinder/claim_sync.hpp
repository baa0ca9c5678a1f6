/// The sync of a claim: finds it a volume, binds both, or asks for a new volume.
#pragma once

#include <davit/lookup.hpp>
#include <davit/queue.hpp>
#include <davit/result.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "plugins/shared/volumes/views.hpp"
#include "plugins/volumebinder/parts.hpp"
#include "plugins/volumebinder/patches.hpp"

namespace davit::volumebinder {

/// Invariants:
/// - Two claims never get one volume. The write of a claimRef names the version of the volume that
///   was looked at, which was free or reserved for this claim; the server refuses it if anything
///   has changed since.
/// - A claim never gets two volumes. A key is not synced again until the caches have what its last
///   sync wrote, and a search begins with the volumes whose claimRef has the claim's UID; so the
///   volume of a binding that a crash has interrupted is found before any other. spec.volumeName
///   never changes once it is set.
/// - A claim is never declared lost because of an old cache: the server is asked first.
///
/// Rule: docs/spec/volumes.md, B6 and B7.
class ClaimSync {
 public:
  explicit ClaimSync(const Parts& parts) : parts_(parts) {}

  [[nodiscard]] Result<Again> operator()(const Key& key) const;

 private:
  using Claim = volumes::Claim;
  using Volume = volumes::Volume;

  [[nodiscard]] Result<Again> sync_pending(const Claim& claim) const;
  [[nodiscard]] Result<Again> sync_named(const Claim& claim) const;
  [[nodiscard]] Result<Again> sync_completed(const Claim& claim) const;

  /// The volume for the claim, or nothing if none fits.
  [[nodiscard]] Result<std::optional<Volume>> find(const Claim& claim, bool is_delayed) const;
  [[nodiscard]] std::optional<Volume> find_reserved(const Claim& claim) const;
  [[nodiscard]] Result<std::optional<Volume>> find_free(const Claim& claim) const;

  /// Up to four writes, each only if needed. The first error ends it, and the next sync continues.
  [[nodiscard]] Status bind(const Volume& volume, const Claim& claim) const;
  [[nodiscard]] Status write_binding(const Volume& volume, const Claim& claim) const;

  /// Whether a pod must be scheduled before the claim is bound.
  [[nodiscard]] Result<bool> is_delayed(const Claim& claim) const;
  void report_waiting(const Claim& claim) const;
  /// The name of the default class, or "" if the cluster has none.
  [[nodiscard]] std::string default_class() const;
  [[nodiscard]] Status assign_class(const Claim& claim, std::string_view storage_class) const;

  [[nodiscard]] Status provision(const Claim& claim) const;
  /// Asks the driver of the class for a volume, once, and reports each time that the claim waits.
  [[nodiscard]] Status ask_driver(const Claim& claim, std::string_view provisioner) const;

  [[nodiscard]] Status set_pending(const Claim& claim) const;
  [[nodiscard]] Status set_lost(const Claim& claim, std::string_view reason,
                                std::string_view text) const;

  void warn(const Claim& claim, std::string_view reason, std::string_view text) const {
    parts_.cluster.events().warning(claim, reason, text);
  }

  const Parts& parts_;
};

}  // namespace davit::volumebinder
