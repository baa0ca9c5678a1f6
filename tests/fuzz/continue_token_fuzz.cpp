/// Any text is either refused or a place in a list, whose own token names the same place.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lib/base/assert.hpp"
#include "sandbox/rest/list.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using davit::sandbox::ContinueToken;
  const davit::Result<ContinueToken> token =
      ContinueToken::parse({reinterpret_cast<const char*>(data), size});
  if (!token) return 0;
  const davit::Result<ContinueToken> again = ContinueToken::parse(token->text());
  DAVIT_ASSERT(again.has_value());
  DAVIT_ASSERT(again->revision == token->revision);
  DAVIT_ASSERT(again->ns == token->ns);
  DAVIT_ASSERT(again->name == token->name);
  return 0;
}
