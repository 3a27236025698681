# Shows a reviewer what would be sent, and then that nothing was.
set -euo pipefail
centavo customers create --name "Niño's Bakery" --email nino@example.com --metadata branch=cebu --dry-run -o yaml 2> /dev/null |
  grep -E 'dry_run|method|authorization'
centavo --json customers list | grep '"data"'

# exit: 0
# stdout:
#   dry_run: true
#     - method: POST
#         authorization: Basic [redacted]
#     "data": []
# stderr:
