/// ControllerRefManager: makes an owner's controller references agree with its selector.
#pragma once

#include <davit/client.hpp>
#include <davit/json_writer.hpp>
#include <davit/kube/metadata.hpp>
#include <davit/kube/selector.hpp>
#include <davit/kube/time.hpp>
#include <davit/mutant.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace davit {

/// Joins what went wrong as upstream's aggregate does: one text as it is, several different ones in
/// brackets. Keeps the code and detail of the first. Ok when there is none.
[[nodiscard]] inline Status join_errors(const std::vector<Status>& errors) {
  if (errors.empty()) return {};
  std::set<std::string_view> texts;
  std::string text = "[";
  for (const Status& each : errors) {
    if (!texts.insert(each.message()).second) continue;
    if (texts.size() > 1) text += ", ";
    text += each.message();
  }
  text += "]";
  if (texts.size() == 1) return errors.front();
  const ApiDetail* detail = errors.front().detail();
  return detail == nullptr ? Status(errors.front().code(), std::move(text))
                           : Status(errors.front().code(), std::move(text), *detail);
}

/// Claims the `Owned` objects of one `Owner` during one sync: adopts orphans that match, releases
/// owned ones that no longer do. Both are strategic-merge patches with the object's UID as
/// precondition. Before the first adoption the owner is read from the server once, because the
/// cache may not know yet that it is gone.
template <typename Owner, typename Owned>
class ControllerRefManager {
 public:
  /// The arguments must outlive the manager. `finalizer`: an adopted object gets it, a released one
  /// loses it; empty: none.
  ControllerRefManager(const Client& client, const Owner& owner, const Selector& selector,
                       std::string_view finalizer = {})
      : client_(client), owner_(owner), selector_(selector), finalizer_(finalizer) {}

  /// The objects of `candidates` (a range of Owned) that belong to the owner now, as the cache had
  /// them. All candidates are visited; then any failure fails the claim.
  template <typename Range>
  [[nodiscard]] Result<std::vector<Owned>> claim(const Range& candidates) {
    return claim(candidates, [](const Owned&) { return true; });
  }
  /// The same for owners that have objects of certain names only, for example. One that the
  /// selector matches counts as a match only if `filter(const Owned&) -> bool` accepts it, too.
  template <typename Range, typename Filter>
  [[nodiscard]] Result<std::vector<Owned>> claim(const Range& candidates, const Filter& filter) {
    struct Patch {
      std::optional<Owned> adopted;  // Nothing for a release.
    };
    std::vector<Owned> claimed;
    std::vector<Status> errors;
    std::vector<Request> requests;
    std::vector<Patch> patches;
    for (const Owned& object : candidates) {
      switch (decide(object, selector_.matches(object.labels()) && filter(object))) {
        case Action::kKeep:
          claimed.push_back(object);
          break;
        case Action::kIgnore:
          break;
        case Action::kRelease:
          requests.push_back(release_request(object));
          patches.push_back({});
          break;
        case Action::kAdopt:
          if (const Status& s = can_adopt(); !s.ok()) {
            errors.push_back(s.with_context(cannot_adopt(object)));
            break;
          }
          requests.push_back(adopt_request(object));
          patches.push_back({object});
      }
    }
    if (requests.empty()) return finish(std::move(claimed), errors);
    const std::vector<Result<Value>> responses = client_.batch(requests);
    for (std::size_t i = 0; i < responses.size(); ++i) {
      Status status = responses[i].error().unless(Code::kNotFound);
      if (!patches[i].adopted) {
        status = status.unless(Code::kInvalid);  // Somebody else changed its references: not ours.
      } else if (responses[i]) {
        claimed.push_back(*patches[i].adopted);
      }
      if (!status.ok()) errors.push_back(std::move(status));
    }
    return finish(std::move(claimed), errors);
  }

  /// The server's word on whether the owner may adopt, asked for at most once.
  [[nodiscard]] const Status& can_adopt() {
    if (!can_adopt_) can_adopt_ = ask_can_adopt();
    return *can_adopt_;
  }
  /// The body that makes the owner the controller of `object`.
  [[nodiscard]] std::string adopt_body(const Owned& object) const {
    JsonWriter out;
    out.begin_object().key("metadata").begin_object().key("ownerReferences").begin_array();
    owner_identity(owner_).write_controller_reference(out);
    out.end_array().member("uid", object.uid());
    if (!finalizer_.empty()) out.key("finalizers").begin_array().string(finalizer_).end_array();
    out.end_object().end_object();
    return std::move(out).text();
  }
  /// The body that takes the owner's reference off `object`.
  [[nodiscard]] std::string release_body(const Owned& object) const {
    JsonWriter out;
    out.begin_object().key("metadata").begin_object().member("uid", object.uid());
    out.key("ownerReferences").begin_array().begin_object().member("$patch", "delete");
    out.member("uid", owner_.uid()).end_object().end_array();
    if (!finalizer_.empty()) {
      out.key("$deleteFromPrimitiveList/finalizers").begin_array().string(finalizer_).end_array();
    }
    out.end_object().end_object();
    return std::move(out).text();
  }

 private:
  enum class Action { kKeep, kIgnore, kRelease, kAdopt };

  [[nodiscard]] Action decide(const Owned& object, bool matches) const {
    if (const std::optional<OwnerReference> controller = object.controller()) {
      if (controller->uid() != owner_.uid()) return Action::kIgnore;
      if (matches || mutant("orphan-release")) return Action::kKeep;
      return owner_.is_being_deleted() ? Action::kIgnore : Action::kRelease;
    }
    const bool adoptable = matches && !owner_.is_being_deleted() && !object.is_being_deleted() &&
                           object.ns() == owner_.ns();
    return adoptable ? Action::kAdopt : Action::kIgnore;
  }

  [[nodiscard]] Status ask_can_adopt() const {
    if (mutant("can-adopt")) return {};
    const Result<Owner> live = client_.template get<Owner>(owner_.key());
    if (!live) return live.error();
    if (live->uid() != owner_.uid()) {
      return Status(Code::kConflict, "original " + std::string(Owner::kResource.kind) + " " +
                                         owner_.key().text() + " is gone: got uid " +
                                         std::string(live->uid()) + ", wanted " +
                                         std::string(owner_.uid()));
    }
    if (!live->is_being_deleted()) return {};
    const std::optional<WallTime> at = live->deletion_time();
    return Status(Code::kConflict, owner_.key().text() + " has just been deleted at " +
                                       (at ? format_time(*at) : std::string("an unknown time")));
  }

  [[nodiscard]] static std::string cannot_adopt(const Owned& object) {
    return "can't adopt " + std::string(Owned::kResource.kind) + " " + object.key().text() + " (" +
           std::string(object.uid()) + ")";
  }
  [[nodiscard]] Request adopt_request(const Owned& object) const {
    return Request::patch<Owned>(object.key(), PatchType::kStrategic, adopt_body(object),
                                 {.answer = Answer::kMetadata});
  }
  [[nodiscard]] Request release_request(const Owned& object) const {
    return Request::patch<Owned>(object.key(), PatchType::kStrategic, release_body(object),
                                 {.answer = Answer::kMetadata});
  }
  [[nodiscard]] static Result<std::vector<Owned>> finish(std::vector<Owned> claimed,
                                                         const std::vector<Status>& errors) {
    if (Status joined = join_errors(errors); !joined.ok()) return joined;
    return claimed;
  }

  const Client& client_;
  const Owner& owner_;
  const Selector& selector_;
  const std::string_view finalizer_;
  std::optional<Status> can_adopt_;
};

}  // namespace davit
