#include "host/loading/elf_reader.hpp"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <davit/hex.hpp>
#include <optional>
#include <string_view>

#include "host/loading/bounded_bytes.hpp"
#include "lib/base/printable.hpp"

namespace davit::host {
namespace {

/// A text of libstdc++ itself, which a plugin that uses the shared one does not contain.
constexpr std::string_view kCxxRuntimeText = "terminate called after throwing an instance of";

/// More than any plugin has; a damaged count ends here.
constexpr std::uint64_t kSymbolsMax = 1'000'000;
constexpr std::uint64_t kNeededMax = 1'000;
constexpr std::size_t kNeededVersionsMax = 10'000;
/// The limit for all names together; libstdc++ with its 6,000 symbols has 0.4 MiB.
constexpr std::size_t kNamesBytesMax = std::size_t{16} << 20;
constexpr std::size_t kNoteBytesMax = std::size_t{1} << 20;
/// Linkers make four; the search for an address goes through all of them.
constexpr std::size_t kLoadsMax = 64;
/// Longer than the names of the sections that are looked for.
constexpr std::size_t kSectionNameBytesMax = 32;

Status damaged(std::string_view what) {
  return Status(Code::kInvalid, "damaged or cut off: " + std::string(what));
}

/// The relevant entries of the dynamic section.
struct Dynamic {
  std::uint64_t strings = 0;
  std::uint64_t symbols = 0;
  std::uint64_t hash = 0;
  std::uint64_t gnu_hash = 0;
  std::optional<std::uint64_t> soname;
  std::vector<std::uint64_t> needed;
  std::vector<std::uint64_t> run_paths;
  std::uint64_t versions = 0;
};

class ElfParser {
 public:
  explicit ElfParser(std::string_view image)
      : image_(image), bytes_(image), notes_left_(image.size()) {}

  Result<ElfFile> parse();

 private:
  Status read_header();
  Status read_segments();
  Status read_dynamic(const Elf64_Phdr& segment);
  Status read_names();
  Status read_versions();
  Status read_symbols();
  [[nodiscard]] bool read_notes(std::string_view notes);
  void read_note(const Elf64_Nhdr& header, std::string_view owner, std::string_view text);
  [[nodiscard]] bool read_sections();

  /// File offset of a virtual address; nothing when no segment of the file holds it.
  [[nodiscard]] std::optional<std::uint64_t> offset_of(std::uint64_t address) const;
  [[nodiscard]] std::optional<std::string> string_at(std::uint64_t index);
  [[nodiscard]] std::optional<std::uint64_t> count_symbols() const;
  [[nodiscard]] std::optional<std::uint64_t> count_by_gnu_hash(std::uint64_t offset) const;

  std::string_view image_;
  BoundedBytes bytes_;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Phdr> loads_;
  Dynamic dynamic_;
  std::size_t names_bytes_ = 0;
  /// Bytes of notes that may still be read. A file's notes fit into it; headers that name one area
  /// again and again do not.
  std::size_t notes_left_ = 0;
  std::optional<std::uint64_t> strings_at_;  // File offset of the names.
  ElfFile out_;
};

Status ElfParser::read_header() {
  if (image_.empty()) return Status(Code::kInvalid, "not an ELF file: it is empty");
  if (!image_.starts_with(ELFMAG)) return Status(Code::kInvalid, "not an ELF file");
  const std::optional<Elf64_Ehdr> header = bytes_.at<Elf64_Ehdr>(0);
  if (!header) return damaged("the ELF header");
  header_ = *header;
  if (header_.e_ident[EI_CLASS] != ELFCLASS64) {
    return Status(Code::kInvalid, "a 32-bit ELF file; build it for " + machine_name(own_machine()));
  }
  if (header_.e_ident[EI_DATA] != ELFDATA2LSB) {
    return Status(Code::kInvalid,
                  "a big-endian ELF file; build it for " + machine_name(own_machine()));
  }
  if (header_.e_type != ET_DYN) {
    return Status(Code::kInvalid, "not a shared library; link it with -shared");
  }
  // The section headers come last, so they reveal a file that was cut off behind its segments.
  const std::uint64_t sections = std::uint64_t{header_.e_shnum} * header_.e_shentsize;
  if (header_.e_shoff != 0 && !bytes_.range(header_.e_shoff, sections)) {
    return damaged("the section headers");
  }
  out_.machine = header_.e_machine;
  return Status();
}

std::optional<std::uint64_t> ElfParser::offset_of(std::uint64_t address) const {
  for (const Elf64_Phdr& load : loads_) {
    if (address < load.p_vaddr || address - load.p_vaddr >= load.p_filesz) continue;
    const std::uint64_t distance = address - load.p_vaddr;
    if (load.p_offset > image_.size() || distance > image_.size() - load.p_offset) break;
    return load.p_offset + distance;
  }
  return std::nullopt;
}

Status ElfParser::read_segments() {
  std::optional<Elf64_Phdr> dynamic;
  bool stack_seen = false;
  std::vector<std::string_view> notes;
  for (std::uint64_t i = 0; i < header_.e_phnum; ++i) {
    const auto segment = bytes_.at<Elf64_Phdr>(header_.e_phoff, i, header_.e_phentsize);
    if (!segment) return damaged("the program headers");
    const bool in_file = bytes_.range(segment->p_offset, segment->p_filesz).has_value();
    if (segment->p_type == PT_LOAD) {
      if (!in_file) return damaged("a segment reaches beyond the end of the file");
      if (loads_.size() >= kLoadsMax) return damaged("it has more segments than a linker makes");
      loads_.push_back(*segment);
    } else if (segment->p_type == PT_DYNAMIC) {
      dynamic = *segment;
    } else if (segment->p_type == PT_NOTE) {
      const auto content = bytes_.range(segment->p_offset, segment->p_filesz);
      if (!content) return damaged("the notes");
      notes.push_back(*content);
    } else if (segment->p_type == PT_GNU_STACK) {
      stack_seen = true;
      out_.executable_stack = (segment->p_flags & PF_X) != 0;
    }
  }
  if (!stack_seen) out_.executable_stack = true;
  for (const std::string_view content : notes) {
    if (!read_notes(content)) return damaged("the notes are larger than the file");
  }
  if (!dynamic) return Status(Code::kInvalid, "not a shared library: it has no dynamic section");
  return read_dynamic(*dynamic);
}

Status ElfParser::read_dynamic(const Elf64_Phdr& segment) {
  const std::uint64_t count = segment.p_filesz / sizeof(Elf64_Dyn);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto entry = bytes_.at<Elf64_Dyn>(segment.p_offset, i, sizeof(Elf64_Dyn));
    if (!entry) return damaged("the dynamic section");
    const std::uint64_t value = entry->d_un.d_val;
    switch (entry->d_tag) {
      case DT_NULL:
        i = count;
        break;
      case DT_STRTAB:
        dynamic_.strings = value;
        break;
      case DT_SYMTAB:
        dynamic_.symbols = value;
        break;
      case DT_HASH:
        dynamic_.hash = value;
        break;
      case DT_GNU_HASH:
        dynamic_.gnu_hash = value;
        break;
      case DT_SONAME:
        dynamic_.soname = value;
        break;
      case DT_NEEDED:
      case DT_AUXILIARY:  // The loader opens these two as well.
      case DT_FILTER:
        if (dynamic_.needed.size() >= kNeededMax) return damaged("the list of needed libraries");
        dynamic_.needed.push_back(value);
        break;
      case DT_RPATH:
      case DT_RUNPATH:
        if (dynamic_.run_paths.size() >= kNeededMax) return damaged("the list of search paths");
        dynamic_.run_paths.push_back(value);
        break;
      case DT_VERNEED:
        dynamic_.versions = value;
        break;
      case DT_TEXTREL:
        out_.text_relocations = true;
        break;
      case DT_FLAGS:
        out_.text_relocations = out_.text_relocations || (value & DF_TEXTREL) != 0;
        out_.static_tls = (value & DF_STATIC_TLS) != 0;
        break;
      case DT_FLAGS_1:
        out_.no_delete = (value & DF_1_NODELETE) != 0;
        break;
      default:
        break;
    }
  }
  if (dynamic_.strings == 0 || dynamic_.symbols == 0) return damaged("the dynamic section");
  return Status();
}

std::optional<std::string> ElfParser::string_at(std::uint64_t index) {
  if (!strings_at_ || index > image_.size()) return std::nullopt;
  const std::optional<std::string_view> text = bytes_.text(*strings_at_ + index);
  if (!text) return std::nullopt;
  names_bytes_ += text->size();
  if (names_bytes_ > kNamesBytesMax) return std::nullopt;
  return printable(*text);
}

Status ElfParser::read_names() {
  strings_at_ = offset_of(dynamic_.strings);
  if (dynamic_.soname) {
    std::optional<std::string> name = string_at(*dynamic_.soname);
    if (!name) return damaged("the SONAME");
    out_.soname = std::move(*name);
  }
  for (const std::uint64_t index : dynamic_.needed) {
    std::optional<std::string> name = string_at(index);
    if (!name) return damaged("the list of needed libraries");
    out_.needed.push_back(std::move(*name));
  }
  for (const std::uint64_t index : dynamic_.run_paths) {
    std::optional<std::string> path = string_at(index);
    if (!path) return damaged("the list of search paths");
    out_.run_paths.push_back(std::move(*path));
  }
  return Status();
}

/// A list of libraries, each with its list of versions.
Status ElfParser::read_versions() {
  if (dynamic_.versions == 0) return {};
  for (std::uint64_t at = dynamic_.versions;;) {
    const auto offset = offset_of(at);
    const auto need = offset ? bytes_.at<Elf64_Verneed>(*offset) : std::nullopt;
    const auto library = need ? string_at(need->vn_file) : std::nullopt;
    if (!library) return damaged("the needed versions");
    for (std::uint64_t aux = at + need->vn_aux;;) {
      const auto place = offset_of(aux);
      const auto entry = place ? bytes_.at<Elf64_Vernaux>(*place) : std::nullopt;
      std::optional<std::string> version = entry ? string_at(entry->vna_name) : std::nullopt;
      if (!version || out_.versions.size() >= kNeededVersionsMax)
        return damaged("the needed versions");
      const bool is_optional = (entry->vna_flags & VER_FLG_WEAK) != 0;
      if (!is_optional) out_.versions.push_back({*library, *std::move(version)});
      if (entry->vna_next == 0) break;
      aux += entry->vna_next;
    }
    if (need->vn_next == 0) return {};
    at += need->vn_next;
  }
}

/// The table does not state its length; it follows from the highest index in a chain.
std::optional<std::uint64_t> ElfParser::count_by_gnu_hash(std::uint64_t offset) const {
  struct Header {
    std::uint32_t buckets;
    std::uint32_t first_symbol;
    std::uint32_t bloom_words;
    std::uint32_t bloom_shift;
  };
  const auto header = bytes_.at<Header>(offset);
  if (!header) return std::nullopt;
  const std::uint64_t buckets = offset + sizeof(Header) + std::uint64_t{header->bloom_words} * 8;
  const std::uint64_t chains = buckets + std::uint64_t{header->buckets} * 4;
  std::uint64_t last = 0;
  for (std::uint64_t i = 0; i < header->buckets; ++i) {
    const auto symbol = bytes_.at<std::uint32_t>(buckets, i, 4);
    if (!symbol) return std::nullopt;
    last = std::max<std::uint64_t>(last, *symbol);
  }
  if (last < header->first_symbol) return header->first_symbol;
  for (;; ++last) {
    const auto chain = bytes_.at<std::uint32_t>(chains, last - header->first_symbol, 4);
    if (!chain) return std::nullopt;
    if ((*chain & 1) != 0) return last + 1;
  }
}

std::optional<std::uint64_t> ElfParser::count_symbols() const {
  if (dynamic_.hash != 0) {
    const std::optional<std::uint64_t> offset = offset_of(dynamic_.hash);
    if (!offset) return std::nullopt;
    const auto chains = bytes_.at<std::uint32_t>(*offset + 4);
    if (!chains) return std::nullopt;
    return *chains;
  }
  if (dynamic_.gnu_hash == 0) return std::nullopt;
  const std::optional<std::uint64_t> offset = offset_of(dynamic_.gnu_hash);
  if (!offset) return std::nullopt;
  return count_by_gnu_hash(*offset);
}

Status ElfParser::read_symbols() {
  const std::optional<std::uint64_t> table = offset_of(dynamic_.symbols);
  const std::optional<std::uint64_t> count = count_symbols();
  if (!table || !count || *count > kSymbolsMax) return damaged("the symbol table");
  for (std::uint64_t i = 1; i < *count; ++i) {
    const auto symbol = bytes_.at<Elf64_Sym>(*table, i, sizeof(Elf64_Sym));
    if (!symbol) return damaged("the symbol table");
    const unsigned binding = ELF64_ST_BIND(symbol->st_info);
    if (binding == STB_LOCAL) continue;
    std::optional<std::string> name = string_at(symbol->st_name);
    if (!name) return damaged("a symbol's name");
    if (name->empty()) continue;
    if (symbol->st_shndx == SHN_UNDEF) {
      out_.imports.push_back(std::move(*name));
      continue;
    }
    const unsigned visibility = ELF64_ST_VISIBILITY(symbol->st_other);
    if (visibility == STV_HIDDEN || visibility == STV_INTERNAL) continue;
    ElfSymbol exported;
    exported.name = std::move(*name);
    exported.is_function = ELF64_ST_TYPE(symbol->st_info) == STT_FUNC;
    if (binding == STB_GNU_UNIQUE) exported.binding = ElfSymbol::Binding::kUnique;
    if (binding == STB_WEAK) exported.binding = ElfSymbol::Binding::kWeak;
    out_.exports.push_back(std::move(exported));
  }
  return Status();
}

void ElfParser::read_note(const Elf64_Nhdr& header, std::string_view owner, std::string_view text) {
  if (owner == "GNU" && header.n_type == NT_GNU_BUILD_ID) {
    out_.build_id = hex_text(text.substr(0, 64));
  } else if (owner == "Go") {
    out_.go_runtime = true;
  } else if (owner == "davit") {
    constexpr std::size_t kTypesMax = 8;  // More than one is refused.
    if (out_.note_types.size() < kTypesMax) out_.note_types.push_back(header.n_type);
    if (header.n_type == 1 && !out_.note && text.size() <= kNoteBytesMax) {
      out_.note = std::string(text.substr(0, text.find('\0')));
    }
  }
}

/// Damaged notes end the reading; the parts that a plugin then lacks are reported as missing. False
/// if there are more than the file can hold.
bool ElfParser::read_notes(std::string_view notes) {
  if (notes.size() > notes_left_) return false;
  notes_left_ -= notes.size();
  const BoundedBytes bytes(notes);
  std::uint64_t offset = 0;
  while (const auto header = bytes.at<Elf64_Nhdr>(offset)) {
    const auto padded = [](std::uint64_t size) { return (size + 3) / 4 * 4; };
    const std::uint64_t owner_at = offset + sizeof(Elf64_Nhdr);
    const std::uint64_t text_at = owner_at + padded(header->n_namesz);
    const auto owner = bytes.range(owner_at, header->n_namesz);
    const auto text = bytes.range(text_at, header->n_descsz);
    if (!owner || !text) return true;
    read_note(*header, owner->substr(0, owner->find('\0')), *text);
    offset = text_at + padded(header->n_descsz);
  }
  return true;
}

/// Sections may have been stripped away; they only add to what the segments said. The note is
/// looked for here as well, because some compilers do not mark its section as one of notes.
bool ElfParser::read_sections() {
  const auto names =
      bytes_.at<Elf64_Shdr>(header_.e_shoff, header_.e_shstrndx, header_.e_shentsize);
  if (!names || names->sh_offset > image_.size()) return true;
  for (std::uint64_t i = 0; i < header_.e_shnum; ++i) {
    const auto section = bytes_.at<Elf64_Shdr>(header_.e_shoff, i, header_.e_shentsize);
    if (!section) return true;
    const std::uint64_t at = names->sh_offset + section->sh_name;
    if (at > image_.size()) continue;
    // Cut, because the name of every section may lack its end.
    const std::string_view longest = image_.substr(at, kSectionNameBytesMax);
    const std::string_view name = longest.substr(0, longest.find('\0'));
    if (name == ".note.davit" && out_.note_types.empty()) {
      const auto content = bytes_.range(section->sh_offset, section->sh_size);
      if (content && !read_notes(*content)) return false;
    }
    if (name.starts_with(".go.buildinfo") || name.starts_with(".gopclntab")) {
      out_.go_runtime = true;
    }
  }
  return true;
}

Result<ElfFile> ElfParser::parse() {
  if (Status s = read_header(); !s.ok()) return s;
  if (Status s = read_segments(); !s.ok()) return s;
  if (Status s = read_names(); !s.ok()) return s;
  if (Status s = read_versions(); !s.ok()) return s;
  if (Status s = read_symbols(); !s.ok()) return s;
  if (!read_sections()) return damaged("the notes are larger than the file");
  out_.own_cxx_runtime = image_.find(kCxxRuntimeText) != image_.npos;
  for (const ElfSymbol& symbol : out_.exports) {
    if (symbol.name == "_cgo_init" || symbol.name == "crosscall2") out_.go_runtime = true;
  }
  return std::move(out_);
}

}  // namespace

bool ElfFile::imports_symbol(std::string_view name) const {
  return std::find(imports.begin(), imports.end(), name) != imports.end();
}

std::string machine_name(std::uint16_t machine) {
  switch (machine) {
    case EM_X86_64:
      return "x86-64";
    case EM_AARCH64:
      return "aarch64";
    case EM_RISCV:
      return "riscv64";
    case EM_PPC64:
      return "ppc64";
    default:
      return "machine " + std::to_string(machine);
  }
}

std::string lowest_version(const ElfFile& elf, std::string_view prefix) {
  std::string highest;
  for (const ElfVersion& each : elf.versions) {
    if (!each.version.starts_with(prefix)) continue;
    std::string version = each.version.substr(prefix.size());
    // Compares "2.9" and "2.34" by their numbers. GLIBC_PRIVATE and the like have none.
    if (version.empty() || version.front() < '0' || version.front() > '9') continue;
    if (::strverscmp(version.c_str(), highest.c_str()) > 0) highest = std::move(version);
  }
  return highest;
}

std::uint16_t own_machine() {
#if defined(__x86_64__)
  return EM_X86_64;
#elif defined(__aarch64__)
  return EM_AARCH64;
#elif defined(__riscv)
  return EM_RISCV;
#elif defined(__powerpc64__)
  return EM_PPC64;
#else
#error "name this machine"
#endif
}

Result<ElfFile> read_elf(std::string_view image) { return ElfParser(image).parse(); }

}  // namespace davit::host
