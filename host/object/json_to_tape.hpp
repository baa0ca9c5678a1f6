/// JSON text onto a tape. Internal to host/object.
#pragma once

#include <cstddef>
#include <davit/result.hpp>
#include <memory>
#include <string_view>

#include "host/object/object_space.hpp"
#include "host/object/parse.hpp"
#include "host/object/tape_writer.hpp"

namespace davit::host {

enum class JsonRoot {
  kObject,  ///< An object of the cluster, whose metadata.managedFields are left out.
  kValue,   ///< Any value.
};

/// Reads one JSON document with RapidJSON's reader and writes it behind what the tape holds. Keeps
/// its buffers. Not thread-safe.
class JsonToTape {
 public:
  /// Both must outlive it.
  JsonToTape(ObjectSpace& space, TapeWriter& tape);
  JsonToTape(const JsonToTape&) = delete;
  JsonToTape& operator=(const JsonToTape&) = delete;
  ~JsonToTape();

  /// kInvalid gives the byte offset; fault() is the kind of mistake.
  Status read(std::string_view json, const ParseOptions& options, JsonRoot root);
  [[nodiscard]] ParseFault fault() const;
  /// Gives the buffers back.
  void release();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace davit::host
