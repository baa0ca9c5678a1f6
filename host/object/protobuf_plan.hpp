/// The way of a message's fields to the tape. Internal to host/object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "host/object/object_space.hpp"
#include "lib/kube/schema/schema.hpp"

namespace davit::host {

class MessagePlan;

struct FieldPlan {
  enum class Use : std::uint8_t {
    kUnknown,  ///< Not in the table.
    kSkipped,  ///< Not declared, or never kept.
    kWritten,
    kInlined,  ///< A message whose members belong to this one: `inlined`.
  };
  Use use = Use::kUnknown;
  bool keeps_zero = false;  ///< Zero is also written.
  davit_name name = 0;
  Mask mask = kFullMask;  ///< The visible part of the member, or of each element of a list.
  std::uint64_t bit = 0;  ///< Differs among the members of one JSON object.
  const Field* field = nullptr;
  const MessagePlan* inlined = nullptr;
  mutable const MessagePlan* message = nullptr;  ///< ProtobufPlans::of(field) once it was asked.
};

/// One message as seen through one mask.
class MessagePlan {
 public:
  /// Never null; FieldPlan::Use::kUnknown when the table has no such number.
  [[nodiscard]] const FieldPlan& find(std::uint32_t number) const {
    return number < fields_.size() ? fields_[number] : fields_[0];
  }
  /// The members that are written although the message does not hold them.
  [[nodiscard]] const std::vector<const FieldPlan*>& always() const { return always_; }
  [[nodiscard]] std::uint64_t always_bits() const { return always_bits_; }
  /// Whether a field that the table lacks may be one that a controller reads.
  [[nodiscard]] bool keeps_unknown() const { return keeps_unknown_; }
  [[nodiscard]] const Message& message() const { return *message_; }

 private:
  friend class ProtobufPlans;
  const Message* message_ = nullptr;
  std::vector<FieldPlan> fields_{1};  // Indexed by number; there is no number 0.
  std::vector<const FieldPlan*> always_;
  std::uint64_t always_bits_ = 0;
  bool keeps_unknown_ = false;
};

/// All plans that one parser needs, made when they are asked for. Not thread-safe.
class ProtobufPlans {
 public:
  /// Metadata of the object itself has no managedFields; that of a template inside it may.
  enum class Role : std::uint8_t { kObject, kObjectMetadata, kOther };

  /// `space` must outlive it.
  explicit ProtobufPlans(ObjectSpace& space) : space_(space) {}

  [[nodiscard]] const MessagePlan& of(const Message& message, Mask mask, Role role = Role::kOther);

 private:
  using Key = std::tuple<const Message*, Mask, Role>;

  /// Whether a member that is not in the table is visible.
  [[nodiscard]] bool declares_unknown(const Message& message, Mask mask) const;
  /// Adds the fields of `wire`, which is `whole` or inlined in it.
  void add_fields(MessagePlan& plan, const Message& wire, const Message& whole, const Key& key);
  [[nodiscard]] FieldPlan plan_field(const Field& field, const Message& whole, const Key& key);

  ObjectSpace& space_;
  std::map<Key, std::unique_ptr<MessagePlan>> plans_;
  std::vector<std::unique_ptr<MessagePlan>> inlined_;
};

}  // namespace davit::host
