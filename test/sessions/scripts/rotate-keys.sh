# A key was revoked: exit 4 says so, and the job takes the new one from its vault.
set -euo pipefail
centavo sandbox serve --port 0 --json > ready.json &
server=$!
trap 'kill "$server"; wait "$server" || true' EXIT
until grep -q '}' ready.json; do sleep 0.1; done
url=$(grep -o 'http://[^"]*' ready.json)
vault() { grep -o 'sk_test_[A-Za-z0-9]*' ready.json; }

login() { centavo login --profile shop --base-url "$url" --with-token --insecure-storage --quiet; }
status=0
echo sk_test_0123456789abcdefghijklmnopqrstuv | login > /dev/null || status=$?
echo "old key: $status"
vault | login > /dev/null
centavo -p shop --json status | grep -E '"(mode|reachable)"'
centavo -p shop customers list
centavo logout --profile shop --yes --quiet > /dev/null

# exit: 0
# stdout:
#   old key: 4
#     "mode": "test",
#     "reachable": true,
# stderr:
#   Error: the API refused the key sk_test_…stuv (HTTP 401), and it was not stored.
#     It was asked at http://127.0.0.1:…. The API key is not valid. Nothing was changed. Request ID: req_….
#     Copy the key once more: centavo login --profile shop --base-url http://127.0.0.1:… --insecure-storage=test
