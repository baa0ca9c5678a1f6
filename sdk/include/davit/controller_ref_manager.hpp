/// ControllerRefManager: makes an owner's controller references agree with its selector.
#pragma once

#include <davit/client.hpp>
#include <davit/json_writer.hpp>
#include <davit/kube/metadata.hpp>
#include <davit/kube/selector.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace davit {

/// Joins what went wrong as upstream's aggregate does: one text as it is, several different ones in
/// brackets. Keeps the code and detail of the first. Ok when there is none.
[[nodiscard]] Status join_errors(const std::vector<Status>& errors);

namespace detail {

enum class ClaimAction { kKeep, kIgnore, kRelease, kAdopt };

/// The decision of an owner about an object that its selector matches or not.
[[nodiscard]] ClaimAction claim_action(const ObjectView& owner, const ObjectView& object,
                                       bool matches);
/// Reads the owner, an object of `resource`, from the server: whether it is the same one still, and
/// not being deleted.
[[nodiscard]] Status ask_can_adopt(const Client& client, const Resource& resource,
                                   const ObjectView& owner);

}  // namespace detail

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
  /// The same with a filter, for example for owners whose objects have certain names. An object
  /// that the selector matches counts as a match only if `filter(const Owned&) -> bool` also
  /// accepts it.
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
      const bool matches = selector_.matches(object.labels()) && filter(object);
      switch (detail::claim_action(owner_, object, matches)) {
        case detail::ClaimAction::kKeep:
          claimed.push_back(object);
          break;
        case detail::ClaimAction::kIgnore:
          break;
        case detail::ClaimAction::kRelease:
          requests.push_back(release_request(object));
          patches.push_back({});
          break;
        case detail::ClaimAction::kAdopt:
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
        status = status.unless(Code::kInvalid);  // Another client changed its references.
      } else if (responses[i]) {
        claimed.push_back(*patches[i].adopted);
      }
      if (!status.ok()) errors.push_back(std::move(status));
    }
    return finish(std::move(claimed), errors);
  }

  /// The server's word on whether the owner may adopt, asked for at most once.
  [[nodiscard]] const Status& can_adopt() {
    if (!can_adopt_) can_adopt_ = detail::ask_can_adopt(client_, Owner::kResource, owner_);
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
