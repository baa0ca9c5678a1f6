/// `davit why`: what a running host did to an object, and what it waits for.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

namespace CLI {
class App;
}

namespace davit::host {

struct WhyOptions {
  std::string object;  ///< KIND/NAME
  std::string ns;      ///< Empty: that of the kubeconfig's context, else "default".
  std::string output;  ///< "text", "json" or "timeline"; empty: text.
  std::string socket;  ///< Empty: the default one.
};

/// Adds the command; parsing fills `options` and sets `chosen` to what runs it, which returns 1
/// when nothing is known of the object or no host is there. Everything is borrowed until then.
void add_why_command(CLI::App& app, WhyOptions& options, std::function<int()>& chosen,
                     std::ostream& out, std::ostream& err);

}  // namespace davit::host
