#!/bin/sh
# Makes assets/screen.svg from the real program: 9 s at 256, x, 9 s at 257, x,
# 6 s at 256, then S. Needs tmux and `cargo build --release`.
set -eu
cd "$(dirname "$0")/.."
program=$PWD/target/release/ptyscope
folder=$(mktemp -d)
trap 'tmux -L picture kill-server 2>/dev/null; rm -rf "$folder"' EXIT
tmux -L picture new-session -d -x 110 -y 36 -c "$folder" "$program"
for step in "9 x" "9 x" "6 S" "1 q"; do
    sleep "${step% *}"
    tmux -L picture send-keys "${step#* }"
done
sleep 1
mv "$folder"/ptyscope-*.svg assets/screen.svg
