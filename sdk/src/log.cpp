#include <array>
#include <davit/log.hpp>

namespace davit {

void Log::write(std::int32_t level, std::string_view message,
                std::initializer_list<LogField> fields) const {
  std::array<davit_log_field, kFieldsMax> raw{};
  std::size_t count = 0;
  for (const LogField& field : fields) {
    if (count == raw.size()) break;
    raw[count++] = {to_c(field.key), to_c(field.value)};
  }
  api_->log->write(api_->call(), level, to_c(message), raw.data(), count);
}

}  // namespace davit
