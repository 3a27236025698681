# Sets limits for a job, reads them back, and respects them.
set -uo pipefail
centavo config set max_amount 1,000 --profile sandbox --quiet
centavo config get max_amount --profile sandbox --json --jq .value
customer=$(centavo customers create --name Abe --email abe@example.com --json --jq .id)
centavo billing-statements create --customer "$customer" --item 'Sofa x1 @ 1,000.01' --due +9d
echo "exit $?"
centavo billing-statements create --customer "$customer" --item 'Chair x1 @ 1,000' --due +9d --json --jq .amount
