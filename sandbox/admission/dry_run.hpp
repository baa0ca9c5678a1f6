/// DryRun: whether a write is carried out.
#pragma once

namespace davit::sandbox {

/// kYes: the write is checked and shown, and nothing is stored.
enum class DryRun : bool { kNo, kYes };

}  // namespace davit::sandbox
