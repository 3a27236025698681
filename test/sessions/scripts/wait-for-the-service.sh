# Waits until the API is up: retries only on exit 8.
set -uo pipefail
centavo sandbox serve --port 0 --json > ready.json &
server=$!
trap 'kill "$server"; wait "$server"' EXIT
until grep -qs '}' ready.json; do sleep 0.1; done
up=$(grep -o 'http://[^"]*' ready.json)
export CENTAVO_SECRET_KEY=$(grep -o 'sk_test_[A-Za-z0-9]*' ready.json)
# Nothing listens at the first address.
for url in http://127.0.0.1:1 "$up"; do
  CENTAVO_BASE_URL=$url centavo customers list --json > list.json 2> /dev/null
  status=$?
  echo "exit $status"
  [ "$status" -eq 8 ] || break
done
grep '"data"' list.json
