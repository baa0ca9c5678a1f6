#include "sandbox/kinds/checks.hpp"

#include <algorithm>
#include <cctype>

namespace davit::sandbox {

namespace {

bool missing(const Json& object, std::string_view key) { return object.get(key).is_null(); }

}  // namespace

void add_invalid(const Violations& violations, std::string_view value, const FieldPath& path,
                 FieldErrors& errors) {
  for (const std::string& each : violations) {
    errors.push_back(field_invalid(path.text(), value, each));
  }
}

bool require_text(const Json& object, std::string_view field, const FieldPath& path,
                  FieldErrors& errors) {
  if (!object.get(field).text().empty()) return true;
  errors.push_back(field_required(path.text(field)));
  return false;
}

void check_domain_prefixed_path(std::string_view text, const FieldPath& path, FieldErrors& errors) {
  if (text.empty()) return errors.push_back(field_required(path.text()));
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos || slash == 0 || slash + 1 == text.size()) {
    errors.push_back(field_invalid(path.text(), text,
                                   R"(must be a domain-prefixed path (such as "acme.io/foo"))"));
    return;
  }
  const std::string_view host = text.substr(0, slash);
  add_invalid(check_dns_subdomain(host), host, path, errors);
  const std::string_view rest = text.substr(slash + 1);
  const auto allowed = [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("/-._~%!$&'()*+,;=:").find(static_cast<char>(c)) !=
               std::string_view::npos;
  };
  if (std::ranges::all_of(rest, allowed)) return;
  errors.push_back(field_invalid(
      path.text(), rest,
      R"(Invalid path (regex used for validation is '[A-Za-z0-9/\-._~%!$&'()*+,;=:]+'))"));
}

void check_union_member(const UnionMember& member, const Json& value, const FieldPath& path,
                        FieldErrors& errors) {
  if (!member.type.empty()) check_fields(member.type, value, path, errors);
  if (member.check != nullptr) member.check(value, path, errors);
}

int check_union(const Json& object, std::span<const UnionMember> members, std::string_view what,
                const FieldPath& path, FieldErrors& errors) {
  int count = 0;
  for (const UnionMember& each : members) {
    if (!is_set(object, each.name)) continue;
    if (count++ == 0) {
      check_union_member(each, object.get(each.name), path.child(each.name), errors);
    } else {
      errors.push_back(more_than_one(what, path.text(each.name)));
    }
  }
  return count;
}

FieldError more_than_one(std::string_view what, std::string field) {
  return field_forbidden(std::move(field), "may not specify more than 1 " + std::string(what));
}

void check_immutable(const Json& object, const Json& old, std::string_view field,
                     const FieldPath& path, FieldErrors& errors) {
  const Json& value = object.get(field);
  if (value == old.get(field)) return;
  errors.push_back(field_invalid(path.text(field), value, kFieldImmutable));
}

void set_default(Json& object, std::string_view key, std::string_view text) {
  if (missing(object, key)) object.set(key, text);
}

void set_default(Json& object, std::string_view key, std::int64_t number) {
  if (missing(object, key)) object.set(key, number);
}

void replace_empty(Json& object, std::string_view key, std::string_view text) {
  if (object.get(key).empty()) object.set(key, text);
}

void replace_empty(Json& object, std::string_view key, std::int64_t number) {
  if (object.get(key).empty()) object.set(key, number);
}

Json& object_member(Json& object, std::string_view key) {
  Json& out = object[key];
  if (out.is_null()) out = Json::object();
  return out;
}

}  // namespace davit::sandbox
