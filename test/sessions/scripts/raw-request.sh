# Sends a request that has no command.
set -euo pipefail
centavo api POST /customers -d name='Pia' -d email=pia@example.com -d currency=PHP --json --jq .name
centavo api GET /customers -d limit=1 --jq '.data[0].email'
