#include "lib/cel/authorizer.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "lib/kube/names.hpp"

namespace davit::cel {
namespace {

/// Go compares the parts of such values that all of them share, and so never finds two equal.
class Incomparable : public OpaqueValue {
 public:
  [[nodiscard]] bool equals(const OpaqueValue& /*other*/) const override { return false; }
  [[nodiscard]] bool has_equality() const override { return false; }
};

Value opaque(std::shared_ptr<const OpaqueValue> value) { return OpaqueRef(std::move(value)); }

/// The one argument as a text; nothing if there are others.
std::optional<std::string> one_text(std::span<const Value> args) {
  if (args.size() != 1 || args[0].kind() != ValueKind::kString) return std::nullopt;
  return std::string(args[0].text());
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\n\v\f\r") == std::string_view::npos;
}

class DecisionValue final : public Incomparable {
 public:
  explicit DecisionValue(AccessVerdict verdict) : verdict_(std::move(verdict)) {}

  [[nodiscard]] std::string_view type_name() const override {
    return "kubernetes.authorization.Decision";
  }
  [[nodiscard]] std::optional<Value> call(std::string_view function,
                                          std::span<const Value> args) const override {
    if (!args.empty()) return std::nullopt;
    if (function == "allowed") return verdict_.allowed;
    if (function == "reason") return text_value(verdict_.reason);
    if (function == "errored") return !verdict_.error.empty();
    if (function == "error") return text_value(verdict_.error);
    return std::nullopt;
  }

 private:
  const AccessVerdict verdict_;
};

/// A question that lacks its verb, and later perhaps more.
class Question : public Incomparable {
 public:
  Question(AccessQuestion question, AccessCheck check)
      : question_(std::move(question)), check_(std::move(check)) {}

 protected:
  [[nodiscard]] Value ask(std::string verb) const {
    AccessQuestion question = question_;
    question.verb = std::move(verb);
    return opaque(std::make_shared<DecisionValue>(check_(question)));
  }
  [[nodiscard]] const AccessQuestion& question() const { return question_; }
  [[nodiscard]] const AccessCheck& check() const { return check_; }

 private:
  const AccessQuestion question_;
  const AccessCheck check_;
};

class PathCheck final : public Question {
 public:
  using Question::Question;
  [[nodiscard]] std::string_view type_name() const override {
    return "kubernetes.authorization.PathCheck";
  }
  [[nodiscard]] std::optional<Value> call(std::string_view function,
                                          std::span<const Value> args) const override {
    std::optional<std::string> verb = one_text(args);
    if (!verb || function != "check") return std::nullopt;
    return ask(std::move(*verb));
  }
};

class ResourceCheck final : public Question {
 public:
  using Question::Question;
  [[nodiscard]] std::string_view type_name() const override {
    return "kubernetes.authorization.ResourceCheck";
  }
  [[nodiscard]] std::optional<Value> call(std::string_view function,
                                          std::span<const Value> args) const override {
    std::optional<std::string> text = one_text(args);
    if (!text) return std::nullopt;
    if (function == "check") return ask(std::move(*text));
    constexpr std::pair<std::string_view, std::string AccessQuestion::*> kParts[] = {
        {"subresource", &AccessQuestion::subresource},
        {"namespace", &AccessQuestion::ns},
        {"name", &AccessQuestion::name},
        {"fieldSelector", &AccessQuestion::field_selector},
        {"labelSelector", &AccessQuestion::label_selector}};
    for (const auto& [name, part] : kParts) {
      if (name != function) continue;
      AccessQuestion narrower = question();
      narrower.*part = std::move(*text);
      return opaque(std::make_shared<ResourceCheck>(std::move(narrower), check()));
    }
    return std::nullopt;
  }
};

class GroupCheck final : public Question {
 public:
  using Question::Question;
  [[nodiscard]] std::string_view type_name() const override {
    return "kubernetes.authorization.GroupCheck";
  }
  [[nodiscard]] std::optional<Value> call(std::string_view function,
                                          std::span<const Value> args) const override {
    std::optional<std::string> resource = one_text(args);
    if (!resource || function != "resource") return std::nullopt;
    if (is_blank(*resource)) return error_value("resource must not be empty");
    AccessQuestion narrower = question();
    narrower.resource = std::move(*resource);
    return resource_check_value(std::move(narrower), check());
  }
};

class Authorizer final : public Incomparable {
 public:
  Authorizer(UserInfo who, AccessCheck check) : who_(std::move(who)), check_(std::move(check)) {}

  [[nodiscard]] std::string_view type_name() const override {
    return "kubernetes.authorization.Authorizer";
  }
  [[nodiscard]] std::optional<Value> call(std::string_view function,
                                          std::span<const Value> args) const override {
    if (function == "serviceAccount") return account(args);
    std::optional<std::string> text = one_text(args);
    if (!text) return std::nullopt;
    AccessQuestion question;
    question.who = who_;
    if (function == "group") {
      question.group = std::move(*text);
      return opaque(std::make_shared<GroupCheck>(std::move(question), check_));
    }
    if (function != "path") return std::nullopt;
    if (is_blank(*text)) return error_value("path must not be empty");
    question.is_resource = false;
    question.path = std::move(*text);
    return opaque(std::make_shared<PathCheck>(std::move(question), check_));
  }

 private:
  /// The authorizer for requests of a ServiceAccount.
  [[nodiscard]] std::optional<Value> account(std::span<const Value> args) const {
    if (args.size() != 2 || args[0].kind() != ValueKind::kString ||
        args[1].kind() != ValueKind::kString) {
      return std::nullopt;
    }
    const std::string ns(args[0].text());
    const std::string name(args[1].text());
    if (!check_dns_subdomain(name).empty()) return error_value("Invalid service account name");
    if (!check_dns_label(ns).empty()) return error_value("Invalid service account namespace");
    UserInfo who{.name = "system:serviceaccount:" + ns + ':' + name,
                 .groups = {"system:serviceaccounts", "system:serviceaccounts:" + ns}};
    return authorizer_value(std::move(who), check_);
  }

  const UserInfo who_;
  const AccessCheck check_;
};

}  // namespace

Value authorizer_value(UserInfo who, AccessCheck check) {
  return opaque(std::make_shared<Authorizer>(std::move(who), std::move(check)));
}

Value resource_check_value(AccessQuestion about, AccessCheck check) {
  return opaque(std::make_shared<ResourceCheck>(std::move(about), std::move(check)));
}

}  // namespace davit::cel
