#include "targets.h"

#include <zlib.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/error.h"
#include "core/evaluate.h"
#include "core/model/forward.h"
#include "core/text.h"
#include "document/builtin.h"
#include "document/edit.h"
#include "document/imported_document.h"
#include "document/json.h"
#include "document/spelling.h"
#include "document/sweep.h"
#include "files/checkpoint.h"
#include "files/file_kind.h"
#include "files/import.h"
#include "files/picture_document.h"
#include "files/tokenizer.h"
#include "teach/formula.h"
#include "teach/lesson.h"

namespace attnscope::fuzz {
namespace {

constexpr std::uint64_t max_unpacked_bytes = 1 << 24;  // of an array, so that a run takes no time

void require(bool fine, const std::string& what) {
  if (fine) return;
  std::fprintf(stderr, "%s\n", what.c_str());
  std::abort();
}

void require_sentence(const Error& error) {
  const std::string sentence = error.what();
  const bool ends = sentence.ends_with('.') || sentence.ends_with('?');
  require(ends && sentence.find('\n') == std::string::npos, "no sentence: " + sentence);
  require(!find_invalid_utf8(sentence), "not UTF-8: " + sentence);
  constexpr std::size_t longest = 4000;
  require(sentence.size() < longest, "too long: " + sentence);
}

template <typename Action>
Readings read_or_refuse(Action action) {
  try {
    action();
    return {1, 0};
  } catch (const Error& error) {
    require_sentence(error);
    return {0, 1};
  }
}

bool takes_no_time(const Document& document) {
  constexpr Index most = 2000;
  const AttentionConfig& config = document.config;
  const Index features = begins_with_heads(config) ? 1 : input_features(config);
  return token_count(config) <= most && features <= most && config.skip_draws <= most &&
         features * context_features(config) <= most && token_count(config) * context_features(config) <= most &&
         token_count(config) * token_count(config) * head_count(config) * config.batch_size <= most;
}

// Everything that a user can do with a file of arrays.
void use(const NamedArrays& file) {
  for (std::size_t i = 0; i < file.arrays.size(); ++i) {
    const ArrayView& array = file.arrays[i];
    if (array.problem.empty() && claimed_bytes(array.shape, array.type) > max_unpacked_bytes) return;
    read_or_refuse([&] {
      const Tensor tensor = to_tensor(load(file, i));
      require(tensor.shape == array.shape && tensor.size() == element_count(tensor.shape), "another shape");
    });
    read_or_refuse([&] {
      Document document = default_document();
      import_embeddings(document, file, {.tensor = array.name});
      check(document);
    });
    if (file.arrays.size() > 16) break;
  }
  for (const bool keeps_inputs : {false, true}) {
    read_or_refuse([&] {
      ImportChoice choice;
      choice.num_heads = 1;
      choice.keeps_inputs = keeps_inputs;
      Document document = default_document();
      import_arrays(document, file, choice);
      check(document);
    });
  }
}

// And what is looked at of one.
void look_at(const std::shared_ptr<const NamedArrays>& file) {
  for (const ArrayView& array : file->arrays) {
    if (array.problem.empty() && claimed_bytes(array.shape, array.type) > max_unpacked_bytes) return;
  }
  read_or_refuse([&] { holds_attention(*file); });
  for (const bool takes_other_axes : {false, true}) {
    read_or_refuse([&] {
      AttentionTensors tensors = find_attention(*file, {}, takes_other_axes).front();
      tensors.is_in_percent = are_percent(*file, tensors);
      const Stage stage = stage_of(file, tensors);
      const auto attention = read_layer(file, tensors, tensors.layers - 1, stage, "x");
      const Index row = tensors.queries - 1;
      const Index col = tensors.keys - 1;
      const Index matrix = tensors.batch_size * tensors.heads - 1;
      std::vector<float> cells(2, -1.0F);
      attention->read(std::span(cells).first(1), matrix, {row, col, 1, 1});
      if (row > 0) attention->read(cells, matrix, {row - 1, col, 2, 1});
      require(!attention->place(matrix, row, col).empty(), "a cell without a place");
      require(checksum_of(*file, tensors.arrays).size() % 8 == 0, "a checksum of another length");
    });
  }
}

template <NamedArrays (*parse)(const Bytes&)>
Readings run_arrays(std::string_view bytes) {
  return read_or_refuse([&] {
    use(parse(bytes));
    look_at(std::make_shared<const NamedArrays>(parse(bytes)));
  });
}

NamedArrays parse_whole_npz(const Bytes& bytes) { return parse_npz(bytes); }
NamedArrays parse_whole_pth(const Bytes& bytes) { return parse_pth(bytes); }
NamedArrays parse_whole_safetensors(const Bytes& bytes) { return parse_safetensors(bytes); }
NamedArrays parse_whole_csv(const Bytes& bytes) { return parse_csv(bytes.in_memory()); }

std::string little_endian(std::uint64_t number, int width) {
  std::string bytes;
  for (int i = 0; i < width; ++i) bytes += static_cast<char>(number >> (8 * i) & 0xFF);
  return bytes;
}

// An archive with right sums, so that more than a sum is tried.
std::string stored_archive(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string files;
  std::string directory;
  for (const auto& [name, text] : entries) {
    const auto sum = crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size());
    const std::string about = std::string("\x14\0\0\0\0\0\0\0\x21\0", 10) + little_endian(sum, 4) +
                              little_endian(text.size(), 4) + little_endian(text.size(), 4) +
                              little_endian(name.size(), 2) + little_endian(0, 2);
    directory +=
        "PK\x01\x02" + little_endian(20, 2) + about + std::string(10, '\0') + little_endian(files.size(), 4) + name;
    files += "PK\x03\x04" + about + name + text;
  }
  return files + directory + "PK\x05\x06" + little_endian(0, 4) + little_endian(entries.size(), 2) +
         little_endian(entries.size(), 2) + little_endian(directory.size(), 4) + little_endian(files.size(), 4) +
         little_endian(0, 2);
}

// A checkpoint, or the pickle of one whose storage has some numbers.
Readings run_pth(std::string_view bytes) {
  if (bytes.starts_with("PK")) return run_arrays<parse_whole_pth>(bytes);
  return run_arrays<parse_whole_pth>(
      stored_archive({{"a/data.pkl", std::string(bytes)}, {"a/data/0", std::string(48, '\1')}}));
}

void use(const Tokenizer& tokenizer) {
  static const std::string long_text = std::string(3000, 'a') + std::string(1000, ' ');
  const std::string_view texts[] = {"", "the  words' 12\n\n", "\u00C9\u0301\u65E5<s>\u2581 \U0001F642<|a|>\t",
                                    "aaaaaaaaaaaaaaaaaaaaaaaab", long_text};
  for (const std::string_view text : texts) {
    read_or_refuse([&] {
      const std::vector<Index> tokens = tokenizer.encode(text);
      for (const Index token : tokens) {
        require(token >= 0 && token < tokenizer.size(), "a token beyond the vocabulary");
        require(!find_invalid_utf8(tokenizer.shown(token)), "a token that is shown as no UTF-8");
      }
      require(!find_invalid_utf8(tokenizer.decode(tokens)), "decoded text that is no UTF-8");
    });
  }
}

// A tokenizer.json; or the line of a vocab.json, and a merges.txt below it; or a vocab.txt below the line of a
// tokenizer_config.json, which may be an added_tokens.json.
Readings run_tokenizer(std::string_view bytes) {
  Readings readings = read_or_refuse([&] { use(*Tokenizer::parse(bytes)); });
  const std::size_t line = std::min(bytes.find('\n'), bytes.size());
  readings += read_or_refuse([&] { use(*Tokenizer::parse_gpt2(bytes.substr(0, line), bytes.substr(line))); });
  TokenizerOptions options;
  readings += read_or_refuse([&] { options.read_config(bytes.substr(0, line)); });
  readings += read_or_refuse([&] { options.read_added_tokens(bytes.substr(0, line)); });
  const std::string_view words = bytes.substr(std::min(line + 1, bytes.size()));
  return readings += read_or_refuse([&] { use(*Tokenizer::parse_word_piece(words, {}, options)); });
}

// Three tokens go through a model.
void run_three_tokens(const TrainedModel& model) {
  ModelInputs inputs;
  inputs.model = model.weights;
  inputs.tokens = {0, 0, 0};
  const AttentionConfig config = original_layer_config(inputs, 0);
  check(config);
  const std::shared_ptr<const ForwardPass> pass = run_model(config, nullptr, {Backend::serial, 1, {}});
  require(logits(*pass, 2, 1, {}).size() == model.weights->shape.vocabulary, "a logit for each word");
}

// A model's config.json in one line, and its checkpoint behind it.
Readings run_model_folder(std::string_view bytes) {
  return read_or_refuse([&] {
    const std::size_t line = std::min(bytes.find('\n'), bytes.size());
    const auto files = [&](const std::string& name) {
      if (name == "config.json") return Bytes(bytes.substr(0, line));
      return name == "model.safetensors" ? Bytes(bytes.substr(std::min(line + 1, bytes.size()))) : Bytes();
    };
    run_three_tokens(*parse_model(files, ""));
  });
}

// A checkpoint alone, whose sizes stand beside its tensors or follow from them, but for two heads that a person chose.
// What a file is, is asked of any bytes.
Readings run_checkpoint(std::string_view bytes) {
  (void)is_table_of_numbers(bytes);
  for (const char* const name : {"a", "a.bin", "a.safetensors"}) {
    read_or_refuse([&] { refuse_foreign(bytes, name); });
  }
  return read_or_refuse([&] {
    const auto files = [&](const std::string& name) { return name == "a.safetensors" ? Bytes(bytes) : Bytes(); };
    const std::shared_ptr<const TrainedModel> model = parse_model(files, "a.safetensors", {}, 2);
    require(!model->weights->place_of(0, "W_key.weight", 0, 0).empty(), "a weight without a place");
    run_three_tokens(*model);
  });
}

// A params.json in one line, and the checkpoint of Meta beside it.
Readings run_params(std::string_view bytes) {
  return read_or_refuse([&] {
    const std::size_t line = std::min(bytes.find('\n'), bytes.size());
    const auto files = [&](const std::string& name) {
      if (name == "params.json") return Bytes(bytes.substr(0, line));
      return name == "a.safetensors" ? Bytes(bytes.substr(std::min(line + 1, bytes.size()))) : Bytes();
    };
    run_three_tokens(*parse_model(files, "a.safetensors"));
  });
}

Readings run_document(std::string_view bytes) {
  return read_or_refuse([&] {
    const Document document = parse_document(bytes);
    require(parse_document(to_json(document)) == document, "another document after a round trip");
  });
}

// Documents name no other model than the one that comes with the program, which is opened once.
std::shared_ptr<const TrainedModel> read_only_stories(const std::string& path) {
  static const std::shared_ptr<const TrainedModel> stories = open_model("example:stories");
  if (path != stories->path) throw Error("model", "There is no other model here.");
  return stories;
}

// A document of a trained model: its layer, or all of them, are run on its text.
Readings run_model_document(std::string_view bytes) {
  return read_or_refuse([&] {
    const Document document = parse_document(bytes);
    if (!document.model) throw Error("This is no document of a model.");
    require(parse_document(to_json(document)) == document, "another document after a round trip");
    if (token_count(document.config) * document.config.batch_size > 64) return;
    check(document);
    const std::shared_ptr<const ForwardPass> pass = run_model(document.config, nullptr, {Backend::serial, 1, {}});
    const Index last = token_count(document.config) - 1;
    require(logits(*pass, last, 1, {}).size() == document.model->weights->shape.vocabulary, "a logit for each word");
    require(parse_document(to_json(document_of(document.model))).model == document.model, "another model");
  });
}

Readings run_viewing(std::string_view bytes) {
  read_or_refuse([&] { parse_any_document(bytes); });
  return read_or_refuse([&] {
    const ImportedDocument viewing = parse_viewing_document(bytes);
    const std::string json = to_json(viewing);
    require(std::holds_alternative<ImportedDocument>(parse_any_document(json)), "another kind after a round trip");
    ImportedDocument again = parse_viewing_document(json);
    require(to_json(again) == json, "another text after two round trips");
    again.file = viewing.file;  // which was made absolute
    require(again == viewing, "another viewing after a round trip");
  });
}

Readings run_picture(std::string_view bytes) {
  return read_or_refuse([&] {
    if (const std::optional<std::string> json = document_in(std::string(bytes))) parse_any_document(*json);
  });
}

// The PNG with checksums that are right, so that more than a checksum is tried.
std::string with_checksums(std::string png) {
  const auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(png[at]); };
  std::size_t begin = 8;
  while (begin + 12 <= png.size()) {
    const std::size_t length = std::size_t{byte(begin)} << 24 | std::size_t{byte(begin + 1)} << 16 |
                               std::size_t{byte(begin + 2)} << 8 | byte(begin + 3);
    if (length > png.size() - begin - 12) break;
    const std::size_t end = begin + 8 + length;
    const auto sum = crc32_z(0, reinterpret_cast<const Bytef*>(png.data() + begin + 4), length + 4);
    for (int i = 0; i < 4; ++i) png[end + static_cast<std::size_t>(i)] = static_cast<char>(sum >> (24 - 8 * i) & 0xFF);
    begin = end + 4;
  }
  return png;
}

Readings run_png(std::string_view bytes) {
  Readings readings = run_picture(bytes);
  return readings += run_picture(with_checksums(std::string(bytes)));
}

// A GIF that the reader takes can be given another document, and carries that one then.
Readings run_gif(std::string_view bytes) {
  Readings readings = run_picture(bytes);
  return readings += read_or_refuse([&] {
           if (picture_kind(bytes) != PictureKind::gif) return;
           const std::string with = with_document(std::string(bytes), PictureKind::gif, default_document());
           const std::optional<std::string> json = document_in(with);
           require(json && parse_document(*json) == default_document(), "another document than was put in");
           require(with_document(with, PictureKind::gif, default_document()) == with,
                   "another picture with the same document");
         });
}

// A lesson is worked through where its documents take no time.
Readings run_lesson(std::string_view bytes) {
  return read_or_refuse([&] {
    const Lesson lesson = parse_lesson(bytes);
    for (const LessonStep& step : lesson.steps) {
      const bool is_solved = step.question && step.question->solution;
      if (!takes_no_time(*step.document) || (is_solved && !takes_no_time(*step.question->solution))) return;
    }
    check_lesson(lesson, {{"diagram", "heads", "focus"}, {"softmax"}});
  });
}

// What is typed or pasted into a field, whichever it is.
Readings run_typed(std::string_view bytes) {
  static const Document document = default_document();
  static const Result result = evaluate(document.config);
  Readings readings;
  readings += read_or_refuse([&] {
    const auto rows = parse_number_block(bytes);
    require(!rows.empty(), "no rows of numbers");
    Document edited = document;
    set_inputs(edited, rows);
    check(edited);
  });
  readings += read_or_refuse([&] {
    const Sweep sweep = parse_sweep(bytes, document);
    require(!sweep.values.empty() && sweep.values.size() <= max_frames, "frames beyond the bound");
    check(frame_document(document, sweep, sweep.values.size() - 1));
  });
  readings += read_or_refuse([&] {
    Document edited = document;
    set_sentence(edited, bytes);
    check(edited);
    require(parse_document(to_json(edited)) == edited, "a sentence that is another one when it is read again");
  });
  readings += read_or_refuse([&] {
    Document edited = document;
    rename_token(edited, 0, bytes);
    check(edited);
    require(parse_document(to_json(edited)) == edited, "a name that is another one when it is read again");
  });
  readings += read_or_refuse([&] { evaluate_formula(bytes, {document, result}); });
  readings += read_or_refuse([&] { format_values(evaluate_formula(bytes, {document, result}), 4); });
  readings += read_or_refuse([&] {
    const StepNumbers numbers{document, result};
    lesson_text({"text", std::string(bytes)}, &numbers);
  });
  return readings;
}

constexpr std::array<Target, 18> table = {{{"npy", run_arrays<parse_npy>},
                                           {"npz", run_arrays<parse_whole_npz>},
                                           {"safetensors", run_arrays<parse_whole_safetensors>},
                                           {"pth", run_pth},
                                           {"csv", run_arrays<parse_whole_csv>},
                                           {"tokenizer", run_tokenizer},
                                           {"model", run_model_folder},
                                           {"checkpoint", run_checkpoint},
                                           {"params", run_params},
                                           {"document", run_document},
                                           {"model_document", run_model_document},
                                           {"viewing", run_viewing},
                                           {"png", run_png},
                                           {"svg", run_picture},
                                           {"pdf", run_picture},
                                           {"gif", run_gif},
                                           {"lesson", run_lesson},
                                           {"typed", run_typed}}};

}  // namespace

std::span<const Target> targets() {
  set_model_reader(read_only_stories);
  return table;
}

}  // namespace attnscope::fuzz
