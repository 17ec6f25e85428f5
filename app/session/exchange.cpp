#include <fmt/format.h>

#include "core/cells.h"
#include "core/error.h"
#include "document/document.h"
#include "interchange/import.h"
#include "interchange/matrix_text.h"
#include "session/session.h"

// What goes in from other programs' files, and out by the clipboard.
namespace attnscope {
namespace {

constexpr Index max_copied_cells = 4'000'000;

// The matrix that a cell is part of, with the names of its rows and columns.
LabelledMatrix matrix_around(const Result& result, const std::vector<std::string>& tokens, const Source& cell) {
  const std::vector<Index> shape = stage_shape(result.config, cell.stage);
  const Index rows = shape[shape.size() - 2];
  const Index cols = shape.back();
  if (rows > max_copied_cells / cols) {
    throw Error(fmt::format("{} has {} by {} numbers, but at most {} are copied: write them with attnscope eval.",
                            info(cell.stage).title, rows, cols, max_copied_cells));
  }
  LabelledMatrix matrix = labelled_matrix(cell.stage, tokens, rows, cols);
  Index index = 0;
  if (shape.size() == 3) index = cell.batch;
  if (shape.size() == 4) index = cell.batch * shape[1] + cell.head;
  read_cells(matrix.values.values, result, cell.stage, index, {0, 0, rows, cols});
  return matrix;
}

}  // namespace

void Session::import_file(const std::filesystem::path& path) { open_arrays(path, std::nullopt); }

// Asks again where something was changed while it was read; what is imported goes into what the document has become.
void Session::open_arrays(const std::filesystem::path& path, std::optional<OpenArrays::As> as,
                          std::shared_ptr<const NamedArrays> file) {
  try {
    if (!file) file = opened_if_small(path);
    const auto base = std::make_shared<const Document>(viewed_ ? default_document() : history_.current());
    const auto load = [=](const UnpackWatch& watch) { return load_arrays(path, file, as, *base, watch); };
    read(path, is_large_file(path) || is_slow(file), load, [this, path, as, edition = edition_](Loaded loaded) {
      auto* const imported = std::get_if<ImportedArrays>(&loaded);
      if (imported && edition_ != edition) return open_arrays(path, as, imported->file);
      const OpenArrays again{path, imported ? OpenArrays::As::inputs : OpenArrays::As::attention};
      const bool takes_place = !imported || viewed_;
      if (takes_place && ask_before(again)) return;
      imported ? take_import(std::move(*imported), path) : show_loaded(std::move(loaded), path);
    });
  } catch (const Error& error) {
    refuse_file(path, error.what());
  }
}

void Session::take_import(ImportedArrays imported, const std::filesystem::path& path) {
  if (viewed_) show_document(default_document(), {});
  apply(EditDocument{"import", [&](Document& edited) { edited = std::move(imported.document); }});
  arrays_ = path;
  view_.document_folder = path.parent_path().string();
  dialog_ = {};
  const AttentionConfig& config = history_.current().config;
  if (imported.is_weights) {
    say(fmt::format("Imported the weights of {} from {}.", info(config.mechanism).title, path.string()));
  } else {
    say(fmt::format("Imported {} tokens of {} numbers from {}.{}", token_count(config), input_features(config),
                    path.string(), is_square_table(*imported.file) ? " If it is attention: File, Read again as." : ""));
  }
}

void Session::apply(const ExportWeights& command) {
  try {
    if (command.path.extension() != ".safetensors") {
      throw Error(fmt::format("Cannot write {}: weights are written as .safetensors.", command.path.string()));
    }
    export_weights(history_.current(), command.path);
    view_.document_folder = command.path.parent_path().string();
    dialog_ = {};
    say(fmt::format("Wrote the weights to {}.", command.path.string()));
  } catch (const Error& error) {
    if (dialog_.kind == DialogState::Kind::export_weights) dialog_.error = error.what();
    say(error.what(), true);
  }
}

void Session::apply(const CopyStage& command) {
  const Result* result = evaluation_.result.get();
  const Source cell = view_.pinned.value_or(Source{view_.stage, view_.batch, view_.head, 0, 0});
  if (!result || !has(*result, cell.stage)) {
    throw Error(fmt::format("There is no {} in this document that could be copied: choose another stage.",
                            info(cell.stage).title));
  }
  const LabelledMatrix matrix = matrix_around(*result, history_.current().tokens, cell);
  ImGui::SetClipboardText(matrix_text(matrix, static_cast<MatrixForm>(command.form), view_.decimals).c_str());
  say(fmt::format("Copied {}, {} by {}, as {}.", info(cell.stage).title, matrix.values.rows(), matrix.values.cols(),
                  name_of(static_cast<MatrixForm>(command.form))));
}

}  // namespace attnscope
