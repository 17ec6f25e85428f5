#include "features/shared/imported_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "document/document.h"
#include "features/shared/app_services.h"
#include "files/import.h"
#include "platform/system/file.h"
#include "view/view_address.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_token_text = std::size_t{1} << 24;

std::string title_of(const AttentionTensors& tensors) {
  const std::string shape = shape_text(tensors.shape);
  if (tensors.name.empty()) return shape;
  return shown_text(tensors.name) + " " + shape;
}

std::string name_of_first(const NamedArrays& file, const AttentionTensors& tensors) {
  return file.arrays.at(tensors.arrays.front()).name;
}

// How attention that was saved is found again: what to ask find_attention() for, and which of its answers it is.
struct SavedPlace {
  std::string wanted;
  bool takes_other_axes = false;
  std::size_t tensor = 0;
};

bool is_of_saved(const NamedArrays& file, const AttentionTensors& tensors, const ImportedDocument& saved) {
  return name_of_first(file, tensors) == saved.tensor && tensors.shape == saved.shape;
}

[[noreturn]] void refuse_saved(const ArrayView* array, const ImportedDocument& saved) {
  if (!array) throw Error("tensor", "Its arrays have names now, but had none when this was saved: it is another file.");
  const std::string it = saved.tensor.empty() ? "It" : "Its tensor " + in_quotes(saved.tensor);
  if (array->shape != saved.shape && saved.steps == 1) {
    throw Error("shape", fmt::format("{} has the shape {} now, but had {} when this was saved: it is another file.", it,
                                     shape_text(array->shape), shape_text(saved.shape)));
  }
  throw Error("axes", fmt::format("{} cannot be read as {} layer{} of ({}), as it was when this was saved: it is "
                                  "another file.",
                                  it, saved.layers, saved.layers == 1 ? "" : "s", saved.axes));
}

void check_type(const ArrayView& array, const ImportedDocument& saved) {
  if (name_of(array.type) == saved.number_type) return;
  throw Error("number_type", fmt::format("Its numbers are {} now, but were {} when this was saved: it is another file.",
                                         name_of(array.type), saved.number_type));
}

// Tensors that are a layer each may also have been looked at one by one.
SavedPlace find_saved(const NamedArrays& file, const ImportedDocument& saved) {
  const bool is_stated = saved.numbers != NumbersAs::suggested;
  for (const std::string& wanted : {std::string(), saved.tensor}) {
    if (wanted.empty() && !saved.tensor.empty() && holds_parameters(file)) continue;  // one of them was asked for
    for (const bool takes_other_axes : {false, true}) {
      const std::vector<AttentionTensors> all = find_attention(file, wanted, takes_other_axes, is_stated);
      const auto found = std::ranges::find_if(all, [&](const AttentionTensors& tensors) {
        return is_of_saved(file, tensors, saved) && tensors.axes == saved.axes && tensors.layers == saved.layers &&
               tensors.steps == saved.steps;
      });
      if (found == all.end()) continue;
      check_type(file.arrays.at(found->arrays.front()), saved);
      return {wanted, takes_other_axes, static_cast<std::size_t>(found - all.begin())};
    }
  }
  refuse_saved(file.find(saved.tensor), saved);
}

std::string_view key_word(const AttentionTensors& tensors) { return tensors.queries == tensors.keys ? "token" : "key"; }

void check_layer(const std::optional<Index>& layer, Index layers) {
  if (!layer || (*layer >= 0 && *layer < layers)) return;
  throw Error(fmt::format("Layer {} was asked for, but there {}.", *layer + 1,
                          layers == 1 ? "is one layer" : fmt::format("are layers 1 to {}", layers)));
}

// Rethrows what is wrong with a file with its name before it.
template <typename Work>
auto named(const std::filesystem::path& path, const Work& work) {
  try {
    return work();
  } catch (const ChoiceNeeded&) {
    throw;  // who asks names the file
  } catch (const Error& error) {
    throw Error(with_path(path, error.what()));
  }
}

}  // namespace

std::vector<std::string> tokens_of_file(const std::filesystem::path& path, Index count, std::string_view what) {
  return named(path, [&] { return tokens_from_text(read_file(path, max_token_text), count, what); });
}

ImportedFile::ImportedFile(const std::filesystem::path& path, std::shared_ptr<const NamedArrays> file,
                           const std::string& wanted, const UnpackWatch& watch, NumbersAs numbers)
    : file_(std::move(file)), wanted_(wanted) {
  ImportedView viewing;
  viewing.file = path;
  viewing.numbers = numbers;
  read(viewing, true, watch);
}

ImportedFile::ImportedFile(const ImportedDocument& saved, std::shared_ptr<const NamedArrays> file,
                           const UnpackWatch& watch)
    : file_(std::move(file)), saved_checksum_(saved.checksum) {
  const SavedPlace place = find_saved(*file_, saved);
  wanted_ = place.wanted;
  ImportedView viewing;
  viewing.file = saved.file;
  viewing.tensor = place.tensor;
  viewing.takes_other_axes = place.takes_other_axes;
  viewing.layer = saved.layer;
  viewing.numbers = saved.numbers;
  read(viewing, true, watch);
}

void ImportedFile::change(ImportedView viewing, const UnpackWatch& watch) {
  const bool is_other = viewing.tensor != viewing_.tensor || viewing.takes_other_axes != viewing_.takes_other_axes ||
                        viewing.numbers != viewing_.numbers;
  if (viewing.tensor != viewing_.tensor) {
    viewing.takes_other_axes = false;
    viewing.numbers = NumbersAs::suggested;
  }
  read(viewing, is_other, watch);
}

void ImportedFile::read(const ImportedView& wanted, bool is_other, const UnpackWatch& watch) {
  ImportedView viewing = wanted;
  const bool is_stated = viewing.numbers != NumbersAs::suggested;
  std::vector<AttentionTensors> all = find_attention(*file_, wanted_, viewing.takes_other_axes, is_stated);
  viewing.tensor = std::min(viewing.tensor, all.size() - 1);
  AttentionTensors& chosen = all[viewing.tensor];
  chosen.divides_rows = viewing.numbers == NumbersAs::shares;
  chosen.is_in_percent = !is_other ? tensors().is_in_percent : !is_stated && are_percent(*file_, chosen, watch);
  const Stage suggested = is_other ? stage_of(file_, chosen, watch) : stage_;
  const Stage stage = !is_stated ? suggested : viewing.numbers == NumbersAs::scores ? Stage::scores : Stage::weights;
  viewing.layers = chosen.layers;
  viewing.steps = chosen.steps;
  viewing.layer = std::clamp<Index>(viewing.layer, 0, chosen.layers - 1);
  viewing.shape = shape_text(chosen.shape);
  viewing.axes = chosen.axes;
  viewing.other_axes = chosen.other_axes;
  viewing.tensors.clear();
  for (const AttentionTensors& tensors : all) viewing.tensors.push_back(title_of(tensors));
  const std::string origin = viewing.file.filename().string();
  std::vector<Evaluation> layers = is_other || is_slow() ? read_layers(chosen, stage, origin) : layers_;
  const auto place = static_cast<std::size_t>(viewing.layer);
  const bool is_read = place < layers.size() && layers[place].result;
  Evaluation shown = is_read ? layers[place] : read_evaluation(chosen, viewing.layer, stage, origin, watch);
  if (place < layers.size()) layers[place] = shown;
  viewing.number_type = shown.result->imported->number_type;
  if (is_other) checksum_ = checksum_of(*file_, chosen.arrays);
  shown_ = std::move(shown);
  layers_ = std::move(layers);
  tensors_ = std::move(all);
  viewing_ = std::move(viewing);
  stage_ = stage;
}

bool ImportedFile::is_alike(std::size_t tensor) const {
  const AttentionTensors& other = tensors_.at(tensor);
  return other.queries == tensors().queries && other.keys == tensors().keys;
}

AttentionNames ImportedFile::names() const {
  const auto is_number = [](const std::string& name) { return number_of<double>(name).has_value(); };
  const auto of_table = [](const std::vector<std::string>& names, Index count) {
    return std::ssize(names) == count ? names : std::vector<std::string>();
  };
  const bool is_square = tensors().queries == tensors().keys;
  AttentionNames names{of_table(file_->column_names, tensors().keys), of_table(file_->row_names, tensors().queries)};
  const bool numbers_keys = std::ranges::any_of(names.keys, is_number);
  const bool numbers_queries = std::ranges::any_of(names.queries, is_number);
  if (is_square && !names.queries.empty() && (names.keys.empty() || numbers_keys))
    names.keys = names.queries;
  else if (!is_square && numbers_keys)
    names.keys.clear();
  if (names.queries == names.keys || numbers_queries) names.queries.clear();
  if (names.keys.empty()) names.keys = numbered_tokens(tensors().keys);
  for (const auto* const side : {&names.keys, &names.queries})
    for (std::size_t i = 0; i < side->size(); ++i) check_token((*side)[i], i);
  // Each step of a generation asks for the last of the tokens that there are.
  if (viewing_.steps > 1 && !is_square && shown_.result->imported->is_causal)
    names.queries.assign(names.keys.end() - tensors().queries, names.keys.end());
  return names;
}

std::optional<Source> ImportedFile::first_cell() const {
  constexpr Index most_tokens = 64;  // of more, the marks of a cell would hide a row and a column of them
  const Index most = std::max(tensors().queries, tensors().keys);
  if (most < 2 || most > most_tokens) return std::nullopt;
  const std::optional<Source> telling = most_telling_cell(*shown_.result, 0);
  return telling ? telling : Source{.stage = stage_, .row = std::min<Index>(1, tensors().queries - 1), .col = 0};
}

Evaluation ImportedFile::read_evaluation(const AttentionTensors& tensors, Index layer, Stage stage,
                                         const std::string& origin, const UnpackWatch& watch) const {
  const auto attention = read_layer(file_, tensors, layer, stage, origin, watch);
  Evaluation evaluation;
  evaluation.result = std::make_shared<const Result>(result_of(attention));
  evaluation.summaries = std::make_shared<const Summaries>(evaluation.result, stage, sample_imported(*attention));
  return evaluation;
}

// Reads all layers. A fault of a layer is said when that layer is opened.
std::vector<Evaluation> ImportedFile::read_layers(const AttentionTensors& tensors, Stage stage,
                                                  const std::string& origin) const {
  std::vector<Evaluation> layers(static_cast<std::size_t>(std::min(tensors.layers, most_layers)));
  if (is_slow()) return layers;
  for (Index layer = 0; layer < std::ssize(layers); ++layer) {
    Evaluation& evaluation = layers[static_cast<std::size_t>(layer)];
    (void)failure_of([&] { evaluation = read_evaluation(tensors, layer, stage, origin, {}); });
  }
  return layers;
}

std::string ImportedFile::said_of_numbers() const {
  if (tensors().is_in_percent)
    return "Its rows sum to 100, so these are weights in percent: they are shown divided by 100.";
  if (viewing_.numbers == NumbersAs::shares) return "Each row is divided by its sum.";
  if (viewing_.numbers != NumbersAs::suggested) return "";
  return stage_ == Stage::scores ? "Some numbers are not between 0 and 1, so they are shown as scores." : "";
}

Evaluation ImportedFile::evaluation(std::uint64_t ticket) const {
  Evaluation evaluation = shown_;
  evaluation.result_ticket = evaluation.finished_ticket = ticket;
  return evaluation;
}

ImportedDocument ImportedFile::to_save(const Document& document) const {
  return {.file = viewing_.file,
          .tensor = name_of_first(*file_, tensors()),
          .shape = tensors().shape,
          .number_type = viewing_.number_type,
          .axes = viewing_.axes,
          .layers = viewing_.layers,
          .layer = viewing_.layer,
          .steps = viewing_.steps,
          .numbers = viewing_.numbers,
          .checksum = checksum_,
          .tokens = document.tokens,
          .query_tokens = document.query_tokens};
}

Document ImportedFile::document(AttentionNames names) const {
  Document document;
  document.tokens = std::move(names.keys);
  document.query_tokens = std::move(names.queries);
  document.config = shown_.result->config;
  return document;
}

LoadedAttention load_attention(const std::filesystem::path& path, std::shared_ptr<const NamedArrays> file,
                               const ViewChoice& choice, const UnpackWatch& watch) {
  if (!file) file = std::make_shared<const NamedArrays>(read_arrays(path, watch_of(watch, "")));
  LoadedAttention loaded;
  named(path, [&] {
    loaded.viewed = std::make_unique<ImportedFile>(path, std::move(file), choice.tensor, watch, choice.numbers);
    ImportedView viewing = loaded.viewed->viewing();
    check_layer(choice.layer, viewing.layers);
    viewing.layer = choice.layer.value_or(0);
    if (viewing.layer != 0) loaded.viewed->change(viewing, watch);
  });
  loaded.document = loaded.viewed->document(named(path, [&] { return loaded.viewed->names(); }));
  const AttentionTensors& tensors = loaded.viewed->tensors();
  if (choice.tokens) name_keys(loaded.document, tokens_of_file(*choice.tokens, tensors.keys, key_word(tensors)));
  if (choice.query_tokens)
    loaded.document.query_tokens = tokens_of_file(*choice.query_tokens, tensors.queries, "query");
  return loaded;
}

void check_choice(const fs::path& path, const NamedArrays& file, const ViewChoice& choice) {
  const AttentionTensors likeliest = named(
      path, [&] { return find_attention(file, choice.tensor, false, choice.numbers != NumbersAs::suggested).front(); });
  named(path, [&] { check_layer(choice.layer, likeliest.layers); });
  if (choice.tokens) (void)tokens_of_file(*choice.tokens, likeliest.keys, key_word(likeliest));
  if (choice.query_tokens) (void)tokens_of_file(*choice.query_tokens, likeliest.queries, "query");
}

void check_saved(const ImportedDocument& saved, const NamedArrays& file) {
  named(saved.file, [&] { (void)find_saved(file, saved); });
}

void find_arrays_of(ImportedDocument& saved, const fs::path& carrier) {
  std::error_code ignored;
  const fs::path beside = carrier.parent_path() / saved.file.filename();
  if (fs::exists(saved.file, ignored)) return;
  if (carrier.empty() || !fs::exists(beside, ignored)) {
    throw Error(
        "file",
        fmt::format(
            "{} shows attention of {}, but that file is missing: put it back, or beside the file that shows it.",
            carrier.empty() ? "It" : shown_path(carrier), shown_path(saved.file)));
  }
  saved.file = beside;
}

LoadedAttention load_attention(const LoadedFile& saved, const fs::path& carrier,
                               std::shared_ptr<const NamedArrays> file, const UnpackWatch& watch) {
  const auto& viewing = std::get<ImportedDocument>(saved.document);
  if (!file) file = std::make_shared<const NamedArrays>(read_arrays(viewing.file, watch_of(watch, "")));
  LoadedAttention loaded{
      .carrier = carrier, .is_from_picture = saved.is_from_picture, .view = saved.view, .stamp = saved.stamp};
  named(viewing.file, [&] { loaded.viewed = std::make_unique<ImportedFile>(viewing, std::move(file), watch); });
  loaded.document = loaded.viewed->document({viewing.tokens, viewing.query_tokens});
  if (!loaded.viewed->is_as_saved()) {
    loaded.note = fmt::format("{} is not the file that was saved: its shape is the same, but its numbers differ.",
                              shown_path(viewing.file));
  }
  return loaded;
}

std::string part_of(const ImportedView& viewing) {
  return viewing.layers > 1 ? fmt::format("Layer {} of {}", viewing.layer + 1, viewing.layers) : std::string();
}

std::string footer_text(const ImportedView& viewing) {
  std::string text = fmt::format("{} {} {}", shown_path(viewing.file.filename()), viewing.shape, viewing.number_type);
  if (viewing.layers > 1) text += fmt::format(", layer {} of {}", viewing.layer + 1, viewing.layers);
  return fmt::format("{} · attnscope {}", text, version());
}

void Subject::require_computed(const std::string& lacking) const {
  if (!attention_) return;
  throw Error(fmt::format("{}: {} only holds attention that was computed elsewhere.", lacking,
                          shown_path(attention_->viewing().file.filename())));
}

void Subject::check_edit(const Document& before, const Document& after) const {
  if (attention_ && !(after.config == before.config)) require_computed("There is nothing to compute anew");
}

std::string Subject::footer(const Document& document) const {
  return attention_ ? footer_text(attention_->viewing()) : footer_text(document);
}

AnyDocument Subject::to_save(const Document& document) const {
  if (attention_) return attention_->to_save(document);
  return document;
}

// To leaf through a file of arrays changes nothing that could be lost.
bool Subject::differs(const Document& document, const AnyDocument& saved, const std::filesystem::path& file) const {
  if (!attention_) {
    const auto* const same_kind = std::get_if<Document>(&saved);
    return !same_kind || !(document == *same_kind);
  }
  const auto* const same_kind = std::get_if<ImportedDocument>(&saved);
  const auto are = [](const TokenNames& names, const std::vector<std::string>& saved_names) {
    return std::ranges::equal(names, saved_names);
  };
  if (!same_kind || !are(document.tokens, same_kind->tokens)) return true;
  if (!are(document.query_tokens, same_kind->query_tokens)) return true;
  return !is_own_file(file) && attention_->to_save(document) != *same_kind;
}

bool Subject::is_own_file(const std::filesystem::path& file) const {
  return attention_ && file == attention_->viewing().file;
}

std::optional<Evaluation> Subject::evaluation(std::uint64_t ticket) const {
  return attention_ ? std::optional(attention_->evaluation(ticket)) : std::nullopt;
}

std::string Subject::text() const {
  return attention_ ? fmt::format("{}", fmt::join(attention_->viewing().tensors, "")) : "";
}

}  // namespace attnscope
