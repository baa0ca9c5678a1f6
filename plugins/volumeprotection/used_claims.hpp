/// The claims of a namespace that pods use. Pure. Rule: docs/spec/volumes.md, C3.
#pragma once

#include <cstddef>
#include <davit/kube/pod.hpp>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "plugins/shared/volumes/views.hpp"

namespace davit::volumeprotection {

/// Judges some claims of one namespace by pods that are added one by one, so that its size depends
/// on the claims alone. A claim that is used once stays so. Belongs to one thread; the claims must
/// outlive it.
class UsedClaims {
 public:
  explicit UsedClaims(std::span<const volumes::Claim> claims);

  /// A pod of the namespace. One without a node uses nothing, one that has finished does.
  void add(const Pod& pod);

  /// The number of claims that are used.
  [[nodiscard]] std::size_t size() const { return used_count_; }
  [[nodiscard]] bool are_all() const { return used_count_ == claims_.size(); }
  [[nodiscard]] std::vector<volumes::Claim> unused() const;

 private:
  struct Judged {
    volumes::Claim claim;
    bool is_used = false;
  };
  std::map<std::string, Judged, std::less<>> claims_;
  std::size_t used_count_ = 0;
};

}  // namespace davit::volumeprotection
