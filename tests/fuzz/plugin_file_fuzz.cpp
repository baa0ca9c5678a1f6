/// Any bytes are either refused with a reason or become the facts of a library that can be judged.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "host/plugin/elf_findings.hpp"
#include "host/plugin/note.hpp"
#include "lib/base/assert.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace davit::host;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const davit::Result<ElfFile> elf = read_elf(bytes);
  if (elf) {
    for (const Finding& finding : judge(*elf)) DAVIT_ASSERT(!finding.text.empty());
    if (elf->note) (void)parse_note(*elf->note);
  } else {
    DAVIT_ASSERT(!elf.error().message().empty());
  }
  // The same bytes as a note, which a library rarely grows to hold by chance.
  const NoteResult note = parse_note(bytes);
  if (note.ok()) (void)check_compatible(note.declaration, host_capabilities());
  return 0;
}
