# Replaces the key of a profile that reads it from a program, as with a password manager.
set -euo pipefail
umask 077
printf '#!/bin/sh\ncat "$HOME/key"\n' > read-key && chmod +x read-key
printf 'sk_test_%s\n' OldKeyOldKeyOldKeyOldKey1234 > key
centavo login --profile shop --base-url https://pay.example --credential-command "$PWD/read-key" --offline --json --jq .key
printf 'sk_test_%s\n' NewKeyNewKeyNewKeyNewKey5678 > key
centavo login --profile shop --base-url https://pay.example --credential-command "$PWD/read-key" --offline --json --jq .key
centavo config list --profile shop --json --jq '.data[] | select(.name == "base_url") | .value'
grep -rc KeyNewKey .config/centavo || echo 'no key is in the configuration'
