#include <davit/controller.hpp>

namespace davit {

Controller::~Controller() = default;

Result<DebugPage> Controller::debug(std::string_view path, std::string_view query) const {
  static_cast<void>(path);
  static_cast<void>(query);
  return Status(Code::kNotFound, "no such page");
}

Status Controller::configure(const Value& config) {
  static_cast<void>(config);
  return {Code::kUnsupported, "it takes no configuration while it runs"};
}

}  // namespace davit
