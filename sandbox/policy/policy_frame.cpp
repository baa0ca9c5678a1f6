#include "sandbox/policy/policy_frame.hpp"

#include "sandbox/kinds/checks.hpp"

namespace davit::sandbox {

using cel::Declares;

cel::AdmissionCompiler policy_compiler(const Json& policy) {
  return cel::AdmissionCompiler(is_set(policy.get("spec"), "paramKind") ? Declares::kYes
                                                                        : Declares::kNo);
}

PolicyFrame policy_frame(const Json& policy, cel::AdmissionCompiler& compiler) {
  PolicyFrame out;
  out.name = policy.text_at({"metadata", "name"});
  out.spec = policy.get("spec");
  out.fails = out.spec.get("failurePolicy").text() != "Ignore";
  compiler.declare_variables();
  for (const Json& each : out.spec.get("variables").items()) {
    const std::string& name = each.get("name").text();
    out.variables.emplace_back(name, compiler.add_variable(name, each.get("expression").text()));
  }
  for (const Json& each : out.spec.get("matchConditions").items()) {
    out.conditions.push_back(
        compiler.compile(each.get("expression").text(), cel::Wanted::kBool, Declares::kYes));
  }
  return out;
}

}  // namespace davit::sandbox
