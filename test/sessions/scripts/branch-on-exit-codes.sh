# A script that decides by the exit code alone.
set -uo pipefail
ana=$(centavo customers create --name Ana --email ana@example.com --jq .id)
try() {
  "$@" > out 2> err
  case $? in
    0) echo ok ;;
    2) echo 'wrong command line' ;;
    3) echo 'not there' ;;
    5) echo refused ;;
    8) echo unavailable ;;
    11) echo "in part: $(wc -l < out | tr -d ' ') of 2" ;;
    *) echo "something else: $(cat err)" ;;
  esac
}
try centavo customers get "$ana"
try centavo customers get "$ana" --nosuch
try centavo customers get cus_None
try centavo billing-statements finalize "$(centavo billing-statements create --customer "$ana" --jq .id --item 'Pin @ 1' --due +30d)"
CENTAVO_SECRET_KEY=sk_test_0123456789abcdef CENTAVO_BASE_URL=http://127.0.0.1:1 try centavo customers get "$ana"
try centavo customers get "$ana" cus_None --fields id

# exit: 0
# stdout:
#   ok
#   wrong command line
#   not there
#   refused
#   unavailable
#   in part: 1 of 2
# stderr:
