#!/usr/bin/env bash
# on_debian.sh SUITE PRESET [ARGS]: builds a preset, such as release, on another Debian, such as trixie, with its compiler
# and its libraries, and runs the tests that need neither a window nor much time. ARGS go to ctest. The system is made in
# the user's cache and kept there for the next run; so is the build within it.
set -euo pipefail
suite=${1:?on_debian.sh SUITE PRESET, such as trixie release}
preset=${2:?on_debian.sh SUITE PRESET, such as trixie release}
shift 2
# A mount namespace of its own: however this script ends, nothing stays mounted.
if [[ -z ${ATTNSCOPE_OWN_MOUNTS:-} ]]; then
  as_root=()
  if ((EUID != 0)); then as_root=(sudo "HOME=$HOME"); fi
  exec "${as_root[@]}" env ATTNSCOPE_OWN_MOUNTS=yes unshare --mount "$(realpath "$0")" "$suite" "$preset" "$@"
fi
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly days_kept=21
# Half a gigabyte each; the tests that want them are skipped with a sentence where they are missing.
readonly left_out='python3-torch|texlive-latex-base'
readonly cache=${XDG_CACHE_HOME:-$HOME/.cache}/attnscope/debian
readonly root=$cache/$suite new=$cache/$suite.new log=$cache/$suite.log
readonly sources=/attnscope

# Runs a part whose output matters only when it fails, and says how long it took. It is not run in a condition, where
# bash would go on after a command that fails.
doing=
exec 3>&2
trap '[[ -z $doing ]] || { tail -n 60 "$log"; echo "$suite: failed: $doing"; } >&3' EXIT
part() {  # what it does, the command
  local start=$SECONDS
  doing=$1
  shift
  echo "$suite: $doing ..."
  "$@" >"$log" 2>&1
  echo "$suite: $doing: $((SECONDS - start)) s"
  doing=
}

inside() {  # root, command
  local in=$1
  shift
  chroot "$in" env -i HOME=/root LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    DEBIAN_FRONTEND=noninteractive "$@" 9>&-  # what a test leaves running holds no lock
}

packages() { ./dev packages run test | grep -vxE "$left_out"; }

# What the system is made of. Another list, or another way to make it, makes another system.
recipe() {
  packages
  declare -f mirror make_base install_packages
}

# Where this system has its own packages from.
mirror() {
  apt-get indextargets --format '$(ORIGIN) $(LABEL) $(COMPONENT) $(REPO_URI)' 'Identifier: Packages' |
    awk '$1 == "Debian" && $2 == "Debian" && $3 == "main" && !found++ { print $4 }'
}

make_base() {
  local from
  from=$(mirror)
  if [[ -z $from ]]; then
    apt-get update
    from=$(mirror)
  fi
  if [[ -z $from ]]; then
    echo "The apt sources of this system name no mirror of Debian to make $suite from."
    exit 1
  fi
  command -v debootstrap >/dev/null || apt-get install -y --no-install-recommends debootstrap
  if ! debootstrap --variant=minbase --include=ca-certificates "$suite" "$new" "$from"; then
    echo "Debian $suite could not be made from $from, the mirror of this system's apt sources; above is why."
    exit 1
  fi
  echo force-unsafe-io >"$new/etc/dpkg/dpkg.cfg.d/unsafe-io"  # a half-made system is never used
}

# Installs the packages that the suite has; the build and the tests say what they miss without the others.
install_packages() {
  local wanted available
  inside "$new" apt-get update
  mapfile -t wanted < <(packages | sort)
  mapfile -t available < <(comm -12 <(printf '%s\n' "${wanted[@]}") <(inside "$new" apt-cache pkgnames | sort))
  comm -23 <(printf '%s\n' "${wanted[@]}") <(printf '%s\n' "${available[@]}") >"$new/missing"
  inside "$new" apt-get install -y --no-install-recommends "${available[@]}"
  inside "$new" apt-get clean
}

is_good() { [[ -n $(find "$root/recipe" -mtime -"$days_kept" 2>/dev/null) ]] && cmp -s "$root/recipe" <(recipe); }

make_system() {
  rm -rf --one-file-system "$new"
  part "making the system" make_base
  mount -t proc proc "$new/proc"
  part "installing packages" install_packages
  umount "$new/proc"
  recipe >"$new/recipe"
  rm -rf --one-file-system "$root"
  mv "$new" "$root"
}

# Files are compared by what they hold, as those of a fresh clone are all new: only what changed is compiled again.
copy_sources() {
  local to=$root$sources file
  mkdir -p "$to"
  git ls-files -co --exclude-standard -z | while IFS= read -rd '' file; do
    if [[ -e $file ]]; then printf '%s\0' "$file"; fi
  done | sort -zu >"$cache/$suite.files"
  while IFS= read -rd '' file; do
    if cmp -s "$file" "$to/$file"; then continue; fi
    mkdir -p "$to/$(dirname "$file")"
    cp --preserve=mode "$file" "$to/$file"
  done <"$cache/$suite.files"
  (cd "$to" && find . -path ./build -prune -o -type f -printf '%P\0') | sort -z |
    comm -z -13 "$cache/$suite.files" - | (cd "$to" && xargs -0 -r rm -f)
}

compile() {
  inside "$root" sh -c "cd $sources && cmake --preset $preset -DATTNSCOPE_TESTS=ON -DATTNSCOPE_WERROR=OFF &&
    cmake --build --preset $preset"
}

run_tests() {
  inside "$root" sh -c 'cd "$0" && exec ctest --preset "$@" --parallel "$(nproc)" --label-exclude "slow|window"' \
    "$sources" "$preset" "$@" | grep -vE '^ *(Start|[0-9]+/[0-9]+ Test .*Passed)'
}

mkdir -p "$cache"
exec 9>"$cache/$suite.lock"
flock --nonblock 9 || {
  echo "$suite: another run uses this system; waiting for it ..."
  flock 9
}
is_good || make_system
if [[ -s $root/missing ]]; then echo "$suite has no package $(xargs <"$root/missing")."; fi
mount -t proc proc "$root/proc"
mount -t devpts devpts "$root/dev/pts"  # some tests are a terminal
part "copying the sources" copy_sources
part "building" compile
start=$SECONDS
echo "$suite: running the tests ..."
run_tests "$@"
echo "$suite: running the tests: $((SECONDS - start)) s"
