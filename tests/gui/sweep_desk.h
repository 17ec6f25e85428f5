#pragma once

#include <string>
#include <utility>

#include "figure_controller.h"

namespace attnscope::test {

// The dialog that exports figures, where a parameter is swept.
class SweepDialog : public FigureController {
protected:
  explicit SweepDialog(Document document = default_document()) : FigureController(std::move(document)) {}

  void open_sweep(const std::string& parameter = "seed", const std::string& last = "3") {
    open();
    desk_.click("figure/scale", {0, 0.5f});
    desk_.click("figure/sweep");
    if (parameter != "seed") desk_.choose("figure/parameter", parameter);
    if (!last.empty()) desk_.replace_text("figure/sweep/last", last);
    desk_.frames(2);
    desk_.settle();
  }
  const SweepChoices& sweep() { return dialog().figure.sweep; }
  const FigureState& figure() { return desk_.session().shown().figure; }
};

}  // namespace attnscope::test
