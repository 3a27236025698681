# Without a terminal there are no questions: the error names the missing flag.
set -uo pipefail
centavo billing-statements create </dev/null
echo "exit $?"
centavo customers create --email y@example.com </dev/null
echo "exit $?"
