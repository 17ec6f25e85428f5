#include "files/state_dict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/error.h"
#include "core/text.h"
#include "platform/system/process.h"

namespace attnscope {
namespace {

// Puts the tensors of a checkpoint into a model's places.
class Assembly {
public:
  Assembly(const ModelConfig& config, Tensors& tensors)
      : config_(config),
        names_(names_in(config, tensors)),
        shape_(config.shape),
        tensors_(tensors),
        prefix_(prefix_in(names_, tensors)) {}

  std::shared_ptr<Transformer> build() {
    check_room();
    auto model = std::make_shared<Transformer>();
    const bool is_bias_there =
        tensors_.has(layer_name(0, names_.separate_projections() ? names_.query : names_.qkv, ".bias"));
    model->shape = shape_;
    model->head_names = config_.head_names;
    model->shape.has_qkv_bias = is_bias_there;
    shape_.has_qkv_bias = is_bias_there;
    model->token_embeddings = matrix(name(names_.token_embeddings), shape_.features, shape_.vocabulary, false, "");
    if (!shape_.rope) model->position_embeddings = positions();
    if (shape_.has_token_types) model->token_type = token_type();
    if (shape_.has_embedding_norm) model->embedding_norm = norm(name(names_.embedding_norm));
    for (Index layer = 0; layer < shape_.layers; ++layer) model->layers.push_back(layer_of(layer));
    if (shape_.has_final_norm()) model->final_norm = norm(name(names_.final_norm));
    if (shape_.has_last_transform && says_words()) {
      const std::string module(names_.transform);
      model->transform = matrix(module + ".weight", shape_.features, shape_.features, false, module + ".bias");
      model->transform_norm = norm(std::string(names_.transform_norm));
    }
    if (has_head()) model->head = matrix(std::string(names_.head), shape_.features, shape_.vocabulary, false, "");
    model->head_bias = head_bias();
    check_all_are_read();
    return model;
  }

  const TensorNames& names() const { return names_; }
  const std::string& prefix() const { return prefix_; }  // stands before names in the checkpoint

  // Returns the place in the checkpoint of the number that `parameter` of a layer has at (row, col); a bias is a row.
  std::function<std::string(Index, const std::string&, Index, Index)> places() const {
    return [names = names_, shape = shape_, prefix = prefix_,
            has_out_bias = tensors_.has(layer_name(0, names_.out, ".bias"))](Index layer, const std::string& parameter,
                                                                             Index row, Index col) -> std::string {
      const auto dot = parameter.find('.');
      const std::string module = parameter.substr(0, dot);
      const bool is_bias = parameter.ends_with(".bias");
      if (module == "out_proj" && is_bias && !has_out_bias) return {};
      const bool is_gain = module.ends_with("_norm");
      const bool is_shared = !names.separate_projections() && module != "out_proj" && !is_gain;
      const std::string_view own = module == "out_proj"  ? names.out
                                   : module == "q_norm"  ? names.query_norm
                                   : is_gain             ? names.key_norm
                                   : is_shared           ? names.qkv
                                   : module == "W_query" ? names.query
                                   : module == "W_key"   ? names.key
                                                         : names.value;
      const Index part = module == "W_query" ? 0 : module == "W_key" ? 1 : 2;
      const auto shared = [&](Index feature) {
        return is_shared ? place_in_shared(names, shape, part, feature) : feature;
      };
      const std::string name =
          prefix + fmt::format(fmt::runtime(names.layer), layer) + std::string(own) + parameter.substr(dot);
      const std::string_view one = is_gain && shape.adds_one_to_scales ? "1 + " : "";
      if (is_bias || is_gain) return fmt::format("{}{}[{}]", one, name, shared(col));
      return names.is_transposed ? fmt::format("{}[{}, {}]", name, col, shared(row))
                                 : fmt::format("{}[{}, {}]", name, shared(row), col);
    };
  }

private:
  static const TensorNames& names_in(const ModelConfig& config, const Tensors& tensors) {
    const TensorNames& names = *config.names;
    if (!names.older) return names;
    const std::string prefix = prefix_in(names, tensors);
    const bool is_old = tensors.has(prefix + std::string(names.embedding_norm) + std::string(names.older->norm_scale));
    return is_old ? *names.older : names;
  }

  // The first tensor that every family has tells whether names begin with the family's prefix, or its last words.
  static std::string prefix_in(const TensorNames& names, const Tensors& tensors) {
    for (std::string_view prefix = names.prefix; !prefix.empty(); prefix.remove_prefix(prefix.find('.') + 1)) {
      if (tensors.has(std::string(prefix).append(names.token_embeddings))) return std::string(prefix);
    }
    return tensors.has(std::string(names.token_embeddings)) ? std::string() : std::string(names.prefix);
  }

  // Returns the place of a feature of queries (part 0), keys (1) or values (2) in the tensor that has all three.
  static Index place_in_shared(const TensorNames& names, const TransformerShape& shape, Index part, Index feature) {
    const Index width = shape.head_dim;
    if (names.qkv_places == QkvPlaces::head_by_head) return (3 * (feature / width) + part) * width + feature % width;
    const Index keys = shape.key_value_heads * width;
    return feature + (part == 0 ? 0 : shape.heads * width) + (part == 2 ? keys : 0);
  }

  std::string name(std::string_view own) const { return prefix_ + std::string(own); }

  // Returns whether the last layer has weights of its own. Their name never has the prefix.
  bool has_head() const {
    return says_words() && !config_.is_tied && (config_.needs_head || tensors_.has(std::string(names_.head)));
  }

  // A model of BERT's kind says words only with the head that it was trained with.
  bool says_words() const {
    return !shape_.has_last_transform || tensors_.has(std::string(names_.transform) + ".weight");
  }

  // Throws Error if there is too little memory: before any of it is taken.
  void check_room() const {
    constexpr std::uint64_t always_free = std::uint64_t{1} << 25;  // bytes: to ask takes longer than to use so few
    tensors_.check_shape(name(names_.token_embeddings), std::array{shape_.vocabulary, shape_.features});
    if (required_bytes(shape_, has_head()) > always_free) check_memory(shape_, has_head(), available_memory());
  }

  // Throws Error if a layer, or the parts before and behind them, have tensors that no such model has.
  void check_all_are_read() const {
    const auto check_module = [&](const std::string& module, std::string_view left_out = {}) {
      tensors_.check_all_are_read(module + ".", [&](std::string_view rest) { return rest == left_out; });
    };
    const auto module_of = [](std::string_view tensor) { return std::string(tensor.substr(0, tensor.rfind('.'))); };
    check_module(name(module_of(names_.token_embeddings)));
    if (shape_.has_final_norm()) check_module(name(names_.final_norm));
    if (shape_.has_embedding_norm) check_module(name(names_.embedding_norm));
    if (shape_.has_last_transform) {
      check_module(std::string(names_.transform));
      check_module(std::string(names_.transform_norm));
    }
    tensors_.check_all_are_read(module_of(names_.head) + ".", [&](std::string_view rest) {
      const bool is_tied_weight = rest == "weight" && !has_head();
      const bool is_bias_again = rest == "bias" && !names_.head_bias[0].empty();  // the same tensor under two names
      return is_tied_weight || is_bias_again;
    });
    const std::string_view layers = names_.layer.substr(0, names_.layer.find('{'));
    tensors_.check_all_are_read(name(layers), [&](std::string_view rest) {
      const std::size_t number = rest.find('.');
      return number != std::string_view::npos &&
             std::ranges::find(names_.constants, rest.substr(number + 1)) != names_.constants.end();
    });
  }

  std::string layer_name(Index layer, std::string_view own, std::string_view ending) const {
    return prefix_ + fmt::format(fmt::runtime(names_.layer), layer) + std::string(own) + std::string(ending);
  }

  // Reads rows of a table of embeddings from `skipped` on.
  Tensor rows_of(const std::string& table, Index rows, Index skipped, Index count) {
    tensors_.check_shape(table, std::array{rows, shape_.features});
    Tensor result({count, shape_.features});
    tensors_.for_each_rows(table, rows, shape_.features, [&](const Tensor& part, Index first) {
      for (Index row = 0; row < part.rows(); ++row) {
        const Index to = first + row - skipped;
        if (to >= 0 && to < count) std::ranges::copy(part.matrix().row(row), result.matrix().row(to).begin());
      }
    });
    return result;
  }

  Tensor positions() {
    const Index skipped = names_.first_position;
    return rows_of(name(names_.position_embeddings), shape_.context_length + skipped, skipped, shape_.context_length);
  }

  Tensor token_type() {
    Tensor row = rows_of(name(names_.token_types), config_.token_types, 0, 1);
    return Tensor({shape_.features}, std::move(row.values));
  }

  Tensor head_bias() {
    for (const std::string_view each : names_.head_bias) {
      if (!each.empty() && tensors_.has(std::string(each)))
        return tensors_.vector(std::string(each), shape_.vocabulary);
    }
    return {};
  }

  // Reads the scale of a norm, to which some families add 1.
  Tensor scale(const std::string& tensor, Index size) {
    Tensor numbers = tensors_.vector(tensor, size);
    if (shape_.adds_one_to_scales) {
      for (float& number : numbers.values) number += 1;
    }
    return numbers;
  }

  Norm norm(const std::string& module) {
    Norm norm;
    norm.scale = scale(module + std::string(names_.norm_scale), shape_.features);
    if (shape_.norm == NormKind::layer)
      norm.shift = tensors_.vector(module + std::string(names_.norm_shift), shape_.features);
    return norm;
  }

  // Reads a layer of the feed-forward part, or a table of embeddings.
  Linear matrix(const std::string& weight, Index in, Index out, bool is_transposed, const std::string& bias) {
    const bool has_bias = !bias.empty() && tensors_.has(bias);
    tensors_.check_shape(weight, is_transposed ? std::array{in, out} : std::array{out, in});
    Linear layer(in, out, has_bias);
    tensors_.for_each_rows(weight, is_transposed ? in : out, is_transposed ? out : in,
                           [&](const Tensor& rows, Index first) { layer.put(rows, first, is_transposed); });
    if (has_bias) layer.put_bias(tensors_.vector(bias, out).values);
    return layer;
  }

  Linear feed_forward(Index layer, std::string_view module, Index in, Index out) {
    return matrix(layer_name(layer, module, ".weight"), in, out, names_.is_transposed,
                  layer_name(layer, module, ".bias"));
  }

  // Reads the two matrices that lie one above the other in a tensor.
  void read_gate_and_up(TransformerLayer& layer, const std::string& weight) {
    const Index hidden = shape_.hidden;
    tensors_.check_shape(weight, std::array{2 * hidden, shape_.features});
    layer.gate = Linear(shape_.features, hidden, false);
    layer.up = Linear(shape_.features, hidden, false);
    tensors_.for_each_rows(weight, 2 * hidden, shape_.features, [&](const Tensor& rows, Index first) {
      const Index of_gate = std::clamp<Index>(hidden - first, 0, rows.rows());
      const auto put = [&](Linear& to, Index begin, Index count, Index row) {
        if (count == 0) return;
        Tensor part({count, rows.cols()});
        std::copy_n(rows.values.begin() + begin * rows.cols(), count * rows.cols(), part.values.begin());
        to.put(part, row, false);
      };
      put(layer.gate, 0, of_gate, first);
      put(layer.up, of_gate, rows.rows() - of_gate, std::max<Index>(first - hidden, 0));
    });
  }

  // Adds the projections that lie side by side in one tensor, or one that has a tensor of its own; each as nn.Linear
  // stores it.
  void add_projections(Parameters& parameters, const std::string& module, Index in,
                       std::span<const std::pair<std::string, Index>> projections) {
    const bool is_transposed = names_.is_transposed;
    Index out = 0;
    for (const auto& [parameter, size] : projections) out += size;
    tensors_.check_shape(module + ".weight", is_transposed ? std::array{in, out} : std::array{out, in});
    std::vector<Tensor> weights;
    for (const auto& [parameter, size] : projections) weights.emplace_back(std::vector<Index>{size, in});
    // The projection that a feature of the tensor belongs to, and its feature there.
    const auto place_of = [&](Index column) -> std::pair<std::size_t, Index> {
      const Index width = shape_.head_dim;
      if (projections.size() == 3 && names_.qkv_places == QkvPlaces::head_by_head)
        return {static_cast<std::size_t>(column / width % 3), column / (3 * width) * width + column % width};
      std::size_t part = 0;
      for (; column >= weights[part].rows(); ++part) column -= weights[part].rows();
      return {part, column};
    };
    const auto put = [&](Index column, Index row, float number) {
      const auto [part, feature] = place_of(column);
      weights[part].matrix()(feature, row) = number;
    };
    tensors_.for_each_rows(module + ".weight", is_transposed ? in : out, is_transposed ? out : in,
                           [&](const Tensor& rows, Index first) {
                             for (Index r = 0; r < rows.rows(); ++r) {
                               const std::span<const float> row = rows.matrix().row(r);
                               for (std::size_t c = 0; c < row.size(); ++c) {
                                 const auto col = static_cast<Index>(c);
                                 is_transposed ? put(col, first + r, row[c]) : put(first + r, col, row[c]);
                               }
                             }
                           });
    const std::string bias_name = module + ".bias";
    const bool is_out = projections.front().first == "out_proj";  // which may have a bias where the others have none
    const bool has_bias = is_out ? tensors_.has(bias_name) : shape_.has_qkv_bias;
    const Tensor bias = has_bias ? tensors_.vector(bias_name, out) : Tensor({out});
    std::vector<Tensor> biases;
    for (const auto& [parameter, size] : projections) biases.emplace_back(std::vector<Index>{size});
    for (Index column = 0; column < out; ++column) {
      const auto [part, feature] = place_of(column);
      biases[part].values[static_cast<std::size_t>(feature)] = bias.values[static_cast<std::size_t>(column)];
    }
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const std::string& parameter = projections[i].first;
      parameters.push_back({parameter + ".weight", std::move(weights[i])});
      if (has_bias || is_out) parameters.push_back({parameter + ".bias", std::move(biases[i])});
    }
  }

  std::shared_ptr<const Parameters> attention_of(Index layer) {
    const Index queries = shape_.heads * shape_.head_dim;
    const Index keys = shape_.key_value_heads * shape_.head_dim;
    const std::array<std::pair<std::string, Index>, 3> projections = {
        {{"W_query", queries}, {"W_key", keys}, {"W_value", keys}}};
    const std::array<std::string_view, 3> modules = {names_.query, names_.key, names_.value};
    auto parameters = std::make_shared<Parameters>();
    if (names_.separate_projections()) {
      for (std::size_t i = 0; i < projections.size(); ++i) {
        add_projections(*parameters, layer_name(layer, modules.at(i), ""), shape_.features,
                        std::span(projections).subspan(i, 1));
      }
    } else {
      add_projections(*parameters, layer_name(layer, names_.qkv, ""), shape_.features, projections);
    }
    if (shape_.has_qk_norm) {
      for (const auto& [parameter, tensor] :
           {std::pair("q_norm.weight", names_.query_norm), std::pair("k_norm.weight", names_.key_norm)})
        parameters->push_back({parameter, scale(layer_name(layer, tensor, ".weight"), shape_.head_dim)});
    }
    const std::array<std::pair<std::string, Index>, 1> out = {{{"out_proj", shape_.features}}};
    add_projections(*parameters, layer_name(layer, names_.out, ""), queries, out);
    return parameters;
  }

  TransformerLayer layer_of(Index number) {
    TransformerLayer layer;
    layer.attention_norm = norm(layer_name(number, names_.attention_norm, ""));
    layer.attention = attention_of(number);
    layer.feed_forward_norm = norm(layer_name(number, names_.feed_forward_norm, ""));
    if (shape_.order == LayerOrder::norm_around) {
      layer.attention_out_norm = norm(layer_name(number, names_.attention_out_norm, ""));
      layer.feed_forward_out_norm = norm(layer_name(number, names_.feed_forward_out_norm, ""));
    }
    if (!names_.gate_and_up.empty()) {
      read_gate_and_up(layer, layer_name(number, names_.gate_and_up, ".weight"));
    } else {
      layer.up = feed_forward(number, names_.up, shape_.features, shape_.hidden);
    }
    if (shape_.is_gated && names_.gate_and_up.empty())
      layer.gate = feed_forward(number, names_.gate, shape_.features, shape_.hidden);
    layer.down = feed_forward(number, names_.down, shape_.hidden, shape_.features);
    return layer;
  }

  const ModelConfig& config_;
  const TensorNames& names_;
  TransformerShape shape_;
  Tensors& tensors_;
  std::string prefix_;
};

}  // namespace

AssembledModel assemble(const ModelConfig& config, Tensors& tensors) {
  Assembly assembly(config, tensors);
  AssembledModel assembled{.model = assembly.build(), .names = &assembly.names(), .prefix = assembly.prefix()};
  assembled.model->place_of = assembly.places();
  return assembled;
}

}  // namespace attnscope
