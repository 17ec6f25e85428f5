#!/usr/bin/env bash
# A gallery of figures to be looked at: tests/gallery.sh PROGRAM FOLDER. Every figure is written as PNG, SVG and PDF; the
# latter two are rendered by rsvg-convert and pdftoppm, and contact sheets show the three beside each other.
set -euo pipefail

if (($# != 2)); then
  echo "usage: tests/gallery.sh PROGRAM FOLDER" >&2
  exit 2
fi
program=$(realpath "$1")
mkdir -p "$2"
cd "$2"

documents() {
  /usr/bin/python3 - <<'EOF'
import json


def write(name, document):
    with open(name + ".json", "w", encoding="utf-8") as file:
        json.dump({"mechanism": "multi_head_attention", **document}, file, ensure_ascii=False)


def drawn(count, features, **more):
    return {"inputs": {"randn": [count, features]}, **more}


words = "the cat sat on a mat while rain fell outside and nobody minded much".split()
sentence = lambda length: [words[i % len(words)] for i in range(length)]
long_names = [f"{'antidisestablishmentarianism'[:27]}{i:03d}" for i in range(1, 1025)]
foreign = ["注意力机制", "انتباه", "🙂 👩‍🔬", "e\u0301tude\u0302", "внимание", "\U00010D30\uE123", "naïve ﬁ", " ", "a\nb"]
write("tokens1", drawn(1, 4, d_out=4, num_heads=2, tokens=["alone"]))
write("tokens6", {"dropout": 0.5, "d_out": 4, "num_heads": 2})
write("tokens6_one_head", {"mechanism": "causal_attention", "dropout": 0.2, "d_out": 2})
write("tokens64", drawn(64, 24, d_out=24, num_heads=12, dropout=0.1, tokens=sentence(64)))
write("tokens1024", drawn(1024, 96, d_out=96, num_heads=12, dropout=0.1, tokens=sentence(1024)))
write("long6", drawn(6, 8, d_out=8, num_heads=2, tokens=long_names[:6]))
write("long64", drawn(64, 8, d_out=8, num_heads=2, tokens=long_names[:64]))
write("long1024", drawn(1024, 8, d_out=8, num_heads=2, tokens=long_names))
write("foreign", drawn(len(foreign), 8, d_out=8, num_heads=2, dropout=0.3, tokens=foreign))
write("han30", drawn(6, 8, d_out=8, num_heads=2, tokens=["注意力机制" * 6] * 3 + ["x", "y", "z"]))
write("heads12", drawn(6, 24, d_out=24, num_heads=12, dropout=0.2, tokens=sentence(6)))
write("renormalized", {"mechanism": "causal_attention", "mask": "causal_renormalized", "dropout": 0.5, "d_out": 2})
write("after_softmax", {"mechanism": "causal_attention", "mask": "causal_after_softmax", "d_out": 2})
write("simple", {"mechanism": "simple_self_attention"})
write("batch", {"dropout": 0.5, "d_out": 4, "num_heads": 2, "batch_size": 3})
EOF
}

# NAME DOCUMENT OPTIONS...: in all three formats, and these beside each other.
figure() {
  local name=$1 document=$2
  shift 2
  for ending in png svg pdf; do "$program" figure "$document.json" -o "$name.$ending" "$@"; done
  rsvg-convert --zoom 2 "$name.svg" -o "$name.svg.png"
  pdftoppm -r 192 -png -singlefile "$name.pdf" "$name.pdf"
  # From left to right: PNG, SVG, PDF.
  montage -font "$(fc-match --format '%{file}' sans)" "$name.png" "$name.svg.png" "$name.pdf.png" \
    -background '#c8b8a8' -geometry '900x1200>+8+8' -tile 3x1 "sheet_$name.png"
  echo "$name"
}

# NAME DOCUMENT SWEEP OPTIONS...: an animation, and its first, middle and last frame beside each other.
animation() {
  local name=$1 document=$2 sweep=$3
  shift 3
  "$program" figure "$document.json" -o "$name.png" --sweep "$sweep" "$@"
  "$program" figure "$document.json" -o "$name-%03d.png" --sweep "$sweep" "$@"
  local frames=("$name"-[0-9]*.png)
  montage "${frames[0]}" "${frames[$((${#frames[@]} / 2))]}" "${frames[-1]}" \
    -background '#c8b8a8' -geometry '900x1200>+8+8' -tile 3x1 "sheet_$name.png"
  rm "${frames[@]}"
  echo "$name"
}

documents
stages="inputs queries keys values scores mask masked_scores scaled_scores weights dropout_factors dropped_weights
  head_context context output"
for stage in $stages; do figure "stage_$stage" tokens6 --stage "$stage" --width 100mm; done
figure stage_masked_weights renormalized --stage masked_weights --width 100mm
figure stage_renormalized_weights renormalized --stage renormalized_weights --width 100mm
for document in tokens1 tokens6 tokens6_one_head tokens64 tokens1024 long6 long64 long1024 foreign han30; do
  figure "weights_$document" "$document"
  figure "pipeline_$document" "$document" --stage pipeline
done
for document in tokens6_one_head tokens6 heads12 tokens64 tokens1024 foreign; do
  figure "heads_$document" "$document" --stage dropped_weights --head all
done
figure heads_own heads12 --stage scores --head all --range own --decimals none
figure heads_queries tokens64 --stage queries --head all
for theme in light dark transparent; do
  figure "theme_$theme" tokens6 --stage dropped_weights --theme "$theme" --title "Half of the weights are dropped"
  figure "theme_pipeline_$theme" tokens6 --stage pipeline --theme "$theme"
  figure "theme_heads_$theme" tokens1024 --stage scores --head all --theme "$theme"
done
figure words batch --batch 2 --stage dropped_weights --decimals 4 --footer --width 1200px --font-size 14 \
  --title "Attention after dropout, with a title that is long enough to need more than a single line of its own" \
  --caption "Rows are queries, columns are keys. Half of the weights are dropped and the others doubled, so that the
rows no longer sum to 1; in evaluation mode nothing is dropped."
figure range_fixed tokens6 --range 0..0.5 --width 80mm
figure range_shared tokens6 --range shared --stage scores --width 80mm --colormap viridis
figure narrow long6 --width 80mm
figure pipeline_renormalized renormalized --stage pipeline
figure pipeline_after_softmax after_softmax --stage pipeline
figure pipeline_simple simple --stage pipeline
animation sweep_seed tokens6 seed=1..12 --stage pipeline
animation sweep_dropout tokens6 dropout=0..0.9
animation sweep_heads heads12 num_heads=1..12 --head all
animation sweep_cell tokens6 "embedding[2,1]=-1..1:0.1" --stage scores --theme dark
animation sweep_tokens tokens6 tokens=1..6
animation sweep_pipeline tokens6 tokens=1..6 --stage pipeline
animation sweep_foreign foreign tokens=1..9 --theme transparent --footer
animation sweep_long long64 tokens=1..64:9 --head all --stage dropped_weights
animation sweep_large tokens1024 dropout=0,0.5,0.9 --stage pipeline
