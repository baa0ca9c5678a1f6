/// The volumes that a claim may take, in the order in which it takes them.
#pragma once

#include <cstdint>
#include <davit/key.hpp>
#include <davit/kube/quantity.hpp>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "plugins/shared/volumes/storage_facts.hpp"
#include "plugins/shared/volumes/views.hpp"

namespace davit::volumebinder {

/// The facts of a claim that free volumes are compared with.
struct Wanted {
  explicit Wanted(const volumes::Claim& claim);

  std::string uid;  ///< The claim's.
  std::string storage_class;
  std::string mode;
  std::string attributes_class;
  volumes::AccessModes modes;
  Quantity size;
};

/// A free volume.
struct Candidate {
  volumes::AccessModes modes;
  Quantity size;
  std::string name;

  /// The fewest access modes first, then the smallest size.
  friend bool operator<(const Candidate& a, const Candidate& b) {
    if (a.modes != b.modes) return a.modes < b.modes;
    if (a.size != b.size) return a.size < b.size;
    return a.name < b.name;
  }
};

/// Follows the volumes as the handlers see them, which may be later than the cache: look up its
/// results in the cache. A search takes logarithmic time, regardless of the number of matching
/// volumes.
///
/// Claims are synced side by side, and several would choose the same volume. So a claim reserves
/// one before it writes, and owns the reservation until a handler has seen the write or the server
/// has refused it. A write without an answer leaves it to its owner, which may try again at once;
/// for other claims it ends with the second round from then.
/// Thread-safe. Rule: docs/spec/volumes.md, B5.
class VolumeIndex {
 public:
  /// Returns whether the volume has become that of the claim that had reserved it.
  bool put(const volumes::Volume& volume);
  void erase(std::string_view name);

  /// The next free volume after `last` that is large enough, has the modes and is not reserved for
  /// another claim; the first without `last`. Ignores selectors.
  [[nodiscard]] std::optional<Candidate> next(const Wanted& wanted,
                                              const std::optional<Candidate>& last) const;
  /// The volumes whose claimRef names this claim, with any UID.
  [[nodiscard]] std::vector<std::string> of_claim(const Key& claim) const;

  /// Reserves the volume for the claim with this UID. False: it is not free any more, or another
  /// claim has it.
  [[nodiscard]] bool take(std::string_view name, std::string_view claim_uid);
  [[nodiscard]] bool is_reserved(std::string_view name, std::string_view claim_uid) const;
  /// The server has given the volume to the claim, whichever claim had reserved it.
  void given(std::string_view name, std::string_view claim_uid);
  /// The server has refused the volume to the claim, whose reservation ends.
  void give_back(std::string_view name, std::string_view claim_uid);
  /// Ends the reservations from before the last call, for volumes that no handler saw since.
  void next_round();

 private:
  using Group = std::tuple<std::string, std::string, std::string>;  // Class, mode, attributes.

  struct Entry {
    std::optional<Group> group = std::nullopt;  // Only free volumes have one.
    Candidate candidate{};
    std::string claim = {};  // The text of the key in its claimRef.
  };
  struct Reservation {
    std::string claim_uid;
    std::uint64_t round = 0;
  };

  void remove(const std::string& name);
  [[nodiscard]] bool is_of_another(const std::string& name, std::string_view claim_uid) const;

  mutable std::mutex mutex_;
  std::unordered_map<std::string, Entry> entries_;
  std::map<Group, std::map<volumes::AccessModes, std::set<Candidate>>> free_;
  std::unordered_map<std::string, std::set<std::string>> by_claim_;
  std::unordered_map<std::string, Reservation> taken_;  // Key: name, of free volumes.
  std::uint64_t round_ = 0;
};

}  // namespace davit::volumebinder
