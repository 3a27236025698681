# Refunds a part of what was paid; more than was paid is refused, with the limit in pesos.
set -euo pipefail
ana=$(centavo customers create --name Ana --email ana@example.com --jq .id)
statement=$(centavo billing-statements create --customer "$ana" --item 'Work @ 500' --due +30d --finalize --jq .id)
payment=$(centavo sandbox pay "$statement" --card 4242424242424242 --json | grep -o 'pay_[A-Za-z0-9]*' | head -n 1)
centavo refunds create --payment "$payment" --amount 200 --reason others --quiet --fields status,amount
centavo refunds create --payment "$payment" --amount 300.01 --reason others --quiet

# exit: 5
# stdout:
#   status	succeeded
#   amount	₱200.00
# stderr:
#   Error: the API refused the request (HTTP 400).
#     The value for amount cannot be more than ₱300.00. Nothing was changed.
