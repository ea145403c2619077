import { egressContract, proofsOf, type EgressSubject, type Sabotages } from '@portico/contracts';
import { PorticoError, type Egress, type EgressRequest, type EgressResponse } from '@portico/domain';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { startSubjectSource, type SubjectSource } from '../test/contract-subject.ts';

type Send = Egress['send'];

/** Replaces `send`. The object stays the same otherwise, getters included. */
const breakSend =
  (createSend: (send: Send, subject: EgressSubject) => Send) =>
  (subject: EgressSubject): EgressSubject => ({
    ...subject,
    get requests() {
      return subject.requests;
    },
    egress: { send: createSend((request, options) => subject.egress.send(request, options), subject) },
  });

const mapRequest = (change: (request: EgressRequest, subject: EgressSubject) => EgressRequest) =>
  breakSend((send, subject) => (request, options) => send(change(request, subject), options));

const mapResponse = (change: (response: EgressResponse) => EgressResponse) =>
  breakSend((send) => async (request, options) => change(await send(request, options)));

const mapError = (change: (error: PorticoError, request: EgressRequest) => Error) =>
  breakSend((send) => async (request, options) => {
    try {
      return await send(request, options);
    } catch (error) {
      throw change(error as PorticoError, request);
    }
  });

const forgedResponse: EgressResponse = { status: 200, headers: [], body: new Uint8Array(), isTruncated: false };

/** Responds to a request for such a URL as if the address had been reached. */
const reach = (pattern: RegExp) =>
  breakSend(
    (send) => async (request, options) => (pattern.test(request.url) ? forgedResponse : send(request, options)),
  );

const sabotages: Sabotages<typeof egressContract, EgressSubject> = {
  'a request arrives with its method, path, headers and body': mapRequest((request) => ({ ...request, headers: [] })),
  'a response is returned with any status': breakSend((send) => async (request, options) => {
    const response = await send(request, options);
    if (response.status >= 500) throw new PorticoError('upstream_unreachable');
    return response;
  }),
  'the headers of a response have names in lower case, which can occur several times': mapResponse((response) => ({
    ...response,
    headers: [...new Map(response.headers)],
  })),
  'no redirect is followed': breakSend((send) => async (request, options) => {
    const response = await send(request, options);
    const location = response.headers.find(([name]) => name === 'location')?.[1];
    if (location !== undefined) await send({ ...request, url: location }, options);
    return response;
  }),
  'no cookie is stored': breakSend((send) => {
    let cookies: readonly (readonly [string, string])[] = [];
    return async (request, options) => {
      const response = await send({ ...request, headers: [...request.headers, ...cookies] }, options);
      cookies = response.headers.filter(([name]) => name === 'set-cookie').map(([, value]) => ['Cookie', value]);
      return response;
    };
  }),
  'no request is repeated': breakSend(
    (send) => (request, options) => send(request, options).catch(() => send(request, options)),
  ),
  'a body is decoded': mapResponse((response) => ({ ...response, body: response.body.map((byte) => byte + 1) })),
  'a body is cut at the maximum length, which counts when it is decoded': breakSend(
    (send) => (request, options) => send(request, { ...options, bodyBytesMax: options.bodyBytesMax + 1 }),
  ),
  'a metadata service is never reached': reach(/^https:\/\/100\./),
  'a private network is reached only if the configuration allows it': mapRequest(
    (request, { origin, refusedOrigin }) => ({
      ...request,
      url: request.url.replace(refusedOrigin, origin),
    }),
  ),
  'a public address is not reached without TLS': reach(/^http:\/\/8\./),
  'an invalid header is invalid_arguments': mapRequest((request) => ({
    ...request,
    headers: request.headers.filter(([name]) => name !== 'Content-Length'),
  })),
  'a server that does not respond as HTTP requires is upstream_unreachable': mapError(
    () => new PorticoError('upstream_timed_out'),
  ),
  'a server that does not respond in time is upstream_timed_out': mapError(
    () => new PorticoError('upstream_unreachable'),
  ),
  'a fifth request of a caller in flight is rate_limited': breakSend((send) => {
    let count = 0;
    return (request, options) => {
      count += 1;
      return send(request, { ...options, caller: `${options.caller} ${count}` });
    };
  }),
  'a seventeenth request to a host in flight is rate_limited': breakSend((send) => {
    let count = 0;
    return (request, options) => {
      count += 1;
      // The mapped form is a different origin at the same address.
      const url = count > 16 ? request.url.replace('127.0.0.1', '[::ffff:127.0.0.1]') : request.url;
      return send({ ...request, url }, options);
    };
  }),
  'no error contains a part of the request': mapError(
    (error, { url }) => new PorticoError(error.code, { reason: url, cause: error }),
  ),
};

describe('the egress follows its contract', () => {
  let source: SubjectSource | undefined;

  beforeAll(async () => {
    source = await startSubjectSource();
  });

  afterAll(() => source?.close());

  const create = (): EgressSubject => {
    if (!source) throw new Error('the server has not started');
    return source.create();
  };

  test.each(proofsOf(egressContract, sabotages, create))('%s', (_sentence, run) => run());
});
