# Shared by scripts that have many steps: one after the other, or side by side. To be sourced, under `set -eu`.

began=$(date +%s)
# Those that run: process, file with what it says, what it is; a line each.
others=

seconds() {
	echo "$(($(date +%s) - began)) s"
}

# A step, after the one before.
step() {
	echo "== $(seconds): $*"
	"$@"
}

# A step that others run beside, until `together`. What it says is kept meanwhile.
beside() {
	echo "== $(seconds): $* (others beside it)"
	said=$(mktemp)
	("$@") >"$said" 2>&1 &
	others="$others$! $said $*
"
}

# Waits for all that run; fails if one of them did, with what each said.
together() {
	failed=
	# The list itself, not a pipe from it: only children of this shell can be waited for.
	while read -r process said what; do
		if [ -z "$process" ]; then
			continue
		fi
		status=0
		wait "$process" || status=$?
		echo "== $(seconds): ended with $status: $what"
		cat "$said"
		rm -f "$said"
		if [ "$status" != 0 ]; then
			failed="$failed, $what"
		fi
	done <<-END
		$others
	END
	others=
	if [ -n "$failed" ]; then
		echo "relyant: failed: ${failed#, }" >&2
		exit 1
	fi
}

# What runs is not left behind.
ended() {
	echo "$others" | while read -r process _; do
		if [ -n "$process" ]; then
			kill "$process" 2>/dev/null || :
		fi
	done
}
trap ended EXIT
trap 'exit 130' INT TERM
