#include "host/isolation/sealed_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>
#include <system_error>

#include "lib/base/write_all.hpp"

namespace davit::host {
namespace {

constexpr int kSeals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;

Status file_error(const char* what) {
  return {Code::kUnavailable, std::string(what) + ": " + std::generic_category().message(errno)};
}

}  // namespace

Result<UniqueFd> make_sealed_file(const std::string& name, std::string_view content) {
  UniqueFd file(memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file.valid()) return file_error("cannot create a file in memory");
  if (!write_all(file.get(), content)) return file_error("cannot fill a file in memory");
  if (fcntl(file.get(), F_ADD_SEALS, kSeals) != 0) return file_error("cannot seal a file");
  return file;
}

Status check_sealed(int descriptor) {
  const int seals = fcntl(descriptor, F_GET_SEALS);
  if (seals >= 0 && (seals & kSeals) == kSeals) return {};
  return {Code::kInvalid, "the file is not sealed: it could change after it was verified"};
}

}  // namespace davit::host
