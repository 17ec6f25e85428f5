#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "compute/background.h"
#include "features/shared/app_services.h"
#include "session/ui_state.h"

namespace attnscope {

// Runs a trained model on a document's text in the background, and then ranks its heads.
class ModelRunner {
public:
  // `wake` is called from the background threads when there is something new.
  ModelRunner(const AppServices& to, ModelShown& shown, const std::function<void()>& wake);

  // Runs the model of the compared document, or of the shown one if that is null, unless it has run already. If it is
  // not wanted, only says whether the run that is there is current.
  void follow(const std::shared_ptr<const Document>& compared, bool is_wanted);
  bool poll();  // whether there was anything new
  void forget();
  void wait() {
    runner_.wait();
    ranker_.wait();
  }
  bool is_busy() const { return runner_.is_busy() || ranker_.is_busy(); }
  bool is_ranked() const;

private:
  struct Asked {
    std::uint64_t edition = 0;
    std::shared_ptr<const Document> compared;  // null: the document itself, of this edition
    std::optional<Index> position;
    bool operator==(const Asked&) const = default;
  };
  struct RunJob {
    AttentionConfig config;
    std::optional<Index> position;
    std::shared_ptr<const ModelRun> previous;
    Execution execution;
  };
  struct RunOutcome {
    std::shared_ptr<const ModelRun> run;
    std::string error;
  };
  struct RankJob {
    std::shared_ptr<const ModelRun> run;
    Index token = 0;
    Execution execution;
    std::shared_ptr<Progress> progress;
  };
  static RunOutcome run(const RunJob& job, const std::stop_token& stop);
  static std::shared_ptr<const HeadRanking> rank(const RankJob& job, const std::stop_token& stop);

  void follow_ranking();

  AppServices to_;
  ModelShown& shown_;
  std::optional<Asked> asked_;
  std::shared_ptr<const ModelRun> ranked_run_;  // the run that was ranked last, or is being ranked
  Index ranked_token_ = 0;
  std::shared_ptr<Progress> progress_;
  Background<RunJob, RunOutcome> runner_;
  Background<RankJob, std::shared_ptr<const HeadRanking>> ranker_;  // last: their threads end before what they use
};

// A trained model as a whole, and the one that it is compared with, while the layout Model is looked at.
class ModelController {
public:
  ModelController(const AppServices& to, DocumentEditor& documents, ModelShown& shown, ModelShown& compared,
                  const std::function<void()>& wake)
      : to_(to), documents_(documents), shown_(shown), own_(to, shown, wake), compared_(to, compared, wake) {}

  // Appends a word to the text, or puts it into the shown place if the model sees later tokens: one that is drawn from
  // the model's distribution, or the likeliest one.
  void append_word(bool is_drawn);

  // Shows an audience the head that comes so many after the shown one. The most telling head is the first: those with
  // names come before the others, and then those without which the followed word's probability changes most. The order
  // stays until the presentation leaves the model, whatever is switched off.
  void go_to_head(Index by);

  void follow();
  bool poll();  // whether there was anything new
  void wait();
  bool is_busy() const { return own_.is_busy() || compared_.is_busy(); }

private:
  bool is_wanted() const;
  void follow_audience();
  std::vector<LayerPicture> heads_by_telling() const;

  AppServices to_;
  DocumentEditor& documents_;
  ModelShown& shown_;
  std::vector<LayerPicture> presented_;  // the heads in the order in which an audience sees them; empty: not yet known
  bool has_gone_ = false;                // to another head, since the audience sees the model
  ModelRunner own_;
  ModelRunner compared_;
};

// Returns the token that the text has where the model says its words: after the position or, if the model sees later
// tokens, at it. None where the text ends, or asks for a word.
std::optional<Index> token_of_text(const ModelRun& run);

// Returns the token whose probability is followed: the chosen one, else that of the text, else the likeliest.
Index followed_token(const ModelRun& run, const ModelLook& look);

}  // namespace attnscope
