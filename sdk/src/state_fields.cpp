#include <davit/state_fields.hpp>
#include <optional>

namespace davit {

std::string StateFields::text(std::string_view name) const {
  const std::optional<std::string_view> found = object_[name].text();
  if (!found) refuse(name, "a text");
  return std::string(found.value_or(std::string_view()));
}

bool StateFields::boolean(std::string_view name) const {
  const std::optional<bool> found = object_[name].boolean();
  if (!found) refuse(name, "true or false");
  return found.value_or(false);
}

std::int64_t StateFields::integer(std::string_view name, Range range) const {
  const std::optional<std::int64_t> found = object_[name].integer();
  if (!found || *found < range.least || *found > range.most) {
    refuse(name, "a number within its range");
    return range.least;
  }
  return *found;
}

Time StateFields::past(std::string_view name, Time now) const {
  const Time found = time(name);
  if (found > now) refuse(name, "in the past");
  return found;
}

Value StateFields::array(std::string_view name) const {
  const Value found = object_[name];
  if (found.kind() != Kind::kArray) refuse(name, "a list");
  return found;
}

std::vector<std::string> StateFields::texts(std::string_view name) const {
  std::vector<std::string> out;
  for (const Value each : array(name).elements()) {
    if (!each.text()) refuse(name, "a list of texts");
    out.emplace_back(each.string());
  }
  return out;
}

void StateFields::refuse(std::string_view name, std::string_view wanted) const {
  if (!status_->ok()) return;
  *status_ = Status(Code::kInvalid, (name.empty() ? "a part" : "\"" + std::string(name) + "\"") +
                                        " is not " + std::string(wanted));
}

}  // namespace davit
