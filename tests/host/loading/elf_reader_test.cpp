#include "host/loading/elf_reader.hpp"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "host/loading/elf_findings.hpp"
#include "host/loading/needed_libraries.hpp"
#include "host/loading/plugin_file.hpp"
#include "lib/base/random.hpp"
#include "tests/host/loading/samples.hpp"

namespace davit::host {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

std::vector<std::string> finding_ids(const ElfFile& elf) {
  std::vector<std::string> out;
  for (const Finding& finding : judge(elf)) out.push_back(finding.id);
  return out;
}

TEST(ElfReaderTest, FactsOfAGoodPluginAreRead) {
  const Result<ElfFile> elf = read_elf(sample_content("good"));
  ASSERT_TRUE(elf) << elf.error().message();
  EXPECT_EQ(elf->machine, own_machine());
  ASSERT_EQ(elf->exports.size(), 1U);
  EXPECT_EQ(elf->exports[0].name, "davit_plugin_v1");
  EXPECT_TRUE(elf->exports[0].is_function);
  EXPECT_FALSE(elf->build_id.empty());
  ASSERT_TRUE(elf->note);
  EXPECT_THAT(*elf->note, StartsWith(R"({"name":"sample")"));
  EXPECT_TRUE(elf->note->ends_with("}")) << "the NUL is not part of the text";
  EXPECT_EQ(judge(*elf).size(), 0U);
}

TEST(ElfReaderTest, ImportsAndNeededLibrariesAreRead) {
  const Result<ElfFile> elf = read_elf(sample_content("signal"));
  ASSERT_TRUE(elf) << elf.error().message();
  EXPECT_THAT(elf->needed, Contains("libc.so.6"));
  EXPECT_TRUE(elf->imports_symbol("signal"));
  EXPECT_FALSE(elf->imports_symbol("sign"));
}

/// A sample with another text of the same length.
std::string with_text(std::string image, std::string_view text, std::string_view other) {
  for (auto at = image.find(text); at != image.npos; at = image.find(text, at + 1)) {
    image.replace(at, text.size(), other);
  }
  return image;
}

std::vector<std::string> refusals(const std::string& image) {
  const Result<Judgement> judgement = judge_wholly("p.so", image, "digest", Needs::kJudged);
  return judgement ? judgement->refusals() : std::vector{judgement.error().message()};
}

// Issue 38, 1.11: such files were "swappable", and failed when they were loaded.
TEST(ElfReaderTest, AVersionOfALibraryThatThisMachineLacksIsRefused) {
  const std::string sample = sample_content("signal");
  EXPECT_THAT(refusals(sample), testing::IsEmpty());
  const Result<ElfFile> elf = read_elf(sample);
  ASSERT_TRUE(elf && !elf->versions.empty());
  // Each machine has a version of its own in which its glibc began.
  const std::string here = elf->versions.front().version;
  std::string later = here;
  std::ranges::replace_if(
      later, [](char c) { return c >= '0' && c <= '9'; }, '9');
  EXPECT_THAT(refusals(with_text(sample, here, later)),
              Contains("needs " + later + " of " + elf->versions.front().library +
                       ", which is older here: build it on the oldest system that must run it"));
}

TEST(ElfReaderTest, ALibraryThatThisMachineLacksIsRefused) {
  EXPECT_THAT(refusals(with_text(sample_content("signal"), "libc.so.6", "libq.so.6")),
              testing::ElementsAre("needs the library libq.so.6, which this machine lacks: install "
                                   "it, or link it statically"));
}

TEST(ElfReaderTest, TheCacheOfTheLoaderKnowsLibrariesOfFurtherFolders) {
  const std::string cache("x86\0/usr/local/lib/libx.so.1\0liby.so\0", 38);
  EXPECT_TRUE(lists_library(cache, "libx.so.1"));
  EXPECT_TRUE(lists_library(cache, "liby.so"));
  EXPECT_FALSE(lists_library(cache, "libx.so"));
  EXPECT_FALSE(lists_library(cache, "x.so.1"));
}

TEST(ElfReaderTest, LowestVersionIsComparedByNumbers) {
  ElfFile elf;
  elf.versions = {{"libc.so.6", "GLIBC_2.9"},
                  {"libm.so.6", "GLIBC_2.34"},
                  {"libc.so.6", "GLIBC_2.2.5"},
                  {"libc.so.6", "GLIBC_PRIVATE"},
                  {"libstdc++.so.6", "GLIBCXX_3.4"}};
  EXPECT_EQ(lowest_version(elf, "GLIBC_"), "2.34");
  EXPECT_EQ(lowest_version(elf, "GLIBCXX_"), "3.4");
  EXPECT_EQ(lowest_version(elf, "OPENSSL_"), "");
}

TEST(ElfReaderTest, StrippedFilesShowTheSame) {
  const Result<ElfFile> good = read_elf(sample_content("good"));
  const Result<ElfFile> stripped = read_elf(sample_content("stripped"));
  ASSERT_TRUE(stripped) << stripped.error().message();
  EXPECT_EQ(stripped->note, good->note);
  EXPECT_EQ(stripped->exports.size(), 1U);
}

TEST(ElfReaderTest, FilesWithoutSectionHeadersShowTheSame) {
  std::string image = sample_content("good");
  const Result<ElfFile> good = read_elf(image);
  const std::uint64_t none = 0;
  std::memcpy(image.data() + offsetof(Elf64_Ehdr, e_shoff), &none, sizeof none);
  std::memcpy(image.data() + offsetof(Elf64_Ehdr, e_shnum), &none, 2);

  const Result<ElfFile> bare = read_elf(image);

  ASSERT_TRUE(bare) << bare.error().message();
  EXPECT_EQ(bare->note, good->note);
  EXPECT_EQ(bare->exports.size(), 1U);
}

struct FindingCase {
  const char* sample;
  const char* id;
  Grade grade;
};

constexpr FindingCase kFindingCases[] = {
    {"two_exports", "exports", Grade::kRefused},
    {"no_entry", "no-entry", Grade::kRefused},
    {"executable_stack", "executable-stack", Grade::kRefused},
    {"run_path", "run-path", Grade::kRefused},
    {"old_run_path", "run-path", Grade::kRefused},
    {"thread", "thread", Grade::kLoadOnce},
    {"signal", "signal", Grade::kLoadOnce},
    {"static_tls", "static-tls", Grade::kLoadOnce},
    {"no_delete", "no-delete", Grade::kLoadOnce},
    {"thread_local", "thread-local-destructor", Grade::kLoadOnce},
};

TEST(ElfReaderTest, EachFindingIsFoundAlone) {
  for (const FindingCase& each : kFindingCases) {
    const Result<ElfFile> elf = read_elf(sample_content(each.sample));
    ASSERT_TRUE(elf) << each.sample << ": " << elf.error().message();
    EXPECT_THAT(finding_ids(*elf), testing::ElementsAre(each.id)) << each.sample;
    EXPECT_EQ(overall(judge(*elf)), each.grade) << each.sample;
  }
}

#if defined(__GNUC__) && !defined(__clang__)
TEST(ElfReaderTest, UniqueSymbolsAreFound) {
  const Result<ElfFile> elf = read_elf(sample_content("unique"));
  ASSERT_TRUE(elf) << elf.error().message();
  EXPECT_THAT(finding_ids(*elf), Contains("gnu-unique"));
}
#endif

TEST(ElfReaderTest, NonPluginFileIsReported) {
  const std::string good = sample_content("good");
  const auto patched = [&](std::size_t at, char value) {
    std::string image = good;
    image[at] = value;
    return image;
  };
  EXPECT_EQ(read_elf("").error().message(), "not an ELF file: it is empty");
  EXPECT_EQ(read_elf("#!/bin/sh\n").error().message(), "not an ELF file");
  EXPECT_EQ(read_elf("\177ELF").error().message(), "damaged or cut off: the ELF header");
  EXPECT_THAT(read_elf(patched(EI_CLASS, ELFCLASS32)).error().message(),
              StartsWith("a 32-bit ELF"));
  EXPECT_THAT(read_elf(patched(EI_DATA, ELFDATA2MSB)).error().message(),
              StartsWith("a big-endian"));
  EXPECT_THAT(read_elf(patched(offsetof(Elf64_Ehdr, e_type), ET_EXEC)).error().message(),
              StartsWith("not a shared library"));
}

TEST(ElfReaderTest, LibrariesForOtherMachinesAreReadAndRefused) {
  std::string image = sample_content("good");
  const std::uint16_t other = own_machine() == EM_AARCH64 ? EM_X86_64 : EM_AARCH64;
  std::memcpy(image.data() + offsetof(Elf64_Ehdr, e_machine), &other, sizeof other);
  const Result<ElfFile> elf = read_elf(image);
  ASSERT_TRUE(elf) << elf.error().message();
  const std::vector<Finding> findings = judge(*elf);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].id, "machine");
  EXPECT_EQ(findings[0].text, "is built for " + machine_name(other) + ", this host is " +
                                  machine_name(own_machine()));
}

TEST(ElfReaderTest, CutFilesAreRefusedWhereverTheyAreCut) {
  const std::string image = sample_content("good");
  for (std::size_t size = 0; size < image.size(); size += 64) {
    const std::string cut =
        image.substr(0, size);  // Its own allocation, so sanitizers see its end.
    EXPECT_FALSE(read_elf(cut)) << size;
  }
}

TEST(ElfReaderTest, DamagedFilesNeverCrash) {
  const std::string image = sample_content("good");
  const std::unique_ptr<Random> random = make_seeded_random(1);
  for (int round = 0; round < 3'000; ++round) {
    std::string damaged = image;
    for (int i = 0; i < 8; ++i) {
      // Headers and tables lie at the front; most hits go there.
      const std::size_t span = i < 6 ? std::min<std::size_t>(damaged.size(), 2048) : damaged.size();
      damaged[random->next() % span] = static_cast<char>(random->next());
    }
    const Result<ElfFile> elf = read_elf(damaged);
    if (elf) continue;
    EXPECT_FALSE(elf.error().message().empty());
  }
}

}  // namespace
}  // namespace davit::host
