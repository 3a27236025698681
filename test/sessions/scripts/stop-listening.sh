# Listens for two seconds at most, as a watchdog would have it.
set -uo pipefail
timeout --preserve-status -s INT 2 centavo webhooks listen --json > events.jsonl
echo "exit $?"
grep -o '"type":"[a-z]*"' events.jsonl

# exit: 0
# stdout:
#   exit 130
#   "type":"ready"
#   "type":"summary"
# stderr:
