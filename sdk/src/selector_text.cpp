#include <cstddef>
#include <davit/kube/selector.hpp>
#include <utility>

namespace davit {

/// Reads the text of a selector from its beginning (k8s.io/apimachinery/pkg/labels.Parser).
class SelectorText {
 public:
  explicit SelectorText(std::string_view text) : rest_(text) { next(); }

  [[nodiscard]] Result<Selector> read() {
    Selector out;
    if (word_.empty()) return out;
    while (true) {
      if (Status s = read_requirement(out); !s.ok()) return s;
      if (word_.empty()) break;
      if (word_ != ",") return unexpected("',' or 'end of string'");
      next();
      if (!is_identifier() && word_ != "!") return unexpected("identifier after ','");
    }
    std::stable_sort(out.requirements_.begin(), out.requirements_.end(),
                     [](const auto& a, const auto& b) { return a.key < b.key; });
    return out;
  }

 private:
  static constexpr std::string_view kSpace = " \t\r\n";
  static constexpr std::string_view kSpecial = "=!(),><";  // And spaces end a word.

  [[nodiscard]] bool is_identifier() const {
    return !word_.empty() && kSpecial.find(word_.front()) == std::string_view::npos;
  }
  [[nodiscard]] Status unexpected(std::string_view expected) const {
    return {Code::kInvalid,
            "found '" + std::string(word_) + "', expected: " + std::string(expected)};
  }

  void next() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(kSpace), rest_.size()));
    std::size_t size = std::min(rest_.find_first_of("=!(),>< \t\r\n"), rest_.size());
    if (size == 0 && !rest_.empty()) {
      size = rest_.starts_with("==") || rest_.starts_with("!=") ? 2 : 1;
    }
    word_ = rest_.substr(0, size);
    rest_.remove_prefix(size);
  }

  Status read_requirement(Selector& out) {
    const bool negated = word_ == "!";
    if (negated) next();
    if (!is_identifier()) return unexpected("!, identifier, or 'end of string'");
    Selector::Requirement requirement{std::string(word_), LabelOperator::kExists, {}};
    if (Status s = Selector::check_key(requirement.key); !s.ok()) return s;
    next();
    if (negated || word_.empty() || word_ == ",") {
      if (negated) requirement.op = LabelOperator::kDoesNotExist;
    } else if (Status s = read_operator(requirement); !s.ok()) {
      return s;
    }
    out.requirements_.push_back(std::move(requirement));
    return {};
  }

  Status read_operator(Selector::Requirement& to) {
    struct Sign {
      std::string_view text;
      LabelOperator op;
      std::string_view printed;
    };
    constexpr Sign kSigns[] = {{"=", LabelOperator::kEquals, ""},
                               {"==", LabelOperator::kEquals, "=="},
                               {"!=", LabelOperator::kNotIn, "!="},
                               {">", LabelOperator::kGreater, ">"},
                               {"<", LabelOperator::kLess, "<"}};
    const std::string op(word_);
    if (op == "in" || op == "notin") {
      to.op = op == "in" ? LabelOperator::kIn : LabelOperator::kNotIn;
      next();
      return read_set(to);
    }
    for (const Sign& each : kSigns) {
      if (op != each.text) continue;
      to.op = each.op;
      to.sign = each.printed;
      next();
      to.values.emplace_back();
      if (is_identifier()) {
        to.values.back() = word_;
        next();
      } else if (!word_.empty() && word_ != ",") {
        return unexpected("identifier");
      }
      return Selector::check_value(to.values.back());
    }
    return unexpected("in, notin, =, ==, !=, gt, lt");
  }

  Status read_set(Selector::Requirement& to) {
    if (word_ != "(") return unexpected("'('");
    next();
    std::string value;
    for (; word_ != ")"; next()) {
      if (word_ == ",") {
        to.values.push_back(std::exchange(value, {}));
      } else if (is_identifier() && value.empty()) {
        value = word_;
      } else {
        return unexpected("',', or ')'");
      }
    }
    to.values.push_back(std::move(value));
    next();
    for (const std::string& each : to.values) {
      if (Status s = Selector::check_value(each); !s.ok()) return s;
    }
    std::sort(to.values.begin(), to.values.end());
    return {};
  }

  std::string_view rest_;
  std::string_view word_;  // The token at hand; empty at the end.
};

Result<Selector> Selector::parse_text(std::string_view text) {
  Result<Selector> read = SelectorText(text).read();
  if (!read) return read.error().with_context("unable to parse requirement");
  return read;
}

}  // namespace davit
