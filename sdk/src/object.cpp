#include <davit/object.hpp>

namespace davit {

Value Value::path(std::initializer_list<Name> names) const {
  static_assert(sizeof(Name) == sizeof(davit_name));
  if (is_absent()) return {};
  std::array<davit_name, kPathMax> ids{};
  std::size_t count = 0;
  for (const Name name : names) {
    if (count == ids.size()) return {};
    ids[count++] = name.id;
  }
  davit_value out{};
  check(api_->object->path(raw_, ids.data(), count, &out));
  return {api_, out};
}

std::string Value::json() const {
  std::string out;
  append_json(out);
  return out;
}

void Value::append_json(std::string& out) const {
  const davit_sink sink = append_to(out);
  if (!is_absent()) check(api_->object->json(raw_, &sink));
}

Result<Value> parse_json(const Api& api, std::string_view json) {
  davit_value out{};
  const davit_code code = api.object->parse(api.call(), to_c(json), &out);
  if (code != DAVIT_OK) return api.failure_of(code, "malformed JSON text");
  return Value(&api, out);
}

}  // namespace davit
