import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import type { Egress, EgressOptions, EgressRequest, EgressResponse } from '@portico/domain';
import { assertRejects } from './assertions.ts';
import type { Contract } from './contract.ts';

/** The next reaction of the server: a response, no response, a closed connection, or bytes that are not HTTP. */
export type UpstreamBehavior =
  | {
      readonly kind: 'response';
      readonly status: number;
      readonly headers: readonly string[];
      readonly body: Uint8Array;
    }
  | { readonly kind: 'silence' | 'close' | 'noise' };

export interface UpstreamRequest {
  readonly method: string;
  readonly path: string;
  /** With names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Uint8Array;
}

/** An egress, and a server at two addresses. */
export interface EgressSubject {
  readonly egress: Egress;
  /** At a private address that the configuration allows. */
  readonly origin: string;
  /** The same server at a private address that it does not allow. */
  readonly refusedOrigin: string;
  /** The requests that reached the server, in order. */
  readonly requests: readonly UpstreamRequest[];
  setBehavior(behavior: UpstreamBehavior): void;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** "hello" in gzip. */
const helloGzip = Uint8Array.from([
  31, 139, 8, 0, 0, 0, 0, 0, 0, 3, 203, 72, 205, 201, 201, 7, 0, 134, 166, 16, 54, 5, 0, 0, 0,
]);

const respondTo = (
  subject: EgressSubject,
  status: number,
  headers: readonly string[] = [],
  body: Uint8Array = encoder.encode('hello'),
): void => subject.setBehavior({ kind: 'response', status, headers, body });

const send = (
  { egress, origin }: EgressSubject,
  request: Partial<EgressRequest> = {},
  options: Partial<EgressOptions> = {},
): Promise<EgressResponse> =>
  egress.send(
    { method: 'GET', url: `${origin}/path`, headers: [], body: null, ...request },
    { caller: 'alice', timeoutMs: 60_000, bodyBytesMax: 1_000, ...options },
  );

const assertNoSecret = async (attempt: Promise<unknown>): Promise<void> => {
  const [outcome] = await Promise.allSettled([attempt]);
  ok(outcome.status === 'rejected', 'expected an error');
  const error: unknown = outcome.reason;
  const { cause } = error as { readonly cause?: unknown };
  ok(
    !`${String(error)} ${String(cause)} ${JSON.stringify([error, cause])}`.includes('s3cret'),
    'the error has a secret',
  );
};

export const egressContract = {
  'a request arrives with its method, path, headers and body': async (subject) => {
    respondTo(subject, 200);
    const headers = [['X-Name', 'value']] as const;
    await send(subject, { method: 'PUT', url: `${subject.origin}/a?b=c`, headers, body: encoder.encode('text') });
    const [request] = subject.requests;
    deepStrictEqual(
      { method: request?.method, path: request?.path, header: request?.headers['x-name'] },
      { method: 'PUT', path: '/a?b=c', header: 'value' },
    );
    strictEqual(decoder.decode(request?.body), 'text');
  },
  'a response is returned with any status': async (subject) => {
    for (const status of [200, 299, 400, 401, 404, 429, 500, 503]) {
      respondTo(subject, status);
      const [outcome] = await Promise.allSettled([send(subject)]);
      strictEqual(outcome.status === 'fulfilled' ? outcome.value.status : String(outcome.reason), status);
    }
  },
  'the headers of a response have names in lower case, which can occur several times': async (subject) => {
    respondTo(subject, 200, ['X-Name', 'a', 'x-name', 'b']);
    const { headers } = await send(subject);
    const expected = [
      ['x-name', 'a'],
      ['x-name', 'b'],
    ];
    deepStrictEqual(
      headers.filter(([name]) => name.toLowerCase() === 'x-name'),
      expected,
    );
  },
  'no redirect is followed': async (subject) => {
    for (const status of [301, 302, 303, 307, 308]) {
      respondTo(subject, status, ['Location', `${subject.origin}/next`]);
      strictEqual((await send(subject)).status, status);
    }
    strictEqual(subject.requests.length, 5);
  },
  'no cookie is stored': async (subject) => {
    respondTo(subject, 200, ['Set-Cookie', 'session=1']);
    await send(subject);
    await send(subject);
    deepStrictEqual(
      subject.requests.map(({ headers }) => headers['cookie']),
      [undefined, undefined],
    );
  },
  'no request is repeated': async (subject) => {
    subject.setBehavior({ kind: 'close' });
    await Promise.allSettled([send(subject)]);
    respondTo(subject, 503, ['Retry-After', '0']);
    await send(subject);
    strictEqual(subject.requests.length, 2);
  },
  'a body is decoded': async (subject) => {
    respondTo(subject, 200, ['Content-Encoding', 'gzip'], helloGzip);
    strictEqual(decoder.decode((await send(subject)).body), 'hello');
  },
  'a body is cut at the maximum length, which counts when it is decoded': async (subject) => {
    for (const bodyBytesMax of [4, 5]) {
      respondTo(subject, 200, ['Content-Encoding', 'gzip'], helloGzip);
      const { body, isTruncated } = await send(subject, {}, { bodyBytesMax });
      deepStrictEqual([decoder.decode(body), isTruncated], ['hello'.slice(0, bodyBytesMax), bodyBytesMax < 5]);
    }
  },
  'a metadata service is never reached': async (subject) => {
    for (const host of ['169.254.169.254', '[::ffff:169.254.169.254]', '[fd00:ec2::254]', '100.100.100.200']) {
      await assertRejects(send(subject, { url: `http://${host}/` }), 'upstream_unreachable');
      await assertRejects(send(subject, { url: `https://${host}/` }), 'upstream_unreachable');
    }
  },
  'a private network is reached only if the configuration allows it': async (subject) => {
    respondTo(subject, 200);
    strictEqual((await send(subject)).status, 200);
    await assertRejects(send(subject, { url: subject.refusedOrigin }), 'upstream_unreachable');
    strictEqual(subject.requests.length, 1);
  },
  'a public address is not reached without TLS': async (subject) => {
    await assertRejects(send(subject, { url: 'http://8.8.8.8/' }), 'upstream_unreachable');
  },
  'an invalid header is invalid_arguments': async (subject) => {
    respondTo(subject, 200);
    for (const header of [
      ['X-A', 'a\r\nX-B: b'],
      ['X A', 'a'],
      ['Host', 'a'],
      ['Content-Length', '9'],
    ] as const) {
      await assertRejects(send(subject, { headers: [header] }), 'invalid_arguments');
    }
    strictEqual(subject.requests.length, 0);
  },
  'a server that does not respond as HTTP requires is upstream_unreachable': async (subject) => {
    for (const kind of ['close', 'noise'] as const) {
      subject.setBehavior({ kind });
      await assertRejects(send(subject), 'upstream_unreachable');
    }
  },
  'a server that does not respond in time is upstream_timed_out': async (subject) => {
    subject.setBehavior({ kind: 'silence' });
    await assertRejects(send(subject, {}, { timeoutMs: 100 }), 'upstream_timed_out');
  },
  'a fifth request of a caller in flight is rate_limited': async (subject) => {
    subject.setBehavior({ kind: 'silence' });
    const attempts = Array.from({ length: 4 }, () =>
      assertRejects(send(subject, {}, { timeoutMs: 500 }), 'upstream_timed_out'),
    );
    await assertRejects(send(subject, {}, { timeoutMs: 500 }), 'rate_limited');
    await Promise.all(attempts);
  },
  'a seventeenth request to a host in flight is rate_limited': async (subject) => {
    subject.setBehavior({ kind: 'silence' });
    const sendFor = (index: number) => send(subject, {}, { timeoutMs: 500, caller: `caller ${index}` });
    const attempts = Array.from({ length: 16 }, (_, index) => assertRejects(sendFor(index), 'upstream_timed_out'));
    await assertRejects(sendFor(16), 'rate_limited');
    await Promise.all(attempts);
  },
  'no error contains a part of the request': async (subject) => {
    const request = {
      url: `${subject.origin}/s3cret?s3cret`,
      method: 'POST',
      headers: [['Authorization', 's3cret']],
      body: encoder.encode('s3cret'),
    } as const;
    for (const kind of ['close', 'noise'] as const) {
      subject.setBehavior({ kind });
      await assertNoSecret(send(subject, request));
    }
    await assertNoSecret(send(subject, { ...request, headers: [['s3cret', 's3cret\n']] }));
    await assertNoSecret(send(subject, { ...request, url: `${subject.refusedOrigin}/s3cret` }));
  },
} satisfies Contract<EgressSubject>;
