#!/bin/sh
# Verifies a webhook delivery with openssl. Exits with 0 if it is genuine.
#   PAYREX_WEBHOOK_SECRET=whsk_… sh verify.sh body.json "$header" [te|li]
# The file has the exact bytes, the header is the value of Payrex-Signature, the secret is whole, with its prefix whsk_.
# `te` is the signature of test mode, `li` of live mode. For trials: others on this machine see the secret, and the
# comparison does not take constant time.

part() { printf '%s' "$2" | tr ',' '\n' | sed -n "s/^ *$1=//p"; }

t=$(part t "$2")
signature=$(part "${3:-te}" "$2")
case $t in '' | 0* | *[!0-9]* | ???????????*) exit 1 ;; esac
age=$(($(date +%s) - t))
[ "${age#-}" -le 300 ] || exit 1
expected=$({ printf '%s.' "$t"; cat "$1"; } | openssl dgst -sha256 -hmac "$PAYREX_WEBHOOK_SECRET" -r | cut -d ' ' -f 1)
[ "$signature" = "$expected" ]
