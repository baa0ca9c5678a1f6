/// The note of a plugin that a test has opened with dlopen().
#pragma once

#include <davit/abi.h>
#include <link.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace davit::testing {
namespace detail {

/// What a look at the libraries of this process is for.
struct NoteSearch {
  std::uintptr_t code = 0;  ///< An address in the library.
  std::string note{};
};

/// Reads the notes of one segment; the loader has mapped it, so its bytes are there.
inline void read_notes(const char* at, std::size_t size, NoteSearch& search) {
  constexpr std::size_t kAlign = 4;
  const auto padded = [](std::size_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; };
  const std::string owner(DAVIT_NOTE_OWNER, sizeof(DAVIT_NOTE_OWNER));  // With its NUL.
  ElfW(Nhdr) head{};
  while (size >= sizeof(head)) {
    std::memcpy(&head, at, sizeof(head));
    const std::size_t text_at = sizeof(head) + padded(head.n_namesz);
    const std::size_t whole = text_at + padded(head.n_descsz);
    if (whole > size) return;
    if (head.n_type == DAVIT_NOTE_TYPE && owner == std::string(at + sizeof(head), head.n_namesz)) {
      const std::string text(at + text_at, head.n_descsz);
      search.note = text.c_str();  // Without the NUL at its end.
      return;
    }
    at += whole;
    size -= whole;
  }
}

inline int look_at_library(dl_phdr_info* library, std::size_t, void* raw) {
  auto& search = *static_cast<NoteSearch*>(raw);
  bool is_it = false;
  for (std::size_t i = 0; i < library->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = library->dlpi_phdr[i];
    const std::uintptr_t begin = library->dlpi_addr + segment.p_vaddr;
    is_it = is_it || (segment.p_type == PT_LOAD && search.code >= begin &&
                      search.code < begin + segment.p_memsz);
  }
  if (!is_it) return 0;
  for (std::size_t i = 0; i < library->dlpi_phnum && search.note.empty(); ++i) {
    const ElfW(Phdr)& segment = library->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    read_notes(reinterpret_cast<const char*>(library->dlpi_addr + segment.p_vaddr), segment.p_memsz,
               search);
  }
  return 1;
}

}  // namespace detail

/// The note of the library that `entry` is in, for ClusterOptions::note. Ends the process when
/// there is none: without a note a cluster would allow everything.
[[nodiscard]] inline std::string note_of(davit_plugin_v1_fn entry) {
  detail::NoteSearch search{reinterpret_cast<std::uintptr_t>(entry)};
  dl_iterate_phdr(&detail::look_at_library, &search);
  if (search.note.empty()) {
    std::fputs("testing::note_of: the library has no note; DAVIT_PLUGIN or DAVIT_NOTE places it\n",
               stderr);
    std::abort();
  }
  return search.note;
}

}  // namespace davit::testing
