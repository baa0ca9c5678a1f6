/// The questions of a host to a child process, and their answers. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "host/isolation/messages.hpp"

namespace davit::host {

struct Question {
  AskKind kind = AskKind::kPage;
  std::string text = {};             ///< See Ask.
  std::uint32_t form = 0;            ///< See Ask.
  std::string bytes = {};            ///< Goes ahead in AskParts.
  std::size_t answer_bytes_max = 0;  ///< A child that sends more ends.
};

/// An answer as the child gave it.
struct Answered {
  std::uint16_t status = 0;
  std::uint32_t form = 0;
  std::string content_type = {};
  std::string body = {};
};

/// The questions that a child has not answered yet. Not thread-safe.
class OpenQuestions {
 public:
  /// As many at most: a child that leaves more without an answer ends.
  static constexpr std::size_t kMax = 64;

  /// The id of another question; 0: too many are open.
  [[nodiscard]] std::uint32_t add(std::size_t answer_bytes_max);
  /// Takes a part of an answer; false: nothing of the kind was asked, or it is too long.
  [[nodiscard]] bool take(const AnswerPart& part);
  /// Takes the end of an answer; false: nothing of the kind was asked.
  [[nodiscard]] bool take(const Answer& answer);
  /// The answers since the last call, by the ids of their questions.
  [[nodiscard]] std::map<std::uint32_t, Answered> take_answers();

 private:
  struct Open {
    std::size_t bytes_max;
    std::string body;
  };
  std::uint32_t last_id_ = 0;
  std::map<std::uint32_t, Open> open_;
  std::map<std::uint32_t, Answered> answered_;
};

}  // namespace davit::host
