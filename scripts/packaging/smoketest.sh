#!/bin/sh
# Does what is unpacked here work? Ends with 0 if it does.
cd "$(dirname "$0")" || exit 1
./relyant --version || exit 1
./relyant verify peterson.c | tail -n 1 | grep -qx 'verdict: safe' || { echo "peterson.c: not safe" >&2; exit 1; }
./relyant verify handle_broken.c | tail -n 1 | grep -qx 'verdict: unsafe' || { echo "handle_broken.c: not unsafe" >&2; exit 1; }
echo "works"
