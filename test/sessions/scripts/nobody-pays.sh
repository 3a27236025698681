# A timed out wait has its own exit code.
set -uo pipefail
centavo webhooks listen --events billing_statement.paid --count 1 --timeout 1s --json > events.jsonl 2> error.json
echo "exit $?"
grep -o '"code":"[a-z_]*"' error.json
