// While a document is computed, read, saved, kept and exported, each request for memory is refused in turn: what was
// there stays or what is new is there whole, nothing is left over, and what went wrong is said or thrown. Not of
// settings and progress: the library that holds their JSON needs memory to let go of it, and ends the program where
// there is none (what is unsaved is kept then, as in any crash).

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "cli/command_line.h"
#include "core/evaluate.h"
#include "document/builtin.h"
#include "document/json.h"
#include "features/figures/figure_file.h"
#include "features/files/file_controller.h"
#include "features/files/reading_controller.h"
#include "features/lessons/handout.h"
#include "features/setup/document_controller.h"
#include "features/shared/panel/calls.h"
#include "files/document_file.h"
#include "files/result_file.h"
#include "headless_app.h"
#include "paint/file/figure.h"
#include "support.h"
#include "teach/lesson.h"
#include "tests/support/failing_memory.h"

namespace attnscope::test {
namespace {

using Names = std::vector<std::string>;
using Kind = FailingMemory::Kind;

// Does the work with one request refused after the other: each of the first ones, then some that are spread over the
// others; where the environment has ATTNSCOPE_REFUSE_EACH, all of them. `look` is asked what is left of it: whether it
// went well, and the sentence of its failure. How many were tried; none after request `most`.
template <typename Work, typename Look>
std::size_t refuse_each(Kind kind, const Work& work, const Look& look, std::size_t most = SIZE_MAX) {
  const std::size_t one_by_one = std::getenv("ATTNSCOPE_REFUSE_EACH") ? SIZE_MAX : 40;
  constexpr std::size_t spread = 16;
  std::size_t tried = 0;
  std::size_t all = 0;
  for (std::size_t request = 1;; request += request < one_by_one ? 1 : std::max<std::size_t>(1, all / spread)) {
    std::string failure;
    bool is_done = false;
    const FailingMemory memory(request, kind);
    try {
      failure = work();
      is_done = failure.empty();
    } catch (const Error& error) {
      FailingMemory::end();
      failure = error.what();
    } catch (const std::bad_alloc&) {
      FailingMemory::end();
      failure = "memory";
    }
    FailingMemory::end();
    SCOPED_TRACE(fmt::format("request {}: {}", request, failure));
    const bool has_struck = FailingMemory::has_struck();
    EXPECT_TRUE(is_done || has_struck);
    look(is_done, failure);
    if (!has_struck) {
      testing::Test::RecordProperty("refused", static_cast<int>(tried));
      return tried;
    }
    ++tried;
    all = std::max(all, FailingMemory::requests());
    if (request >= most) return tried;
  }
}

constexpr Kind kinds[] = {Kind::once, Kind::from_then_on};

Document small_document() {
  Document document = default_document();
  document.config.dropout = 0.25;
  return document;
}

TEST(FailingMemory, ComputingEndsAndTheNextTimeGivesTheSame) {
  const AttentionConfig config = small_document().config;
  const Result expected = evaluate(config);
  for (const Kind kind : kinds) {
    for (const int threads : {1, 2}) {
      const auto compute = [&] {
        Execution execution;
        execution.threads = threads;
        evaluate(config, execution);
        return std::string();
      };
      const std::size_t tried = refuse_each(kind, compute, [](bool, const std::string&) {});
      EXPECT_GT(tried, 20U);
    }
  }
  EXPECT_TRUE(same_bits(*evaluate(config).find(Stage::output), *expected.find(Stage::output)));
}

TEST(FailingMemory, SavingLeavesTheOldDocumentOrTheNewOne) {
  const Document before = default_document();
  const Document after = small_document();
  for (const Kind kind : kinds) {
    const TemporaryFolder folder;
    save_document(before, folder / "a.json");
    const auto save = [&] {
      save_document(after, folder / "a.json");
      return std::string();
    };
    const std::size_t tried = refuse_each(kind, save, [&](bool is_done, const std::string&) {
      const Document there = load_document(folder / "a.json");
      EXPECT_TRUE(there == after || (!is_done && there == before));
      EXPECT_EQ(folder.names(), Names{"a.json"});
      save_document(before, folder / "a.json");
    });
    EXPECT_GT(tried, 20U);
  }
}

TEST(FailingMemory, ReadingGivesTheDocumentOrNone) {
  const TemporaryFolder folder;
  const Document document = small_document();
  save_document(document, folder / "a.json");
  for (const Kind kind : kinds) {
    Document read;
    const auto load = [&] {
      read = load_document(folder / "a.json");
      return std::string();
    };
    const std::size_t tried =
        refuse_each(kind, load, [&](bool is_done, const std::string&) { EXPECT_TRUE(!is_done || read == document); });
    EXPECT_GT(tried, 20U);
  }
}

TEST(FailingMemory, NumbersAreWrittenWholeOrNotAtAll) {
  const Result result = evaluate(small_document().config);
  for (const std::string name : {"a.npz", "a.json"}) {
    const TemporaryFolder folder;
    write_result(result, {}, folder / name);
    const std::string whole = text_of(folder / name);
    for (const Kind kind : kinds) {
      put_text(folder / name, "old");
      const auto write = [&] {
        write_result(result, {}, folder / name);
        return std::string();
      };
      const std::size_t tried = refuse_each(kind, write, [&](bool is_done, const std::string&) {
        const std::string there = text_of(folder / name);
        EXPECT_TRUE(there.size() == whole.size() || (!is_done && there == "old"));
        EXPECT_EQ(folder.names(), Names{name});
        put_text(folder / name, "old");
      });
      EXPECT_GT(tried, 20U);
    }
  }
}

TEST(FailingMemory, HandoutsAreWholeOrNone) {
  Lesson lesson = *shipped_lessons().front();
  lesson.steps.erase(lesson.steps.begin() + 2, lesson.steps.end());
  const std::size_t whole = render_handout(lesson).size();
  const auto render = [&] {
    EXPECT_EQ(render_handout(lesson).size(), whole);
    return std::string();
  };
  EXPECT_GT(refuse_each(Kind::from_then_on, render, [](bool, const std::string&) {}), 20U);
}

TEST(FailingMemory, AutosaveKeepsTheOldDocumentOrTheNewOne) {
  const TemporaryFolder folder;
  Autosave autosave(folder.path(), 1);
  Document document = default_document();
  ASSERT_EQ(autosave.update_now(document, {}), "");
  Document before = document;
  const auto keep = [&] {
    ++document.config.seed;
    return autosave.update_now(document, {});
  };
  const std::size_t tried = refuse_each(Kind::once, keep, [&](bool is_done, const std::string&) {
    const auto kept = std::get<Document>(Autosave::read({folder / "1.json", {}, {}}));
    EXPECT_TRUE(kept == document || (!is_done && kept == before));
    EXPECT_EQ(folder.names(), (Names{"1.json", "1.lock"}));
    before = kept;
  });
  EXPECT_GT(tried, 20U);
}

class ExportsWithLittleMemory : public testing::TestWithParam<const char*> {
protected:
  ExportJob job() const {
    const Document document = small_document();
    FigureOptions options;
    options.stage = Stage::weights;
    ExportJob job;
    job.subject = {std::make_shared<const Result>(evaluate(document.config)), document, options};
    job.path = folder_ / GetParam();
    const bool is_animated = std::string_view(GetParam()).starts_with("sweep");
    if (is_animated) job.sweep = {parse_sweep("seed=1..2", document), false, {}, 0};
    return job;
  }
  TemporaryFolder folder_;
};

TEST_P(ExportsWithLittleMemory, LeaveTheOldPictureOrTheNewOne) {
  ExportJob work = job();
  put_text(work.path, "old");
  const auto write = [&] {
    work.steps = make_export_steps();
    std::optional<ExportOutcome> outcome;
    while (!outcome) outcome = export_figure(work, {});
    return outcome->is_error ? outcome->said : std::string();
  };
  const auto look = [&](bool is_done, const std::string& failure) {
    EXPECT_EQ(folder_.names(), Names{GetParam()});
    const std::string there = text_of(work.path);
    if (there != "old") {
      EXPECT_EQ(load_document(work.path), work.subject.document);
      put_text(work.path, "old");
    } else {
      EXPECT_FALSE(is_done);
    }
    EXPECT_TRUE(is_done || failure.ends_with(".") || failure == "memory") << failure;
  };
  const std::string_view name = GetParam();
  std::size_t most = SIZE_MAX;
  if (name.ends_with(".pdf")) {  // qpdf, which comes last, ends the program where it has no memory to let go of its own
    const FailingMemory counted(SIZE_MAX);
    (void)render_pdf(make_figure(work.subject.result, RowNames({}, {}), work.subject.options));
    most = FailingMemory::requests() / 2;  // surely before qpdf begins
    FailingMemory::end();
  }
  EXPECT_GT(refuse_each(Kind::once, write, look, most), 40U);
  // A GIF takes long.
  if (name.ends_with(".pdf") || name.ends_with(".gif")) return;
  EXPECT_GT(refuse_each(Kind::from_then_on, write, look), 40U);
}

INSTANTIATE_TEST_SUITE_P(Kinds, ExportsWithLittleMemory,
                         testing::Values("a.png", "a.svg", "a.pdf", "sweep.png", "sweep.gif"), [](const auto& test) {
                           std::string name = test.param;
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });

// What a person waits for in the window: Ctrl+S, and then the window goes on.
TEST(SavingWithLittleMemory, IsSaidAndTheWindowLives) {
  const TemporaryFolder folder;
  save_document(default_document(), folder / "a.json");
  ViewState view;
  view.document_folder = folder.path().string();
  HeadlessApp app(default_document(), {1280, 800}, view);
  app.session().push([path = folder / "a.json"](const Controllers& to) { to.reading.open(path); });
  app.settle();
  Document before = app.document();
  const auto save = [&] {
    app.session().push([](const Controllers& to) { to.files.save(); });
    app.session().run_calls();
    return app.session().shown().is_modified ? std::string("unsaved") : std::string();
  };
  const std::size_t tried = refuse_each(Kind::once, save, [&](bool is_done, const std::string&) {
    const Document there = load_document(folder / "a.json");
    EXPECT_TRUE(there == app.document() || (!is_done && there == before));
    EXPECT_EQ(folder.names(), Names{"a.json"});
    app.frames(1);
    before = there;
    edit_document(app.session().queue(), {"seed", [](Document& document) { ++document.config.seed; }});
    app.session().push([](const Controllers& to) { to.documents.finish_edit(); });
    app.frames(1);
    EXPECT_TRUE(app.session().shown().is_modified);
  });
  EXPECT_GT(tried, 20U);
}

}  // namespace
}  // namespace attnscope::test
