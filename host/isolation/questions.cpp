#include "host/isolation/questions.hpp"

#include <utility>

namespace davit::host {

std::uint32_t OpenQuestions::add(std::size_t answer_bytes_max) {
  if (open_.size() >= kMax) return 0;
  open_.emplace(++last_id_, Open{answer_bytes_max, {}});
  return last_id_;
}

bool OpenQuestions::take(const AnswerPart& part) {
  const auto found = open_.find(part.id);
  if (found == open_.end()) return false;
  Open& open = found->second;
  if (part.bytes.size() > open.bytes_max - open.body.size()) return false;
  open.body += part.bytes;
  return true;
}

bool OpenQuestions::take(const Answer& answer) {
  const auto found = open_.find(answer.id);
  if (found == open_.end()) return false;
  answered_[answer.id] = {answer.status, answer.form, answer.content_type,
                          std::move(found->second.body)};
  open_.erase(found);
  return true;
}

std::map<std::uint32_t, Answered> OpenQuestions::take_answers() {
  return std::exchange(answered_, {});
}

}  // namespace davit::host
