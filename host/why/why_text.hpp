/// Answers to `davit why` for people and for programs.
#pragma once

#include <string>

#include "host/why/why_answer.hpp"

namespace davit::host {

/// "1.5 ms", "12 s", "3 m 20 s".
[[nodiscard]] std::string short_time(Duration time);
/// "deployments.apps web in namespace default"
[[nodiscard]] std::string name_text(const JournalObject& object);

/// Lines of text, with control characters escaped and without a line end at the end.
[[nodiscard]] std::string to_text(const WhyAnswer& answer);
/// One line for each sync and each write, with a bar that shows when it was.
[[nodiscard]] std::string to_timeline(const WhyAnswer& answer);
/// A JSON object; docs/WHY.md has the members.
[[nodiscard]] std::string to_json(const WhyAnswer& answer);

}  // namespace davit::host
