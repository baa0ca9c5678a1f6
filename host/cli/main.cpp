#include <iostream>
#include <string>
#include <vector>

#include "host/cli/command_line.hpp"
#include "host/cli/run_command.hpp"

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  return davit::host::run_command_line(args, davit::host::run_host, std::cout, std::cerr);
}
