# A merchant's day by numbers and names: find, bill, correct, send, chase, get paid, refund, and look at the ledger. No id is typed.
set -euo pipefail

# Two customers; one of them has no statement yet.
centavo customers create --name 'Niño Ibañez' --email nino@example.com --billing-statement-prefix NINO -q --fields name,email -o csv
centavo customers create --name 'Reyes Hardware' --email orders@reyes.example --billing-statement-prefix REYES -q --fields name -o csv

# Bill them: one by name, one by address, from a file as a spreadsheet saves it.
printf 'Particulars;Qty;Rate\nCement, 40 kg;120;"265"\nDelivery;1;2500\n' > items.csv
centavo bill --customer 'Niño Ibañez' --item 'Web design x2 @ 15,000' --due 'in 10 days' --finalize -q --fields number,amount,status -o csv
centavo bill --customer orders@reyes.example --items items.csv --due +14d --send -q --fields number,amount,status -o csv

# Find them: by number in any case, by part of a name without accents, by customer.
centavo get nino-0001 --fields number,amount,status -o csv
centavo customers get ibanez --fields name,email -o csv
centavo billing-statements list --customer reyes --status open --fields number,amount -o csv

# Correct the first one: the old one is voided, and the new one has a number of its own.
centavo billing-statements reissue NINO-0001 --item 'Web design x2 @ 14,000' --due +21d --send -q --fields number,amount,status -o csv
centavo get NINO-0001 --fields number,status -o csv

# Time passes; remind of overdue statements, and settle a cash payment.
centavo sandbox clock advance 40d -q >/dev/null
centavo owed --fields name,owed,days_overdue -o csv
centavo billing-statements remind --overdue 7d -q --fields number,reminded,reason -o csv
centavo billing-statements settle REYES-0001 --paid-outside 'cash at the shop' -q --fields number,status -o csv

# The customer pays; the merchant waits for it, and refunds a part.
centavo billing-statements link NINO-0002 >link.txt
centavo sandbox pay NINO-0002 --method gcash -q >/dev/null
centavo billing-statements wait NINO-0002 --for paid --timeout 10s -q --fields number,status -o csv
centavo refunds create --statement NINO-0002 --amount 450 --reason others -q --fields amount,status -o csv

# The ledger of each customer.
centavo customers ledger nino --fields what,number,billed,voided,received,settled,balance -o csv
centavo customers ledger 'Reyes Hardware' --fields what,number,billed,voided,received,settled,balance -o csv
grep -c '^http' link.txt
