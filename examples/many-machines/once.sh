#!/bin/sh
# Does one task in one directory, and only once: prints the result as JSON, however often it is called.
#
#   once.sh DIRECTORY PROMPT [OPTION OF IKIGAI]...
#
# A scheduler may kill it and call it again. A call waits for one that is still running; a task that failed is tried again.
set -eu
[ $# -ge 2 ] || { echo "usage: once.sh DIRECTORY PROMPT [OPTION OF IKIGAI]..." >&2; exit 2; }
# The key of the task is made from it, so a relative path must not be the same in two places.
directory=$(CDPATH= cd -- "$1" && pwd -P)
prompt=$2
shift 2
tasks=${XDG_STATE_HOME:-$HOME/.local/state}/ikigai-tasks
task=$tasks/$(printf '%s\n' "$directory" "$prompt" "$@" | cksum | tr ' ' -)
mkdir -p "$tasks"
# ikigai holds the lock, too: it may outlive this script.
exec 9>"$task.lock"
flock 9
if [ ! -s "$task.json" ]; then
  cd "$directory"
  ikigai -p "$prompt" --output-format json "$@" </dev/null >"$task.part"
  mv "$task.part" "$task.json"
fi
cat "$task.json"
