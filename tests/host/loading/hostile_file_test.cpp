/// Files that were made to harm the program that reads them. Each of these took minutes, gigabytes
/// or the terminal; now they are read in the time that their size takes.
#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "host/loading/elf_findings.hpp"
#include "host/loading/elf_reader.hpp"
#include "host/loading/note.hpp"
#include "tests/host/loading/samples.hpp"

namespace davit::host {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

constexpr std::size_t kMostHeaders = 65535;

Elf64_Ehdr header_of(const std::string& image) {
  Elf64_Ehdr header;
  std::memcpy(&header, image.data(), sizeof header);
  return header;
}

template <typename T>
void put(std::string& image, std::size_t at, const T& value) {
  std::memcpy(image.data() + at, &value, sizeof value);
}

/// The sample with its program headers moved to the end, and `extra` of them behind.
std::string with_segments(const std::string& sample, const Elf64_Phdr& extra, std::size_t count) {
  std::string image = sample_content(sample);
  Elf64_Ehdr header = header_of(image);
  const std::string own = image.substr(header.e_phoff, std::size_t{56} * header.e_phnum);
  header.e_phoff = image.size();
  const std::size_t all = std::min(kMostHeaders, header.e_phnum + count);
  image += own;
  const std::string_view bytes(reinterpret_cast<const char*>(&extra), sizeof extra);
  for (std::size_t i = header.e_phnum; i < all; ++i) image += bytes;
  header.e_phnum = static_cast<Elf64_Half>(all);
  put(image, 0, header);
  return image;
}

std::string replaced(std::string image, std::string_view what, std::string_view by) {
  EXPECT_EQ(what.size(), by.size());
  for (std::size_t at = image.find(what); at != std::string::npos; at = image.find(what, at + 1)) {
    image.replace(at, what.size(), by);
  }
  return image;
}

/// The sample with so many notes of owner "davit" without text, 20 bytes each, at the end, and
/// `headers` program headers behind its own, all of which name them.
std::string with_notes(int notes, std::size_t headers) {
  const Elf64_Nhdr note{6, 0, 7};
  std::string area;
  for (int i = 0; i < notes; ++i) {
    area.append(reinterpret_cast<const char*>(&note), sizeof note).append("davit\0\0\0", 8);
  }
  const std::size_t own = header_of(sample_content("good")).e_phnum;
  Elf64_Phdr segment{};
  segment.p_type = PT_NOTE;
  std::string image = with_segments("good", segment, headers);
  const Elf64_Ehdr header = header_of(image);
  segment.p_offset = image.size();
  segment.p_filesz = area.size();
  for (std::size_t i = own; i < header.e_phnum; ++i) put(image, header.e_phoff + i * 56, segment);
  return image + area;
}

TEST(HostileFileTest, OneAreaOfNotesNamedByEveryHeaderIsDamage) {
  EXPECT_EQ(read_elf(with_notes(50'000, kMostHeaders)).error().message(),
            "damaged or cut off: the notes are larger than the file");
}

TEST(HostileFileTest, NotesOfOneOwnerAreNotAllKept) {
  const Result<ElfFile> elf = read_elf(with_notes(200'000, 1));
  ASSERT_TRUE(elf) << elf.error().message();
  EXPECT_LT(elf->note_types.size(), 10U);
  EXPECT_GT(elf->note_types.size(), 1U) << "more than one note is still noticed";
}

TEST(HostileFileTest, SegmentsThatNoLinkerMakesAreDamage) {
  Elf64_Phdr segment{};
  segment.p_type = PT_LOAD;
  EXPECT_THAT(read_elf(with_segments("good", segment, kMostHeaders)).error().message(),
              HasSubstr("more segments than a linker makes"));
}

TEST(HostileFileTest, SectionNamesWithoutEndAreReadInTheTimeOfTheFile) {
  std::string image = sample_content("good");
  Elf64_Ehdr header = header_of(image);
  constexpr std::size_t kNameBytes = std::size_t{32} << 20;
  Elf64_Shdr section{};
  section.sh_offset = image.size();
  image.append(kNameBytes, 'x');
  header.e_shoff = image.size();
  header.e_shentsize = sizeof section;
  header.e_shnum = kMostHeaders;
  header.e_shstrndx = 0;
  const std::string_view bytes(reinterpret_cast<const char*>(&section), sizeof section);
  for (std::size_t i = 0; i < kMostHeaders; ++i) image += bytes;
  put(image, 0, header);
  const Result<ElfFile> elf = read_elf(image);
  ASSERT_TRUE(elf) << elf.error().message();
  EXPECT_FALSE(elf->go_runtime);
}

TEST(HostileFileTest, TextOfAFileDoesNotReachTheTerminalAsItIs) {
  const std::string sample = sample_content("signal");
  const Result<ElfFile> elf = read_elf(replaced(sample, "libc.so.6", "\x1b]0;me\x07.6"));
  ASSERT_TRUE(elf) << elf.error().message();
  EXPECT_THAT(elf->needed, Contains("\\x1b]0;me\\x07.6"));
}

TEST(HostileFileTest, LibraryNeededByItsPathIsRefused) {
  const std::string sample = sample_content("signal");
  const Result<ElfFile> elf = read_elf(replaced(sample, "libc.so.6", "./li.so.6"));
  ASSERT_TRUE(elf) << elf.error().message();
  std::vector<std::string> refused;
  for (const Finding& each : judge(*elf)) {
    if (each.grade == Grade::kRefused) refused.push_back(each.id);
  }
  EXPECT_THAT(refused, ElementsAre("needed-path"));
}

TEST(HostileFileTest, NoteWithControlCharactersIsRefused) {
  const NoteResult note =
      parse_note(R"({"name":"p","version":"1\u001b[2J","abi":"1.0","controllers":[{"name":"c"}]})");
  EXPECT_THAT(note.mistakes, ElementsAre(HasSubstr("version has control characters")));
  EXPECT_THAT(note.mistakes.front(), Not(HasSubstr("\x1b")));
}

TEST(HostileFileTest, NoteOfManyKeysIsReadInTheTimeOfItsSize) {
  std::string text = R"({"name":"p","version":"1","abi":"1.0","controllers":[{"name":"c"}])";
  constexpr int kKeys = 40'000;
  for (int i = 0; i < kKeys; ++i) text += ",\"k" + std::to_string(i) + "\":1";
  const NoteResult note = parse_note(text + "}");
  EXPECT_TRUE(note.ok());
  EXPECT_THAT(note.declaration.unknown, SizeIs(kKeys));
}

}  // namespace
}  // namespace davit::host
