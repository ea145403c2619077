import { deepStrictEqual } from 'node:assert/strict';
import type { Person, TestIdentityProvider } from '@portico/test-servers';
import {
  Client,
  StreamableHTTPClientTransport,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
} from '@modelcontextprotocol/client';
import type { OAuthClientProvider as EarlierProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as EarlierTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/** The result of a tool call, as a model reads it. */
export interface ToolResult {
  readonly text: string;
  /** The parts of the text. */
  readonly texts: readonly string[];
  readonly isError: boolean;
  readonly data: Readonly<Record<string, unknown>> | null;
}

/** A connected official client. */
export interface McpClient {
  readonly listTools: () => Promise<readonly { readonly name: string }[]>;
  readonly call: (name: string, args?: Readonly<Record<string, unknown>>) => Promise<ToolResult>;
  readonly getInstructions: () => string | undefined;
  readonly close: () => Promise<void>;
}

/** How a client signs its user in. */
export type SignIn = OAuthClientProvider &
  EarlierProvider & {
    /** Returns the parameters of the last redirect back to the client; null if there was none. */
    readonly takeRedirect: () => URLSearchParams | null;
    /** Sends the client's requests; by default, they are sent to their URL. */
    readonly fetch?: (url: string | URL, init?: RequestInit) => Promise<Response>;
  };

export type Connect = (
  baseUrl: string,
  headers: Readonly<Record<string, string>>,
  signIn?: SignIn,
) => Promise<McpClient>;

const callback = 'http://127.0.0.1/callback';

/** A client that can sign in but does not know its service yet, so that it has to discover everything. */
export const neverSignIn: SignIn = {
  redirectUrl: callback,
  clientMetadata: { redirect_uris: [callback], client_name: 'test' },
  clientInformation: () => undefined,
  saveClientInformation: () => undefined,
  tokens: () => undefined,
  saveTokens: () => undefined,
  redirectToAuthorization: (url) => Promise.reject(new Error(`Redirected to ${url.href}`)),
  saveCodeVerifier: () => undefined,
  codeVerifier: () => '',
  takeRedirect: () => null,
};

/** Creates the sign-in of a client that is registered at the provider, and of its user. */
export const createSignIn = (
  { issuer, clientId, browse }: Pick<TestIdentityProvider, 'issuer' | 'clientId' | 'browse'>,
  person: Person,
): SignIn => {
  let tokens: { readonly access_token: string; readonly token_type: string } | undefined;
  let verifier = '';
  let discoveryState: OAuthDiscoveryState | undefined;
  let lastRedirect: URLSearchParams | null = null;
  return {
    ...neverSignIn,
    redirectUrl: callback,
    clientInformation: () => ({ client_id: clientId, issuer }),
    saveDiscoveryState: (newState) => void (discoveryState = newState),
    discoveryState: () => discoveryState,
    tokens: () => tokens,
    saveTokens: (newTokens) => void (tokens = newTokens),
    redirectToAuthorization: async (url) => {
      const redirect = await browse(person, url.href);
      lastRedirect = redirect === null ? null : new URL(redirect).searchParams;
      if (!lastRedirect?.has('code')) throw new Error(`The provider redirected to ${redirect}`);
    },
    saveCodeVerifier: (newVerifier) => void (verifier = newVerifier),
    codeVerifier: () => verifier,
    takeRedirect: () => {
      const redirect = lastRedirect;
      lastRedirect = null;
      return redirect;
    },
  };
};

const optionsOf = (headers: Readonly<Record<string, string>>, signIn: SignIn | undefined) => ({
  requestInit: { headers },
  ...(signIn ? { authProvider: signIn } : {}),
  ...(signIn?.fetch ? { fetch: signIn.fetch } : {}),
});

const finishSignIn = (
  transport: StreamableHTTPClientTransport | EarlierTransport,
  redirect: URLSearchParams,
): Promise<void> =>
  transport instanceof EarlierTransport
    ? transport.finishAuth(redirect.get('code') ?? '')
    : transport.finishAuth(redirect);

/** Connects a client. If it had to sign its user in, connects it again. */
const connectAfterSignIn = async <T extends StreamableHTTPClientTransport | EarlierTransport>(
  createTransport: () => T,
  connect: (transport: T) => Promise<void>,
  signIn: SignIn | undefined,
): Promise<void> => {
  const transport = createTransport();
  try {
    await connect(transport);
  } catch (error) {
    const redirect = signIn?.takeRedirect();
    if (!redirect) throw error;
    await finishSignIn(transport, redirect);
    await connect(createTransport());
  }
};

const clientInfo = { name: 'test', version: '1' };

const resultOf = (result: object): ToolResult => {
  const { content, isError, structuredContent } = result as {
    readonly content?: readonly { readonly text?: string }[];
    readonly isError?: boolean;
    readonly structuredContent?: ToolResult['data'];
  };
  const texts = (content ?? []).map(({ text }) => text ?? '');
  // Some clients give a model only the text, others only the structured content.
  if (structuredContent)
    deepStrictEqual(
      texts.map((text): unknown => JSON.parse(text)),
      [structuredContent],
    );
  return {
    text: texts.join('\n'),
    texts,
    isError: isError ?? false,
    data: structuredContent ?? null,
  };
};

const connectCurrent =
  (mode: 'legacy' | 'auto' | { readonly pin: string }): Connect =>
  async (baseUrl, headers, authProvider) => {
    const client = new Client(clientInfo, { versionNegotiation: { mode } });
    const options = optionsOf(headers, authProvider);
    const createTransport = () => new StreamableHTTPClientTransport(new URL('/mcp', baseUrl), options);
    await connectAfterSignIn(createTransport, (transport) => client.connect(transport), authProvider);
    return {
      listTools: async () => (await client.listTools()).tools,
      call: async (name, args = {}) => resultOf(await client.callTool({ name, arguments: args })),
      getInstructions: () => client.getInstructions(),
      close: () => client.close(),
    };
  };

const connectEarlier: Connect = async (baseUrl, headers, authProvider) => {
  const client = new EarlierClient(clientInfo);
  const options = optionsOf(headers, authProvider);
  const createTransport = () => new EarlierTransport(new URL('/mcp', baseUrl), options);
  await connectAfterSignIn(createTransport, (transport) => client.connect(transport), authProvider);
  return {
    listTools: async () => (await client.listTools()).tools,
    call: async (name, args = {}) => resultOf(await client.callTool({ name, arguments: args })),
    getInstructions: () => client.getInstructions(),
    close: () => client.close(),
  };
};

/** The clients by protocol revision. */
export const clients: Readonly<Record<string, Connect>> = {
  'revision 2026-07-28': connectCurrent({ pin: '2026-07-28' }),
  'the newest revision that both support': connectCurrent('auto'),
  'revision 2025-11-25': connectCurrent('legacy'),
  'the SDK version 1': connectEarlier,
};
