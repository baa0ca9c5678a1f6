#include "host/swap/shadow.hpp"

namespace davit::host {
namespace {

void add_side(const IntendedWrites::Content& own, const IntendedWrites::Content& other,
              Time pending_from, ShadowDifference& all, ShadowDifference::Side& side) {
  side.syncs += own.syncs;
  side.failed += own.failed;
  if (!own.last_error.empty()) side.last_error = own.last_error;
  side.beyond += own.beyond;
  for (const auto& [write, since] : own.writes) {
    if (other.writes.contains(write)) continue;
    if (since >= pending_from) {
      ++all.pending;
    } else {
      side.only.push_back(write);
    }
  }
}

}  // namespace

void ShadowDifference::add(const IntendedWrites::Content& of_serving,
                           const IntendedWrites::Content& of_shadow, Time pending_from) {
  add_side(of_serving, of_shadow, pending_from, *this, serving);
  add_side(of_shadow, of_serving, pending_from, *this, shadow);
  for (const auto& [write, since] : of_serving.writes) {
    if (of_shadow.writes.contains(write)) ++alike;
  }
}

}  // namespace davit::host
