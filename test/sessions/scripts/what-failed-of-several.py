# Finalizes several statements and reports each failure from the error's results.
import json, subprocess

def centavo(*words, check=True):
    return subprocess.run(["centavo", *words, "--json"], capture_output=True, text=True, check=check)

customer = json.loads(centavo("customers", "create", "--name", "Gil", "--email", "gil@example.com").stdout)["id"]
draft = json.loads(centavo("billing-statements", "create", "--customer", customer, "--item", "A x1 @ 100", "--due", "+3d").stdout)["id"]
empty = json.loads(centavo("billing-statements", "create", "--customer", customer, "--item", "B x1 @ 100", "--due", "+3d").stdout)["id"]
centavo("billing-statements", "delete", empty, "--yes")

run = centavo("billing-statements", "finalize", draft, empty, "bstm_nothing", check=False)
print("exit", run.returncode)
print("done", [statement["status"] for statement in json.loads(run.stdout)["data"]])
error = json.loads(run.stderr)["error"]
print(error["code"], error["applied"], error["message"])
for result in error["results"]:
    print(result["code"], result["applied"])
