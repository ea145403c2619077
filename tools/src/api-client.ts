/** The caller: anonymous, a person with an identity token, or a client with an API key pair. */
export type Credential = { readonly token: string } | { readonly clientId: string; readonly secret: string } | null;

export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body. */
  readonly body: unknown;
}

export interface TextResponse extends Pick<ApiResponse, 'status' | 'headers'> {
  readonly text: string;
}

export interface ApiClient {
  readonly address: string;
  /** Sends a request and returns the response as text, regardless of its status and type. */
  readonly read: (caller: Credential, method: string, path: string, body?: unknown) => Promise<TextResponse>;
  /** Sends a request and returns the response, regardless of its status. */
  readonly call: (caller: Credential, method: string, path: string, body?: unknown) => Promise<ApiResponse>;
  /** Sends a request and returns the response body; throws if the status is 400 or higher. */
  readonly request: <Body>(caller: Credential, method: string, path: string, body?: unknown) => Promise<Body>;
}

export const createApiClient = (address: string): ApiClient => {
  const read: ApiClient['read'] = async (caller, method, path, body) => {
    const response = await fetch(`${address}${path}`, {
      method,
      headers: { ...headersOf(caller), ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const call: ApiClient['call'] = async (caller, method, path, body) => {
    const { text, ...response } = await read(caller, method, path, body);
    return { ...response, body: JSON.parse(text) as unknown };
  };
  return {
    address,
    read,
    call,
    request: async <Body>(caller: Credential, method: string, path: string, body?: unknown) => {
      const response = await call(caller, method, path, body);
      if (response.status >= 400)
        throw new Error(`${method} ${path} returned ${response.status}: ${JSON.stringify(response.body)}`);
      return response.body as Body;
    },
  };
};

const headersOf = (caller: Credential): Record<string, string> => {
  if (!caller) return {};
  return 'token' in caller
    ? { authorization: `Bearer ${caller.token}` }
    : { 'x-client-id': caller.clientId, 'x-api-key': caller.secret };
};
