#include "lib/kube/validation/field_path.hpp"

namespace davit {

std::string FieldPath::text() const {
  std::string out;
  append_to(out);
  return out;
}

std::string FieldPath::text(std::string_view child) const {
  std::string out = text();
  if (!out.empty()) out += '.';
  return out += child;
}

void FieldPath::append_to(std::string& out) const {
  if (parent_ != nullptr) parent_->append_to(out);
  switch (form_) {
    case Form::kRoot:
      return;
    case Form::kName:
      if (!out.empty()) out += '.';
      out += name_;
      return;
    case Form::kIndex:
      out += '[' + std::to_string(index_) + ']';
      return;
    case Form::kKey:
      out += '[';
      out += name_;
      out += ']';
      return;
  }
}

}  // namespace davit
