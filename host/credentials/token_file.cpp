#include "host/credentials/token_file.hpp"

#include <utility>

#include "lib/base/header_value.hpp"
#include "lib/base/text_file.hpp"

namespace davit::host {
namespace {

Result<std::string> read_token(const std::string& path) {
  Result<std::string> content = read_text_file(path);
  if (!content) return content.error().with_context("failed to read token file \"" + path + "\"");
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = content->find_first_not_of(kBlank);
  if (first == std::string::npos) {
    return Status(Code::kInvalid, "read empty token from file \"" + path + "\"");
  }
  std::string token = content->substr(first, content->find_last_not_of(kBlank) - first + 1);
  const std::string fault = header_fault(bearer_authorization(token));
  if (fault.empty()) return token;
  return Status(Code::kInvalid, "the token in file \"" + path + "\" " + fault);
}

}  // namespace

TokenFile::TokenFile(std::string path, std::string fallback, Clock& clock, Logger log)
    : path_(std::move(path)), clock_(clock), log_(std::move(log)), token_(std::move(fallback)) {}

Result<Credential> TokenFile::get() {
  const Time now = clock_.now();
  {
    MutexLock lock(mutex_);
    if (read_at_ != Time::min() && now - read_at_ < kKeep) {
      return Credential{bearer_authorization(token_), nullptr};
    }
  }
  Result<std::string> fresh = read_token(path_);
  if (!fresh) {
    // Logged at every request until it works again, as upstream: the token will run out.
    log_.error("Unable to rotate token", {{"err", fresh.error().message()}});
  }
  MutexLock lock(mutex_);
  if (fresh) {
    token_ = *std::move(fresh);
    read_at_ = now;
  } else if (token_.empty()) {
    return fresh.error();
  }
  return Credential{bearer_authorization(token_), nullptr};
}

}  // namespace davit::host
