# Reads the error object: what to tell a person, and whether to try again.
import json
import os
import subprocess


def fail(*words, **env):
    done = subprocess.run(["centavo", *words, "--json"], capture_output=True, text=True, env={**os.environ, **env})
    assert done.stdout == "", done.stdout
    error = json.loads(done.stderr)["error"]
    assert error["exit_code"] == done.returncode
    print(error["code"], error["applied"], error["retryable"])


away = {"CENTAVO_SECRET_KEY": "sk_test_0123456789abcdef", "CENTAVO_BASE_URL": "http://127.0.0.1:1"}
fail("customers", "get", "cus_None")
fail("customers", "get", "nonsense")
fail("customers", "lst")
fail("customers", "create", "--name", "Ana", "--email", "ana@example.com", **away)
fail("billing-statements", "void", "bstm_None", **{**away, "CENTAVO_SECRET_KEY": "sk_live_0123456789abcdef"})

# exit: 0
# stdout:
#   resource_not_found no False
#   invalid_id no False
#   unknown_command no False
#   unavailable no True
#   live_not_given no False
# stderr:
