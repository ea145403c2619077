import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseCurl, splitWords } from '../calls-check/curl-line.ts';
import type { PreparedRequest } from '../calls-check/product.ts';
import type { ArrivedRequest, EchoServer } from './echo-server.ts';
import { readParts, type Part } from './form-body.ts';

/** Headers that curl or Node sets by itself. */
const clientHeaders = ['host', 'user-agent', 'connection', 'content-length', 'expect', 'transfer-encoding'];

/**
 * Runs a curl line in `sh` against the echo server. Returns the request that arrived. Throws if the line needs anything
 * but curl, before it is run: its texts come from documents.
 */
export async function runCurl(line: string, prepared: ArrivedRequest, echo: EchoServer): Promise<ArrivedRequest> {
  const { url, fields, body } = parseCurl(line);
  const origin = /^https?:\/\/[^/?#]*/i.exec(url)?.[0];
  if (origin === undefined) throw new Error(`the address ${url} has no host`);
  if (!splitWords(line).some((word) => word.startsWith(origin))) throw new Error('the line has no address');
  const folder = await mkdtemp(join(tmpdir(), 'portico-curl-'));
  try {
    const files = [...fields.filter(({ isText }) => !isText).map(({ value }) => value), body ?? ''].filter((value) =>
      /^@/.test(value),
    );
    for (const file of files) {
      const name = file.slice(1).split(';')[0] ?? '';
      if (!/^[\w.-]+$/.test(name)) throw new Error(`the file name ${name} is not plain`);
      await writeFile(join(folder, name), fields.length > 0 ? fileContentOf(prepared) : prepared.body);
    }
    // Whichever host the line names, curl connects to the echo server.
    const program = `curl() { command curl -q -s --noproxy '*' --max-time 20 --connect-to '::127.0.0.1:${echo.port}' "$@"; }`;
    await promisify(execFile)('sh', ['-c', `${program}\n${line.replace(origin, echo.address)}`], { cwd: folder });
  } finally {
    await rm(folder, { recursive: true });
  }
  const [arrivedRequest] = echo.takeRequests();
  if (!arrivedRequest) throw new Error('curl sent no request');
  return arrivedRequest;
}

/** Returns the content of the first file in a multipart body. */
const fileContentOf = (request: ArrivedRequest): Buffer =>
  Buffer.from(partsOf(request)?.find(({ isFile }) => isFile)?.content ?? '', 'latin1');

const partsOf = ({ headers, body }: ArrivedRequest): readonly Part[] | null =>
  readParts(headers.find(([name]) => name === 'content-type')?.[1] ?? '', body);

/** Returns the differences between the request of the curl line and the prepared one, ignoring credentials. */
export function compareRequests(
  curl: ArrivedRequest,
  prepared: ArrivedRequest,
  credentials: PreparedRequest['credentials'],
): readonly string[] {
  const credentialNames = (location: string): readonly string[] =>
    credentials.filter((credential) => credential.in === location).map(({ name }) => name?.toLowerCase() ?? '');
  const normalize = (request: ArrivedRequest) => ({
    method: request.method,
    target: targetWithout(request.target, credentialNames('query')),
    headers: headersWithout(request, [...clientHeaders, ...credentialNames('header')], credentialNames('cookie')),
    body: bodyOf(request),
  });
  const [actual, expected] = [normalize(curl), normalize(prepared)];
  return (['method', 'target', 'headers', 'body'] as const)
    .filter((name) => actual[name] !== expected[name])
    .map((name) => `${name}: curl ${JSON.stringify(actual[name])}, prepared ${JSON.stringify(expected[name])}`);
}

const targetWithout = (target: string, names: readonly string[]): string => {
  const [path = '', query = ''] = target.split(/\?(.*)/s);
  const parts = query
    .split('&')
    .filter((part) => !names.includes(decodeURIComponent(part.split('=')[0] ?? '').toLowerCase()));
  return parts.join('&') === '' ? path : `${path}?${parts.join('&')}`;
};

function headersWithout({ headers }: ArrivedRequest, names: readonly string[], cookieNames: readonly string[]): string {
  const lines = headers.flatMap(([name, value]) => {
    if (names.includes(name) || (name === 'accept' && value === '*/*')) return [];
    if (/^content-type$/.test(name)) return [`${name}: ${value.replace(/; ?boundary=.*/, '').toLowerCase()}`];
    if (name !== 'cookie') return [`${name}: ${value}`];
    const cookies = value
      .split(/; */)
      .filter((cookie) => !cookieNames.includes(cookie.split('=')[0]?.toLowerCase() ?? ''));
    return cookies.length > 0 ? [`${name}: ${cookies.join('; ')}`] : [];
  });
  return lines.sort().join('\n');
}

/** Returns the body as text; a multipart body as its parts, without the boundary, file names and default types. */
const bodyOf = (request: ArrivedRequest): string =>
  partsOf(request)
    ?.map(({ name, type, content }) => {
      const isDefaultType = type === null || type === 'text/plain' || type === 'application/octet-stream';
      return `${name} (${isDefaultType ? 'default' : type}): ${content}`;
    })
    .join('\n') ?? request.body.toString('latin1');
