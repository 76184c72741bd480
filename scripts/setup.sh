# Shared by the other scripts: z3's library and a release build. To be sourced.

as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif command -v sudo >/dev/null 2>&1; then
		sudo "$@"
	else
		echo "relyant: please run as root: $*" >&2
		exit 2
	fi
}

have_z3() {
	if command -v pkg-config >/dev/null 2>&1 && pkg-config --exists z3; then
		return 0
	fi
	for file in /usr/include/z3.h /usr/local/include/z3.h /opt/homebrew/include/z3.h; do
		if [ -f "$file" ]; then
			return 0
		fi
	done
	return 1
}

# Z3's headers and library, from the system's package manager.
need_z3() {
	if have_z3; then
		return
	fi
	echo "relyant: z3 is not installed; installing it with the system's package manager" >&2
	if command -v apt-get >/dev/null 2>&1; then
		as_root apt-get update -qq >&2
		as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq libz3-dev pkg-config >&2
	elif command -v dnf >/dev/null 2>&1; then
		as_root dnf install -y -q z3-devel pkgconf-pkg-config >&2
	elif command -v pacman >/dev/null 2>&1; then
		as_root pacman -S --noconfirm --needed z3 pkgconf >&2
	elif command -v apk >/dev/null 2>&1; then
		as_root apk add -q z3-dev pkgconf >&2
	elif command -v zypper >/dev/null 2>&1; then
		as_root zypper -q install -y z3-devel pkg-config >&2
	elif command -v brew >/dev/null 2>&1; then
		brew install -q z3 pkg-config >&2
	else
		echo "relyant: no package manager known here; please install z3 with its headers" >&2
		exit 2
	fi
	if ! have_z3; then
		echo "relyant: z3 was installed, but neither pkg-config nor the usual places have it" >&2
		exit 2
	fi
}

# Debian's packages of something that is missing: what it is called, and their names.
from_debian() {
	what=$1
	shift
	if ! command -v apt-get >/dev/null 2>&1; then
		echo "relyant: please install $what (Debian: $*)" >&2
		exit 2
	fi
	echo "relyant: $what is not installed; installing it with the system's package manager" >&2
	as_root apt-get update -qq >&2
	as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@" >&2
}

# Csmith with its headers, which are in Debian and its like only.
need_csmith() {
	if ! command -v csmith >/dev/null 2>&1 || [ ! -f /usr/include/csmith/csmith.h ]; then
		from_debian "csmith with its headers" csmith libcsmith-dev
	fi
}

# Python that can make environments of its own.
need_python() {
	python3 -c 'import ensurepip, venv' >/dev/null 2>&1 || from_debian "python3 with venv" python3 python3-venv
}

# A release build; says so the first time, and prints what cargo says when it fails.
build_release() {
	if ! command -v cargo >/dev/null 2>&1; then
		echo "relyant: cargo is not installed; see https://rustup.rs" >&2
		exit 2
	fi
	if [ ! -x "$1/target/release/relyant" ]; then
		echo "relyant: building, once (some minutes)" >&2
	fi
	log=$(mktemp)
	if ! (cd "$1" && cargo build --release --quiet --locked --bin relyant) >"$log" 2>&1; then
		cat "$log" >&2
		rm -f "$log"
		exit 2
	fi
	rm -f "$log"
}

# Runs a command where the system's Z3 cannot be seen, as far as this user may hide it.
hidden() {
	library=$(ldconfig -p 2>/dev/null | awk '$1 ~ /^libz3\.so/ { print $NF; exit }')
	if [ -n "$library" ] && unshare -m true 2>/dev/null; then
		unshare -m sh -c 'mount --bind /dev/null "$0" && exec "$@"' "$(readlink -f "$library")" "$@"
	else
		"$@"
	fi
}

# Chromium, with npm for the library that drives it.
need_chromium() {
	[ -x /usr/bin/chromium ] || from_debian chromium chromium
	command -v npm >/dev/null 2>&1 || from_debian npm npm
}
