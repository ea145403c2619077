import { readKeySet, type KeySet } from './key-set.ts';
import {
  discoveryUrlOf,
  fetchDocument,
  parseIssuerDocument,
  parseKeySetUrl,
  type Provider,
} from './provider-documents.ts';

/** The documents that an issuer publishes, or the reasons they are missing. */
export interface InspectedProvider {
  /** The discovery document (OpenID Connect Discovery 1.0, section 3), or the reason there is none. */
  readonly metadata: Lookup<Readonly<Record<string, unknown>>>;
  /** The URL of the keys, or the reason it is unknown. */
  readonly keySetUrl: Lookup<string>;
  /** The usable keys, or the reason there are none; null if the URL of the keys is unknown. */
  readonly keys: Lookup<KeySet> | null;
  /** How far the issuer's clock is ahead of ours, in ms, accurate to a second; null if the responses have no `Date`. */
  readonly clockSkewMs: number | null;
}

export type Lookup<T> = { readonly value: T } | { readonly problem: unknown };

/** Fetches the discovery document and the key set once. Never rejects. */
export const inspectProvider = async ({ issuer, jwksUrl, timeoutMs }: Provider): Promise<InspectedProvider> => {
  let clockSkewMs: number | null = null;
  const fetchText = async (url: string): Promise<string> => {
    const { text, date } = await fetchDocument(url, AbortSignal.timeout(timeoutMs));
    clockSkewMs = date === null ? null : date - Date.now();
    return text;
  };
  const discovery = await attempt(() => fetchText(discoveryUrlOf(issuer)));
  const metadata = await attempt(async () => parseIssuerDocument(unwrap(discovery), issuer));
  const keySetUrl = await attempt(async () => jwksUrl ?? parseKeySetUrl(unwrap(discovery), issuer));
  const keys = 'value' in keySetUrl ? await attempt(async () => readKeySet(await fetchText(keySetUrl.value))) : null;
  return { metadata, keySetUrl, keys, clockSkewMs };
};

const unwrap = <T>(result: Lookup<T>): T => {
  if ('value' in result) return result.value;
  throw result.problem;
};

const attempt = async <T>(work: () => Promise<T>): Promise<Lookup<T>> => {
  try {
    return { value: await work() };
  } catch (problem) {
    return { problem };
  }
};
