# Nightly: finalizes every draft. Having none is no error.
set -euo pipefail
finalize_drafts() {
  centavo billing-statements list --status draft --all --jq '.data[].id' | centavo billing-statements finalize - --json --jq '.data | length'
}
finalize_drafts
customer=$(centavo customers create --name 'Aling Nena' --email nena@example.com --json --jq .id)
centavo billing-statements create --customer "$customer" --item 'Rent x1 @ 12,000' --due +30d --json --jq .status
centavo billing-statements create --customer "$customer" --item 'Water x1 @ 350' --due +30d --json --jq .status
finalize_drafts
finalize_drafts
