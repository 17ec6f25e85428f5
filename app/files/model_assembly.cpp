#include "files/model_assembly.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "platform/system/process.h"

namespace attnscope {
namespace {

// Puts the tensors of a checkpoint into a model's places.
class Assembly {
public:
  Assembly(const ModelConfig& config, ModelTensors& tensors)
      : config_(config), names_(*config.names), shape_(config.shape), tensors_(tensors) {
    // The first tensor that every family has tells whether names begin with the family's prefix.
    if (!tensors.has(std::string(names_.token_embeddings))) prefix_ = names_.prefix;
  }

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
    for (Index layer = 0; layer < shape_.layers; ++layer) model->layers.push_back(layer_of(layer));
    model->final_norm = norm(name(names_.final_norm));
    if (has_head()) model->head = matrix(std::string(names_.head), shape_.features, shape_.vocabulary, false, "");
    check_all_are_read();
    return model;
  }

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
      const Index features = shape.heads * shape.head_dim;
      const Index offset = !is_shared || module == "W_query" ? 0 : module == "W_key" ? features : 2 * features;
      const std::string name =
          prefix + fmt::format(fmt::runtime(names.layer), layer) + std::string(own) + parameter.substr(dot);
      if (is_bias || is_gain) return fmt::format("{}[{}]", name, offset + col);
      return names.is_transposed ? fmt::format("{}[{}, {}]", name, col, offset + row)
                                 : fmt::format("{}[{}, {}]", name, offset + row, col);
    };
  }

private:
  std::string name(std::string_view own) const { return prefix_ + std::string(own); }

  // Returns whether the last layer has weights of its own. Their name never has the prefix.
  bool has_head() const { return !config_.is_tied && (config_.needs_head || tensors_.has(std::string(names_.head))); }

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
    check_module(name(names_.final_norm));
    check_module(module_of(names_.head), has_head() ? "" : "weight");
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

  Tensor positions() {
    tensors_.check_shape(name(names_.position_embeddings), std::array{shape_.context_length, shape_.features});
    Tensor table({shape_.context_length, shape_.features});
    tensors_.for_each_rows(name(names_.position_embeddings), shape_.context_length, shape_.features,
                           [&](const Tensor& rows, Index first) {
                             std::ranges::copy(rows.values, table.values.begin() + first * shape_.features);
                           });
    return table;
  }

  Norm norm(const std::string& module) {
    Norm norm;
    norm.scale = tensors_.vector(module + std::string(names_.norm_scale), shape_.features);
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
    // The number of feature `column` of the tensor, and of the input `row`, goes to the projection that it belongs to.
    const auto put = [&](Index column, Index row, float number) {
      for (Tensor& weight : weights) {
        if (column < weight.rows()) {
          weight.matrix()(column, row) = number;
          return;
        }
        column -= weight.rows();
      }
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
    Index first = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const auto& [parameter, size] = projections[i];
      parameters.push_back({parameter + ".weight", std::move(weights[i])});
      const auto begin = bias.values.begin() + first;
      if (has_bias || is_out)
        parameters.push_back({parameter + ".bias", Tensor({size}, AlignedFloats(begin, begin + size))});
      first += size;
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
        parameters->push_back({parameter, tensors_.vector(layer_name(layer, tensor, ".weight"), shape_.head_dim)});
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
    layer.up = feed_forward(number, names_.up, shape_.features, shape_.hidden);
    if (shape_.is_gated) layer.gate = feed_forward(number, names_.gate, shape_.features, shape_.hidden);
    layer.down = feed_forward(number, names_.down, shape_.hidden, shape_.features);
    return layer;
  }

  const ModelConfig& config_;
  const TensorNames& names_;
  TransformerShape shape_;
  ModelTensors& tensors_;
  std::string prefix_;
};

}  // namespace

AssembledModel assemble(const ModelConfig& config, ModelTensors& tensors) {
  Assembly assembly(config, tensors);
  AssembledModel assembled{.model = assembly.build(), .prefix = assembly.prefix()};
  assembled.model->place_of = assembly.places();
  return assembled;
}

}  // namespace attnscope
