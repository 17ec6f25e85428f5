#!/usr/bin/env bash
# Files that take a while, in a real window: reading.sh ATTNSCOPE WHERE. The window opens first and reads then; meanwhile it
# does what it is told, and can be left at once.
set -euo pipefail
source "$(dirname "$0")/desktop.sh" "$1" "$2"

/usr/bin/python3 - "$here/../../assets/models/stories" <<'EOF'
import io, json, numpy, os, shutil, struct, sys, zipfile
layer = numpy.random.default_rng(3).integers(0, 255, (2300, 2300)).astype("float32") / 255
weights = numpy.resize(layer, (5, 2300, 2300))
with zipfile.ZipFile("packed.npz", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
    data = io.BytesIO()
    numpy.save(data, weights)
    archive.writestr("attn.npy", data.getvalue())

# A model with a terabyte of zeros that nothing needs: its checksum, which the document asks for, takes an hour.
shutil.copytree(sys.argv[1], "endless")
with open("endless/model.safetensors", "r+b") as file:
    header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
    numbers = file.read()
    header["nothing"] = {"dtype": "U8", "shape": [1 << 40], "data_offsets": [len(numbers), len(numbers) + (1 << 40)]}
    text = json.dumps(header).encode()
    file.seek(0)
    file.write(struct.pack("<Q", len(text)) + text + numbers)
    file.truncate(file.tell() + (1 << 40))
json.dump({"model": "endless", "text": "Mia", "model_sha256": "0" * 64}, open("endless.json", "w"))
EOF

for arguments in "view packed.npz" packed.npz; do
  open_window $arguments
  [[ $first_title == "untitled – attnscope" ]] || fail "$arguments: the window came up after the file was read: $first_title"
  [[ -z ${ATTNSCOPE_LOOK:-} ]] || import -window "$window" "$ATTNSCOPE_LOOK"
  await_title "packed.npz – attnscope"
  leave
done
[[ ! -s $folder/stderr ]] || fail "the program wrote to standard error"

open_window view packed.npz
leave

open_window endless.json
[[ $first_title == "untitled – attnscope" ]] || fail "the window came up after the model was read: $first_title"
leave
open_window endless.json
kill -TERM "$pid"
status=0
wait "$pid" || status=$?
[[ $status == $((128 + 15)) ]] || fail "it ended with status $status"
[[ ! -s $folder/stderr ]] || fail "the program wrote to standard error"
echo "real window: it came before the file was read, showed it then, and could be left meanwhile"
