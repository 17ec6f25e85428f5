#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "cli/command_line.h"
#include "core/text.h"
#include "document/builtin.h"
#include "document/edit.h"
#include "document/file_formats.h"
#include "features/files/reading_controller.h"
#include "features/lessons/lesson_controller.h"
#include "files/arrays.h"
#include "files/checkpoint.h"
#include "files/document_file.h"
#include "files/file_kind.h"
#include "files/import.h"
#include "view/colours.h"
#include "window/frame.h"

namespace attnscope {

namespace {

// Throws UsageError.
ViewChoice view_choice(const ViewArguments& arguments) {
  ViewChoice choice;
  choice.tensor = arguments.tensor;
  if (!arguments.layer.empty()) choice.layer = parse_whole_number("--layer", arguments.layer, 1, most_layers) - 1;
  if (!arguments.tokens.empty()) choice.tokens = arguments.tokens;
  const auto numbers = std::ranges::find(numbers_words, arguments.numbers);
  if (numbers != numbers_words.end()) choice.numbers = static_cast<NumbersAs>(numbers - numbers_words.begin());
  if (!arguments.query_tokens.empty()) choice.query_tokens = arguments.query_tokens;
  return choice;
}

}  // namespace

void add_view_options(CLI::App& command, ViewArguments& arguments) {
  command.add_option("--tensor", arguments.tensor,
                     "Name of the tensor of attention weights in a file (default: the likeliest)");
  command.add_option("--layer", arguments.layer,
                     "Layer of a trained model or of the attention weights in a file, counted from 1");
  command.add_option("--tokens", arguments.tokens,
                     "Text file with the names of the tokens, or keys: one per line, or separated by blanks");
  command.add_option("--query-tokens", arguments.query_tokens,
                     "Text file with the names of the queries, where they are other tokens than the keys");
  choose_among(command.add_option("--numbers", arguments.numbers,
                                  "What the numbers of a file are (default: as they suggest): weights, scores, or "
                                  "shares, each row divided by its sum"),
               {"weights", "scores", "shares"});
}

void refuse_view_options(const ViewArguments& arguments, const std::string& file) {
  for (const auto& [option, text] :
       {std::pair("--tensor", arguments.tensor), std::pair("--tokens", arguments.tokens),
        std::pair("--query-tokens", arguments.query_tokens), std::pair("--numbers", arguments.numbers),
        std::pair("--layer", arguments.layer)}) {
    if (text.empty()) continue;
    const bool is_layer = std::string_view(option) == "--layer";
    throw UsageError(fmt::format("{} is for attention of another program{}, but {} is a document{}.", option,
                                 is_layer ? " and for trained models" : "", file, is_layer ? " of one layer" : ""));
  }
}

namespace {

// A file of attention of which only the headers were read so far.
struct OpenedAttention {
  bool is_slow = false;                                     // reading it takes a while
  std::function<LoadedAttention(const UnpackWatch&)> load;  // throws Error
};
using OpenedFile = std::variant<LoadedDocument, OpenedAttention>;

// A large table of text can only be read as a whole.
std::shared_ptr<const NamedArrays> opened(const std::filesystem::path& path) {
  if (is_text_table(path) && is_large_file(path)) return nullptr;
  return std::make_shared<const NamedArrays>(read_arrays(path));
}

// Returns attention, or a document that begins with queries, keys and values.
OpenedFile opened_arrays(const std::string& file, const ViewArguments& arguments) {
  const ViewChoice choice = view_choice(arguments);
  const auto arrays = opened(file);
  if (arrays && choice.tensor.empty() && holds_heads(*arrays)) {
    refuse_view_options(arguments, file);
    return LoadedDocument{.document = document_of_heads(*arrays, std::filesystem::path(file).filename().string())};
  }
  if (arrays) check_choice(file, *arrays, choice);
  const auto load = [=](const UnpackWatch& watch) { return load_attention(file, arrays, choice, watch); };
  return OpenedAttention{is_large_file(file) || is_slow(arrays), load};
}

// Opens saved attention. The arguments can name another layer and other tokens than were saved.
OpenedAttention saved_attention(LoadedFile loaded, const std::string& file, const ViewArguments& arguments) {
  const ViewChoice choice = view_choice(arguments);
  auto& saved = std::get<ImportedDocument>(loaded.document);
  if (!choice.tensor.empty()) {
    throw UsageError(fmt::format("--tensor is {}, but {} already names its tensor: leave the option out.",
                                 in_quotes(choice.tensor), file));
  }
  if (choice.layer && *choice.layer >= saved.layers) {
    throw UsageError(fmt::format("{}: Layer {} was asked for, but there {}.", file, *choice.layer + 1,
                                 saved.layers == 1 ? "is one layer" : fmt::format("are layers 1 to {}", saved.layers)));
  }
  saved.layer = choice.layer.value_or(saved.layer);
  if (choice.numbers != NumbersAs::suggested) saved.numbers = choice.numbers;
  const Index queries = saved.shape[saved.shape.size() - 2];
  const bool is_square = queries == saved.shape.back();
  if (choice.tokens) saved.tokens = tokens_of_file(*choice.tokens, saved.shape.back(), is_square ? "token" : "key");
  if (choice.query_tokens) saved.query_tokens = tokens_of_file(*choice.query_tokens, queries, "query");
  find_arrays_of(saved, file);
  const auto arrays = opened(saved.file);
  if (arrays) check_saved(saved, *arrays);
  const auto load = [=](const UnpackWatch& watch) { return load_attention(loaded, file, arrays, watch); };
  return {is_large_file(saved.file) || is_slow(arrays), load};
}

// Throws UsageError.
OpenedFile opened_or_refuse(const std::string& file, const ViewArguments& arguments) {
  return or_refuse(file, [&]() -> OpenedFile {
    if (checked_kind_of_file(file) == FileKind::What::arrays) return opened_arrays(file, arguments);
    LoadedFile loaded = load_any_document(file);
    if (std::holds_alternative<ImportedDocument>(loaded.document)) {
      return saved_attention(std::move(loaded), file, arguments);
    }
    auto& document = std::get<Document>(loaded.document);
    ViewArguments of_attention = arguments;
    if (document.model) {
      if (arguments.layer != all_layers) show_layer_of_argument(document, arguments.layer);
      of_attention.layer.clear();
      tell_of_placeholders(document, file);
    }
    refuse_view_options(of_attention, file);
    return LoadedDocument{std::move(document), loaded.is_from_picture, loaded.view};
  });
}

}  // namespace

void tell_of_attention(const LoadedAttention& attention, const std::string& file) {
  if (!attention.carrier.empty()) return;
  const ImportedFile& viewed = *attention.viewed;
  if (const std::string said = viewed.said_of_numbers(); !said.empty()) tell(with_path(file, said));
  if (viewed.evaluation(0).result->imported->is_causal)
    tell(with_path(file,
                   "Every weight above the diagonal is exactly 0: these cells are shown as hidden by a causal mask."));
}

ShownFile shown_or_refuse(const std::string& file, const ViewArguments& arguments) {
  OpenedFile opened = opened_or_refuse(file, arguments);
  if (auto* const document = std::get_if<LoadedDocument>(&opened)) return std::move(*document);
  LoadedAttention attention = or_refuse(file, [&] { return std::get<OpenedAttention>(opened).load({}); });
  if (!attention.note.empty()) tell(attention.note);
  return attention;
}

namespace {

// Opens the window. Large files are read once it is there.
int run_view(const ViewArguments& arguments) {
  const std::string& file = arguments.file;
  OpenedFile opened = opened_or_refuse(file, arguments);
  auto* const attention = std::get_if<OpenedAttention>(&opened);
  if (!attention) {
    throw UsageError(fmt::format(
        "{} is a document and holds no attention of another program: open it with attnscope {}.", file, file));
  }
  if (attention->is_slow) {
    return run_window([&](Session& session) { session.read_attention(file, std::move(attention->load)); });
  }
  LoadedAttention loaded = or_refuse(file, [&] { return attention->load({}); });
  return run_window([&](Session& session) { session.show_attention(std::move(loaded)); });
}

}  // namespace

Subcommand add_view(CLI::App& app, int& status) {
  const auto arguments = std::make_shared<ViewArguments>();
  CLI::App* view = app.add_subcommand("view", "Show attention from another program in the window");
  view->add_option("FILE", arguments->file,
                   fmt::format("Tensors of shape (..., T, T) in {}; or a saved view of them", array_endings()))
      ->required();
  add_view_options(*view, *arguments);
  add_num_heads(*view, arguments->file);
  return {view, [arguments, &status] { status = run_view(*arguments); }, true};
}

namespace {

struct ScreenshotArguments {
  std::string document;  // empty: what the window opens with
  std::string lesson;    // instead of a document: its id or its file
  std::string step;      // empty: the first
  std::string out;
  std::string size = "1440x900";
  std::string scale = "1";
  std::string theme = "light";
  bool has_footer = false;
  ViewArguments view;
};

Call opener_of(const ScreenshotArguments& arguments) {
  if (!arguments.document.empty()) throw UsageError("Name a document or a --lesson, not both: each step has its own.");
  const auto lesson = std::make_shared<const Lesson>(lesson_or_refuse(arguments.lesson));
  const int last = static_cast<int>(lesson->steps.size());
  const int step = arguments.step.empty() ? 1 : parse_whole_number("--step", arguments.step, 1, last);
  const bool is_shipped = shipped_lesson(arguments.lesson) != nullptr;
  return [is_shipped, lesson, id = arguments.lesson, step](const Controllers& to) {
    is_shipped ? to.lessons.open(id) : to.lessons.open(std::vector<std::shared_ptr<const Lesson>>{lesson});
    to.lessons.go_to_step(static_cast<std::size_t>(step - 1));
  };
}

void run_screenshot(const ScreenshotArguments& arguments) {
  require_ending(arguments.out, ".png", "a screenshot is");
  const PictureSize size = parse_picture_size(arguments.size);
  const double scale = parse_number("--scale", arguments.scale, 0.5, 4);
  ScreenshotOptions options{.width = size.width,
                            .height = size.height,
                            .scale = scale,
                            .theme = std::ranges::find(themes(), arguments.theme, &ThemeColours::id)->theme,
                            .has_footer = arguments.has_footer};
  if (arguments.view.layer == all_layers)
    throw UsageError("--layer is all, which is for figures: name a layer, or leave it out for the whole model.");
  if (!arguments.lesson.empty()) {
    refuse_view_options(arguments.view, "A lesson");
    options.opens = opener_of(arguments);
    return write_screenshot(LoadedDocument{default_document()}, arguments.out, options);
  }
  if (!arguments.step.empty()) throw UsageError("--step is of a --lesson.");
  if (arguments.document.empty()) {
    refuse_view_options(arguments.view, "The window as it opens");
    return write_screenshot(LoadedDocument{opening_document()}, arguments.out, options);
  }
  ShownFile shown = shown_or_refuse(arguments.document, arguments.view);
  if (const auto* const attention = std::get_if<LoadedAttention>(&shown))
    tell_of_attention(*attention, arguments.document);
  write_screenshot(std::move(shown), arguments.out, options);
}

}  // namespace

Subcommand add_screenshot(CLI::App& app) {
  const auto arguments = std::make_shared<ScreenshotArguments>();
  CLI::App* screenshot = app.add_subcommand("screenshot", "Draw the window of a document as a PNG; needs no display");
  screenshot->add_option("DOC", arguments->document, shown_help());
  screenshot->add_option("--lesson", arguments->lesson,
                         "A lesson instead: a file, or one that comes with the program (attnscope lesson list)");
  screenshot->add_option("--step", arguments->step, "Step of the lesson, counted from 1 (default: the first)");
  add_out(*screenshot, arguments->out, "Picture to write, .png")->required();
  screenshot->add_option("--size", arguments->size, "Size of the window, WxH from 320x240 to 7680x4320")
      ->capture_default_str();
  screenshot->add_option("--scale", arguments->scale, "Pixels per unit, 0.5 to 4")->capture_default_str();
  std::vector<std::string> theme_ids;
  for (const ThemeColours& theme : themes()) theme_ids.emplace_back(theme.id);
  CLI::Option* theme = screenshot->add_option("--theme", arguments->theme, "Colours");
  choose_among(theme, theme_ids);
  theme->capture_default_str();
  screenshot->add_flag("--footer", arguments->has_footer,
                       "A line below the picture: mechanism, heads, seed, dropout, version");
  add_view_options(*screenshot, arguments->view);
  add_num_heads(*screenshot, arguments->document);
  return {screenshot, [arguments] { run_screenshot(*arguments); }};
}

}  // namespace attnscope
