# Bills three customers, pays one, and adds up what is open, in integers.
import json
import subprocess


def centavo(*words):
    return json.loads(subprocess.run(["centavo", *words, "--json"], check=True, capture_output=True).stdout)


statements = []
for name, pesos in ("Ana", "1,250.50"), ("Ben", "99.99"), ("Cai", "20"):
    customer = centavo("customers", "create", "--name", name, "--email", f"{name.lower()}@example.com")
    statement = centavo(
        "billing-statements", "create", "--customer", customer["id"], "--item", f"Work @ {pesos}", "--due", "+30d", "--finalize"
    )
    statements.append(statement)
centavo("sandbox", "pay", statements[1]["id"])
listed = centavo("billing-statements", "list", "--status", "open", "--all")["data"]
print([statement["status"] for statement in statements])
print(sum(statement["amount"] for statement in listed))

# exit: 0
# stdout:
#   ['open', 'open', 'open']
#   127050
# stderr:
