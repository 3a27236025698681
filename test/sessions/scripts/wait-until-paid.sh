# Bills somebody and goes on when the statement is paid.
set -euo pipefail
ana=$(centavo customers create --name Ana --email ana@example.com --jq .id)
centavo webhooks listen --until billing_statement.paid --timeout 60s --json > events.jsonl &
listener=$!
until grep -q '"type":"ready"' events.jsonl; do sleep 0.1; done
statement=$(centavo billing-statements create --customer "$ana" --item 'Work @ 500' --due +30d --finalize --jq .id)
centavo sandbox pay "$statement" --quiet > /dev/null
wait "$listener"
centavo billing-statements get "$statement" --fields status,amount

# exit: 0
# stdout:
#   status	paid
#   amount	₱500.00
# stderr:
