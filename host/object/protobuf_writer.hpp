/// A protobuf message onto a tape. Internal to host/object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <davit/kube/time.hpp>
#include <string>
#include <string_view>

#include "host/object/json_to_tape.hpp"
#include "host/object/object_space.hpp"
#include "host/object/parse.hpp"
#include "host/object/protobuf_plan.hpp"
#include "host/object/tape_writer.hpp"
#include "host/object/wire_reader.hpp"

namespace davit::host {

/// Writes messages as Go's encoding/json would: members that are zero and `omitempty` are left out,
/// members that are always written are added. Keeps its plans and buffers. Not thread-safe.
class ProtobufWriter {
 public:
  /// Both must outlive it.
  ProtobufWriter(ObjectSpace& space, TapeWriter& tape)
      : space_(space), tape_(tape), plans_(space), json_(space, tape) {}

  struct TypeMeta {
    std::string_view api_version;  ///< Empty: neither is written.
    std::string_view kind;
  };
  /// Writes one whole object, and nothing longer than `tape_bytes_max`. False on failure; see
  /// is_full(), fault() and error().
  bool write(std::string_view message, const Message& type, const TypeMeta& type_meta,
             const ParseOptions& options, std::size_t tape_bytes_max);
  /// The tape was to become longer than permitted.
  [[nodiscard]] bool is_full() const { return full_; }
  [[nodiscard]] ParseFault fault() const { return fault_; }
  [[nodiscard]] const std::string& error() const { return error_; }
  /// Gives large buffers back.
  void release() { json_.release(); }

 private:
  bool members(const MessagePlan& plan, std::string_view bytes, std::size_t depth,
               std::uint64_t& seen);
  bool member(const MessagePlan& plan, const FieldPlan& field, const WireReader& in,
              std::size_t depth, std::uint64_t& seen);
  bool open(const FieldPlan& field, std::size_t depth);
  bool close(const FieldPlan* field);
  bool end_struct();
  bool object(const MessagePlan& plan, std::string_view bytes, std::size_t depth);
  bool rest(const MessagePlan& plan, std::uint64_t seen, std::size_t depth);
  bool element(const FieldPlan& field, const WireReader& in, std::size_t depth);
  bool entry(const FieldPlan& field, const WireReader& in, std::size_t depth);
  bool value(const FieldPlan& field, Mask mask, const WireReader& in, std::size_t depth);
  bool scalar(const Field& field, const WireReader& in);
  bool zero(const FieldPlan& field, Mask mask, std::size_t depth);
  bool schema_or(const FieldPlan& field, Mask mask, std::string_view bytes, std::size_t depth);
  bool schemas(const FieldPlan& field, Mask mask, std::string_view bytes, std::size_t depth);
  bool strings(std::string_view bytes, std::size_t depth);
  bool raw(std::string_view bytes, Mask mask, std::size_t depth);
  bool quantity(std::string_view bytes);
  bool int_or_string(std::string_view bytes);
  bool number(double value);
  bool time(FieldType type, const WireTime& time);
  void integer(std::int64_t value);
  void text(std::string_view text);
  [[nodiscard]] const MessagePlan& message_of(const FieldPlan& field, Mask mask);
  bool can_enter(std::size_t depth);
  bool fail(ParseFault fault, std::string what);
  bool malformed(const MessagePlan& plan);

  ObjectSpace& space_;
  TapeWriter& tape_;
  ProtobufPlans plans_;
  JsonToTape json_;
  davit_name kind_ = space_.intern("kind");
  davit_name api_version_ = space_.intern("apiVersion");
  std::size_t depth_max_ = 0;
  std::size_t tape_bytes_max_ = 0;
  bool full_ = false;
  ParseFault fault_ = ParseFault::kNone;
  std::string error_;
};

}  // namespace davit::host
