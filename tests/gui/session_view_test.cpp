#include <utility>

#include "document/json.h"
#include "features/files/exchange_controller.h"
#include "headless_app.h"
#include "headless_app_input.h"

namespace attnscope::test {
namespace {

// Pins a cell as a click does.
void pin(ViewState& view, const std::optional<Source>& cell) {
  const std::optional<Source> before = std::exchange(view.pinned, cell);
  note_pinned(view, before);
}

TEST(NavigationHistory, KeepsCellsButNoStepsToANeighbour) {
  const Source weight{.stage = Stage::weights, .batch = 1, .head = 1, .row = 2, .col = 2};
  const auto changed = [](Source cell, auto Source::*member, auto to) {
    cell.*member = to;
    return cell;
  };
  const Source query = changed(weight, &Source::stage, Stage::queries);
  const Source mask = changed(weight, &Source::stage, Stage::mask);
  const struct {
    Source from;
    Source to;
    bool is_step;
  } cases[] = {
      {weight, changed(weight, &Source::row, Index{3}), true},
      {weight, changed(weight, &Source::row, Index{1}), true},
      {weight, changed(weight, &Source::row, Index{4}), false},
      {weight, changed(weight, &Source::col, Index{1}), true},
      {weight, changed(weight, &Source::col, Index{4}), false},
      {weight, changed(weight, &Source::head, Index{0}), false},
      {query, changed(query, &Source::head, Index{0}), false},
      {mask, changed(mask, &Source::head, Index{0}), true},
      {weight, changed(weight, &Source::batch, Index{0}), false},
      {weight, changed(weight, &Source::layer, Index{3}), false},
      {weight, changed(weight, &Source::kind, SourceKind::row_sum), false},
      {weight, changed(weight, &Source::stage, Stage::scores), false},
  };
  for (std::size_t i = 0; i < std::size(cases); ++i) {
    ViewState view;
    view.pinned = cases[i].from;
    pin(view, cases[i].to);
    EXPECT_EQ(can_go_back(view), !cases[i].is_step) << "case " << i;
    if (cases[i].is_step) continue;
    pin(view, {});
    go_back(view);
    EXPECT_EQ(view.pinned, cases[i].from) << "case " << i;
    go_forward(view);
    EXPECT_EQ(view.pinned, cases[i].to) << "case " << i;
    EXPECT_FALSE(can_go_forward(view));
  }
}

TEST(NavigationHistory, ForgetsTheOldestAndWhatWasAhead) {
  ViewState view;
  for (Index row = 0; row < 500; row += 2) pin(view, Source{.row = row});
  EXPECT_EQ(view.transient.history.back.size(), 200U);
  EXPECT_EQ(view.transient.history.back.back().row, 496);
  go_back(view);
  go_back(view);
  EXPECT_EQ(view.pinned->row, 494);
  EXPECT_TRUE(can_go_forward(view));
  pin(view, view.pinned);
  EXPECT_TRUE(can_go_forward(view)) << "the same cell";
  pin(view, Source{.row = 7});
  EXPECT_FALSE(can_go_forward(view));
  go_back(view);
  EXPECT_EQ(view.pinned->row, 494);
}

TEST(PinnedCells, TakeTheHeadAndTheOpenLinesWithThem) {
  ViewState view;
  const Source weight{.stage = Stage::weights, .head = 1, .row = 2};
  pin(view, weight);
  EXPECT_EQ(view.head, 1);
  view.head = 3;
  pin(view, weight);
  EXPECT_EQ(view.head, 3) << "nothing was pinned anew";
  pin(view, Source{.stage = Stage::mask, .head = 0});
  EXPECT_EQ(view.head, 3) << "a mask is of all heads";
  const auto keeps_lines = [&](const Source& from, const Source& to) {
    view.pinned = from;
    view.transient.opened = {"line"};
    pin(view, to);
    return !view.transient.opened.empty();
  };
  EXPECT_TRUE(keeps_lines(weight, {.stage = Stage::weights, .row = 5}));
  EXPECT_FALSE(keeps_lines(weight, {.stage = Stage::scores, .row = 2}));
  EXPECT_FALSE(keeps_lines(weight, {.stage = Stage::weights, .kind = SourceKind::row_sum}));
}

TEST(PinnedCells, GoWithTheStageThatIsChosenIfItHasTheSamePairs) {
  const auto pinned_in = [](Stage from, Stage to) {
    ViewState view;
    view.head = 2;
    view.pinned = Source{.stage = from, .row = 1};
    show_stage(view, to);
    EXPECT_EQ(view.stage, to);
    return std::pair(view.pinned->stage, view.pinned->head);
  };
  EXPECT_EQ(pinned_in(Stage::weights, Stage::scores), std::pair(Stage::scores, Index{2}));
  EXPECT_EQ(pinned_in(Stage::weights, Stage::mask), std::pair(Stage::mask, Index{0}));
  EXPECT_EQ(pinned_in(Stage::weights, Stage::inputs), std::pair(Stage::weights, Index{0}));
  EXPECT_EQ(pinned_in(Stage::inputs, Stage::weights), std::pair(Stage::inputs, Index{0}));
}

TEST(PinnedCells, AreShownWhereOneStageIsShown) {
  for (const ViewMode& mode : {ViewMode::diagram, ViewMode::focus}) {
    ViewState view;
    view.mode = mode;
    view.stage = Stage::weights;
    look_at(view, Source{.stage = Stage::scores});
    EXPECT_EQ(view.stage, mode == ViewMode::focus ? Stage::scores : Stage::weights);
  }
}

// Pairs of 40 tokens, queries and keys of 8 features: all of them show the same tokens.
TEST(MapWindows, OfQueriesAndKeysAreSidesOfThatOfThePairs) {
  const MapPlace pairs{Stage::weights, 40, 40};
  const MapPlace queries{Stage::queries, 40, 8};
  const MapPlace keys{Stage::keys, 40, 8};
  MapState map;
  const CellWindow window{.row = 10, .col = 20, .rows = 6, .cols = 6};
  set_window(map, pairs, window);
  EXPECT_EQ(window_of(map, pairs), window);
  EXPECT_EQ(window_of(map, queries), (CellWindow{.row = 10, .col = 0, .rows = 6, .cols = 8}));
  EXPECT_EQ(window_of(map, keys), (CellWindow{.row = 20, .col = 0, .rows = 6, .cols = 8}));
  set_window(map, queries, {.row = 30, .col = 2, .rows = 4, .cols = 4});
  EXPECT_EQ(window_of(map, queries), (CellWindow{.row = 30, .col = 2, .rows = 4, .cols = 4}));
  EXPECT_EQ(window_of(map, pairs), (CellWindow{.row = 30, .col = 21, .rows = 4, .cols = 4}));
  set_window(map, keys, {.row = 2, .col = 0, .rows = 8, .cols = 8});
  EXPECT_EQ(window_of(map, pairs), (CellWindow{.row = 28, .col = 2, .rows = 8, .cols = 8}));
  set_window(map, keys, {.row = 0, .col = 0, .rows = 40, .cols = 8});
  EXPECT_EQ(map, MapState{}) << "all of it";
  set_window(map, pairs, window);
  set_window(map, pairs, {.row = 0, .col = 0, .rows = 40, .cols = 40});
  EXPECT_FALSE(map.window);
}

TEST(ViewTexts, OfFiguresNameTheLayoutThatShowsThem) {
  FigureOptions options;
  options.head = 1;
  options.marked = Source{.stage = Stage::weights, .row = 1};
  EXPECT_TRUE(view_text(options).starts_with("layout=focus stage=weights head=2")) << view_text(options);
  EXPECT_NE(view_text(options).find("cell="), std::string::npos) << view_text(options);
  options.head.reset();
  EXPECT_TRUE(view_text(options).starts_with("layout=heads stage=weights")) << view_text(options);
  options.stage.reset();
  EXPECT_TRUE(view_text(options).starts_with("layout=diagram")) << view_text(options);
}

TEST(ViewAddresses, ChangeOnlyWhatTheyName) {
  ViewState view;
  view.stage = Stage::scores;
  view.head = 2;
  view.batch = 3;
  view.decimals = 4;
  view.pinned = Source{.row = 1};
  const ViewState before = view;
  look_at(view, ViewAddress{});
  EXPECT_EQ(view, before);
  look_at(view, ViewAddress{.mode = "focus", .stage = Stage::keys, .head = 1, .batch = 0, .decimals = 3});
  EXPECT_EQ(view.mode, ViewMode::focus);
  EXPECT_EQ(view.stage, Stage::keys);
  EXPECT_EQ(view.head, 1);
  EXPECT_EQ(view.batch, 0);
  EXPECT_EQ(view.decimals, 3);
  look_at(view, ViewAddress{.range = RangeMode::relative,
                            .pinned = Source{.row = 4},
                            .side = ComparedSide::baseline,
                            .study = {.id = "mask_routes"}});
  EXPECT_EQ(view.mode, ViewMode::study);
  EXPECT_EQ(view.range, RangeMode::relative);
  EXPECT_EQ(view.side, ComparedSide::baseline);
  EXPECT_EQ(view.pinned->row, 4);
}

TEST(SettingsDialog, ChooseTheTheme) {
  HeadlessApp app;
  app.open_settings();
  app.choose("settings/theme", "dark");
  EXPECT_EQ(app.view().theme, ThemeId::dark);
  app.click("dialog/close");
  app.press_control('D');
  EXPECT_EQ(app.view().theme, ThemeId::light);
  app.open_settings();
  app.choose("settings/theme", "high-contrast");
  EXPECT_EQ(app.view().theme, ThemeId::high_contrast);
  app.click("dialog/close");
  app.press_control('D');
  EXPECT_EQ(app.view().theme, ThemeId::dark);
}

TEST(SettingsDialog, ChooseTheSizeOfTexts) {
  HeadlessApp app;
  app.open_settings();
  app.choose("settings/scale", "125");
  EXPECT_FLOAT_EQ(app.view().interface_scale, 1.25f);
  EXPECT_TRUE(app.shows("setup/dropout"));
}

TEST(ViewMenu, HidesPanels) {
  HeadlessApp app;
  app.click("menu/view");
  app.click("menu/view/setup");
  EXPECT_TRUE(app.shows("rail"));
  app.click("menu/view");
  app.click("menu/view/inspector");
  EXPECT_FALSE(app.shows("inspector"));
  app.press_key(keys::function(2));
  app.press_key(keys::function(3));
  EXPECT_FALSE(app.shows("rail"));
  EXPECT_TRUE(app.shows("inspector"));
}

TEST(ToolBar, ChoosesWhatColoursStandFor) {
  HeadlessApp app;
  EXPECT_EQ(app.view().range, RangeMode::automatic);
  for (const RangeModeName& row : range_modes) {
    app.choose("view/range", std::string(row.id));
    EXPECT_EQ(app.view().range, row.mode);
  }
}

TEST(SettingsDialog, ChooseDecimalsAndNumbers) {
  HeadlessApp app;
  app.open_settings();
  app.choose("settings/decimals", "4");
  EXPECT_EQ(app.view().decimals, 4);
  app.click("dialog/close");
  app.press_key(keys::letter('F'));
  EXPECT_EQ(app.view().decimals, 2);
  app.open_settings();
  app.click("settings/view/numbers");
  EXPECT_FALSE(app.view().numbers);
}

TEST(ScaleKeys, StayWithinTheLimits) {
  HeadlessApp app;
  app.hold_control(true);
  for (int times = 0; times < 20; ++times) app.press_key(keys::equal());
  EXPECT_FLOAT_EQ(app.view().interface_scale, max_interface_scale);
  for (int times = 0; times < 30; ++times) app.press_key(keys::minus());
  EXPECT_FLOAT_EQ(app.view().interface_scale, min_interface_scale);
  app.press_key(keys::digit(0));
  EXPECT_FLOAT_EQ(app.view().interface_scale, 1);
}

TEST(ViewChanges, AreNeitherEditsNorUndone) {
  HeadlessApp app;
  app.press_control('D');
  app.click("view/focus");
  EXPECT_FALSE(app.session().shown().is_modified);
  app.press_control('Z');
  EXPECT_EQ(app.view().theme, ThemeId::dark);
  EXPECT_EQ(app.view().mode, ViewMode::focus);
}

TEST(EditMenu, NamesWhatItTakesBack) {
  HeadlessApp app;
  app.click("menu/edit");
  EXPECT_FALSE(app.enables("menu/edit/undo"));
  app.press_key(keys::named(ImGuiKey_Escape));
  app.drag("setup/dropout", 0.1f, 0.5f);
  app.click("menu/edit");
  EXPECT_TRUE(app.enables("menu/edit/undo"));
  app.click("menu/edit/undo");
  EXPECT_EQ(app.config().dropout, 0);
  EXPECT_EQ(app.message(), "Undid dropout.");
  app.click("menu/edit");
  app.click("menu/edit/redo");
  EXPECT_GT(app.config().dropout, 0);
}

TEST(HelpDialogs, OpenAndCloseByButtonAndByKey) {
  HeadlessApp app;
  app.press_key(keys::function(1));
  EXPECT_EQ(app.session().shown().dialog.kind, DialogState::Kind::shortcuts);
  app.press_key(keys::named(ImGuiKey_Escape));
  EXPECT_EQ(app.session().shown().dialog.kind, DialogState::Kind::none);
  EXPECT_TRUE(app.view().pinned);
  app.click("menu/help");
  app.click("menu/help/about");
  app.click("dialog/close");
  EXPECT_FALSE(app.shows("dialog/close"));
  app.click("menu/learn");
  app.click("menu/learn/glossary");
  app.press_key(keys::named(ImGuiKey_Escape));
  app.click("view/focus");
  EXPECT_EQ(app.view().mode, ViewMode::focus);
}

TEST(OpenDialog, KeepsThePointerFromWhatIsBehind) {
  HeadlessApp app;
  app.press_key(keys::function(1));
  app.click("view/focus", {0.1f, 0.5f});
  EXPECT_EQ(app.view().mode, ViewMode::diagram);
}

TEST(Window, ShowsTheMostImportantWidgetsAtEverySize) {
  for (const ImVec2 size : {ImVec2{800, 520}, ImVec2{1280, 720}, ImVec2{1920, 1080}, ImVec2{3840, 2160}}) {
    HeadlessApp app(default_document(), size);
    for (const char* name : {"menu/file", "view/diagram", "setup/d_out", "setup/dropout", "status/shapes"}) {
      EXPECT_TRUE(app.shows(name)) << name << " at " << size.x;
      EXPECT_NO_THROW(app.move_to(name)) << name << " at " << size.x;
    }
  }
}

TEST(StartLine, IsInTheWindowToItsEnd) {
  for (const ImVec2 size : {ImVec2{1024, 700}, ImVec2{1280, 720}, ImVec2{1920, 1080}}) {
    HeadlessApp app(default_document(), size);
    app.change_view([](ViewState& view) { view.shows_start = true; });
    app.frames(2);
    EXPECT_LE(app.widget("start/close").max_screen.x, size.x) << size.x;
  }
}

TEST(Messages, AreForgottenAfterAWhile) {
  HeadlessApp app;
  app.session().say("Hello.");
  EXPECT_GT(app.session().seconds_to_next_change(ImGui::GetTime()), 9);
  app.session().expire_messages(ImGui::GetTime() + 9);
  EXPECT_EQ(app.message(), "Hello.");
  app.session().expire_messages(ImGui::GetTime() + 11);
  EXPECT_EQ(app.message(), "");
  EXPECT_LT(app.session().seconds_to_next_change(ImGui::GetTime()), 0);
}

TEST(Screenshot, AsksForItsFolderOnceAndThenTakesTheChosenScale) {
  HeadlessApp app;
  app.press_key(keys::function(12));
  EXPECT_EQ(app.session().shown().dialog.kind, DialogState::Kind::screenshot_folder);
  EXPECT_FALSE(app.session().take_screenshot_request());
  app.click("dialog/accept");
  EXPECT_EQ(app.session().take_screenshot_request().value_or(ScreenshotRequest{}).scale, 2);
  EXPECT_FALSE(app.session().take_screenshot_request());
  app.press_key(keys::function(12));
  EXPECT_EQ(app.session().take_screenshot_request().value_or(ScreenshotRequest{}).scale, 2);
}

TEST(Screenshot, IsNotTakenWhenTheFolderIsNotChosen) {
  HeadlessApp app;
  app.press_key(keys::function(12));
  app.click("dialog/cancel");
  EXPECT_FALSE(app.session().take_screenshot_request());
  EXPECT_EQ(app.view().screenshot_folder, "");
}

Document long_document() {
  AttentionConfig config = default_document().config;
  config.inputs = RandnInputs{1024, 8};
  config.d_out = 48;
  config.num_heads = 12;
  config.dropout = 0.5;
  Document document = default_document();
  document.config = config;
  document.tokens = numbered_tokens(1024);
  return document;
}

TEST(FirstCell, IsTheWeightOfTheSecondTokenOnTheFirstWhereThereAreTwo) {
  EXPECT_EQ(HeadlessApp().view().pinned, (Source{.stage = Stage::weights, .row = 1}));
  EXPECT_EQ(HeadlessApp(parse_document(R"({"inputs": [[1, 2, 3]]})")).view().pinned, std::nullopt);
  EXPECT_EQ(HeadlessApp(parse_document(R"({"inputs": [[1, 2, 3], [3, 2, 1]]})")).view().pinned,
            (Source{.stage = Stage::weights, .row = 1}));
}

TEST(LongDocument, IsShownAndExplainedWithoutItsSquares) {
  HeadlessApp app(long_document(), {1920, 1080});
  ASSERT_EQ(app.result().find(Stage::weights), nullptr);
  for (const StageInfo& stage : stages()) {
    if (!is_query_by_key(stage.axes) || !has(app.result(), stage.stage)) continue;
    app.hover_cell(stage.stage, 700, 300);
    ASSERT_TRUE(app.session().shown().hovered) << stage.id;
    EXPECT_EQ(app.session().shown().hovered->stage, stage.stage);
  }
}

// The line of screenshots has a strip of its own.
TEST(FooterOfPictures, IsBelowEverything) {
  for (const ImVec2 size : {ImVec2{1280, 800}, ImVec2{320, 240}}) {
    HeadlessApp app(default_document(), size);
    EXPECT_FALSE(app.shows("footer"));
    const float before = app.widget("setup").max_screen.y;
    app.session().show_footer(true);
    app.frames(2);
    EXPECT_GE(app.widget("footer").min_screen.y, app.widget("status/shapes").max_screen.y);
    EXPECT_GE(app.widget("status/shapes").min_screen.y, app.widget("setup").max_screen.y);
    EXPECT_GE(app.widget("status/shapes").min_screen.y, app.widget("workspace").max_screen.y);
    EXPECT_LE(app.widget("footer").max_screen.y, size.y);
    EXPECT_LE(app.widget("footer").max_screen.x, size.x);
    EXPECT_LT(app.widget("setup").max_screen.y, before);
  }
}

TEST(FooterOfPictures, IsInTheMomentOfAScreenshotWhenTheSettingsSaySo) {
  HeadlessApp app;
  EXPECT_EQ(app.session().kept().state.footer, "");
  app.open_settings();
  app.click("settings/file/screenshot/footer");
  EXPECT_NE(app.session().kept().state.footer.find("seed 123"), std::string::npos);
  EXPECT_FALSE(app.shows("footer")) << "the window has none";
}

}  // namespace
}  // namespace attnscope::test
