# A cron job without its key bills nothing, and says so.
set -uo pipefail
export CENTAVO_BASE_URL=https://api.payrexhq.com
centavo billing-statements list
echo "exit $?"
CENTAVO_PROFILE=shop centavo billing-statements list
echo "exit $?"
