// Writes tokenizers/: small tokenizers of every kind that attnscope reads, and the tokens that Hugging Face's own library
// makes with them of each of some lines.
//
// Needs Node.js and that library (made with its version 0.23.2 from npm). The tests read only the files, so this runs
// when the fixtures are to change; FOLDER is any folder outside of the project:
//
//     (cd FOLDER && npm install tokenizers)
//     node tests/data/make_tokenizers.mjs FOLDER

import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

const library = createRequire(path.join(path.resolve(process.argv[2]), "x.js"))("tokenizers");
const folder = path.join(path.dirname(fileURLToPath(import.meta.url)), "tokenizers");

const LINES = [
  "",
  " ",
  "Your journey starts with one step.",
  "  two  spaces,   three, and at the end  ",
  "line one\nline two\r\n\r\n\n  indented\n\n",
  "\ttabs\t\tbetween\t",
  "I'm sure they'll say it isn't what we'd've done; YOU'RE wrong, it'S HE'LL.",
  "In 2024 there were 12345678 people, 3.14159 of them, or 1,000,000.00; ٣٤٥ ½ Ⅷ x² 七",
  "(a+b)*c == d[0] && !e || f->g; // 100% \"quoted\" 'single' `back` #tag @you $5 ~^_^~ {x: <y>}",
  "def attention(q, k, v):\n    scores = q @ k.T / k.shape[-1] ** 0.5\n    return softmax(scores) @ v\n",
  "café naïve Ångström, cafe\u0301 nai\u0308ve A\u030angstro\u0308m, ﬁne ＦＵＬＬ ẛ̣",
  "STRASSE Straße ΣΊΣΥΦΟΣ İstanbul ǅ Ⓐ",
  "我今天去北京。注意力就是一切！日本語のテキスト、한국어 텍스트",
  "мир и Привет, Γειά σου κόσμε, שלום עולם, مرحبا بالعالم, नमस्ते दुनिया, ไทย",
  "👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽 🇩🇪 ☕️ 🙂🙂",
  "a\u00a0b\u2003c\u3000d\u200be\u2028f\u0085g\u000bh\u000ci\ufeffj",
  "<|endoftext|>", "one<|endoftext|>two <|endoftext|> three<|endoftext|><|endoftext|>", "<|endoftext|",
  "<s>[INST] Hi [/INST] Hello</s> <unk> <0x41>", "▁the ▁▁ the▁",
  "<|begin_of_text|><|im_start|>user\nHi<|im_end|>\n",
  "look  <mask>  here, <mask>there, word wordy sword word", "ABC abcabc ABCD abc",
  "don't   stop\n \n x  \n   y", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "\u0000\u0001\u007f", "\ud7ff\ue000\u{10ffff}",
  "pneumonoultramicroscopicsilicovolcanoconiosis https://example.org/a?b=c&d=%20#e me@example.org",
];

const TEXT = `Attention says for every word of a text which of the other words matter to it. A word asks a question, its query;
every word has a key that says what it offers, and a value that it gives away. The score of a query and a key is their
product: the more alike they are, the larger it is. The softmax turns the scores of a row into weights that sum to one,
and the context of the word is the sum of the values, each times its weight. In a causal model a word can't look at the
words that come after it, so the scores above the diagonal are hidden before the softmax. Several heads do this side by
side, each with its own queries, keys and values, and what they find is joined. Your journey starts with one step. I'm
sure that you'll see it; it isn't hard, and they've done it before. We'd like to show the numbers: 1 2 3, 10, 100, 2024.
def softmax(x):
    e = exp(x - x.max())
    return e / e.sum()
for i in range(10):
    print(scores[i], weights[i])
The café is open, the naïve visitor orders a coffee. Привет, мир. 我今天去北京。
`.repeat(2);

const GPT2 = String.raw`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`;
const LLAMA3 = String.raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`;
const QWEN = LLAMA3.replace("\\p{N}{1,3}", "\\p{N}");

const printable = [...Array(256).keys()].filter((b) => (b > 32 && b < 127) || (b > 160 && b !== 173));
const others = [...Array(256).keys()].filter((b) => !printable.includes(b));
const spelling = Object.fromEntries([...printable.map((b) => [b, String.fromCodePoint(b)]), ...others.map((b, i) => [b, String.fromCodePoint(256 + i)])]);
const spelled = (text) => [...Buffer.from(text)].map((b) => spelling[b]).join("");

// The most frequent pair of neighbours becomes a token, again and again; among equals the one that was seen first.
function train(words, alphabet, count) {
  const vocabulary = [...alphabet];
  const merges = [];
  let parts = words.map((word) => [...word]);
  while (merges.length < count) {
    const pairs = new Map();
    for (const word of parts) for (let i = 0; i + 1 < word.length; ++i) {
      const pair = word[i] + " " + word[i + 1];
      pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
    }
    if (pairs.size === 0) break;
    const [best] = [...pairs].reduce((a, b) => (b[1] > a[1] ? b : a));
    const [left, right] = best.split(" ");
    merges.push([left, right]);
    if (!vocabulary.includes(left + right)) vocabulary.push(left + right);
    parts = parts.map((word) => {
      const merged = [];
      for (const part of word) {
        if (merged.length && merged.at(-1) === left && part === right) merged[merged.length - 1] = left + right;
        else merged.push(part);
      }
      return merged;
    });
  }
  return { vocab: Object.fromEntries(vocabulary.map((token, i) => [token, i])), merges };
}

const bytes = Object.values(spelling);
function byteLevel(pattern, count) {
  const words = TEXT.match(new RegExp(pattern.replace("(?i:", "(?:"), "gu")).map(spelled);
  return train(words, [...printable, ...others].map((b) => spelling[b]), count);
}
function sentencePiece(before, count) {
  const words = TEXT.split(/\s+/).filter((word) => word).map((word) => "▁" + word);
  return train(words, [...before, ...new Set(words.join(""))], count);
}

const bpe = (trained, options = {}) => ({ type: "BPE", dropout: null, unk_token: null, continuing_subword_prefix: null,
  end_of_word_suffix: null, fuse_unk: false, byte_fallback: false, ignore_merges: false, ...trained, ...options });
const added = (id, content, options = {}) =>
  ({ id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true, ...options });
const tokenizer = (parts) => ({ version: "1.0", truncation: null, padding: null, added_tokens: [], normalizer: null,
  pre_tokenizer: null, post_processor: null, decoder: null, ...parts });
const BYTE_LEVEL = { type: "ByteLevel", add_prefix_space: false, trim_offsets: true, use_regex: true };
const split = (Regex) => ({ type: "Sequence", pretokenizers: [
  { type: "Split", pattern: { Regex }, behavior: "Isolated", invert: false }, { ...BYTE_LEVEL, use_regex: false }] });
const template = (content, id, after) => ({ type: "TemplateProcessing",
  single: [{ SpecialToken: { id: content, type_id: 0 } }, { Sequence: { id: "A", type_id: 0 } },
    ...(after ? [{ SpecialToken: { id: after[0], type_id: 0 } }] : [])],
  pair: [{ Sequence: { id: "A", type_id: 0 } }, { Sequence: { id: "B", type_id: 1 } }],
  special_tokens: Object.fromEntries([[content, id], ...(after ? [after] : [])].map(([text, number]) => [text, { id: text, ids: [number], tokens: [text] }])) });

const strings = (trained) => ({ ...trained, merges: trained.merges.map((pair) => pair.join(" ")) });
const size = (trained) => Object.keys(trained.vocab).length;

const gpt2 = byteLevel(GPT2, 400);
gpt2.vocab["<|endoftext|>"] = size(gpt2);
const llama3 = byteLevel(LLAMA3, 250);
llama3.vocab[spelled(" whole")] = size(llama3);  // no merges make it
const qwen = byteLevel(QWEN, 250);
const pieces = sentencePiece(["<unk>", "<s>", "</s>", ...[...Array(256).keys()].map((b) => `<0x${b.toString(16).toUpperCase().padStart(2, "0")}>`)], 200);
const plain = sentencePiece(["<unk>"], 200);
const words = [...new Set(TEXT.toLowerCase().match(/[\p{L}\p{M}\p{Nd}_]+|[^\s\p{L}\p{M}\p{Nd}_]/gu))];
const wordIds = (before) => Object.fromEntries([...new Set([...before, ...words])].map((word, i) => [word, i]));
const wordLevel = { type: "WordLevel", vocab: wordIds(["[UNK]", "ǆ", "ⓐ", "1", "2", "café", "cafe"]), unk_token: "[UNK]" };

const FILES = {
  gpt2: tokenizer({ added_tokens: [added(gpt2.vocab["<|endoftext|>"], "<|endoftext|>")], pre_tokenizer: BYTE_LEVEL,
    post_processor: BYTE_LEVEL, decoder: BYTE_LEVEL, model: bpe(strings(gpt2)) }),
  gpt2_prefix: tokenizer({ pre_tokenizer: { ...BYTE_LEVEL, add_prefix_space: true }, decoder: BYTE_LEVEL, model: bpe(byteLevel(GPT2, 60)),
    added_tokens: [added(316, "<mask>", { lstrip: true }), added(317, "word", { single_word: true, special: false }),
      added(318, "abc", { normalized: true, special: false }), added(319, "abcabc", { normalized: true, rstrip: true, special: false }), added(320, "<|endoftext|>", { rstrip: true })] }),
  llama3: tokenizer({ pre_tokenizer: split(LLAMA3), decoder: BYTE_LEVEL, model: bpe(llama3, { ignore_merges: true }),
    added_tokens: [added(size(llama3), "<|begin_of_text|>"), added(size(llama3) + 1, "<|im_start|>"), added(size(llama3) + 2, "<|im_end|>")],
    post_processor: { type: "Sequence", processors: [BYTE_LEVEL, template("<|begin_of_text|>", size(llama3))] } }),
  qwen: tokenizer({ normalizer: { type: "NFC" }, pre_tokenizer: split(QWEN), decoder: BYTE_LEVEL, model: bpe(qwen),
    added_tokens: [added(size(qwen), "<|endoftext|>"), added(size(qwen) + 1, "<|im_start|>"), added(size(qwen) + 2, "<|im_end|>")] }),
  sentencepiece: tokenizer({ model: bpe(pieces, { unk_token: "<unk>", fuse_unk: true, byte_fallback: true }),
    normalizer: { type: "Sequence", normalizers: [{ type: "Prepend", prepend: "▁" }, { type: "Replace", pattern: { String: " " }, content: "▁" }] },
    post_processor: template("<s>", 1), added_tokens: [added(0, "<unk>"), added(1, "<s>"), added(2, "</s>")],
    decoder: { type: "Sequence", decoders: [{ type: "Replace", pattern: { String: "▁" }, content: " " }, { type: "ByteFallback" }, { type: "Fuse" }, { type: "Strip", content: " ", start: 1, stop: 0 }] } }),
  metaspace: tokenizer({ model: bpe(strings(plain), { unk_token: "<unk>", fuse_unk: true }), pre_tokenizer: { type: "Metaspace", replacement: "▁", prepend_scheme: "first", split: true },
    decoder: { type: "Metaspace", replacement: "▁", prepend_scheme: "first", split: true }, added_tokens: [added(0, "<unk>")] }),
  metaspace_whole: tokenizer({ model: bpe(plain, { unk_token: "<unk>" }), pre_tokenizer: { type: "Metaspace", replacement: "▁", prepend_scheme: "always", split: false },
    decoder: { type: "Metaspace", replacement: "▁", prepend_scheme: "always", split: false }, added_tokens: [added(0, "<unk>")],
    normalizer: { type: "Replace", pattern: { Regex: "\\s{2,}|\\t" }, content: " " } }),
  words: tokenizer({ model: wordLevel, normalizer: { type: "Sequence", normalizers: [{ type: "NFC" }, { type: "Lowercase" }] },
    pre_tokenizer: { type: "Sequence", pretokenizers: [{ type: "Whitespace" }, { type: "Digits", individual_digits: true }] },
    added_tokens: [added(0, "[UNK]")] }),
  words_split: tokenizer({ model: wordLevel, normalizer: { type: "Lowercase" },
    pre_tokenizer: { type: "Sequence", pretokenizers: [{ type: "WhitespaceSplit" }, { type: "Punctuation", behavior: "Isolated" }, { type: "Digits", individual_digits: false }] },
    post_processor: template("[CLS]", size(wordLevel), ["[SEP]", size(wordLevel) + 1]),
    added_tokens: [added(0, "[UNK]"), added(size(wordLevel), "[CLS]"), added(size(wordLevel) + 1, "[SEP]")] }),
};
for (const behavior of ["Removed", "MergedWithPrevious", "MergedWithNext", "Contiguous"]) {
  for (const invert of [false, true]) {
    FILES[`split_${behavior}${invert ? "_inverted" : ""}`] = tokenizer({ model: bpe(byteLevel(GPT2, 1)), decoder: BYTE_LEVEL,
      pre_tokenizer: { type: "Sequence", pretokenizers: [{ type: "Split", pattern: { Regex: "[ea-c]|,\\s" }, behavior, invert }, { ...BYTE_LEVEL, add_prefix_space: true, use_regex: false }] } });
  }
}
for (const form of ["NFD", "NFKC", "NFKD"]) {
  FILES[form] = tokenizer({ model: bpe(byteLevel(GPT2, 1)), decoder: BYTE_LEVEL, normalizer: { type: form }, pre_tokenizer: BYTE_LEVEL });
}

const expected = {};
for (const [name, file] of Object.entries(FILES)) {
  const text = JSON.stringify(file);
  const made = library.Tokenizer.fromString(text);
  const lines = [];
  for (const line of LINES) {
    const ids = (await made.encode(line)).getIds();
    const bare = (await made.encode(line, null, { addSpecialTokens: false })).getIds();
    lines.push({ ids, decoded: await made.decode(bare, false) });
  }
  expected[name] = lines;
  fs.writeFileSync(path.join(folder, `${name}.json`), text + "\n");
}
fs.writeFileSync(path.join(folder, "gpt2_vocab.json"), JSON.stringify(gpt2.vocab) + "\n");
fs.writeFileSync(path.join(folder, "gpt2_merges.txt"), "#version: 0.2\n" + gpt2.merges.map((pair) => pair.join(" ") + "\n").join(""));
const rows = Object.entries(expected).map(([name, lines]) => `${JSON.stringify(name)}: [\n${lines.map((line) => JSON.stringify(line)).join(",\n")}]`);
fs.writeFileSync(path.join(folder, "expected.json"), `{"lines": ${JSON.stringify(LINES, null, 1)},\n"files": {${rows.join(",\n")}}}\n`);
