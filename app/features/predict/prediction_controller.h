#pragma once

#include <optional>

#include "features/shared/switchboard.h"

namespace attnscope {

// The cover outside of lessons, and the questions about it: each question takes one guess, which is judged by the
// numbers of the document as it is then.
class PredictionController {
public:
  PredictionController(const AppServices& services, PredictionShown& shown) : to_(services), shown_(shown) {}

  void apply(const CoverStage& command);  // throws Error
  void apply(const AskPrediction& command);
  void apply(const UpdatePrediction& command) {
    if (!shown_.cover) return;
    command.change(shown_.answer);
    if (!shown_.is_done()) shown_.verdict.reset();  // it was of another answer
  }
  void apply(const JudgePrediction&);
  void apply(const RevealPrediction&);
  void apply(const PredictNext&);
  void apply(const Uncover&);

  void follow();  // the numbers, and the cell that is pinned

private:
  std::optional<StepNumbers> numbers() const;  // none while they are computed
  bool follow_pinned();                        // whether another question is asked
  void ask();                                  // anew, of the same cell or row
  void write_texts(const StepNumbers& numbers);
  void open_row();

  AppServices to_;
  PredictionShown& shown_;
  std::optional<Source> pinned_;  // when it was looked at last
};

}  // namespace attnscope
