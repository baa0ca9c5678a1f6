#include "tests/live/conformance/plugin_host.hpp"

namespace davit::live {

void PluginHostTest::place(const std::string& plugin, const std::filesystem::path& from) const {
  const std::filesystem::path made = plugins() / "new";
  std::filesystem::create_directories(plugins());
  std::filesystem::copy_file(from, made, std::filesystem::copy_options::overwrite_existing);
  std::filesystem::permissions(made, std::filesystem::perms::owner_all);
  std::filesystem::rename(made, file(plugin));
}

std::unique_ptr<Process> PluginHostTest::start_any(const std::vector<std::string>& flags) {
  std::vector<std::string> all = {"--leader-elect=false", "--plugin-dir=" + plugins().string(),
                                  socket_flag()};
  all.insert(all.end(), flags.begin(), flags.end());
  return sandbox_.davit(all);
}

std::unique_ptr<Process> PluginHostTest::start(const std::vector<std::string>& flags) {
  auto host = start_any(flags);
  EXPECT_TRUE(eventually(std::chrono::minutes(4), [&] { return ctl({"status"}).code == 0; }))
      << host->output();
  return host;
}

Outcome PluginHostTest::ctl(std::vector<std::string> args) const {
  args.insert(args.begin(), {DAVIT_PROGRAM, "ctl"});
  args.push_back(socket_flag());
  return run(args);
}

std::string PluginHostTest::kubectl(const std::vector<std::string>& args) const {
  const Outcome outcome = sandbox_.kubectl(args);
  EXPECT_EQ(outcome.code, 0) << args[0] << ": " << outcome.out << outcome.err;
  return outcome.out;
}

}  // namespace davit::live
