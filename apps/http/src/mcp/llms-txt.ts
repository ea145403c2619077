/**
 * Returns instructions for agents without MCP, in the format of <https://llmstxt.org>. Addresses are relative to this
 * file.
 */
export const llmsTxt = (serviceName: string): string => `# ${serviceName}

> A catalog of APIs with access control. It finds the operation that does a task, says how to call it, and hands out the
> base address and the credential of the API, for the APIs that an administrator has granted to you. You call the API
> yourself.

With the Model Context Protocol: POST /mcp (Streamable HTTP), tools search_operations, describe_operation, search_apis,
list_apis, get_api, record_call. Without it, the same over HTTP:

Every request carries a credential: an API key as one string, \`X-API-Key: <client_id>.<client_secret>\`, or in its
halves, \`X-Client-ID\` and \`X-API-Key\`; or \`Authorization: Bearer\` with an identity token. Bodies and responses are JSON; an
error is \`{"detail": "why"}\`.

## One task, step by step

1. Find the operation: \`POST /api/operations/search\` with \`{"query": "send a text message", "k_limit": 5}\`. The best comes
   first. \`score\` says how likely it is right, from 0 to 1; \`[]\` means that nothing fits: rephrase it.
2. Read how to call it: \`GET /api/collections/{collection_id}/operations/{operation_key}\`. URL, parameters and body,
   within 8 KB; \`?detail=full\` adds the schema of the response, \`?max_bytes=\` allows more.
3. Read the credential: \`GET /api/collections/{collection_id}/metadata\`. \`base_url\` is where the API is, \`authentication\`
   says what to send: \`apiKey\` is \`value\` in the header, query or cookie \`name\`, \`bearer\` and \`basic\` are
   \`Authorization: Bearer\` or \`Basic\` and \`value\`. Reading it is audited. Never show it to anyone.
4. Call the API.
5. Record the call: \`POST /api/audit/\` with
   \`{"message": {"action": "api_call", "collection_id": "…", "method": "POST", "endpoint": "/messages", "status_code": 201}}\`.

## More

- Find whole APIs: \`POST /api/vector/search\` with \`{"query": "weather", "k_limit": 5}\`.
- Read a whole document, which may be megabytes: \`GET /api/collections/{collection_id}\`.
- Find APIs to request: \`GET /api/catalog\`. Where \`access\` is \`none\`, request it: \`POST /api/access/requests\` with
  \`{"collection_id": "…", "reason": "why you need it"}\`. An administrator decides; \`GET /api/access/requests\` shows the decision.
- 401: the credential is wrong. 403: request access. 429: wait the seconds in \`Retry-After\`.
- [All endpoints](/openapi.json), [as a page](/docs)
`;
