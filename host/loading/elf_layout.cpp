#include "host/loading/elf_layout.hpp"

#include <elf.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <davit/mutant.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/loading/bounded_bytes.hpp"
#include "host/loading/elf_machine.hpp"

namespace davit::host {
namespace {

/// The smallest page of the machines that we support: segments that share one cannot be mapped.
constexpr std::uint64_t kPageBytes = 4096;
/// Four times the largest file that is read; a damaged address ends here.
constexpr std::uint64_t kSpanBytesMax = std::uint64_t{1} << 30;
constexpr std::uint64_t kTableSymbolsMax = 1'000'000;  // As in elf_reader.cpp.
constexpr std::uint64_t kVersionsMax = 10'000;         // glibc has some forty.
constexpr std::uint64_t kRelrEntryBytes = 8;
constexpr std::uint64_t kPointerBytes = 8;
constexpr std::uint16_t kVersionMask = 0x7fff;  // The highest bit hides a symbol.

Status unreadable(std::string_view what) {
  return Status(Code::kInvalid, "damaged: the loader cannot read " + std::string(what));
}

AddressRange file_part(const Elf64_Phdr& segment) { return {segment.p_vaddr, segment.p_filesz}; }
AddressRange memory_of(const Elf64_Phdr& segment) { return {segment.p_vaddr, segment.p_memsz}; }

class LayoutChecker {
 public:
  explicit LayoutChecker(std::string_view image) : image_(image), bytes_(image) {}

  Status check();

 private:
  using Check = Status (LayoutChecker::*)();

  Status check_header();
  Status check_loads();
  Status check_segments();
  Status check_dynamic();
  Status check_entries();
  Status check_strings();
  Status check_hash();
  Status check_gnu_hash();
  Status check_symbols();
  Status check_needed_versions();
  Status check_versions();
  Status check_relocations(const AddressRange& table);
  Status check_all_relocations();
  Status check_functions();
  Status check_sections();
  Status check_section_place(const Elf64_Shdr& section);
  Status check_section_entry(const Elf64_Shdr& section, std::string_view name);
  Status check_relocation_sections(const std::vector<AddressRange>& sections);

  [[nodiscard]] bool is_protectable(const Elf64_Phdr& segment) const;
  [[nodiscard]] const Elf64_Phdr* load_of(const AddressRange& range, std::uint32_t flags) const;
  /// File offset of a range that one segment has in the file.
  [[nodiscard]] std::optional<std::uint64_t> offset_of(const AddressRange& range) const;
  [[nodiscard]] std::optional<std::uint64_t> entry(std::int64_t tag) const;
  [[nodiscard]] AddressRange table(std::int64_t at, std::int64_t size) const {
    return {entry(at).value_or(0), entry(size).value_or(0)};
  }

  std::string_view image_;
  BoundedBytes bytes_;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Phdr> segments_;
  std::vector<Elf64_Phdr> loads_;
  std::optional<Elf64_Phdr> dynamic_;
  std::optional<Elf64_Phdr> tls_;
  std::optional<Elf64_Phdr> unwind_;
  std::map<std::int64_t, std::uint64_t> entries_;
  std::vector<std::uint64_t> string_indexes_;
  std::uint64_t symbols_ = 0;
  std::uint64_t symbols_at_ = 0;  // File offset.
  std::uint64_t versions_ = 1;    // The highest index that has a version.
  std::vector<std::string_view> section_names_;
};

const Elf64_Phdr* LayoutChecker::load_of(const AddressRange& range, std::uint32_t flags) const {
  for (const Elf64_Phdr& load : loads_) {
    if ((load.p_flags & flags) == flags && memory_of(load).holds(range)) return &load;
  }
  return nullptr;
}

std::optional<std::uint64_t> LayoutChecker::offset_of(const AddressRange& range) const {
  for (const Elf64_Phdr& load : loads_) {
    if (file_part(load).holds(range)) return load.p_offset + (range.begin - load.p_vaddr);
  }
  return std::nullopt;
}

std::optional<std::uint64_t> LayoutChecker::entry(std::int64_t tag) const {
  const auto found = entries_.find(tag);
  return found == entries_.end() ? std::nullopt : std::optional(found->second);
}

Status LayoutChecker::check_header() {
  const auto header = bytes_.at<Elf64_Ehdr>(0);
  if (!header) return unreadable("the ELF header");
  header_ = *header;
  if (header_.e_phentsize != sizeof(Elf64_Phdr) || header_.e_phoff % kPointerBytes != 0) {
    return unreadable("the program headers");
  }
  for (std::uint64_t i = 0; i < header_.e_phnum; ++i) {
    const auto segment = bytes_.at<Elf64_Phdr>(header_.e_phoff, i, sizeof(Elf64_Phdr));
    if (!segment) return unreadable("the program headers");
    segments_.push_back(*segment);
  }
  return {};
}

Status LayoutChecker::check_loads() {
  std::uint64_t end = 0;  // The end of the segment before, in whole pages.
  for (const Elf64_Phdr& each : segments_) {
    if (each.p_type != PT_LOAD) continue;
    const bool fits = bytes_.range(each.p_offset, each.p_filesz).has_value() &&
                      each.p_filesz <= each.p_memsz && each.p_vaddr <= kSpanBytesMax &&
                      each.p_memsz <= kSpanBytesMax;
    const bool aligned = std::has_single_bit(each.p_align) &&
                         (each.p_vaddr - each.p_offset) % each.p_align == 0 &&
                         (each.p_vaddr - each.p_offset) % kPageBytes == 0;
    if (!fits || !aligned || each.p_vaddr / kPageBytes * kPageBytes < end) {
      return unreadable("a segment: its place or size is wrong");
    }
    if ((each.p_flags & PF_R) == 0) return unreadable("a segment: it is not readable");
    end = (each.p_vaddr + each.p_memsz + kPageBytes - 1) / kPageBytes * kPageBytes;
    loads_.push_back(each);
  }
  return loads_.empty() ? unreadable("the segments: there are none") : Status();
}

/// ld.so protects whole pages, and ignores the place in the file. Linkers let the range begin and
/// end beside the data.
bool LayoutChecker::is_protectable(const Elf64_Phdr& segment) const {
  if (segment.p_vaddr > kSpanBytesMax || segment.p_memsz > kSpanBytesMax) return false;
  const std::uint64_t begin = segment.p_vaddr / kPageBytes * kPageBytes;
  const std::uint64_t end = (segment.p_vaddr + segment.p_memsz) / kPageBytes * kPageBytes;
  if (end <= begin) return true;
  return std::ranges::any_of(loads_, [&](const Elf64_Phdr& load) {
    const std::uint64_t first = load.p_vaddr / kPageBytes * kPageBytes;
    const std::uint64_t last = load.p_vaddr + load.p_memsz + kPageBytes - 1;
    return (load.p_flags & PF_W) != 0 && begin >= first && end <= last / kPageBytes * kPageBytes;
  });
}

/// The other segments lie within those that are loaded, at the same place in the file.
Status LayoutChecker::check_segments() {
  for (const Elf64_Phdr& each : segments_) {
    if (each.p_type == PT_LOAD || each.p_type == PT_GNU_STACK || each.p_type == PT_NULL) continue;
    if (each.p_type == PT_GNU_RELRO) {
      if (!is_protectable(each)) return unreadable("PT_GNU_RELRO");
      continue;
    }
    const std::optional<std::uint64_t> offset = offset_of(file_part(each));
    const bool in_file = each.p_filesz == 0 || (offset && *offset == each.p_offset);
    if (!in_file || each.p_filesz > each.p_memsz) {
      return unreadable("a segment outside the loaded segments");
    }
    if (each.p_type == PT_DYNAMIC) {
      if (dynamic_ || load_of(memory_of(each), PF_W) == nullptr) return unreadable("PT_DYNAMIC");
      dynamic_ = each;
    } else if (each.p_type == PT_TLS) {
      const bool sane = std::has_single_bit(each.p_align) && each.p_align <= kPageBytes &&
                        each.p_memsz <= kSpanBytesMax;
      if (tls_ || !sane) return unreadable("PT_TLS");
      tls_ = each;
    } else if (each.p_type == PT_GNU_EH_FRAME) {
      if (load_of(memory_of(each), PF_R) == nullptr) return unreadable("PT_GNU_EH_FRAME");
      unwind_ = each;
    }
  }
  return dynamic_ ? Status() : unreadable("the dynamic section: there is none");
}

Status LayoutChecker::check_dynamic() {
  const std::uint64_t count = dynamic_->p_filesz / sizeof(Elf64_Dyn);
  if (dynamic_->p_memsz != dynamic_->p_filesz) return unreadable("PT_DYNAMIC");
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto each = bytes_.at<Elf64_Dyn>(dynamic_->p_offset, i, sizeof(Elf64_Dyn));
    if (!each) return unreadable("the dynamic section");
    if (each->d_tag == DT_NULL) return {};
    switch (each->d_tag) {
      case DT_NEEDED:
      case DT_AUXILIARY:
      case DT_FILTER:
        string_indexes_.push_back(each->d_un.d_val);
        continue;
      case DT_SONAME:
      case DT_RPATH:
      case DT_RUNPATH:
        string_indexes_.push_back(each->d_un.d_val);
        break;
      default:
        break;
    }
    if (!entries_.emplace(each->d_tag, each->d_un.d_val).second) {
      return unreadable("the dynamic section: it has an entry twice");
    }
  }
  return unreadable("the dynamic section: it has no end");
}

/// Entries that ld.so takes for granted, or asserts.
Status LayoutChecker::check_entries() {
  constexpr std::pair<std::int64_t, std::int64_t> kPairs[] = {{DT_STRTAB, DT_STRSZ},
                                                              {DT_SYMTAB, DT_SYMENT},
                                                              {DT_RELA, DT_RELASZ},
                                                              {DT_RELA, DT_RELAENT},
                                                              {DT_REL, DT_RELSZ},
                                                              {DT_REL, DT_RELENT},
                                                              {DT_JMPREL, DT_PLTRELSZ},
                                                              {DT_JMPREL, DT_PLTREL},
                                                              {DT_RELR, DT_RELRSZ},
                                                              {DT_RELR, DT_RELRENT},
                                                              {DT_INIT_ARRAY, DT_INIT_ARRAYSZ},
                                                              {DT_FINI_ARRAY, DT_FINI_ARRAYSZ},
                                                              {DT_VERNEED, DT_VERNEEDNUM},
                                                              {DT_VERDEF, DT_VERDEFNUM}};
  for (const auto& [one, other] : kPairs) {
    if (entry(one).has_value() != entry(other).has_value()) {
      return unreadable("the dynamic section: an entry or its size is missing");
    }
  }
  constexpr std::pair<std::int64_t, std::uint64_t> kSizes[] = {{DT_SYMENT, sizeof(Elf64_Sym)},
                                                               {DT_RELAENT, sizeof(Elf64_Rela)},
                                                               {DT_RELENT, sizeof(Elf64_Rel)},
                                                               {DT_RELRENT, kRelrEntryBytes},
                                                               {DT_PLTREL, DT_RELA}};
  for (const auto& [tag, wanted] : kSizes) {
    if (entry(tag).value_or(wanted) != wanted) {
      return unreadable("the dynamic section: the size of an entry is wrong");
    }
  }
  if (entry(DT_REL)) return unreadable("the relocations: they have no addends");
  const bool versions = entry(DT_VERNEED) || entry(DT_VERDEF);
  if (versions && !entry(DT_VERSYM)) return unreadable("the versions of symbols");
  if (const auto got = entry(DT_PLTGOT); got && load_of({*got, kPointerBytes}, PF_W) == nullptr) {
    return unreadable("DT_PLTGOT");
  }
  return {};
}

Status LayoutChecker::check_strings() {
  const AddressRange strings = table(DT_STRTAB, DT_STRSZ);
  const std::optional<std::uint64_t> offset = offset_of(strings);
  if (!offset || strings.size == 0 || image_[*offset] != '\0' ||
      image_[*offset + strings.size - 1] != '\0') {
    return unreadable("the names of symbols");
  }
  for (const std::uint64_t index : string_indexes_) {
    if (index >= strings.size) return unreadable("the name of a library");
  }
  return {};
}

/// ld.so follows a chain until an index is 0.
Status LayoutChecker::check_hash() {
  const std::uint64_t at = *entry(DT_HASH);
  const std::optional<std::uint64_t> offset = offset_of({at, 8});
  const auto buckets = offset ? bytes_.at<std::uint32_t>(*offset) : std::nullopt;
  const auto chains = offset ? bytes_.at<std::uint32_t>(*offset + 4) : std::nullopt;
  if (!buckets || !chains || *buckets == 0 || *chains > kTableSymbolsMax ||
      !offset_of({at, 8 + 4 * (std::uint64_t{*buckets} + *chains)})) {
    return unreadable("the hash table");
  }
  symbols_ = *chains;
  const std::uint64_t chain_at = *offset + 8 + 4 * std::uint64_t{*buckets};
  std::uint64_t seen = 0;  // Each symbol is in one chain.
  for (std::uint64_t i = 0; i < *buckets; ++i) {
    std::uint32_t symbol = *bytes_.at<std::uint32_t>(*offset + 8, i, 4);
    for (; symbol != STN_UNDEF; symbol = *bytes_.at<std::uint32_t>(chain_at, symbol, 4)) {
      if (symbol >= *chains || ++seen > *chains) return unreadable("the hash table");
    }
  }
  return {};
}

Status LayoutChecker::check_gnu_hash() {
  struct Header {
    std::uint32_t buckets;
    std::uint32_t first_symbol;
    std::uint32_t bloom_words;
    std::uint32_t bloom_shift;
  };
  const std::uint64_t at = *entry(DT_GNU_HASH);
  const std::optional<std::uint64_t> offset = offset_of({at, sizeof(Header)});
  const auto header = offset ? bytes_.at<Header>(*offset) : std::nullopt;
  if (!header || !std::has_single_bit(header->bloom_words) || header->bloom_shift >= 64) {
    return unreadable("the hash table");
  }
  const std::uint64_t chain_at = at + sizeof(Header) + 8 * std::uint64_t{header->bloom_words} +
                                 4 * std::uint64_t{header->buckets};
  if (header->buckets > kTableSymbolsMax || !offset_of({at, chain_at - at})) {
    return unreadable("the hash table");
  }
  symbols_ = header->first_symbol;
  const std::uint64_t bucket_at = *offset + (chain_at - at) - 4 * std::uint64_t{header->buckets};
  for (std::uint64_t i = 0; i < header->buckets; ++i) {
    std::uint64_t symbol = *bytes_.at<std::uint32_t>(bucket_at, i, 4);
    if (symbol == 0) continue;
    if (symbol < header->first_symbol) return unreadable("the hash table");
    for (;; ++symbol) {
      const auto chain = offset_of({chain_at + 4 * (symbol - header->first_symbol), 4});
      if (!chain || symbol >= kTableSymbolsMax) return unreadable("the hash table");
      if ((*bytes_.at<std::uint32_t>(*chain) & 1) != 0) break;
    }
    symbols_ = std::max(symbols_, symbol + 1);
  }
  return {};
}

Status LayoutChecker::check_symbols() {
  if (entry(DT_HASH)) {
    if (Status s = check_hash(); !s.ok()) return s;
  }
  if (entry(DT_GNU_HASH)) {
    if (Status s = check_gnu_hash(); !s.ok()) return s;
  }
  if (!entry(DT_HASH) && !entry(DT_GNU_HASH)) return unreadable("the hash table: there is none");
  // A hash table does not count what it does not have: symbols that are only needed.
  for (std::uint64_t i = 0; i < header_.e_shnum; ++i) {
    const auto section = bytes_.at<Elf64_Shdr>(header_.e_shoff, i, sizeof(Elf64_Shdr));
    if (!section || section->sh_type != SHT_DYNSYM) continue;
    symbols_ = std::max(symbols_, section->sh_size / sizeof(Elf64_Sym));
  }
  if (symbols_ > kTableSymbolsMax) return unreadable("the symbol table");
  const std::optional<std::uint64_t> offset =
      offset_of({entry(DT_SYMTAB).value_or(0), symbols_ * sizeof(Elf64_Sym)});
  if (!offset) return unreadable("the symbol table");
  symbols_at_ = *offset;
  for (std::uint64_t i = 0; i < symbols_; ++i) {
    const auto symbol = *bytes_.at<Elf64_Sym>(symbols_at_, i, sizeof(Elf64_Sym));
    if (symbol.st_name >= *entry(DT_STRSZ)) return unreadable("the name of a symbol");
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx == SHN_ABS) continue;
    const unsigned type = ELF64_ST_TYPE(symbol.st_info);
    const bool code = type == STT_FUNC || type == STT_GNU_IFUNC;
    const AddressRange place{symbol.st_value, code ? 1U : 0U};
    const bool fits = type == STT_TLS ? tls_ && symbol.st_value <= tls_->p_memsz
                                      : load_of(place, code ? PF_X : 0) != nullptr;
    if (!fits) return unreadable("a symbol: its address is wrong");
  }
  return {};
}

/// The list of libraries, each with its list of versions.
Status LayoutChecker::check_needed_versions() {
  std::uint64_t count = 0;
  for (std::uint64_t at = *entry(DT_VERNEED);;) {
    const auto offset = offset_of({at, sizeof(Elf64_Verneed)});
    if (!offset) return unreadable("the needed versions");
    const auto need = *bytes_.at<Elf64_Verneed>(*offset);
    if (need.vn_version != 1 || need.vn_file >= *entry(DT_STRSZ)) {
      return unreadable("the needed versions");
    }
    for (std::uint64_t aux = at + need.vn_aux;;) {
      const auto place = offset_of({aux, sizeof(Elf64_Vernaux)});
      if (!place || ++count > kVersionsMax) return unreadable("the needed versions");
      const auto version = *bytes_.at<Elf64_Vernaux>(*place);
      if (version.vna_name >= *entry(DT_STRSZ)) return unreadable("the needed versions");
      versions_ = std::max<std::uint64_t>(versions_, version.vna_other & kVersionMask);
      if (version.vna_next == 0) break;
      aux += version.vna_next;
    }
    if (need.vn_next == 0) return {};
    at += need.vn_next;
  }
}

Status LayoutChecker::check_versions() {
  if (entry(DT_VERNEED)) {
    if (Status s = check_needed_versions(); !s.ok()) return s;
  }
  std::uint64_t count = 0;
  for (std::uint64_t at = entry(DT_VERDEF).value_or(0); at != 0;) {
    const auto offset = offset_of({at, sizeof(Elf64_Verdef)});
    if (!offset || ++count > kVersionsMax) return unreadable("the versions that it defines");
    const auto defined = *bytes_.at<Elf64_Verdef>(*offset);
    const auto aux = offset_of({at + defined.vd_aux, sizeof(Elf64_Verdaux)});
    if (defined.vd_version != 1 || !aux ||
        bytes_.at<Elf64_Verdaux>(*aux)->vda_name >= *entry(DT_STRSZ)) {
      return unreadable("the versions that it defines");
    }
    versions_ = std::max<std::uint64_t>(versions_, defined.vd_ndx & kVersionMask);
    at = defined.vd_next == 0 ? 0 : at + defined.vd_next;
  }
  const std::optional<std::uint64_t> table = entry(DT_VERSYM);
  if (!table) return {};
  const std::optional<std::uint64_t> offset = offset_of({*table, 2 * symbols_});
  if (!offset) return unreadable("the versions of symbols");
  for (std::uint64_t i = 0; i < symbols_; ++i) {
    if ((*bytes_.at<std::uint16_t>(*offset, i, 2) & kVersionMask) > versions_) {
      return unreadable("the version of a symbol");
    }
  }
  return {};
}

Status LayoutChecker::check_relocations(const AddressRange& table) {
  const std::optional<std::uint64_t> offset = offset_of(table);
  if (!offset || table.size % sizeof(Elf64_Rela) != 0) return unreadable("the relocations");
  // ld.so asserts the kind of as many at the beginning of DT_RELA.
  const bool first = table.begin == entry(DT_RELA);
  const std::uint64_t relative = first ? entry(DT_RELACOUNT).value_or(0) : 0;
  for (std::uint64_t i = 0; i < table.size / sizeof(Elf64_Rela); ++i) {
    const auto each = *bytes_.at<Elf64_Rela>(*offset, i, sizeof(Elf64_Rela));
    const std::uint32_t type = ELF64_R_TYPE(each.r_info);
    if (load_of({each.r_offset, kPointerBytes}, PF_W) == nullptr) {
      return unreadable("a relocation: it writes outside of the library's data");
    }
    if (ELF64_R_SYM(each.r_info) >= symbols_ || (i < relative && type != kRelative)) {
      return unreadable("a relocation: its symbol or kind is wrong");
    }
    const auto target = static_cast<std::uint64_t>(each.r_addend);
    if (type == kIndirect && load_of({target, 1}, PF_X) == nullptr) {
      return unreadable("a relocation that calls something that is not code");
    }
  }
  return {};
}

Status LayoutChecker::check_all_relocations() {
  for (const AddressRange& each : {table(DT_RELA, DT_RELASZ), table(DT_JMPREL, DT_PLTRELSZ)}) {
    if (each.size == 0) continue;
    if (Status s = check_relocations(each); !s.ok()) return s;
  }
  const AddressRange packed = table(DT_RELR, DT_RELRSZ);
  const std::optional<std::uint64_t> offset = offset_of(packed);
  if (packed.size == 0) return {};
  if (!offset || packed.size % kRelrEntryBytes != 0) return unreadable("the packed relocations");
  std::uint64_t at = 0;
  for (std::uint64_t i = 0; i < packed.size / kRelrEntryBytes; ++i) {
    const auto each = *bytes_.at<std::uint64_t>(*offset, i, kRelrEntryBytes);
    // An even word is an address; an odd one has a bit for each of the next 63 pointers.
    const bool bits = (each & 1) != 0;
    const std::uint64_t first = bits ? at : each;
    const auto reach = bits ? static_cast<std::uint64_t>(std::bit_width(each >> 1)) : 1;
    if (reach > 0 && load_of({first, reach * kPointerBytes}, PF_W) == nullptr) {
      return unreadable("a packed relocation: it writes outside of the library's data");
    }
    at = first + (bits ? 63 : 1) * kPointerBytes;
  }
  return {};
}

/// The code that runs when the library is opened and closed.
Status LayoutChecker::check_functions() {
  for (const std::int64_t tag : {DT_INIT, DT_FINI}) {
    const std::optional<std::uint64_t> at = entry(tag);
    if (at && load_of({*at, 1}, PF_X) == nullptr) return unreadable("DT_INIT or DT_FINI");
  }
  for (const AddressRange& each :
       {table(DT_INIT_ARRAY, DT_INIT_ARRAYSZ), table(DT_FINI_ARRAY, DT_FINI_ARRAYSZ)}) {
    if (each.size == 0) continue;
    if (!offset_of(each) || each.size % kPointerBytes != 0 || each.begin % kPointerBytes != 0) {
      return unreadable("the list of constructors or destructors");
    }
  }
  return {};
}

/// A section lies in a segment that has its rights and, unless it is empty space, its bytes.
Status LayoutChecker::check_section_place(const Elf64_Shdr& section) {
  const AddressRange place{section.sh_addr, section.sh_size};
  if ((section.sh_flags & SHF_TLS) != 0) {
    if (!tls_ || !memory_of(*tls_).holds(place) || section.sh_addralign > tls_->p_align ||
        (section.sh_type != SHT_NOBITS && !file_part(*tls_).holds(place))) {
      return unreadable("PT_TLS");
    }
    if (section.sh_type == SHT_NOBITS) {
      return file_part(*tls_).overlaps(place) ? unreadable("PT_TLS") : Status();
    }
  }
  const std::uint32_t rights = ((section.sh_flags & SHF_WRITE) != 0 ? PF_W : 0) |
                               ((section.sh_flags & SHF_EXECINSTR) != 0 ? PF_X : 0);
  const Elf64_Phdr* const load = load_of(place, rights);
  if (load == nullptr) return unreadable("a segment: a section is not within it");
  const bool empty = section.sh_type == SHT_NOBITS;
  const bool fits = empty ? !file_part(*load).overlaps(place)
                          : file_part(*load).holds(place) &&
                                section.sh_offset == load->p_offset + (place.begin - load->p_vaddr);
  return fits ? Status() : unreadable("a segment: a section is not within its bytes");
}

/// Sections of these kinds are what entries of the dynamic section name.
Status LayoutChecker::check_section_entry(const Elf64_Shdr& section, std::string_view name) {
  struct Named {
    std::uint32_t type;
    std::string_view name;  // Empty: any.
    std::int64_t at;
    std::int64_t size;  // 0: none.
  };
  constexpr Named kNamed[] = {{SHT_DYNSYM, "", DT_SYMTAB, 0},
                              {SHT_STRTAB, ".dynstr", DT_STRTAB, DT_STRSZ},
                              {SHT_HASH, "", DT_HASH, 0},
                              {SHT_GNU_HASH, "", DT_GNU_HASH, 0},
                              {SHT_GNU_versym, "", DT_VERSYM, 0},
                              {SHT_GNU_verneed, "", DT_VERNEED, 0},
                              {SHT_GNU_verdef, "", DT_VERDEF, 0},
                              {SHT_INIT_ARRAY, "", DT_INIT_ARRAY, DT_INIT_ARRAYSZ},
                              {SHT_FINI_ARRAY, "", DT_FINI_ARRAY, DT_FINI_ARRAYSZ},
                              {SHT_PROGBITS, ".init", DT_INIT, 0},
                              {SHT_PROGBITS, ".fini", DT_FINI, 0}};
  for (const Named& each : kNamed) {
    if (section.sh_type != each.type || (!each.name.empty() && each.name != name)) continue;
    if (entry(each.at) != section.sh_addr ||
        (each.size != 0 && entry(each.size) != section.sh_size)) {
      return unreadable("the dynamic section: it disagrees with the section headers");
    }
  }
  if (section.sh_type == SHT_DYNAMIC &&
      (section.sh_addr != dynamic_->p_vaddr || section.sh_size != dynamic_->p_filesz)) {
    return unreadable("PT_DYNAMIC");
  }
  if (section.sh_type == SHT_DYNSYM) {
    if (section.sh_size / sizeof(Elf64_Sym) < symbols_) return unreadable("the symbol table");
  }
  if (name == ".eh_frame_hdr" &&
      (!unwind_ || section.sh_addr != unwind_->p_vaddr || section.sh_size != unwind_->p_filesz)) {
    return unreadable("PT_GNU_EH_FRAME");
  }
  return {};
}

/// The two tables consist of whole sections, and no section is left out.
Status LayoutChecker::check_relocation_sections(const std::vector<AddressRange>& sections) {
  std::uint64_t left = 0;
  for (const AddressRange& each : sections) left += each.size;
  for (const AddressRange& whole : {table(DT_RELA, DT_RELASZ), table(DT_JMPREL, DT_PLTRELSZ)}) {
    std::uint64_t end = whole.begin;
    for (const AddressRange& each : sections) {
      if (each.begin == end && whole.holds(each)) end += each.size;
    }
    if (end - whole.begin != whole.size) return unreadable("the relocations");
    left -= std::min(left, whole.size);
  }
  return left == 0 ? Status() : unreadable("the relocations: some are left out");
}

Status LayoutChecker::check_sections() {
  if (header_.e_shnum == 0 || header_.e_shoff == 0) return {};  // Stripped away.
  if (header_.e_shentsize != sizeof(Elf64_Shdr)) return unreadable("the section headers");
  const auto names = bytes_.at<Elf64_Shdr>(header_.e_shoff, header_.e_shstrndx, sizeof(Elf64_Shdr));
  std::vector<AddressRange> relocations;
  for (std::uint64_t i = 0; i < header_.e_shnum; ++i) {
    const auto section = bytes_.at<Elf64_Shdr>(header_.e_shoff, i, sizeof(Elf64_Shdr));
    if (!section || !names) return unreadable("the section headers");
    if ((section->sh_flags & SHF_ALLOC) == 0 || section->sh_size == 0) continue;
    const auto name = bytes_.text(names->sh_offset + section->sh_name);
    if (!name) return unreadable("the section headers");
    if (Status s = check_section_place(*section); !s.ok()) return s;
    if (Status s = check_section_entry(*section, *name); !s.ok()) return s;
    if (section->sh_type == SHT_RELA) relocations.push_back({section->sh_addr, section->sh_size});
    // Its data would become unwritable.
    const bool plain = *name == ".data" || *name == ".bss";
    for (const Elf64_Phdr& each : segments_) {
      const std::uint64_t end = (each.p_vaddr + each.p_memsz) / kPageBytes * kPageBytes;
      const AddressRange fixed{each.p_vaddr, end > each.p_vaddr ? end - each.p_vaddr : 0};
      if (plain && each.p_type == PT_GNU_RELRO &&
          fixed.overlaps({section->sh_addr, section->sh_size})) {
        return unreadable("PT_GNU_RELRO");
      }
    }
  }
  std::ranges::sort(relocations, {}, &AddressRange::begin);
  return check_relocation_sections(relocations);
}

Status LayoutChecker::check() {
  for (const Check each :
       {&LayoutChecker::check_header, &LayoutChecker::check_loads, &LayoutChecker::check_segments,
        &LayoutChecker::check_dynamic, &LayoutChecker::check_entries, &LayoutChecker::check_strings,
        &LayoutChecker::check_symbols, &LayoutChecker::check_versions,
        &LayoutChecker::check_all_relocations, &LayoutChecker::check_functions,
        &LayoutChecker::check_sections}) {
    if (Status s = (this->*each)(); !s.ok()) return s;
  }
  return {};
}

}  // namespace

Status check_layout(std::string_view image) {
  if (mutant("elf-layout")) return {};
  return LayoutChecker(image).check();
}

}  // namespace davit::host
