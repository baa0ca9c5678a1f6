#include "lib/kube/json.hpp"

#include <davit/testing/cluster.hpp>
#include <utility>

#include "lib/kube/patch/patch.hpp"

namespace davit::testing {
namespace {

using Tree = davit::Json;

Json to_json(const Tree& tree) {
  switch (tree.kind()) {
    case Tree::Kind::kNull:
      break;
    case Tree::Kind::kBoolean:
      return tree.boolean();
    case Tree::Kind::kNumber:
      return Json::number(tree.text());
    case Tree::Kind::kString:
      return tree.text();
    case Tree::Kind::kArray: {
      Json json = Json::array();
      for (const Tree& each : tree.items()) json.push_back(to_json(each));
      return json;
    }
    case Tree::Kind::kObject: {
      Json json = Json::object();
      for (const Tree::Member& each : tree.members()) json[each.key] = to_json(each.value);
      return json;
    }
  }
  return {};
}

}  // namespace

Result<Json> Json::parse(std::string_view text) {
  JsonFindings findings;
  const Result<Tree> tree = parse_json(text, &findings);
  if (!tree) return tree.error();
  if (findings.duplicates.empty()) return to_json(*tree);
  return Status(Code::kInvalid, "there twice: " + findings.duplicates.front());
}

void merge_patch(Json& target, const Json& patch) {
  Tree tree = json_literal(target.dump());
  static_cast<void>(apply_merge_patch(tree, json_literal(patch.dump())));
  target = to_json(tree);
}

}  // namespace davit::testing
