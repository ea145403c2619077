# python3 docs/agents/agent.py "send a text message" '{"account": "A1"}' '{"to": "+15550100", "text": "Hello"}'
import json, os, re, sys
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen

def tool(name, **arguments):
    headers = {"X-API-Key": os.environ["PORTICO_KEY"], "Content-Type": "application/json"}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
    url = os.environ.get("PORTICO_URL", "http://127.0.0.1:3000") + "/mcp"
    result = json.load(urlopen(Request(url, json.dumps(call).encode(), headers)))["result"]
    if result.get("isError"):
        sys.exit(result["content"][0]["text"])
    return result.get("structuredContent") or json.loads(result["content"][0]["text"])

query, args, body = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3].encode() if len(sys.argv) > 3 else None
best = (tool("search_operations", query=query)["operations"] or sys.exit("No operation matches"))[0]
ids = {name: best[name] for name in ("collection_id", "operation_key")}
operation = tool("describe_operation", **ids)
send = tool("read_credential", collection_id=best["collection_id"])["send"]

url = re.sub(r"\{([^{}]+)\}", lambda match: quote(str(args[match[1]]), safe=""), operation["url"])
sent = {"path": {}, "query": {}, "header": {"Content-Type": "application/json"} if body else {}, "cookie": {}}
for parameter in operation["parameters"]:
    if parameter["name"] in args:
        sent[parameter["in"]][parameter["name"]] = args[parameter["name"]]
if send:
    sent[send["in"]][send["name"]] = send["value"]
try:
    response = urlopen(Request(f"{url}?{urlencode(sent['query'])}", body, sent["header"], method=operation["method"]))
except HTTPError as error:
    response = error
tool("record_call", **ids, method=operation["method"], endpoint=operation["path"], status_code=response.status)
print(response.status, response.read().decode())
