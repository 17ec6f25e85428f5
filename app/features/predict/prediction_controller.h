#pragma once

#include <optional>

#include "features/shared/app_services.h"

namespace attnscope {

// The cover outside of lessons, and the questions about it: each question takes one guess, which is judged by the
// numbers of the document as it is then.
class PredictionController {
public:
  PredictionController(const AppServices& services, PredictionShown& shown) : to_(services), shown_(shown) {}

  // Covers a row of a stage, or all of its rows. Throws Error if there is nothing to be predicted.
  void cover(Stage stage, const std::optional<Index>& row = {});
  void choose_kind(Question::Kind kind);
  void change_answer(const std::function<void(Answer&)>& change) {
    if (!shown_.cover) return;
    change(shown_.answer);
    if (!shown_.is_done()) shown_.verdict.reset();  // it was of another answer
  }
  void answer();
  void reveal();
  // Asks about the next row; after the last one, about the first again.
  void ask_next();
  void uncover();

  void follow();  // follows the numbers and the pinned cell

private:
  std::optional<StepNumbers> numbers() const;  // none while they are computed
  bool follow_pinned();                        // whether another question is asked
  void ask();                                  // asks again about the same cell or row
  void write_texts(const StepNumbers& numbers);
  void open_row();

  AppServices to_;
  PredictionShown& shown_;
  std::optional<Source> pinned_;  // when it was looked at last
};

}  // namespace attnscope
