import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { Exchange, type ExchangeDependencies } from './exchange.ts';

const dependencies: ExchangeDependencies = {
  readAddress: () => '',
  startTimer: () => () => undefined,
  responseTimeoutMs: 1,
  respondToExpiry: () => undefined,
};

test.each([
  ['a'.repeat(128), true],
  ['a'.repeat(129), false],
  ['', false],
  ['a b', false],
])('the request id that a caller sends is used if it is short and plain: %s', (header, isUsed) => {
  const request = { headers: { 'x-request-id': header }, socket: {} } as unknown as IncomingMessage;
  const { requestId } = new Exchange(request, {} as ServerResponse, dependencies);
  expect(requestId === header).toBe(isUsed);
  expect(requestId.length).toBeLessThanOrEqual(128);
});

test('a settled deadline never expires, even if it is restarted', () => {
  const callbacks: (() => void)[] = [];
  const startTimer: ExchangeDependencies['startTimer'] = (_milliseconds, callback) => {
    callbacks.push(callback);
    return () => callbacks.splice(callbacks.indexOf(callback), 1);
  };
  const request = { headers: {}, socket: {} } as unknown as IncomingMessage;
  const { deadline } = new Exchange(request, {} as ServerResponse, { ...dependencies, startTimer });
  expect(callbacks).toHaveLength(1);
  deadline.beginCommit();
  deadline.restart();
  expect([callbacks.length, deadline.hasExpired]).toEqual([0, false]);
});

test('abandoning a deadline lets it expire without a response, unless it is already settled', () => {
  let responses = 0;
  const createExchange = () => {
    const request = { headers: {}, socket: {} } as unknown as IncomingMessage;
    return new Exchange(request, {} as ServerResponse, { ...dependencies, respondToExpiry: () => (responses += 1) });
  };
  const [abandonedDeadline, settledDeadline] = [createExchange().deadline, createExchange().deadline];
  let calls = 0;
  abandonedDeadline.onExpired(() => (calls += 1));
  abandonedDeadline.abandon();
  abandonedDeadline.abandon();
  expect([abandonedDeadline.hasExpired, abandonedDeadline.settle(), calls, responses]).toEqual([true, false, 1, 0]);
  settledDeadline.settle();
  settledDeadline.abandon();
  expect(settledDeadline.hasExpired).toBe(false);
});
