# Two concurrent jobs on one machine: each creates its own statement, and none is lost.
set -euo pipefail
customer=$(centavo customers create --name Ben --email ben@example.com --json --jq .id)
bill() { centavo billing-statements create --customer "$customer" --item "$1 x1 @ $2" --due +5d --finalize --json --jq '.status'; }
bill First 100 > first &
bill Second 200 > second &
wait
cat first second
centavo billing-statements list --all --jq '[.data[].amount] | sort | map(. / 100)' | tr -d ' \n'; echo
