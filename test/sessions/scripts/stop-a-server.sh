# A supervisor ends the sandbox's server with SIGTERM, and it ends cleanly.
set -uo pipefail
centavo sandbox serve --port 0 --json > ready.json &
server=$!
until grep -qs '}' ready.json; do sleep 0.1; done
kill -TERM "$server"
wait "$server"
echo "exit $?"
