#include <map>

#include "sandbox/kinds/age_text.hpp"
#include "sandbox/kinds/columns_cells.hpp"
#include "sandbox/kinds/metadata.hpp"

namespace davit::sandbox {
namespace {

std::string joined_members(const Json& containers, std::string_view member) {
  std::vector<std::string> out;
  for (const Json& each : containers.items()) out.push_back(each.get(member).text());
  return join_texts(out, ",");
}

}  // namespace

const std::string& name_of(const Json& object) { return object.text_at({"metadata", "name"}); }

std::string age_of(const Json& object, WallTime now) {
  return human_age(object.text_at({"metadata", "creationTimestamp"}), now);
}

const Json& value_at(const Json& object, std::initializer_list<std::string_view> path) {
  const Json* value = &object;
  for (const std::string_view step : path) value = &value->get(step);
  return *value;
}

std::int64_t number_at(const Json& object, std::initializer_list<std::string_view> path) {
  return value_at(object, path).integer_or(0);
}

std::string text_or(const Json& object, std::initializer_list<std::string_view> path,
                    std::string_view otherwise) {
  const std::string& text = object.text_at(path);
  return text.empty() ? std::string(otherwise) : text;
}

const char* bool_text(const Json& value) { return value.boolean() ? "True" : "False"; }

std::string join_texts(const std::vector<std::string>& texts, std::string_view separator) {
  std::string out;
  for (const std::string& each : texts) {
    if (&each != &texts.front()) out += separator;
    out += each;
  }
  return out;
}

std::string labels_text(const Json& labels) {
  std::map<std::string, std::string> sorted;
  for (const Json::Member& each : labels.members()) sorted[each.key] = each.value.text();
  std::string out;
  for (const auto& [key, value] : sorted) {
    if (!out.empty()) out += ',';
    out += key + '=' + value;
  }
  return out.empty() ? "<none>" : out;
}

std::string selector_text(const Json& selector) {
  std::string out = selector_query(selector);
  return out.empty() ? "<none>" : out;
}

std::string container_names(const Json& pod_spec) {
  return joined_members(pod_spec.get("containers"), "name");
}

std::string container_images(const Json& pod_spec) {
  return joined_members(pod_spec.get("containers"), "image");
}

void ShortList::add(std::string text) {
  ++count_;
  if (shown_.size() < kShown) shown_.push_back(std::move(text));
}

std::string ShortList::text() const {
  std::string out = join_texts(shown_, ",");
  if (count_ > kShown) out += " + " + std::to_string(count_ - kShown) + " more...";
  return out;
}

}  // namespace davit::sandbox
