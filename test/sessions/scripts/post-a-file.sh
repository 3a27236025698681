# Sends another program's JSON byte for byte, with numbers of any length.
set -euo pipefail
echo '{"currency":"PHP","name":"Ana","email":"ana@example.com","serial":12345678901234567890}' > customer.json
centavo api POST /customers -d @customer.json --dry-run 2> /dev/null | tail -n 1
centavo api POST /customers -d currency=PHP -d name=Ana -d email=ana@example.com --fields name,email
centavo api POST /customers -d 'a[b]=1' -d 'a[]=2' --json || echo "exit $?"
