/// Any bytes are either refused or become a tree, a manifest and a kubeconfig; JSON of a tree is
/// JSON again.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "host/config/kubeconfig_file.hpp"
#include "host/config/manifest.hpp"
#include "lib/base/assert.hpp"
#include "lib/kube/strict_json.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace davit;
  using namespace davit::host;
  constexpr std::size_t kBytesMax = 4096;  // The YAML library is slow on deep nonsense.
  if (size > kBytesMax) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const YamlDocument document = parse_yaml(text, "fuzz");
  if (document.mistakes.empty()) {
    if (const davit::Result<std::string> json = to_json(document.root)) {
      const YamlDocument again = parse_strict_json(*json, "fuzz");
      const bool deep = !again.mistakes.empty() && again.mistakes[0].text == "nested too deeply";
      DAVIT_ASSERT(deep || again.mistakes.empty());
    }
  }
  for (const Mistake& mistake : parse_manifest(text, "fuzz").mistakes) {
    DAVIT_ASSERT(!mistake.text.empty());
  }
  (void)parse_kubeconfig(text, "fuzz");
  return 0;
}
