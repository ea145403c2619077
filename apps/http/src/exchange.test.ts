import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { Exchange, type ExchangeFacts } from './exchange.ts';

const facts: ExchangeFacts = {
  readAddress: () => '',
  timer: () => () => undefined,
  responseTimeoutMs: 1,
  respondToExpiry: () => undefined,
};

test.each([
  ['a'.repeat(128), true],
  ['a'.repeat(129), false],
  ['', false],
  ['a b', false],
])("a caller's request id is used if it is short and plain: %s", (header, isUsed) => {
  const request = { headers: { 'x-request-id': header }, socket: {} } as unknown as IncomingMessage;
  const { requestId } = new Exchange(request, {} as ServerResponse, facts);
  expect(requestId === header).toBe(isUsed);
  expect(requestId.length).toBeLessThanOrEqual(128);
});

test('a settled deadline never expires, even if it is restarted', () => {
  const callbacks: (() => void)[] = [];
  const timer: ExchangeFacts['timer'] = (_milliseconds, callback) => {
    callbacks.push(callback);
    return () => callbacks.splice(callbacks.indexOf(callback), 1);
  };
  const request = { headers: {}, socket: {} } as unknown as IncomingMessage;
  const { deadline } = new Exchange(request, {} as ServerResponse, { ...facts, timer });
  expect(callbacks).toHaveLength(1);
  deadline.beginCommit();
  deadline.restart();
  expect([callbacks.length, deadline.expired]).toEqual([0, false]);
});

test('an abandoned deadline expires without a response, unless it was settled before', () => {
  let responses = 0;
  const exchange = () => {
    const request = { headers: {}, socket: {} } as unknown as IncomingMessage;
    return new Exchange(request, {} as ServerResponse, { ...facts, respondToExpiry: () => (responses += 1) });
  };
  const [abandoned, settled] = [exchange().deadline, exchange().deadline];
  let calls = 0;
  abandoned.onExpired(() => (calls += 1));
  abandoned.abandon();
  abandoned.abandon();
  expect([abandoned.expired, abandoned.settle(), calls, responses]).toEqual([true, false, 1, 0]);
  settled.settle();
  settled.abandon();
  expect(settled.expired).toBe(false);
});
