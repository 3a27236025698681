# Without a terminal nothing is asked: what is missing is named.
set -uo pipefail
centavo billing-statements create </dev/null
echo "exit $?"
centavo customers create --email y@example.com </dev/null
echo "exit $?"
