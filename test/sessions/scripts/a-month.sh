# A merchant's month by names and own numbers: bill 60 from a messy sheet, fix three mistakes, see payments by five methods, take cash, refund, remind, and close the month. No id is typed.
set -euo pipefail
centavo sandbox clock set 2031-03-03T10:00:00+08:00 -q >/dev/null
show() { grep -v '^→' | sed 's/^/  | /'; }

# The sheet as received: title rows, a misspelt column, a price in words, and a wrong total.
{
  printf 'Tindahan ni Aling Nena;;;;;;\nBilling for the month;;;;;;\n;;;;;;\n'
  printf 'Invoice no.;Name;Emial;Particulars;Qty;Rate;Due\n'
  for n in $(seq 1 60); do
    printf 'MAR-%03d;Customer %03d;c%03d@example.com;Monthly order;%d;%s;in 20 days\n' $n $n $n $((n % 3 + 1)) "$([ $n = 7 ] && echo soon || echo 450)"
  done
  printf 'Total;;;;;1;\n'
} > march.csv
for mend in 's/Emial/Email/' 's/;soon;/;450;/' 's/^Total;;;;;1;/Total;;;;;54,000;/'; do
  centavo import march.csv --send --yes -q 2>&1 >/dev/null | show || true
  sed -i "$mend" march.csv
done
centavo import march.csv --send --yes -q --result sent.csv >/dev/null
grep -c ',yes' sent.csv

# Payments come in by five methods; one customer pays in cash, one is refunded.
for pair in 1:gcash 2:maya 3:qrph 4:billease 5:card; do
  method=${pair#*:}
  [ $method = card ] && how='--card 4242424242424242' || how="--method $method"
  centavo sandbox pay "MAR-00${pair%:*}" $how -q >/dev/null
done
centavo billing-statements settle 'Customer 006' --paid-outside 'cash at the shop' -q >/dev/null
centavo refunds create --statement MAR-001 --amount 50 --reason others -q --fields amount -o csv
centavo paid --fields customer,amount,how -o csv
centavo find MAR-007 --fields matched,customer,state -o csv

# One bill was wrong; late customers are reminded, one of them by name.
centavo billing-statements reissue MAR-008 --item 'Monthly order x1 @ 300' --due +10d --send -q --fields amount,status -o csv
centavo sandbox clock advance 21d -q >/dev/null
centavo remind 'Customer 009' --again -q --fields customer,reminded -o csv
centavo remind --overdue --again --yes -q --fields reminded -o csv | sort | uniq -c | sed 's/^ *//'
centavo owed --json --jq '[.statements, .total]'

# Close the month: amounts billed and received, and the same by hand.
centavo month 2031-03 -o csv -q >month.csv
centavo month 2031-03 --json -q --jq '[.billed, .voided, .received, .settled, .refunded, .owed]'
centavo billing-statements list --all --json --jq '[.data[] | select(.status == "paid") | .amount] | add'
