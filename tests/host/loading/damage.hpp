/// Damaged copies of a library.
#pragma once

#include <elf.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace davit::host {

/// A byte of a file that gets another value.
struct Damage {
  std::size_t offset = 0;
  char value = 0;

  [[nodiscard]] std::string applied_to(std::string image) const {
    image[offset] = value;
    return image;
  }
  [[nodiscard]] std::string text() const {
    return "byte " + std::to_string(offset) + " as " +
           std::to_string(static_cast<unsigned char>(value));
  }
};

/// `count` damages, spread evenly over the bytes that the loader reads first: ELF header, program
/// headers, dynamic section. The same for the same file.
inline std::vector<Damage> damages(const std::string& image, std::size_t count) {
  Elf64_Ehdr header;
  std::memcpy(&header, image.data(), sizeof header);
  std::vector<std::size_t> offsets;
  const auto add = [&](std::size_t begin, std::size_t size) {
    for (std::size_t i = begin; i < begin + size; ++i) offsets.push_back(i);
  };
  add(0, sizeof header);
  add(header.e_phoff, std::size_t{header.e_phnum} * sizeof(Elf64_Phdr));
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, image.data() + header.e_phoff + i * sizeof segment, sizeof segment);
    if (segment.p_type == PT_DYNAMIC) add(segment.p_offset, segment.p_filesz);
  }
  std::mt19937 random(29);
  std::vector<Damage> out;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t offset = offsets[i * offsets.size() / count];
    const auto change = static_cast<unsigned char>(1 + random() % 255);
    out.push_back({offset, static_cast<char>(image[offset] ^ change)});
  }
  return out;
}

}  // namespace davit::host
