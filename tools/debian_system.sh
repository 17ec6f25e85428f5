# shellcheck shell=bash disable=SC2154
# debian_system.sh: sourced by scripts that build within another Debian. The system is made in the user's cache and kept
# there for the next run; so is the build within it. A script sets `suite`, such as trixie, and `name`, what the system is
# called, and `script`, its own path; defines packages(), which prints the names of what it needs, and perhaps complete(),
# which does more with a new system; then it calls enter "$@" and open_system.
set -euo pipefail

readonly days_kept=21
readonly cache=${XDG_CACHE_HOME:-$HOME/.cache}/attnscope/debian
readonly root=$cache/$name new=$cache/$name.new log=$cache/$name.log
readonly sources=/attnscope

# Gives the script a mount namespace of its own: however it ends, nothing stays mounted.
enter() {
  if [[ -n ${ATTNSCOPE_OWN_MOUNTS:-} ]]; then return; fi
  local as_root=()
  if ((EUID != 0)); then as_root=(sudo "HOME=$HOME"); fi
  exec "${as_root[@]}" env ATTNSCOPE_OWN_MOUNTS=yes unshare --mount "$script" "$@"
}

complete() { :; }

# Runs a part whose output matters only when it fails, and says how long it took. It is not run in a condition, where
# bash would go on after a command that fails.
doing=
exec 3>&2
trap '[[ -z $doing ]] || { tail -n 60 "$log"; echo "$name: failed: $doing"; } >&3' EXIT
part() {  # what it does, the command
  local start=$SECONDS
  doing=$1
  shift
  echo "$name: $doing ..."
  "$@" >"$log" 2>&1
  echo "$name: $doing: $((SECONDS - start)) s"
  doing=
}

inside() {  # root, command
  local in=$1
  shift
  chroot "$in" env -i HOME=/root LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    DEBIAN_FRONTEND=noninteractive "$@" 9>&-  # what a test leaves running holds no lock
}

# What the system is made of. Another list, or another way to make it, makes another system.
recipe() {
  packages
  declare -f mirror make_base install_packages complete
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
  complete
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
  done | sort -zu >"$cache/$name.files"
  while IFS= read -rd '' file; do
    if cmp -s "$file" "$to/$file"; then continue; fi
    mkdir -p "$to/$(dirname "$file")"
    cp --preserve=mode "$file" "$to/$file"
  done <"$cache/$name.files"
  (cd "$to" && find . -path ./build -prune -o -type f -printf '%P\0') | sort -z |
    comm -z -13 "$cache/$name.files" - | (cd "$to" && xargs -0 -r rm -f)
}

# Makes the system where there is none, or an old one, and mounts what programs within it ask for.
open_system() {
  mkdir -p "$cache"
  exec 9>"$cache/$name.lock"
  flock --nonblock 9 || {
    echo "$name: another run uses this system; waiting for it ..."
    flock 9
  }
  is_good || make_system
  if [[ -s $root/missing ]]; then echo "$name has no package $(xargs <"$root/missing")."; fi
  mount -t proc proc "$root/proc"
  mount -t devpts devpts "$root/dev/pts"  # some tests are a terminal
  part "copying the sources" copy_sources
}
