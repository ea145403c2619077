import { readKeySet, type KeySet } from './key-set.ts';
import { discoveryUrlOf, fetchDocument, issuerDocument, keysAddressIn, type Provider } from './provider-documents.ts';

/** What an issuer publishes, as far as it could be found out. */
export interface InspectedProvider {
  /** Its discovery document (OpenID Connect Discovery 1.0, section 3), or why there is none. */
  readonly metadata: Found<Readonly<Record<string, unknown>>>;
  /** The address of the keys, or why it is not known. */
  readonly keysAddress: Found<string>;
  /** Its usable keys, or why there are none; null if their address is not known. */
  readonly keys: Found<KeySet> | null;
  /** By how many milliseconds its clock is ahead of ours, to a second; null if it did not say. */
  readonly aheadMs: number | null;
}

export type Found<T> = { readonly found: T } | { readonly problem: unknown };

/** Fetches discovery document and key set once. Never rejects. */
export const inspectProvider = async ({ issuer, jwksUrl, timeoutMs }: Provider): Promise<InspectedProvider> => {
  let aheadMs: number | null = null;
  const fetched = async (address: string): Promise<string> => {
    const { text, date } = await fetchDocument(address, AbortSignal.timeout(timeoutMs));
    aheadMs = date === null ? null : date - Date.now();
    return text;
  };
  const discovered = await attempted(() => fetched(discoveryUrlOf(issuer)));
  const metadata = await attempted(async () => issuerDocument(given(discovered), issuer));
  const keysAddress = await attempted(async () => jwksUrl ?? keysAddressIn(given(discovered), issuer));
  const keys =
    'found' in keysAddress ? await attempted(async () => readKeySet(await fetched(keysAddress.found))) : null;
  return { metadata, keysAddress, keys, aheadMs };
};

const given = <T>(result: Found<T>): T => {
  if ('found' in result) return result.found;
  throw result.problem;
};

const attempted = async <T>(work: () => Promise<T>): Promise<Found<T>> => {
  try {
    return { found: await work() };
  } catch (problem) {
    return { problem };
  }
};
