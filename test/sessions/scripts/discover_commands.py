# An agent finds a command and its flags by itself, and uses them.
import json
import subprocess


def centavo(*words):
    return json.loads(subprocess.run(["centavo", *words, "--json"], check=True, capture_output=True).stdout)


topics = [topic["words"] for topic in centavo("help")["topics"]]
verbs = [command["words"] for command in centavo("help", "customers")["commands"]]
page = centavo("help", "customers", "create")
flags = [flag["name"] for flag in page["flags"] if not flag["global"]]
print("customers" in topics, "customers create" in verbs, flags[:2])
made = centavo("customers", "create", "--name", "Ana", "--email", "ana@example.com")
print(made["resource"], centavo("get", made["id"])["name"])

# exit: 0
# stdout:
#   True True ['name', 'email']
#   customer Ana
# stderr:
