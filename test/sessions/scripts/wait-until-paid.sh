# Waits until a statement is paid: reads again until its status is not open.
set -euo pipefail
statement=$(centavo billing-statements create --customer-email ana@example.com --item 'Tuition x1 @ 5,000' --due +7d --finalize --json --jq .id 2>/dev/null || true)
[ -n "$statement" ] || { # There is no such customer yet.
  centavo customers create --name Ana --email ana@example.com --quiet >/dev/null
  statement=$(centavo billing-statements create --customer-email ana@example.com --item 'Tuition x1 @ 5,000' --due +7d --finalize --json --jq .id)
}
centavo sandbox pay "$statement" --quiet >/dev/null &
until [ "$(centavo billing-statements get "$statement" --json --jq .status)" = paid ]; do :; done
wait
centavo billing-statements get "$statement" --fields status,amount
