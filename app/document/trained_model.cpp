#include "document/trained_model.h"

#include <fmt/format.h>

#include <atomic>

#include "core/error.h"
#include "core/shown_text.h"

namespace attnscope {

namespace {

std::atomic<ModelReader> model_reader = nullptr;

}  // namespace

void set_model_reader(ModelReader reader) { model_reader = reader; }

std::shared_ptr<const TrainedModel> read_model(const std::string& path) {
  const ModelReader reader = model_reader;
  if (!reader) throw Error("model", fmt::format("model is {}, but models cannot be read here.", in_quotes(path)));
  return reader(path);
}

}  // namespace attnscope
