/**
 * Returns instructions for agents without MCP, in the format of <https://llmstxt.org>. URLs are relative to this
 * file.
 */
export const createLlmsTxt = (serviceName: string): string => `# ${serviceName}

> A catalog of APIs with access control. It finds the operation for a task, explains how to call it, and calls it with
> the stored credential, for the APIs that an administrator has granted to you.

With the Model Context Protocol: POST /mcp (Streamable HTTP); whoami shows who you are, and search_operations is where a
task starts. Without it, the same is available over HTTP:

Every request carries a credential: an API key as one string, \`X-API-Key: <client_id>.<client_secret>\`, or as
two headers, \`X-Client-ID\` and \`X-API-Key\`; or \`Authorization: Bearer\` with an identity token. Bodies and responses are JSON; an
error is \`{"detail": "why"}\`.

## One task, step by step

1. Find the operation: \`POST /api/operations/search\` with \`{"query": "send a text message", "k_limit": 5}\`, in English. The
   best match comes first. \`score\` says how likely it is right, from 0 to 1; \`[]\` means that nothing matches: rephrase the query.
2. Read how to call it: \`GET /api/collections/{collection_id}/operations/{operation_key}\`. URL, parameters and body,
   within 8 KB; \`?detail=full\` adds the schema of the response, \`?max_bytes=\` allows more.
3. Call it: \`POST /api/collections/{collection_id}/operations/{operation_key}/call\` with \`{"arguments": {…}}\` returns
   \`status\`, \`headers\` and \`body\` of the API. The arguments are those of \`?as=tool\` in step 2. 202: a person decides first;
   once \`GET /api/calls/{call_id}\` says \`approved\`, repeat the call with \`call_id\`. 424: no credential is stored for you.

Only if step 3 returns 503, because this catalog makes no calls:

1. Prepare the call: \`POST /api/collections/{collection_id}/operations/{operation_key}/prepare\` with the same body
   returns \`method\`, \`url\`, \`headers\` and \`body\`, without the credential.
2. Read the credential: \`GET /api/collections/{collection_id}/metadata\`. \`authentication\` says what to send:
   \`apiKey\` is \`value\` in the header, query or cookie \`name\`, \`bearer\` and \`basic\` are
   \`Authorization: Bearer\` or \`Basic\` and \`value\`. If \`value\` is \`null\`, none is stored: ask the person you work for.
   If the prepared request lists several \`credentials\`, read each by its \`scheme\` with the tool read_credential of \`/mcp\`.
   Reading it is audited. Never show it to anyone.
3. Send the request, and record it: \`POST /api/audit/\` with
   \`{"message": {"action": "api_call", "collection_id": "…", "method": "POST", "endpoint": "/messages", "status_code": 201}}\`.

## More

- Find whole APIs: \`POST /api/vector/search\` with \`{"query": "weather", "k_limit": 5}\`.
- Read a whole document, which may be megabytes: \`GET /api/collections/{collection_id}\`.
- Find APIs to request: \`GET /api/catalog\`. Where \`access\` is \`none\`, request it: \`POST /api/access/requests\` with
  \`{"collection_id": "…", "reason": "why you need it"}\`. An administrator decides; \`GET /api/access/requests\` shows the decision.
- Who you are, and whether your registration is approved: \`GET /api/profiles/me\`, with an identity token.
- 401: the credential is wrong. 403: request access. 429: wait for the number of seconds in \`Retry-After\`.
- [All endpoints](/openapi.json), [as a page](/docs)
`;
