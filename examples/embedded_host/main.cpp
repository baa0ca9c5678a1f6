/// A program that runs the controllers in a manifest.
#include <csignal>
#include <cstdlib>
#include <iostream>

#include "host/embedded/embedded_host.hpp"

static davit::host::EmbeddedHost* running = nullptr;

int main(int argc, char** argv) {
  const auto host = davit::host::EmbeddedHost::open(argc > 1 ? argv[1] : "davit.yaml");
  if (!host) {
    std::cerr << host.error().message() << "\n";
    return 2;
  }
  running = host->get();
  for (const int each : {SIGINT, SIGTERM}) std::signal(each, [](int) { running->request_stop(); });
  const davit::Status ended = running->run();
  if (!ended.ok()) std::cerr << ended.message() << "\n";
  if (running->hangs()) std::_Exit(1);
  return ended.ok() ? 0 : 1;
}
