# Reads several objects at once: a list in the order of the ids, and exit 11 when one of them is not there.
import json
import subprocess


def run(*words, ids=""):
    return subprocess.run(["centavo", *words, "--json"], input=ids, capture_output=True, text=True)


made = [
    json.loads(run("customers", "create", "--name", name, "--email", "a@example.com").stdout)["id"] for name in ("Ana", "Ben")
]
both = run("customers", "get", "-", ids="\n".join(reversed(made)))
print(both.returncode, [customer["name"] for customer in json.loads(both.stdout)])
some = run("customers", "get", "-", ids=f"{made[0]}\ncus_None\n")
error = json.loads(some.stderr)["error"]
print(some.returncode, [customer["name"] for customer in json.loads(some.stdout)], error["code"], "cus_None" in some.stderr)

# exit: 0
# stdout:
#   0 ['Ben', 'Ana']
#   11 ['Ana'] partial True
# stderr:
