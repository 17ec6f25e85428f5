#include "files/array_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/error.h"
#include "core/text.h"

namespace attnscope {
namespace {

using Kind = PickleValue::Kind;

constexpr std::size_t most_values = 1'000'000;
constexpr std::size_t no_value = static_cast<std::size_t>(-1);
constexpr std::string_view ordered_dict = "collections.OrderedDict";
constexpr std::string_view default_dict = "collections.defaultdict";
constexpr std::string_view rebuild_tensor = "torch._utils._rebuild_tensor_v2";
constexpr std::string_view rebuild_typed = "torch._utils._rebuild_tensor_v3";
constexpr std::string_view rebuild_parameter = "torch._utils._rebuild_parameter";

// The machine that carries out a pickle: a stack of values, and a memory of those that are used again.
struct PickleMachine {
  std::string_view bytes;  // that are left
  ReadingBudget& budget;
  StateDict result = {};
  std::vector<std::size_t> stack = {};
  std::vector<std::size_t> marks = {};  // sizes of the stack
  std::vector<std::size_t> memory = {};
  std::size_t remembered = 0;

  PickleValue& at(std::size_t place) { return result.values[place]; }  // until the next value is pushed

  std::string_view take(std::uint64_t count) {
    if (count > bytes.size()) refuse_checkpoint("its pickle ends too early");
    const std::string_view taken = bytes.substr(0, count);
    bytes.remove_prefix(count);
    return taken;
  }
  std::uint64_t number(std::size_t width) {
    std::uint64_t number = 0;
    const std::string_view digits = take(width);
    for (std::size_t i = width; i-- > 0;) number = number << 8 | static_cast<unsigned char>(digits[i]);
    return number;
  }
  std::int64_t signed_number(std::size_t width) {
    if (width > sizeof(std::int64_t)) refuse_checkpoint("a number in its pickle is larger than any that a model needs");
    const std::size_t unused = 64 - 8 * width;
    return width == 0 ? 0 : static_cast<std::int64_t>(number(width) << unused) >> unused;
  }
  std::string text(std::uint64_t count) {
    const std::string_view text = take(count);
    if (find_invalid_utf8(text)) refuse_checkpoint("a text in its pickle is not UTF-8");
    return std::string(text);
  }
  std::string line() {
    const std::string line = text(bytes.find('\n'));  // npos is more than there is
    take(1);
    return line;
  }

  void push(PickleValue value) {
    if (result.values.size() == most_values) refuse_checkpoint("its pickle has more values than any model needs");
    stack.push_back(result.values.size());
    result.values.push_back(std::move(value));
  }
  std::size_t pop() {
    if (stack.size() <= (marks.empty() ? 0 : marks.back())) refuse_checkpoint("its pickle lacks a value");
    const std::size_t value = stack.back();
    stack.pop_back();
    return value;
  }
  std::vector<std::size_t> pop(std::size_t count) {
    budget.work(count);
    std::vector<std::size_t> values(count);
    for (std::size_t i = count; i-- > 0;) values[i] = pop();
    return values;
  }
  std::vector<std::size_t> pop_to_mark() {
    if (marks.empty()) refuse_checkpoint("its pickle lacks a mark");
    std::vector<std::size_t> values = pop(stack.size() - marks.back());
    marks.pop_back();
    return values;
  }

  void remember(std::uint64_t place) {
    if (place >= most_values) refuse_checkpoint("its pickle has more values than any model needs");
    if (place >= memory.size()) memory.resize(place + 1, no_value);
    if (memory[place] == no_value) ++remembered;
    memory[place] = pop();
    stack.push_back(memory[place]);
  }
  void recall(std::uint64_t place) {
    if (place >= memory.size() || memory[place] == no_value) refuse_checkpoint("its pickle lacks a value");
    stack.push_back(memory[place]);
  }

  // Adds values to the list or the dict below them. What an object holds nobody needs.
  void extend(Kind kind, const std::vector<std::size_t>& added) {
    const std::size_t target = pop();
    if (at(target).kind == Kind::object) return stack.push_back(target);
    std::vector<std::size_t>& items = at(target).items;
    if (at(target).kind != kind || (kind == Kind::dict && added.size() % 2 != 0)) {
      refuse_checkpoint("its pickle adds values to something that is no list and no dict");
    }
    items.insert(items.end(), added.begin(), added.end());
    stack.push_back(target);
  }

  void push_global(const std::string& module, const std::string& name) {
    const std::string global = module + "." + name;
    budget.work(global.size());
    constexpr std::string_view known[] = {ordered_dict, default_dict, rebuild_tensor, rebuild_typed, rebuild_parameter};
    const bool is_known = std::ranges::find(known, global) != std::end(known) || !storage_type(global).empty();
    if (!is_known && result.stranger.empty()) result.stranger = global;
    push({.kind = Kind::global, .text = global});
  }
  void push_named_global() {
    const std::vector<std::size_t> names = pop(2);
    push_global(at(names[0]).text, at(names[1]).text);
  }

  // Puts together what one of the known functions would return.
  void reduce() {
    const std::vector<std::size_t>& items = at(pop()).items;
    const PickleValue& callee = at(pop());
    const std::string& function = callee.text;
    const bool is_of_torch = function == rebuild_tensor || function == rebuild_typed;
    const bool is_known = is_of_torch || function == ordered_dict || function == rebuild_parameter;
    const auto is = [&](std::size_t item, Kind kind) { return item < items.size() && at(items[item]).kind == kind; };
    if ((function == ordered_dict && items.empty()) || function == default_dict) {
      push({.kind = Kind::dict});
    } else if (callee.kind == Kind::object || (callee.kind == Kind::global && !is_known)) {
      budget.work(function.size());
      push({.kind = Kind::object, .text = std::string(function)});
    } else if (function == rebuild_parameter && is(0, Kind::tensor)) {
      stack.push_back(items[0]);
    } else if (is_of_torch && is(0, Kind::storage) && is(1, Kind::whole) && is(2, Kind::tuple) && is(3, Kind::tuple)) {
      const std::string type = function == rebuild_typed && is(6, Kind::global) ? at(items[6]).text : "";
      push({.kind = Kind::tensor, .whole = at(items[1]).whole, .text = type, .items = {items[0], items[2], items[3]}});
    } else {
      refuse_checkpoint(fmt::format("it uses {} in another way than torch.save does", in_quotes(function)));
    }
  }

  // Takes ("storage", type, key, device, count).
  void push_storage() {
    const std::vector<std::size_t>& items = at(pop()).items;
    const bool is_storage = items.size() == 5 && at(items[0]).text == "storage" && at(items[2]).kind == Kind::text &&
                            at(items[1]).kind == Kind::global && at(items[4]).kind == Kind::whole;
    if (!is_storage) refuse_checkpoint("its pickle refers to something that is no storage");
    push({.kind = Kind::storage, .whole = at(items[4]).whole, .text = at(items[2]).text, .items = {items[1]}});
  }
};

struct Instruction {
  unsigned char code;
  void (*run)(PickleMachine& machine);
};

using Machine = PickleMachine;

// Named as in Python's pickletools.
constexpr Instruction instructions[] = {
    {0x80, [](Machine& m) { m.take(1); }},                                                               // PROTO
    {0x95, [](Machine& m) { m.take(8); }},                                                               // FRAME
    {'(', [](Machine& m) { m.marks.push_back(m.stack.size()); }},                                        // MARK
    {'N', [](Machine& m) { m.push({}); }},                                                               // NONE
    {0x88, [](Machine& m) { m.push({.kind = Kind::boolean, .whole = 1}); }},                             // NEWTRUE
    {0x89, [](Machine& m) { m.push({.kind = Kind::boolean, .whole = 0}); }},                             // NEWFALSE
    {'K', [](Machine& m) { m.push({.kind = Kind::whole, .whole = static_cast<Index>(m.number(1))}); }},  // BININT1
    {'M', [](Machine& m) { m.push({.kind = Kind::whole, .whole = static_cast<Index>(m.number(2))}); }},  // BININT2
    {'J', [](Machine& m) { m.push({.kind = Kind::whole, .whole = m.signed_number(4)}); }},               // BININT
    {0x8A, [](Machine& m) { m.push({.kind = Kind::whole, .whole = m.signed_number(m.number(1))}); }},    // LONG1
    {'G', [](Machine& m) { m.take(8), m.push({.kind = Kind::fraction}); }},                              // BINFLOAT
    {0x8C, [](Machine& m) { m.push({.kind = Kind::text, .text = m.text(m.number(1))}); }},  // SHORT_BINUNICODE
    {'X', [](Machine& m) { m.push({.kind = Kind::text, .text = m.text(m.number(4))}); }},   // BINUNICODE
    {'c',
     [](Machine& m) {
       const std::string module = m.line();
       m.push_global(module, m.line());
     }},                                                                                 // GLOBAL
    {0x93, [](Machine& m) { m.push_named_global(); }},                                   // STACK_GLOBAL
    {')', [](Machine& m) { m.push({.kind = Kind::tuple}); }},                            // EMPTY_TUPLE
    {0x85, [](Machine& m) { m.push({.kind = Kind::tuple, .items = m.pop(1)}); }},        // TUPLE1
    {0x86, [](Machine& m) { m.push({.kind = Kind::tuple, .items = m.pop(2)}); }},        // TUPLE2
    {0x87, [](Machine& m) { m.push({.kind = Kind::tuple, .items = m.pop(3)}); }},        // TUPLE3
    {'t', [](Machine& m) { m.push({.kind = Kind::tuple, .items = m.pop_to_mark()}); }},  // TUPLE
    {']', [](Machine& m) { m.push({.kind = Kind::list}); }},                             // EMPTY_LIST
    {'a', [](Machine& m) { m.extend(Kind::list, m.pop(1)); }},                           // APPEND
    {'e', [](Machine& m) { m.extend(Kind::list, m.pop_to_mark()); }},                    // APPENDS
    {'}', [](Machine& m) { m.push({.kind = Kind::dict}); }},                             // EMPTY_DICT
    {'s', [](Machine& m) { m.extend(Kind::dict, m.pop(2)); }},                           // SETITEM
    {'u', [](Machine& m) { m.extend(Kind::dict, m.pop_to_mark()); }},                    // SETITEMS
    {'q', [](Machine& m) { m.remember(m.number(1)); }},                                  // BINPUT
    {'r', [](Machine& m) { m.remember(m.number(4)); }},                                  // LONG_BINPUT
    {0x94, [](Machine& m) { m.remember(m.remembered); }},                                // MEMOIZE
    {'h', [](Machine& m) { m.recall(m.number(1)); }},                                    // BINGET
    {'j', [](Machine& m) { m.recall(m.number(4)); }},                                    // LONG_BINGET
    {'Q', [](Machine& m) { m.push_storage(); }},                                         // BINPERSID
    {'R', [](Machine& m) { m.reduce(); }},                                               // REDUCE
    {0x81, [](Machine& m) { m.reduce(); }},                                              // NEWOBJ
    {'b', [](Machine& m) { m.pop(); }},  // BUILD: the versions of modules, which nobody needs
};

}  // namespace

StateDict parse_pickle(std::string_view bytes, ReadingBudget& budget) {
  constexpr std::uint64_t stop = '.';
  PickleMachine machine{bytes, budget};
  for (std::uint64_t code = machine.number(1); code != stop; code = machine.number(1)) {
    const auto* const found = std::ranges::find(instructions, code, &Instruction::code);
    if (found == std::end(instructions)) {
      refuse_checkpoint(fmt::format("its pickle has the instruction 0x{:02X}, which no state dict needs", code));
    }
    budget.work(std::size(instructions));  // which were looked through
    found->run(machine);
  }
  machine.result.root = machine.pop();
  return std::move(machine.result);
}

std::string_view storage_type(std::string_view global) {
  constexpr std::string_view ending = "Storage";
  for (const std::string_view module : {"torch.", "torch.cuda."}) {
    const std::string_view name = global.substr(global.starts_with(module) ? module.size() : global.size());
    if (name.ends_with(ending) && name.find('.') == std::string_view::npos)
      return name.substr(0, name.size() - ending.size());
  }
  return {};
}

void refuse_checkpoint(const std::string& why) {
  throw Error(fmt::format("This is not a .pth checkpoint that can be read: {}.", why));
}

}  // namespace attnscope
