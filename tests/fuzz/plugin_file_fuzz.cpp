/// Any bytes are either refused with a reason or become the facts of a library that can be judged.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "host/loading/capabilities.hpp"
#include "host/loading/declared_config.hpp"
#include "host/loading/elf_findings.hpp"
#include "host/loading/note.hpp"
#include "lib/base/assert.hpp"
#include "lib/base/printable.hpp"

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
  NoteResult note = parse_note(bytes);
  for (const std::string& mistake : note.mistakes)
    DAVIT_ASSERT(davit::printable(mistake) == mistake);
  if (!note.ok()) return 0;
  for (const std::string& finding : note.findings)
    DAVIT_ASSERT(davit::printable(finding) == finding);
  (void)check_compatible(note.declaration, host_capabilities());
  for (DeclaredController& each : note.declaration.controllers) {
    (void)apply_config(each, R"({"labels":"app=web","namespaces":["a"]})");
    for (const DeclaredRule& rule : each.rules) {
      DAVIT_ASSERT(!rule.verbs.empty());
      DAVIT_ASSERT(rule.resource.empty() != rule.non_resource_urls.empty());
    }
  }
  return 0;
}
