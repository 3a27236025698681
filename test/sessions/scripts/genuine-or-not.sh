# Checks the signature of a stored webhook against one made with openssl.
set -uo pipefail
body='{"id":"evt_1","resource":"event","type":"payment_intent.succeeded","livemode":false,"data":{"id":"pi_1","resource":"payment_intent"}}'
export CENTAVO_WEBHOOK_SECRET=whsk_0123456789abcdef0123456789abcdef
now=$(date +%s)
sign() { printf '%s.%s' "$now" "$1" | openssl dgst -sha256 -hmac "$CENTAVO_WEBHOOK_SECRET" -r | cut -d' ' -f1; }
check() { printf '%s' "$1" | centavo webhooks verify --header "Payrex-Signature: t=$now,te=$2,li=" --json --jq .genuine; echo "exit ${PIPESTATUS[1]}"; }
check "$body" "$(sign "$body")"
check "${body/pi_1/pi_2}" "$(sign "$body")"
