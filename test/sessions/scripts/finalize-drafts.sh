# Every morning: finalize all drafts, whatever their number.
set -euo pipefail
ana=$(centavo customers create --name Ana --email ana@example.com --jq .id)
for price in 100 250.50 1,000; do
  centavo billing-statements create --customer "$ana" --item "Work @ $price" --due +30d --json > /dev/null
done
centavo billing-statements list --status draft --all --jq '.data[].id' |
  centavo billing-statements finalize - --json > finalized.json
grep -c '"status": "open"' finalized.json
echo "left: $(centavo billing-statements list --status draft --all | wc -l | tr -d ' ')"

# exit: 0
# stdout:
#   3
#   left: 0
# stderr:
