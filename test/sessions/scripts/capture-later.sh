# Holds an amount, and captures less.
set -euo pipefail
intent=$(centavo payment-intents create --amount 5,000 --payment-methods card --capture-type manual --json --jq .id)
centavo sandbox pay "$intent" --quiet >/dev/null
centavo payment-intents capture "$intent" --amount 4,200 --json --jq '[.status, .amount] | @csv'
