// The diagram: all of it in sight, the card that explains a number in it, heads side by side, and a zoom around the
// pointer.

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "document/builtin.h"
#include "document/json.h"
#include "headless_app.h"
#include "headless_app_input.h"
#include "view/picture.h"

namespace attnscope::test {
namespace {

const ImVec2 full_screen{1920, 1080};

Box box_of(ImVec2 low, ImVec2 high) {
  return {static_cast<double>(low.x), static_cast<double>(low.y), static_cast<double>(high.x - low.x),
          static_cast<double>(high.y - low.y)};
}

Box box_of(const WidgetRegistry::Entry& entry) { return box_of(entry.min_screen, entry.max_screen); }

bool is_within(const Box& inner, const Box& outer) {
  return inner.x >= outer.x && inner.y >= outer.y && inner.right() <= outer.right() && inner.bottom() <= outer.bottom();
}

bool do_meet(const Box& a, const Box& b) {
  return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

const ImGuiWindow& window_of_stages(const HeadlessApp& app) { return *app.widget("stages").window; }

Box page_of(const HeadlessApp& app) {
  const ImRect rect = window_of_stages(app).Rect();
  return box_of(rect.Min, rect.Max);
}

Document document_by(Mechanism mechanism) {
  Document document = notebook_document();
  document.config.mechanism = mechanism;
  return document;
}

TEST(Diagram, IsAllInSightWithoutScrolling) {
  std::vector<Document> documents = {parse_document(R"({"inputs": {"randn": [64, 8]}, "d_out": 12, "num_heads": 12})")};
  for (const MechanismInfo& mechanism : mechanisms()) documents.push_back(document_by(mechanism.mechanism));
  for (const ImVec2 size : {ImVec2{1280, 720}, ImVec2{1920, 1080}, ImVec2{2560, 1440}}) {
    for (const Document& document : documents) {
      SCOPED_TRACE(fmt::format("{} at {}", info(document.config.mechanism).id, size.x));
      const HeadlessApp app(document, size, ViewState{});
      EXPECT_EQ(window_of_stages(app).ScrollMax.x, 0);
      EXPECT_EQ(window_of_stages(app).ScrollMax.y, 0);
      const Box page = page_of(app);
      EXPECT_TRUE(app.shows("stages/weights"));
      EXPECT_TRUE(app.shows("stages/context"));
      for (const WidgetRegistry::Matrix& matrix : app.widgets().matrices)
        EXPECT_TRUE(is_within(box_of(matrix.min_screen, matrix.max_screen), page)) << matrix.name;
      for (const WidgetRegistry::Arrow& arrow : app.widgets().arrows) {
        for (const ImVec2 point : arrow.points)
          EXPECT_TRUE(is_within(box_of(point, point), page)) << arrow.from << " to " << arrow.to;
      }
    }
  }
}

TEST(Diagram, HasItsLargestCellsAndNumbersAmongTheWeights) {
  const HeadlessApp app(notebook_document(), full_screen, ViewState{});
  const auto& matrices = app.widgets().matrices;
  const auto weights = std::ranges::find(matrices, "stages/weights", &WidgetRegistry::Matrix::name);
  ASSERT_NE(weights, matrices.end());
  EXPECT_EQ(weights->rank, 1);
  EXPECT_GT(weights->text_size, 0);
  for (const WidgetRegistry::Matrix& matrix : matrices) {
    if (matrix.name == weights->name) continue;
    EXPECT_GT(matrix.rank, 1) << matrix.name;
    EXPECT_LE(matrix.text_size, weights->text_size) << matrix.name;
    EXPECT_LT(matrix.max_screen.x - matrix.min_screen.x, weights->max_screen.x - weights->min_screen.x) << matrix.name;
  }
}

TEST(Diagram, KeepsATokenOnOneLine) {
  const HeadlessApp app(notebook_document(), full_screen, ViewState{});
  const WidgetRegistry::Entry& weights = app.widget("stages/weights");
  for (const char* const name : {"stages/inputs", "stages/queries", "stages/keys", "stages/values", "stages/context"}) {
    EXPECT_EQ(app.widget(name).min_screen.y, weights.min_screen.y) << name;
    EXPECT_EQ(app.widget(name).max_screen.y, weights.max_screen.y) << name;
  }
}

class Card : public testing::Test {
protected:
  void press(ImGuiKey key) { app_.press_key(keys::named(key)); }
  std::string title_of(const Source& cell) {
    return fmt::format("Why {}?", format_fixed(static_cast<double>(value_at(app_.result(), cell)), 2));
  }
  bool writes(const std::string& fragment) { return app_.text().find(fragment) != std::string::npos; }

  HeadlessApp app_{notebook_document(), full_screen, ViewState{}};
};

TEST_F(Card, IsThereWhileACellIsPinnedOrHovered) {
  ASSERT_TRUE(app_.view().pinned);
  EXPECT_TRUE(app_.shows("inspector/title"));
  EXPECT_TRUE(writes(title_of(*app_.view().pinned)));
  press(ImGuiKey_Escape);
  EXPECT_FALSE(app_.shows("inspector"));
  app_.hover_cell(Stage::weights, 4, 3);
  EXPECT_TRUE(app_.shows("inspector/title"));
  EXPECT_FALSE(app_.shows("inspector/unpin")) << "nothing is pinned";
  app_.move_away();
  EXPECT_FALSE(app_.shows("inspector"));
  app_.click_cell(Stage::weights, 4, 3);
  app_.move_away();
  EXPECT_TRUE(writes(title_of({.stage = Stage::weights, .row = 4, .col = 3})));
  app_.click("inspector/unpin");
  EXPECT_FALSE(app_.view().pinned);
  EXPECT_FALSE(app_.shows("inspector"));
}

TEST_F(Card, LeavesTheDiagramWhereItIsAndCoversNoneOfIt) {
  const Box card = box_of(app_.widget("inspector"));
  EXPECT_TRUE(is_within(card, page_of(app_)));
  for (const WidgetRegistry::Matrix& matrix : app_.widgets().matrices)
    EXPECT_FALSE(do_meet(card, box_of(matrix.min_screen, matrix.max_screen))) << matrix.name;
  const ImVec2 before = app_.widget("stages/weights").min_screen;
  press(ImGuiKey_Escape);
  ASSERT_FALSE(app_.shows("inspector"));
  EXPECT_EQ(app_.widget("stages/weights").min_screen.x, before.x);
  EXPECT_EQ(app_.widget("stages/weights").min_screen.y, before.y);
}

TEST_F(Card, IsDockedAndUndocked) {
  const float right = app_.widget("workspace").max_screen.x;
  EXPECT_EQ(right, full_screen.x);
  EXPECT_FALSE(app_.shows("inspector/edge"));
  app_.click("inspector/dock");
  EXPECT_TRUE(app_.view().docks_inspector);
  EXPECT_TRUE(app_.shows("inspector/edge"));
  EXPECT_LT(app_.widget("workspace").max_screen.x, right);
  EXPECT_EQ(app_.widget("inspector").min_screen.x, app_.widget("workspace").max_screen.x);
  app_.click("inspector/undock");
  EXPECT_FALSE(app_.view().docks_inspector);
  EXPECT_EQ(app_.widget("workspace").max_screen.x, right);
  EXPECT_TRUE(app_.shows("inspector/dock"));
}

TEST_F(Card, IsAColumnBesideOtherViewsAndWhileANumberIsToBePredicted) {
  for (const ViewMode layout : {ViewMode::heads, ViewMode::focus, ViewMode::study}) {
    app_.change_view([layout](ViewState& view) { view.mode = layout; });
    app_.settle();
    EXPECT_TRUE(app_.shows("inspector/edge")) << layout.id;
    EXPECT_FALSE(app_.shows("inspector/dock")) << layout.id;
  }
  app_.change_view([](ViewState& view) { view.mode = ViewMode::diagram; });
  app_.frames(2);
  EXPECT_FALSE(app_.shows("inspector/edge"));
  app_.press_key(keys::letter('P'));
  EXPECT_TRUE(app_.shows("inspector/edge"));
  EXPECT_TRUE(app_.shows("predict/answer"));
}

TEST_F(Card, SaysOfThePinnedCellWhatATooltipWouldSay) {
  app_.click_cell(Stage::weights, 4, 3);
  app_.hover_cell(Stage::weights, 4, 3);
  EXPECT_FALSE(shows_tooltip());
  app_.hover_cell(Stage::weights, 4, 2);
  EXPECT_FALSE(shows_tooltip()) << "the card explains what the pointer rests on";
  app_.press_key(keys::function(3));
  ASSERT_FALSE(app_.shows("inspector"));
  app_.hover_cell(Stage::weights, 4, 3);
  EXPECT_TRUE(shows_tooltip()) << "there is no card";
}

TEST_F(Card, LeadsToTheNumbersItNamesAndBack) {
  const Source pinned = app_.view().pinned.value();
  int line = 0;
  while (!app_.shows(fmt::format("inspector/line/{}", line))) ASSERT_LT(++line, 20);
  app_.click(fmt::format("inspector/line/{}", line));
  ASSERT_TRUE(app_.view().pinned);
  const Source source = *app_.view().pinned;
  EXPECT_NE(source, pinned);
  app_.move_away();
  EXPECT_TRUE(writes(title_of(source)));
  app_.click("inspector/back");
  EXPECT_EQ(app_.view().pinned, pinned);
  app_.click("inspector/forward");
  EXPECT_EQ(app_.view().pinned, source);
}

TEST_F(Card, HasTheKeysAfterEnterAndGivesThemBackWithEscape) {
  const auto is_chosen = [&](const std::string& name) {
    return app_.shows(name) && app_.widget(name).id == ImGui::GetCurrentContext()->NavId;
  };
  press(ImGuiKey_Tab);
  press(ImGuiKey_Enter);
  EXPECT_EQ(app_.view().transient.keyboard, Panel::inspector);
  for (int step = 0; step < 20 && !is_chosen("inspector/line/2"); ++step) press(ImGuiKey_DownArrow);
  EXPECT_TRUE(is_chosen("inspector/line/2"));
  press(ImGuiKey_Escape);
  EXPECT_EQ(app_.view().transient.keyboard, Panel::stages);
  EXPECT_TRUE(app_.view().pinned) << "Esc leaves the card and not the cell";
}

// A shared matrix is a part a head: each has the columns of its head.
class Parts : public testing::Test {
protected:
  const WidgetRegistry::Matrix& part(const std::string& name) {
    const auto found = std::ranges::find(app_.widgets().matrices, name, &WidgetRegistry::Matrix::name);
    if (found == app_.widgets().matrices.end()) throw std::runtime_error(name + " is not there");
    return *found;
  }
  void look_at_head(Index head) {
    app_.change_view([head](ViewState& view) { view.head = head; });
    app_.settle();
  }

  HeadlessApp app_{notebook_document(), full_screen, ViewState{}};
};

TEST_F(Parts, OfASharedMatrixHaveTheColumnsOfTheirHeads) {
  for (const Index head : {0, 1}) {
    look_at_head(head);
    for (const char* const name : {"stages/context", "stages/W_query", "stages/W_key", "stages/W_value"}) {
      const WidgetRegistry::Matrix& own = part(name);
      const WidgetRegistry::Matrix& other = part(fmt::format("{}/{}", name, 1 - head));
      EXPECT_EQ(own.window.col, 2.0 * static_cast<double>(head)) << name;
      EXPECT_EQ(other.window.col, 2.0 * static_cast<double>(1 - head)) << name;
      EXPECT_EQ(own.window.cols, 2) << name;
      EXPECT_EQ(own.cols, 4) << name;
      const bool is_left = own.min_screen.x < other.min_screen.x;
      EXPECT_EQ(is_left, head == 0) << name << ": heads keep their places";
    }
  }
}

TEST_F(Parts, AreHoveredAndPinnedLikeAnyOtherCells) {
  for (const Stage stage : {Stage::context, Stage::query_weight, Stage::value_weight}) {
    const std::vector<Index> shape = stage_shape(app_.config(), stage);
    const bool is_turned = part("stages/" + std::string(info(stage).id)).is_transposed;
    for (Index along = 0; along < 4; ++along) {
      const Index row = is_turned ? along : 1;
      const Index col = is_turned ? 1 : along;
      app_.hover_cell(stage, row, col);
      ASSERT_TRUE(app_.session().shown().hovered) << info(stage).id << ' ' << along;
      EXPECT_EQ(app_.session().shown().hovered->stage, stage);
      EXPECT_EQ(app_.session().shown().hovered->row, row) << info(stage).id << ' ' << along;
      EXPECT_EQ(app_.session().shown().hovered->col, col) << info(stage).id << ' ' << along;
    }
  }
  app_.click_cell(Stage::context, 4, 3);
  ASSERT_TRUE(app_.view().pinned);
  EXPECT_EQ(app_.view().pinned->stage, Stage::context);
  EXPECT_EQ(app_.view().pinned->row, 4);
  EXPECT_EQ(app_.view().pinned->col, 3);
}

TEST_F(Parts, OfQueriesKeysAndValuesAreThoseOfTheirHeads) {
  for (const char* const name : {"stages/queries", "stages/keys", "stages/values"}) {
    app_.move_to(fmt::format("{}/1", name), {0.25F, 0.25F});
    ASSERT_TRUE(app_.session().shown().hovered) << name;
    EXPECT_EQ(app_.session().shown().hovered->head, 1) << name;
    EXPECT_EQ(app_.session().shown().hovered->row, 1) << name;
    EXPECT_EQ(app_.session().shown().hovered->col, 0) << name;
    app_.move_to(name, {0.25F, 0.25F});
    EXPECT_EQ(app_.session().shown().hovered->head, 0) << name;
  }
  look_at_head(1);
  EXPECT_TRUE(app_.shows("stages/queries/0"));
  app_.move_to("stages/queries", {0.25F, 0.25F});
  ASSERT_TRUE(app_.session().shown().hovered);
  EXPECT_EQ(app_.session().shown().hovered->head, 1);
}

TEST(WhatIsAbsent, LeadsToTheSetup) {
  Document document = notebook_document();
  document.config.mask = MaskRoute::none;
  HeadlessApp app(document, {1280, 720}, ViewState{});
  app.change_view([](ViewState& view) { view.show_setup.reset(); });
  for (const char* const id : {"masked_scores", "dropped_weights"}) {
    app.change_view([](ViewState& view) { view.show_setup.reset(); });
    app.frames(3);
    ASSERT_FALSE(app.shows("setup/dropout")) << "it is a rail";
    EXPECT_FALSE(app.shows("stages/" + std::string(id)));
    app.click("stages/" + std::string(id) + "/absent");
    EXPECT_TRUE(app.shows("setup/dropout")) << id;
    EXPECT_EQ(app.view().transient.pointed, id == std::string("masked_scores") ? "setup/mask" : "setup/dropout");
    app.press_key(keys::named(ImGuiKey_Escape));
  }
}

TEST(WhatIsAbsent, IsShownAloneWhereItOnlyLeavesTheScoresAsTheyAre) {
  Document document = notebook_document();
  document.config.d_out = 2;
  HeadlessApp app(document, full_screen, ViewState{});
  ASSERT_EQ(head_features(app.config()), 1);
  EXPECT_FALSE(app.shows("stages/scaled_scores"));
  app.click("stages/scaled_scores/absent");
  EXPECT_EQ(app.view().mode, ViewMode::focus);
  EXPECT_EQ(app.view().stage, Stage::scaled_scores);
  app.frames(2);
  EXPECT_TRUE(app.shows("stages/scaled_scores"));
}

TEST(WhatIsAbsent, IsNotNamedBeforeAnAudience) {
  Document document = notebook_document();
  document.config.mask = MaskRoute::none;
  HeadlessApp app(document, full_screen, ViewState{});
  ASSERT_TRUE(app.shows("stages/masked_scores/absent"));
  app.press_key(keys::function(11));
  app.press_key(keys::named(ImGuiKey_End));
  EXPECT_TRUE(app.shows("stages/weights"));
  EXPECT_FALSE(app.shows("stages/masked_scores/absent"));
}

class Zoom : public testing::Test {
protected:
  void turn_wheel(float lines) {
    app_.hold_control(true);
    app_.scroll(lines);
    app_.hold_control(false);
    app_.frames(2);
  }
  // Where the pointer is on a widget, as a share of its size.
  ImVec2 share_of(const std::string& name) const {
    const WidgetRegistry::Entry& entry = app_.widget(name);
    const ImVec2 pos = ImGui::GetIO().MousePos;
    return {(pos.x - entry.min_screen.x) / (entry.max_screen.x - entry.min_screen.x),
            (pos.y - entry.min_screen.y) / (entry.max_screen.y - entry.min_screen.y)};
  }

  HeadlessApp app_{notebook_document(), full_screen, ViewState{}};
};

TEST_F(Zoom, KeepsWhatIsUnderThePointer) {
  for (const std::string name : {"stages/weights", "stages/scores", "stages/output"}) {
    const ImVec2 where{0.31F, 0.72F};
    app_.move_to(name, where);
    for (const float lines : {1.0F, 1.0F, 3.0F, -2.0F, 1.0F}) {
      const float before = app_.view().diagram_zoom;
      turn_wheel(lines);
      EXPECT_EQ(app_.view().diagram_zoom > before, lines > 0);
      EXPECT_NEAR(share_of(name).x, where.x, 0.03F) << name << " at " << app_.view().diagram_zoom;
      EXPECT_NEAR(share_of(name).y, where.y, 0.03F) << name << " at " << app_.view().diagram_zoom;
    }
    EXPECT_FALSE(app_.view().map.window) << "no matrix is zoomed by itself";
    app_.press_key(keys::digit(0));
    EXPECT_EQ(app_.view().diagram_zoom, 1);
  }
}

TEST_F(Zoom, EndsAtTheWholeAndAtEightTimes) {
  const ImVec2 whole = app_.widget("stages/weights").min_screen;
  app_.move_to("stages/weights");
  turn_wheel(40);
  EXPECT_EQ(app_.view().diagram_zoom, 8);
  turn_wheel(-80);
  EXPECT_EQ(app_.view().diagram_zoom, 1);
  EXPECT_EQ(app_.widget("stages/weights").min_screen.x, whole.x);
  EXPECT_EQ(app_.widget("stages/weights").min_screen.y, whole.y);
  EXPECT_EQ(window_of_stages(app_).ScrollMax.x, 0);
}

TEST_F(Zoom, IsPannedByShiftWithAnArrow) {
  app_.move_to("stages/weights");
  turn_wheel(6);
  const ImVec2 before = app_.widget("stages/weights").min_screen;
  give_modifiers(false, true);
  app_.press_key(keys::named(ImGuiKey_RightArrow));
  give_modifiers(false, false);
  app_.frames(2);
  EXPECT_LT(app_.widget("stages/weights").min_screen.x, before.x);
  EXPECT_EQ(app_.widget("stages/weights").min_screen.y, before.y);
}

TEST_F(Zoom, IsPannedByDraggingWhereNothingIs) {
  app_.move_to("stages/weights");
  turn_wheel(6);
  const Box page = page_of(app_);
  const auto is_free = [&](ImVec2 pos) {
    return std::ranges::none_of(app_.widgets().entries, [&](const WidgetRegistry::Entry& entry) {
      return entry.name != "stages" && entry.name.starts_with("stages/") &&
             box_of(entry).contains(static_cast<double>(pos.x), static_cast<double>(pos.y));
    });
  };
  ImVec2 pos{static_cast<float>(page.middle_x()), static_cast<float>(page.y) + 5};
  while (!is_free(pos) && static_cast<double>(pos.y) < page.bottom()) pos.y += 5;
  ASSERT_TRUE(is_free(pos));
  const ImVec2 before = app_.widget("stages/weights").min_screen;
  app_.wait(1);
  give_pointer(pos);
  app_.frames(3);
  app_.press();
  for (int step = 0; step < 5; ++step) app_.move_by({-20, -10});
  app_.release();
  EXPECT_NEAR(app_.widget("stages/weights").min_screen.x, before.x - 100, 2);
  EXPECT_NEAR(app_.widget("stages/weights").min_screen.y, before.y - 50, 2);
}

}  // namespace
}  // namespace attnscope::test
