// Inputs, weights, and the layers that multiply by them: queries, keys, values and the output.

#include "core/attention.h"
#include "core/model/forward.h"
#include "core/source.h"
#include "core/stages/support.h"
#include "core/tensor.h"
#include "core/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace attnscope {

namespace {

using namespace stage_rules;
using Config = AttentionConfig;

// Numbers that nothing computes.

bool is_of_model(const Config& config) { return std::holds_alternative<ModelInputs>(config.inputs); }

std::vector<SourceLine> start_operands(const Config& config, const Source& cell, const StageList&) {
  if (is_gain(cell.stage)) return {};
  if (cell.stage == Stage::inputs) return draw_if(std::holds_alternative<RandnInputs>(config.inputs), cell);
  if (!is_parameter(info(cell.stage).axes) || is_of_model(config)) return {};
  return draw_if(!config.weight_overrides.contains(parameter_name(config, cell.stage, cell.head)), cell);
}

std::string sentence_of_typed(const CellWords& of) {
  const Source& source = of.source;
  if (begins_with_heads(of.config())) {
    const std::string& origin = of.config().heads.origin;
    return origin.empty() ? "Given by the document." : fmt::format("From {}, as it stands there.", shown_text(origin));
  }
  if (source.stage == Stage::inputs) {
    const std::string dimension = dimension_name(of.config(), source.col);
    if (dimension.empty()) return "Typed: an embedding of this document, not computed.";
    return fmt::format("Dimension “{}” of {}. Typed: an embedding of this document, not computed.", dimension,
                       of.token());
  }
  const bool is_learned = is_of_model(of.config());
  if (const std::optional<float> seed = number_before_edit(of.result, source))
    return fmt::format("Set by hand: {} {}.",
                       is_learned              ? "the model has"
                       : is_gain(source.stage) ? "the norm begins with"
                                               : "the seed drew",
                       of.number(*seed));
  return fmt::format("{}; other numbers of this matrix are typed.", is_learned              ? "As the model has it"
                                                                    : is_gain(source.stage) ? "As the norm begins"
                                                                                            : "As the seed drew it");
}

std::string sentence_of_drawn(const CellWords& of) {
  const Config& config = of.config();
  const Stage stage = of.source.stage;
  if (of.source.kind == SourceKind::draw) return "A number of the generator, from 0 to 1.";
  if (stage == Stage::inputs) return "Drawn from the generator by torch.randn.";
  if (info(config.mechanism).weight_style != WeightStyle::linear)
    return "Drawn from the generator by torch.rand, between 0 and 1.";
  const bool is_of_output = stage == Stage::output_weight || stage == Stage::output_bias;
  const Index features = is_of_output ? context_features(config) : input_features(config);
  return fmt::format("Drawn from the generator by nn.Linear, between −1/√{0} and 1/√{0} = {1}.", features,
                     of.number(1 / std::sqrt(static_cast<double>(features))));
}

std::string sentence_of_learned(const CellWords& of) {
  const auto& model = std::get<ModelInputs>(of.config().inputs);
  if (model.model->drawn_by)
    return fmt::format("Untrained: drawn with seed {}, as nn.Linear begins.", *model.model->drawn_by);
  const std::string parameter = parameter_name(of.config(), of.source.stage, of.source.head);
  const std::string place =
      model.model->place_of ? model.model->place_of(model.layer, parameter, of.source.row, of.source.col) : "";
  if (place.empty()) return "The model has no such number: it is 0.";
  return fmt::format("Learned in training: the model's checkpoint has it as {}.", place);
}

std::string sentence_of_normalized(const CellWords& of) {
  const auto& model = std::get<ModelInputs>(of.config().inputs);
  const std::string_view stream =
      model.model->shape.order == LayerOrder::norm_last ? "hidden state" : "residual stream";
  return fmt::format("Dimension {} of the {} of {} before layer {}, normalized over the {} dimensions.", of.dimension(),
                     stream, CellWords::named(of.names.keys, of.source.row, "token"), model.layer + 1,
                     input_features(of.config()));
}

// The norm, and what the residual stream is the sum of.
void write_normalized(CellWords& of) {
  const auto added = [&](double value, const std::string& what) {  // "− 0.7583 (attention 1)"
    of.arithmetic(fmt::format("{} {} ({})", value < 0 ? "−" : "+", of.number(std::abs(value)), what));
  };
  const NormalizedNumber number = normalized_number(*of.result.below, of.source.row, of.source.col);
  const TransformerShape& shape = of.result.below->model->shape;
  const bool has_mean = shape.norm == NormKind::layer;
  if (number.attended) {
    const Index layer = of.result.below->layer_count();
    of.words(fmt::format("Layer {} adds up two numbers, and normalizes the sum:", layer));
    of.arithmetic(fmt::format("{} (after its attention)", of.number(*number.attended)));
    added(number.feed_forward.front(), "its feed-forward part");
  } else {
    of.words(shape.order == LayerOrder::norm_last ? "The embeddings are added up, and the sum is normalized:"
                                                  : "In the residual stream it is a sum over the layers below:");
    of.arithmetic(shape.embedding_scale == 1 ? fmt::format("{} (embedding)", of.number(number.embedding))
                                             : fmt::format("{} (embedding × {})", of.number(number.embedding),
                                                           of.number(shape.embedding_scale)));
    if (!shape.rope) added(number.position, "position");
    if (shape.has_token_types) added(number.token_type, "kind of text");
    for (std::size_t layer = 0; layer < number.attention.size(); ++layer) {
      added(number.attention[layer], fmt::format("attention {}", layer + 1));
      added(number.feed_forward[layer], fmt::format("feed-forward {}", layer + 1));
    }
  }
  of.arithmetic("= " + of.number(number.x));
  if (has_mean) {
    of.words("Less the mean of its row, divided by the deviation:");
    of.arithmetic(fmt::format("({} {} {}) / {}", of.number(number.x), number.mean < 0 ? "+" : "−",
                              of.number(std::abs(number.mean)), of.number(number.deviation)));
  } else {
    of.words("Divided by the root mean square of its row:");
    of.arithmetic(fmt::format("{} / {}", of.number(number.x), of.number(number.deviation)));
  }
  of.arithmetic(fmt::format("× {} ({})", of.number(number.scale),
                            shape.adds_one_to_scales ? "1 + learned scale" : "learned scale"));
  if (has_mean) added(number.shift, "learned shift");
  of.equals();
}

constexpr Operation begun = {.sentence = "Where training begins: torch.nn.RMSNorm starts with gains of 1.",
                             .arithmetic = write_start};
constexpr Operation learned = {.sentence = sentence_of_learned, .arithmetic = write_start};
constexpr Operation normalized = {.sentence = sentence_of_normalized, .arithmetic = write_normalized};

const Operation& operation_of_start(const Result& result, const Source& cell, bool has_operands) {
  if (has_operands) return operations::drawn;
  if (is_of_model(result.config) && cell.stage == Stage::inputs) return normalized;
  const std::string name = parameter_name(result.config, cell.stage, cell.head);
  if (result.config.weight_overrides.contains(name)) return operations::typed;
  if (trained_parameter(result.config, name)) return learned;
  return is_gain(cell.stage) ? begun : operations::typed;
}

constexpr CellRule given = {.operation = does<operations::typed>};

// A layer.

// projected (B,T,n) through the projection's weights: those of one head in the wrapper, of all heads elsewhere.
void project(Tensor& projected, const Run& run, const StageList& from, Index head) {
  const Parameters& parameters = *run.result.parameters;
  const Tensor& weight = *find(parameters, parameter_name(run.config, from[1], head));
  if (info(run.config.mechanism).weight_style == WeightStyle::parameter)
    return project_parameter(projected, run[from[0]], weight, run.execution);
  const Tensor* const bias = from.size() > 2 ? find(parameters, parameter_name(run.config, from[2], head)) : nullptr;
  project_linear(projected, run[from[0]], weight, bias, run.execution);
}

// Queries, keys or values (B,H,T,head_dim), or the output (B,T,d_out).
void make_projection(Tensor& out, const Run& run, Stage stage, const StageList& from) {
  const Config& config = run.config;
  if (!is_per_head(config, stage)) return project(out, run, from, 0);
  const Index B = config.batch_size;
  const Index H = head_count(config);
  Tensor projected({B, token_count(config), has_key_rows(stage) ? key_features(config) : config.d_out});
  if (!has_own_heads(config)) {
    project(projected, run, from, 0);
    return split_heads(out, projected, run.execution);
  }
  for (Index h = 0; h < H; ++h) {
    project(projected, run, from, h);
    for (Index b = 0; b < B; ++b) eigen(out, b * H + h) = eigen(projected, b);
  }
}

double layer_operations(const Config& config, Stage stage) {
  const std::vector<Index> from = stage_shape(config, predecessors(config, stage)[0]);
  return 2 * static_cast<double>(element_count(stage_shape(config, stage))) * static_cast<double>(from.back());
}

bool has_linear_weights(const Config& config) { return info(config.mechanism).weight_style == WeightStyle::linear; }

bool is_split(const Config& config, Stage stage) {
  return info(config.mechanism).splits_heads && is_per_head(config, stage);
}

// The output feature of a layer that is the first one of a head.
Index first_unit(const Config& config, Stage stage, Index head) {
  return (has_key_rows(stage) ? key_value_head(config, head) : head) * head_features(config);
}

// The weights of the output feature that the cell stands for, and its bias.
std::vector<SourceLine> projection_operands(const Config& config, const Source& cell, const StageList& from) {
  const Index unit = is_split(config, cell.stage) ? first_unit(config, cell.stage, cell.head) + cell.col : cell.col;
  const SourceLine left = row_line(config, cell, from[0], cell.row);
  const SourceLine weights =
      has_linear_weights(config) ? row_line(config, cell, from[1], unit) : column_line(cell, from[1], unit, left.count);
  std::vector<SourceLine> lines = {left, weights};
  if (from.size() > 2) lines.push_back(cell_line(cell, from[2], 0, unit));
  return lines;
}

// Returns the cells of a projection that a rectangle of weights or of a bias goes into: features of a head.
CellRect projected_from(const Config& config, const Reached& stage, std::size_t place, const Reached& of) {
  if (place == 0) return whole_rows(config, stage, place, of);
  const bool has_units_as_rows = place == 1 && has_linear_weights(config);
  const Index first = has_units_as_rows ? of.rect.row : of.rect.col;
  const Index count = has_units_as_rows ? of.rect.rows : of.rect.cols;
  const Index begin = first - (is_split(config, stage.stage) ? first_unit(config, stage.stage, stage.head) : 0);
  const Index from = std::clamp<Index>(begin, 0, stage.rect.cols);
  const Index to = std::clamp<Index>(begin + count, 0, stage.rect.cols);
  return {0, from, stage.rect.rows, to - from};
}

std::string sentence_of_layer(const CellWords& of) {
  const std::string_view bias = of.explanation.operands.size() > 2 ? ", and a bias" : "";
  if (of.source.stage == Stage::output)
    return fmt::format(
        "Dimension {} of the output of {}: the {} numbers of its context, each multiplied by its weight in "
        "out_proj, added up{}.",
        of.dimension(), of.query(), of.terms(), bias);
  const std::string_view weight = info(of.from(1).stage).title;  // "W_query"
  return fmt::format("Dimension {} of the {} of {}: its {} inputs, each multiplied by its weight in {}, added up{}.",
                     of.dimension(), weight.substr(2), of.token(), of.terms(), weight, bias);
}

constexpr Operation through_layer = {
    .sentence = sentence_of_layer, .arithmetic = write_sum_of_products, .is_sum_of_products = true};

// X W_Q^T, with what the mechanism adds to it.
std::string layer_latex(const Config& config, Stage stage, const Names& symbols) {
  const StageList from = predecessors(config, stage);
  const bool has_own_weights = is_per_head(config, from[1]);
  std::string weight = symbols[1];
  if (has_linear_weights(config))
    weight = has_own_weights ? fmt::format("({})^{{\\top}}", weight) : weight + "^{\\top}";
  std::string product = symbols[0] + " " + weight;
  if (from.size() > 2) product += " + " + symbols[2];
  return is_split(config, stage) ? fmt::format("\\bigl[ {} \\bigr]_h", product) : product;
}

constexpr CellRule projected = {
    .make = make_projection,
    .operations = layer_operations,
    .is_turned = has_linear_weights,
    .operation = does<through_layer>,
    .operands = projection_operands,
    .dependents = projected_from,
    .code = [](const StageCode& code, Stage, const Names&) { return std::string(code.dialect.output); },
    .latex = layer_latex,
    .sign = "×"};

// Rows.

const CellRule& projected_or_given(const Config& config) { return begins_with_heads(config) ? given : projected; }

// The modules multiply by an nn.Parameter as it is, and by the transposed weight of an nn.Linear.
StageWording layer_wording(const Config& config, Stage stage) {
  if (stage != Stage::output && begins_with_heads(config)) {
    const std::string& origin = config.heads.origin;
    return {origin.empty() ? "given by the document" : fmt::format("given: from {}", shown_text(origin)),
            std::string(info(stage).id)};
  }
  const StageInfo& result = info(stage);
  const StageList from = predecessors(config, stage);
  const std::string_view weight = info(from[1]).title;
  const bool is_linear = has_linear_weights(config);
  std::string formula = fmt::format("{} = {} · {}{}{}", result.symbol, info(from[0]).symbol, weight,
                                    is_linear ? "ᵀ" : "", from.size() > 2 ? " + b" : "");
  if (stage == Stage::output || info(config.mechanism).splits_heads) return {formula, std::string(result.pytorch)};
  if (!is_linear) return {formula, fmt::format("{} = x @ self.{}", result.id, weight)};
  return {formula, fmt::format("{} = self.{}(x)", result.id, weight)};
}

StageWording weight_wording(const Config& config, Stage stage) {
  if (info(config.mechanism).weight_style == WeightStyle::parameter)
    return {"one column for each output dimension", "torch.nn.Parameter(torch.rand(d_in, d_out))"};
  return wording_of_row(stage);
}

// Through a layer's weights, and its bias where it has one.
template <Stage from, Stage weight_stage, Stage bias_stage>
StageList through(const Config& config, Stage) {
  if (begins_with_heads(config)) return {};
  StageList list = {from, weight_stage};
  if (has_stage(config, bias_stage)) list.add(bias_stage);
  return list;
}

// Heads of other shapes change all that there is.
bool have_heads_of_one_shape(const Config& left, const Config& right) {
  return left.heads.queries.shape() == right.heads.queries.shape() &&
         left.heads.keys.shape() == right.heads.keys.shape() && left.heads.values.shape() == right.heads.values.shape();
}
constexpr ConfigPart heads_of_one_shape = {.differs = part_of<&AttentionConfig::heads>.differs,
                                           .copy = [](Config& to, const Config& from) {
                                             if (have_heads_of_one_shape(to, from)) to.heads = from.heads;
                                           }};

// A weight matrix or a bias: as it was drawn, or as the user wants it.
constexpr StageInfo parameter(Stage stage, std::string_view id, std::string_view title, std::string_view latex,
                              StageAxes axes, bool (*exists)(const Config&), std::optional<OperandSide> side = {}) {
  const bool is_weight = axes == StageAxes::weight;
  return {.stage = stage,
          .id = id,
          .title = title,
          .symbol = title,
          .latex = latex,
          .formula = is_weight ? "one row for each output dimension" : "one number for each output dimension",
          .pytorch = is_weight ? "torch.nn.Linear(d_in, d_out).weight" : "torch.nn.Linear(d_in, d_out).bias",
          .axes = axes,
          .rule = always<started>,
          .exists = exists,
          .wording = is_weight ? weight_wording : nullptr,
          .side = side};
}

constexpr StageInfo projection(Stage stage, std::string_view id, std::string_view symbol, std::string_view formula,
                               std::string_view pytorch, StageList (*follows_from)(const Config&, Stage), int column,
                               const char* about, OperandSide side) {
  return {.stage = stage,
          .id = id,
          .symbol = symbol,
          .formula = formula,
          .pytorch = pytorch,
          .axes = StageAxes::head_token_feature,
          .place = {Band::project, column},
          .rule = projected_or_given,
          .exists = has_queries,
          .absence = stage == Stage::values ? "no weights: the inputs are mixed themselves"
                                            : "no weights: the inputs are compared themselves",
          .follows_from = follows_from,
          .reads = &heads_of_one_shape,
          .about = about,
          .wording = layer_wording,
          .side = side};
}

constexpr std::array rows_of_projections = {
    StageInfo{.stage = Stage::inputs,
              .id = "inputs",
              .symbol = "X",
              .formula = "X = one embedding per token",
              .pytorch = "batch = torch.stack([inputs] * batch_size)",
              .axes = StageAxes::token_feature,
              .place = {Band::project, 0},
              .rule = always<started>,
              .exists = has_inputs,
              .absence = "no inputs: queries, keys and values are given",
              .about = "an embedding for each token: the row of numbers that stands for it"},
    parameter(Stage::query_weight, "W_query", "W_query", "W_Q", StageAxes::weight, has_weights, OperandSide::query),
    parameter(Stage::query_bias, "W_query_bias", "W_query bias", "b_Q", StageAxes::bias, has_biases,
              OperandSide::query),
    parameter(Stage::key_weight, "W_key", "W_key", "W_K", StageAxes::weight, has_weights, OperandSide::key),
    parameter(Stage::key_bias, "W_key_bias", "W_key bias", "b_K", StageAxes::bias, has_biases, OperandSide::key),
    parameter(Stage::value_weight, "W_value", "W_value", "W_V", StageAxes::weight, has_weights, OperandSide::value),
    parameter(Stage::value_bias, "W_value_bias", "W_value bias", "b_V", StageAxes::bias, has_biases,
              OperandSide::value),
    parameter(Stage::output_weight, "out_proj", "out_proj", "W_O", StageAxes::weight, has_output),
    parameter(Stage::output_bias, "out_proj_bias", "out_proj bias", "b_O", StageAxes::bias, has_output),
    projection(Stage::queries, "queries", "Q", "Q = X · W_query",
               "queries = self.W_query(x).view(B, T, H, head_dim).transpose(1, 2)",
               through<Stage::inputs, Stage::query_weight, Stage::query_bias>, 1, "what each token looks for",
               OperandSide::query),
    projection(Stage::keys, "keys", "K", "K = X · W_key",
               "keys = self.W_key(x).view(B, T, H, head_dim).transpose(1, 2)",
               through<Stage::inputs, Stage::key_weight, Stage::key_bias>, 2, "what each token can be found by",
               OperandSide::key),
    projection(Stage::values, "values", "V", "V = X · W_value",
               "values = self.W_value(x).view(B, T, H, head_dim).transpose(1, 2)",
               through<Stage::inputs, Stage::value_weight, Stage::value_bias>, 3, "what each token hands on",
               OperandSide::value),
    StageInfo{.stage = Stage::output,
              .id = "output",
              .symbol = "O",
              .formula = "O = Z · W_outᵀ + b",
              .pytorch = "output = self.out_proj(context_vec)",
              .axes = StageAxes::token_feature,
              .place = {Band::mix, 5},
              .rule = always<projected>,
              .exists = has_output,
              .absence = "no output projection: the context is the result",
              .follows_from = through<Stage::context, Stage::output_weight, Stage::output_bias>,
              .about = [](const Config& config) -> std::string {
                return head_count(config) > 1 ? "out_proj mixes what the heads have found"
                                              : "out_proj, a last linear layer, turns the context into the output";
              },
              .wording = layer_wording},
};

}  // namespace

constinit const Operation operations::typed = {.sentence = sentence_of_typed, .arithmetic = write_start};
constinit const Operation operations::drawn = {.sentence = sentence_of_drawn, .arithmetic = write_start};
constinit const CellRule stage_rules::started = {
    .operation = operation_of_start, .operands = start_operands, .is_drawn = true};
constinit const std::span<const StageInfo> stage_rules::projection_rows = rows_of_projections;

}  // namespace attnscope
