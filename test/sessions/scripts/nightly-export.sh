# Every night: all customers as CSV, all statements as JSON lines.
set -euo pipefail
centavo sandbox seed --quiet > /dev/null
centavo customers list --all -o csv --fields id,name,email > customers.csv
centavo billing-statements list --all -o jsonl > statements.jsonl
head -n 1 customers.csv | tr -d '\r'
[ "$(tail -n +2 customers.csv | wc -l)" -eq "$(centavo customers list --all | wc -l)" ] && echo 'all customers'
[ "$(wc -l < statements.jsonl)" -eq "$(centavo billing-statements list --all --jq '.data | length')" ] && echo 'all statements'
# Whoever reads only the beginning ends nothing badly.
centavo billing-statements list --all -o jsonl | head -n 1 | cut -c 1-12

# exit: 0
# stdout:
#   id,name,email
#   all customers
#   all statements
#   {"id":"bstm_
# stderr:
