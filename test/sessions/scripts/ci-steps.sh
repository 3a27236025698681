# The steps of a CI job: with CI set there are no questions, and the first failure ends it.
set -euo pipefail
export CI=true
echo '::group::version'
centavo --version
echo '::group::main job'
customer=$(centavo customers create --name 'CI Customer' --email ci@example.com --json --jq .id)
statement=$(centavo billing-statements create --customer "$customer" --item 'Order x1 @ 150' --due +1d --finalize --send --yes --json --jq .id)
centavo sandbox pay "$statement" --quiet >/dev/null
centavo billing-statements get "$statement" --json --jq .status
echo '::group::events'
centavo sandbox events list --limit 100 --json --jq '[.data[].type] | unique | .[]'
