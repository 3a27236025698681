# A handler in shell: what is not genuine is not worked on.
set -euo pipefail
export CENTAVO_WEBHOOK_SECRET=whsk_0123456789abcdefghijklmnopqrstuv
body='{"id":"evt_1","resource":"event","type":"payment_intent.succeeded"}'
now=$(date +%s)
signature=$(printf '%s' "$now.$body" | openssl dgst -sha256 -hmac "$CENTAVO_WEBHOOK_SECRET" | sed 's/.* //')
for claimed in "$signature" "${signature//[0-9]/0}"; do
  if printf '%s' "$body" | centavo webhooks verify --header "t=$now,te=$claimed,li=" --json > verdict.json 2> /dev/null; then
    echo genuine
  else
    echo "not genuine: $?"
  fi
  grep -o '"genuine": [a-z]*' verdict.json
done

# exit: 0
# stdout:
#   genuine
#   "genuine": true
#   not genuine: 6
#   "genuine": false
# stderr:
