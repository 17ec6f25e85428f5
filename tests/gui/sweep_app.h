#pragma once

#include <string>
#include <utility>

#include "figure_dialog_app.h"

namespace attnscope::test {

// The dialog that exports figures, where a parameter is swept.
class SweepDialog : public FigureDialogApp {
protected:
  explicit SweepDialog(Document document = default_document()) : FigureDialogApp(std::move(document)) {}

  void open_sweep(const std::string& parameter = "seed", const std::string& last = "3") {
    open();
    app_.click("figure/scale", {0, 0.5f});
    app_.click("figure/sweep");
    if (parameter != "seed") app_.choose("figure/parameter", parameter);
    if (!last.empty()) app_.replace_text("figure/sweep/last", last);
    app_.frames(2);
    app_.settle();
  }
  const SweepChoices& sweep() { return dialog().figure.sweep; }
  const FigureState& figure() { return app_.session().shown().figure; }
};

}  // namespace attnscope::test
