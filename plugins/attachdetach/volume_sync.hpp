/// The sync of a volume: attaches it to the nodes that need it, and detaches it from the others.
#pragma once

#include <davit/queue.hpp>
#include <davit/result.hpp>
#include <string>
#include <string_view>

#include "plugins/attachdetach/attach_plan.hpp"
#include "plugins/attachdetach/parts.hpp"
#include "plugins/attachdetach/populate.hpp"

namespace davit::attachdetach {

/// Carries out what next_step() says. Its key is the hash of the volume's name. It never waits.
///
/// Invariants:
/// - An attachment is deleted only after the server has answered in this sync that the node's list
///   is without the volume, and that the node does not use it, or is still out of service or not
///   ready; and only the object that was looked at, by its UID.
/// - A pair is forgotten only when its attachment is gone, by the cache that saw it or by the
///   server.
class VolumeSync {
 public:
  VolumeSync(const Parts& parts, Population& population) : parts_(parts), population_(population) {}

  [[nodiscard]] Result<Again> operator()(const Key& key) const;

 private:
  /// The work that a step leaves: the next one at once, or nothing for `after`.
  struct Rest {
    bool continues = false;
    Duration after = Duration::zero();  // Zero: until something changes.
  };
  /// A volume on a node.
  struct Place {
    std::string volume;
    std::string node;
    Source source;
  };

  [[nodiscard]] Result<Rest> drive(const Place& place) const;
  /// Renews what the pair knows of itself, and plans.
  [[nodiscard]] Step plan(const Place& place, const Facts& facts) const;
  [[nodiscard]] Facts look(const Place& place) const;
  [[nodiscard]] Result<Rest> carry_out(const Place& place, const Step& step,
                                       const Facts& facts) const;
  /// Looks at an attachment that seems to be gone.
  [[nodiscard]] Status verify(const Place& place) const;

  [[nodiscard]] Result<Rest> attach(const Place& place, const Facts& facts) const;
  [[nodiscard]] Rest end_attach(const Place& place) const;
  [[nodiscard]] Rest fail_attach(const Place& place, std::string_view text) const;

  [[nodiscard]] Result<Rest> detach(const Place& place, bool is_forced) const;
  /// Empty: the live node may lose the volume; else why not. `reason` of a forced detach.
  [[nodiscard]] Result<std::string> why_not(const Place& place, bool is_forced,
                                            std::string_view& reason) const;
  [[nodiscard]] Result<Rest> remove(const Place& place) const;
  [[nodiscard]] Rest end_detach(const Place& place) const;
  [[nodiscard]] Rest fail_detach(const Place& place, std::string_view text) const;

  void release(const Place& place) const;
  void warn_pods(const Place& place, bool is_busy) const;
  void change_report(Pair& pair, const std::string& node, bool is_reported) const;

  const Parts& parts_;
  Population& population_;
};

}  // namespace davit::attachdetach
