/// JSON text of an object with some of its members replaced.
#pragma once

#include <davit/json_writer.hpp>
#include <davit/object.hpp>
#include <functional>
#include <span>
#include <string_view>

namespace davit::pods {

/// The member `key`, which `write` writes the value of. An empty function leaves the member out.
struct Replacement {
  std::string_view key;
  std::function<void(JsonWriter&)> write;
};

/// Writes `object`, an object or absent, with each replacement in place of the member of its key or
/// behind all members. The other members are copied as they are, unknown ones too. The keys of the
/// replacements differ.
void rewrite_object(JsonWriter& out, Value object, std::span<const Replacement> replacements);

}  // namespace davit::pods
