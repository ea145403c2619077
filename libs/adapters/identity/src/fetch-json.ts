const fetchTimeoutMs = 3_000;
const textBytesMax = 262_144;

/** Whether the address may be asked: https, or http on loopback. */
export const isAskable = (address: string): boolean => {
  const url = URL.parse(address);
  if (url?.protocol === 'https:') return true;
  return url?.protocol === 'http:' && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
};

/** The text at this address: within 3 s, at most 256 KiB, without redirects. Raises otherwise. */
export const fetchText = async (address: string, stop: AbortSignal): Promise<string> => {
  if (!isAskable(address)) throw new Error(`${address} is neither https nor http on loopback`);
  const signal = AbortSignal.any([stop, AbortSignal.timeout(fetchTimeoutMs)]);
  const response = await fetch(address, { redirect: 'error', signal, headers: { accept: 'application/json' } });
  if (!response.ok || !response.body) throw new Error(`${address} answered ${response.status}`);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body) {
    length += chunk.length;
    if (length > textBytesMax) throw new Error(`${address} answered more than ${textBytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};
