#include "sandbox/crd/pattern.hpp"

#include <utility>

#include "sandbox/crd/byte_class.hpp"
#include "sandbox/crd/pattern_compiler.hpp"

namespace davit::sandbox {

namespace {

bool is_word(std::string_view text, std::size_t at) {
  return at < text.size() && words().test(static_cast<unsigned char>(text[at]));
}

}  // namespace

Result<Pattern> Pattern::compile(std::string_view expression) {
  Result<std::vector<Step>> steps = compile_steps(expression);
  if (!steps) return steps.error();
  return Pattern(std::move(*steps));
}

bool Pattern::matches(std::string_view text) const {
  std::vector<std::uint32_t> now;
  std::vector<std::uint32_t> next;
  std::vector<std::uint32_t> pending;
  // For each step the last place at which it was reached, plus one.
  std::vector<std::size_t> reached(steps_.size(), 0);
  const auto reach = [&](std::uint32_t first, std::size_t at) {
    pending.push_back(first);
    while (!pending.empty()) {
      const std::uint32_t place = pending.back();
      pending.pop_back();
      if (std::exchange(reached[place], at + 1) == at + 1) continue;
      const Step& step = steps_[place];
      const bool edge = is_word(text, at) != (at > 0 && is_word(text, at - 1));
      bool through = false;
      switch (step.op) {
        case Op::kMatch:
          return true;
        case Op::kBytes:
          next.push_back(place);
          break;
        case Op::kSplit:
          pending.push_back(place + step.other);
          through = true;
          break;
        case Op::kTextStart:
          through = at == 0;
          break;
        case Op::kTextEnd:
          through = at == text.size();
          break;
        case Op::kWordEdge:
          through = edge;
          break;
        case Op::kNoWordEdge:
          through = !edge;
          break;
      }
      if (through) pending.push_back(place + step.next);
    }
    return false;
  };
  for (std::size_t at = 0; at <= text.size(); ++at) {
    if (at > 0) {
      const auto byte = static_cast<unsigned char>(text[at - 1]);
      for (const std::uint32_t place : now) {
        if (steps_[place].bytes.test(byte) && reach(place + steps_[place].next, at)) return true;
      }
    }
    if (reach(0, at)) return true;
    now.swap(next);
    next.clear();
  }
  return false;
}

}  // namespace davit::sandbox
