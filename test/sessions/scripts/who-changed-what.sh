# Reads the changes made from this machine from the history.
set -euo pipefail
customer=$(centavo customers create --name Yan --email yan@example.com --json --jq .id)
centavo customers update "$customer" --name 'Yan Cruz' --quiet >/dev/null
centavo customers delete "$customer" --yes --quiet >/dev/null
centavo history --json --jq '.data | reverse[] | [.command, .result, .applied] | @tsv'
