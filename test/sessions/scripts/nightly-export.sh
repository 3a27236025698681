# Exports customers as CSV and statements as JSON lines, and counts the lines.
set -euo pipefail
centavo sandbox seed --quiet >/dev/null
centavo customers list --all -o csv > customers.csv
centavo billing-statements list --all -o jsonl > statements.jsonl
echo "customers: $(($(wc -l < customers.csv) - 1))"
echo "statements: $(wc -l < statements.jsonl)"
head -n 1 customers.csv | tr -d '\r' | cut -d, -f1-4
