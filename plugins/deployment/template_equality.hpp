/// Compares two pod templates by meaning.
#pragma once

#include <davit/object.hpp>

namespace davit::deployment {

/// Semantic equality of two `spec.template` values, read in place; the label pod-template-hash of
/// either side is ignored. It decides whether a ReplicaSet is a Deployment's current one: too
/// strict rolls out every Deployment of a cluster at take-over, too lax loses a user's rollout.
/// Structural equality, except that null and [] equal absence, quantities compare as numbers, and
/// the parts listed in template_shape.cpp may be absent or empty. Fields unknown here count.
[[nodiscard]] bool equal_templates(const Value& a, const Value& b);

}  // namespace davit::deployment
