# Refunds part of a payment, then tries too large a part.
set -uo pipefail
customer=$(centavo customers create --name Nio --email nio@example.com --json --jq .id)
statement=$(centavo billing-statements create --customer "$customer" --item 'Shoes x1 @ 2,000' --due +2d --finalize --json --jq .id)
payment=$(centavo sandbox pay "$statement" --json --jq '.payment.id // .payment_id // .payment')
centavo refunds create --payment "$payment" --amount 500 --reason requested_by_customer --json --jq '[.amount, .status] | @csv'
centavo refunds create --payment "$payment" --amount 1,600 --reason requested_by_customer --json >/dev/null 2>err.json
echo "exit $?"
python3 -c 'import json; print(json.load(open("err.json"))["error"]["exit_code"])'
