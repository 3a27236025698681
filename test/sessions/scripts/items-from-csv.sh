# Reads line items from a file; an error in it is reported before anything is sent.
set -uo pipefail
customer=$(centavo customers create --name Wen --email wen@example.com --json --jq .id)
printf 'description,quantity,unit_price\nPaper,10,250\n"Ink, black",2,"1,099.50"\n' > items.csv
centavo billing-statements create --customer "$customer" --items items.csv --due +9d --json --jq '[.line_items[] | .quantity * .unit_price] | add'
printf 'description,quantity,unit_price\nPaper,ten,250\n' > wrong.csv
centavo billing-statements create --customer "$customer" --items wrong.csv --due +9d
echo "exit $?"
centavo billing-statements list --all --jq '.data | length'
