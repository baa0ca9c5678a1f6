/// The informers of what is counted: one for each resource that the server offers.
#pragma once

#include <davit/context.hpp>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "plugins/resourcequota/registry.hpp"
#include "plugins/resourcequota/resource_plan.hpp"

namespace davit::resourcequota {

/// Follows what the server offers: opens and closes informers. Nothing may be counted before they
/// have their content, for kWait at most: a resource that cannot be listed must not hold the quotas
/// that do not count it. At the start upstream waits without a limit (RQ55).
///
/// The host asks the server for all its controllers and reports changes at once. The look every
/// kPeriod opens what could not be opened before, and asks the server where the host could not.
///
/// One answer of discovery that lacks a resource proves nothing, so the resource is counted
/// further. Its informer is closed when one of another version has its content, or when the server
/// does not serve the resource and has shown the end of all its objects.
///
/// A standby that takes over knows what the server offered, and what there was, when it started.
/// The first sync therefore asks the server again. Nothing is counted before it has answered and
/// each informer that can be listed is known to be as new as the beginning.
class Monitors {
 public:
  static constexpr std::chrono::seconds kPeriod{30};
  static constexpr std::chrono::seconds kWait{30};
  /// The pause before the server is queried again, or an informer that delays the counting is
  /// checked.
  static constexpr std::chrono::seconds kRetry{5};

  struct Wiring {
    Queue rounds;   ///< Calls sync(), with one worker.
    Queue changes;  ///< Gets a key for each change that lowers a usage; see change_key().
    std::function<void()> opened;  ///< Is called whenever is_open() becomes true.
  };

  /// For a controller's constructor. `cluster` must outlive this. `first`: what the server offers
  /// now, so that a build that replaces another one finds its informers filled; empty if the server
  /// does not say.
  Monitors(Context& cluster, Wiring wiring, Discover discover, const Offer& first);

  [[nodiscard]] Result<Again> sync(const Key& key);

  /// Whether counting may begin. Thread-safe.
  [[nodiscard]] bool is_open() const;
  /// Thread-safe.
  [[nodiscard]] std::shared_ptr<const Registry> registry() const;

  /// A change of objects of a resource in a namespace.
  [[nodiscard]] static Key change_key(std::string_view ns, std::string_view qualified) {
    return {std::string(ns), std::string(qualified)};
  }

 private:
  enum class Phase { kChanging, kOpen };

  struct Followed {
    DynamicInformer informer;
    bool was_filled = false;
  };
  using Informers = std::map<ResourceId, Followed>;

  void look();
  [[nodiscard]] bool is_complete() const;
  void log_vanished(const ResourceSet& before) const;
  /// Opens the wanted informers that are not open, those of Kubernetes' own kinds first.
  void follow();
  void open(const ResourceId& id);
  void follow_device_classes(bool are_offered);
  /// Notes which informers have had their content.
  void note_filled();
  /// Closes informers that are no longer needed.
  void retire();
  /// The wanted informer of the same resource, if it is open.
  [[nodiscard]] Informers::const_iterator successor_of(const ResourceId& id) const;
  [[nodiscard]] Again wait_for_content();
  /// A resource whose informer lacks its content; empty if there is none.
  [[nodiscard]] std::string missing() const;
  /// Whether a content is still being compared with the server.
  [[nodiscard]] bool is_old() const;
  void publish();
  void set_phase(Phase phase);

  Context& cluster_;
  const Wiring wiring_;
  const Discover discover_;
  Informers informers_;
  Registry next_;             // Becomes visible by publish().
  ResourceSet wanted_;        // According to the last answer.
  std::optional<Time> wait_;  // Until when; while changing, once it has been looked at.
  bool has_looked_ = false;   // The server has answered since the first sync.

  mutable std::mutex mutex_;
  Phase phase_ = Phase::kChanging;             // Guarded by mutex_.
  std::shared_ptr<const Registry> published_;  // Guarded by mutex_.
};

}  // namespace davit::resourcequota
