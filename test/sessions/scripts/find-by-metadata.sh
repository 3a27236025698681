# Finds the statement of an order by its metadata.
set -euo pipefail
customer=$(centavo customers create --name Vic --email vic@example.com --json --jq .id)
centavo billing-statements create --customer "$customer" --item 'Desk x1 @ 4,000' --due +9d --metadata order=1041 --quiet >/dev/null
centavo billing-statements create --customer "$customer" --item 'Lamp x2 @ 650.50' --due +9d --metadata order=1042 --quiet >/dev/null
centavo billing-statements list --all --jq '.data[] | select(.metadata.order == "1042") | .amount'
