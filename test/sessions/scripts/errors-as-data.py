# Reads errors as data: stdout is empty, stderr is one line of JSON, and the exit code is in it.
import json, subprocess

for words in (["customers", "get", "cus_nobody"], ["customers", "create", "--name", "X"], ["customers", "lst"], ["customers", "list", "--nope"]):
    run = subprocess.run(["centavo", *words, "--json"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    error = json.loads(run.stderr)["error"]
    assert run.stdout == "" and error["exit_code"] == run.returncode, run
    print(run.returncode, error["code"], error["applied"], "|", error["message"])
