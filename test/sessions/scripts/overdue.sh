# Moves the sandbox's clock until a statement is overdue, as a test of a reminder job does.
set -euo pipefail
customer=$(centavo customers create --name Mia --email mia@example.com --json --jq .id)
statement=$(centavo billing-statements create --customer "$customer" --item 'Lease x1 @ 900' --due +2d --finalize --json --jq .id)
centavo sandbox events list --json --jq '[.data[].type] | unique | length > 0'
centavo sandbox clock advance 5d --quiet >/dev/null
centavo sandbox events list --limit 100 --json --jq '[.data[].type | select(test("due"))] | unique | .[]'
centavo billing-statements get "$statement" --json --jq .status
