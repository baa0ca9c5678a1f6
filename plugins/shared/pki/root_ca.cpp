#include "plugins/shared/pki/root_ca.hpp"

#include <cerrno>
#include <davit/options.hpp>
#include <fstream>
#include <iterator>
#include <system_error>

#include "plugins/shared/pki/pem.hpp"

namespace davit::pki {

Status check_text_options(Value config, std::initializer_list<std::string_view> known) {
  if (Status s = check_options(config, known); !s.ok()) return s;
  for (const Member& each : config.members()) {
    if (each.value.kind() == Kind::kString) continue;
    return {Code::kInvalid, std::string(each.key) + " must be a string"};
  }
  return {};
}

Result<std::string> read_file(const std::string& path) {
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  // A directory opens, and fails at the first byte.
  if (in.is_open() && !in.bad()) return text;
  const std::string why = std::generic_category().message(errno);
  return Status(Code::kInvalid, "cannot read " + path + ": " + why);
}

Result<std::string> read_root_ca(Value config) {
  const std::string file(config[kRootCaFileOption].string());
  if (file.empty()) return std::string(config[kRootCaOption].string());
  Result<std::string> pem = read_file(file);
  if (pem && first_certificate(*pem)) return pem;
  return Status(Code::kInvalid, "error parsing root-ca-file at " + file + ": " +
                                    (pem ? "data does not contain any valid certificate in PEM"
                                         : pem.error().message()));
}

}  // namespace davit::pki
