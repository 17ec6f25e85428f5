// Checks of what is of heads and cells: heads from elsewhere, heads that are off, weights of dropout that the user set.

#include "core/config_words.h"
#include "core/visibility.h"

#include <cassert>
#include <tuple>

namespace attnscope {

namespace {

void check_head_tensor(const std::string& name, const SharedTensor& tensor) {
  const std::string field = "given." + name;
  const std::vector<Index>& shape = tensor.shape();
  check_range(field.c_str(), "The batch size of " + name, shape[0], max_batch);
  check_range(field.c_str(), "The number of heads of " + name, shape[1], max_heads);
  check_range(field.c_str(), "The number of tokens of " + name, shape[2], max_tokens);
  check_range(field.c_str(), "The width of " + name, shape[3], max_features);
  if (!tensor.first_not_finite()) return;
  throw Error(field,
              "given." + name + " has a number that is infinity or not a number, but every number must be finite.");
}

std::string place_of(const DropoutEdit& edit) {
  return "[" + text_of(edit.batch) + ", " + text_of(edit.head) + ", " + text_of(edit.query) + ", " + text_of(edit.key) +
         "]";
}

auto place_among(const DropoutEdit& edit) { return std::tie(edit.batch, edit.head, edit.query, edit.key); }

}  // namespace

// Shapes that belong together: B, H_kv and T_key of keys and values, B and head_dim of queries and keys.
void check_heads_from_elsewhere(const AttentionConfig& config) {
  const HeadTensors& heads = config.heads;
  if (!heads.is_there()) {
    throw Error(
        "given",
        "given is missing, but scaled_dot_product_attention begins with given queries, keys and values, each an "
        "array of the shape (T, d), (H, T, d) or (B, H, T, d).");
  }
  check_head_tensor("queries", heads.queries);
  check_head_tensor("keys", heads.keys);
  check_head_tensor("values", heads.values);
  const std::vector<Index>& queries = heads.queries.shape();
  const std::vector<Index>& keys = heads.keys.shape();
  const std::vector<Index>& values = heads.values.shape();
  const auto refuse = [&](const char* what) {
    throw Error("given", "given has queries of the shape " + shape_of(queries) + ", keys of " + shape_of(keys) +
                             " and values of " + shape_of(values) + ", but " + what);
  };
  if (queries[0] != keys[0] || queries[0] != values[0]) refuse("all three must have one batch size, the first number.");
  if (keys[1] != values[1]) refuse("keys and values must have one number of heads, the second number.");
  if (keys[1] > queries[1]) refuse("there may not be more heads of keys than of queries: that is the second number.");
  if (keys[2] != values[2]) refuse("each key must have a value: their third numbers must be equal.");
  if (queries[3] != keys[3]) refuse("queries and keys must be of one width, the last number.");
  if (config.num_heads != queries[1]) {
    throw Error("num_heads", "num_heads is " + text_of(config.num_heads) + ", but the given queries have " +
                                 text_of(queries[1]) + " heads.");
  }
  if (config.batch_size == queries[0]) return;
  throw Error("batch_size", "batch_size is " + text_of(config.batch_size) + ", but the given queries have a batch of " +
                                text_of(queries[0]) + ".");
}

// Heads are counted by num_heads, also where a mechanism has none: what is ignored stays as it is.
void check_heads_off(const AttentionConfig& config) {
  for (std::size_t i = 0; i < config.heads_off.size(); ++i) {
    const Index head = config.heads_off[i];
    const std::string field = "heads_off" + subscript(static_cast<Index>(i));
    if (head < 0 || head >= config.num_heads) {
      throw Error(field, field + " is " + text_of(head) + ", but it must be a head's number from 0 to " +
                             text_of(config.num_heads - 1) + ": num_heads is " + text_of(config.num_heads) + ".");
    }
    if (i == 0) continue;
    assert(config.heads_off[i - 1] <= head && "heads are in order");
    if (config.heads_off[i - 1] == head)
      throw Error("heads_off", "heads_off names head " + text_of(head) + " twice: name it once.");
  }
}

void check_dropout_edits(const AttentionConfig& config) {
  const std::vector<DropoutEdit>& edits = config.dropout_edits;
  if (edits.size() > max_dropout_edits) {
    throw Error("dropout_edits", "dropout_edits has " + text_of(edits.size()) + " cells, but it may have at most " +
                                     text_of(max_dropout_edits) + ".");
  }
  const DropoutEdit end{config.batch_size, config.num_heads, query_count(config), key_count(config)};
  const auto is_within = [](Index index, Index count) { return index >= 0 && index < count; };
  for (std::size_t i = 0; i < edits.size(); ++i) {
    const DropoutEdit& edit = edits[i];
    const std::string field = edit.keeps ? "dropout_edits.keep" : "dropout_edits.drop";
    const bool is_there = is_within(edit.batch, end.batch) && is_within(edit.head, end.head) &&
                          is_within(edit.query, end.query) && is_within(edit.key, end.key);
    if (!is_there) {
      throw Error(field, field + " has " + place_of(edit) + ", but a cell is [batch, head, query, key] below " +
                             place_of(end) + ", counted from 0.");
    }
    const bool is_repeated = i > 0 && place_among(edits[i - 1]) == place_among(edit);
    if (is_repeated) throw Error(field, "dropout_edits names " + place_of(edit) + " twice: name it once.");
    assert((i == 0 || edits[i - 1] < edit) && "edits are in order");
  }
}

}  // namespace attnscope
