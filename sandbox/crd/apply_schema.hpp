/// ApplySchema: a custom resource's schema in the form in which server-side apply reads it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lib/kube/schema/schema.hpp"
#include "sandbox/crd/structural_schema.hpp"

namespace davit::sandbox {

/// Owns messages that point to each other. Immutable once built.
class ApplySchema {
 public:
  explicit ApplySchema(const SchemaNode& root);
  ApplySchema(const ApplySchema&) = delete;
  ApplySchema& operator=(const ApplySchema&) = delete;
  ~ApplySchema() = default;

  [[nodiscard]] const Message& root() const { return *root_; }

 private:
  Message& message_of(const SchemaNode& node);
  Field field_of(std::string name, const SchemaNode& node);
  void add_list(const SchemaNode& node, Field& field);
  const Field* keep(Field field);

  std::vector<std::unique_ptr<Message>> messages_;
  std::vector<std::unique_ptr<Field>> fields_;
  Message* root_;
};

}  // namespace davit::sandbox
