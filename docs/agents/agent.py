# python3 docs/agents/agent.py "send a text message" '{"account": "A1", "to": "+15550100", "text": "Hello"}'
import base64, json, os, sys
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

def tool(name, **arguments):
    headers = {"X-API-Key": os.environ["PORTICO_KEY"], "Content-Type": "application/json"}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
    url = os.environ.get("PORTICO_URL", "http://127.0.0.1:3000") + "/mcp"
    result = json.load(urlopen(Request(url, json.dumps(call).encode(), headers)))["result"]
    text = result["content"][0]["text"]
    if result.get("isError"):
        return None if name == "call_operation" and "prepare_call" in text else sys.exit(text)
    return result.get("structuredContent") or json.loads(text)

best = (tool("search_operations", query=sys.argv[1])["operations"] or sys.exit("No operation matches"))[0]
ids = {name: best[name] for name in ("collection_id", "operation_key")}
values = json.loads(sys.argv[2])
result = tool("call_operation", **ids, arguments=values)
if result:
    print(result.get("status", result.get("hint")), (result.get("body") or {}).get("text", ""))
    sys.exit()

# The catalog makes no calls: this program sends the request.
call = tool("prepare_call", **ids, arguments=values)

url, headers, body = call["url"], dict(call["headers"]), call["body"]
for credential in filter(lambda credential: credential["stored"], call["credentials"]):
    send = tool("read_credential", collection_id=ids["collection_id"], scheme=credential["scheme"])["send"]
    if send and send["in"] == "query":
        url += f"{'&' if '?' in url else '?'}{quote(send['name'])}={quote(send['value'], safe='')}"
    elif send:
        name = "Cookie" if send["in"] == "cookie" else send["name"]
        value = f"{send['name']}={send['value']}" if send["in"] == "cookie" else send["value"]
        headers[name] = f"{headers[name]}; {value}" if name == "Cookie" and name in headers else value
data = None if body is None else body["text"].encode() if "text" in body else base64.b64decode(body["base64"])
try:
    response = urlopen(Request(url, data, headers, method=call["method"]))
except HTTPError as error:
    response = error
tool("record_call", **ids, method=call["method"], endpoint=best["path"], status_code=response.status)
print(response.status, response.read().decode())
