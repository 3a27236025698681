# Voids all open statements of one customer.
set -euo pipefail
customer=$(centavo customers create --name Fe --email fe@example.com --json --jq .id)
for amount in 100 200 300; do
  centavo billing-statements create --customer "$customer" --item "Dues x1 @ $amount" --due +10d --finalize --quiet >/dev/null
done
centavo billing-statements list --status open --all --jq ".data[] | select(.customer_id == \"$customer\") | .id" |
  centavo billing-statements void - --yes --json --jq '.data | map(.status)' | tr -d ' \n'; echo
centavo billing-statements list --status open --all --jq '.data | length'
