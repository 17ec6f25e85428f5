#pragma once

#include "features/compare/comparison_desk.h"
#include "features/figures/figure_desk.h"
#include "features/files/exchange_desk.h"
#include "features/files/file_desk.h"
#include "features/files/reading_desk.h"
#include "features/files/screenshot_desk.h"
#include "features/lessons/lesson_desk.h"
#include "features/predict/prediction_desk.h"
#include "features/search/search_desk.h"
#include "features/setup/document_desk.h"
#include "features/setup/evaluation_desk.h"
#include "features/shared/dialog_desk.h"
#include "features/shared/view_desk.h"
#include "features/studies/study_desk.h"
#include "features/viewing/viewing_desk.h"
#include "session/session.h"

// Private to this folder.
namespace attnscope {

// Each command goes to the one desk that has an apply() for it.
struct Session::Desks final : Switchboard {
  Desks(Session& session, const Document& first, const std::function<void()>& wake);

  template <typename Specific>
  void apply(const Specific& command);

  bool ask_before(Command command) override { return files.ask_before(std::move(command)); }
  void pass_on(const Command& command) override;
  void read(const std::filesystem::path& path, bool is_slow, Read read, Take take) override {
    reading.read(path, is_slow, std::move(read), std::move(take));
  }
  void stop_reading() override { reading.stop(); }
  void show(Opened opened) override;
  Opened what_is_shown() const override;
  void show_attention(LoadedAttention attention) override { viewing.show(std::move(attention)); }
  void show_other_part(std::shared_ptr<const ViewedAttention> attention) override;
  void keep_what_was_shown() override { files.compare(); }
  void forget_missing(const std::filesystem::path& path) override { files.forget_missing(path); }

  Moment& shown;
  Subject subject;
  MessageDesk messages;
  Neighbours neighbours;
  DialogDesk dialogs;
  ViewDesk views;
  DocumentDesk documents;
  EvaluationDesk evaluations;
  ComparisonDesk comparisons;
  StudyDesk studies;
  FileDesk files;
  ViewingDesk viewing;
  ReadingDesk reading;
  FigureDesk figures;
  SearchDesk search;
  ExchangeDesk exchange;
  ScreenshotDesk screenshots;
  LessonDesk lessons;
  PredictionDesk predictions;
};

}  // namespace attnscope
