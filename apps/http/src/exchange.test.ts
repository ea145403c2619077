import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { Exchange, type ExchangeFacts } from './exchange.ts';

const facts: ExchangeFacts = {
  readAddress: () => '',
  timer: () => () => undefined,
  answerTimeoutMs: 1,
  answerExpired: () => undefined,
};

test.each([
  ['a'.repeat(128), true],
  ['a'.repeat(129), false],
  ['', false],
  ['a b', false],
])('a request id from the caller is kept if it is short and plain: %s', (given, isTaken) => {
  const request = { headers: { 'x-request-id': given }, socket: {} } as unknown as IncomingMessage;
  const { requestId } = new Exchange(request, {} as ServerResponse, facts);
  expect(requestId === given).toBe(isTaken);
  expect(requestId.length).toBeLessThanOrEqual(128);
});

test('a deadline that was settled never expires, even if it is restarted', () => {
  const rings: (() => void)[] = [];
  const timer: ExchangeFacts['timer'] = (_milliseconds, ring) => {
    rings.push(ring);
    return () => rings.splice(rings.indexOf(ring), 1);
  };
  const request = { headers: {}, socket: {} } as unknown as IncomingMessage;
  const { deadline } = new Exchange(request, {} as ServerResponse, { ...facts, timer });
  expect(rings).toHaveLength(1);
  deadline.beginCommit();
  deadline.restart();
  expect([rings.length, deadline.expired]).toEqual([0, false]);
});

test('a deadline that is abandoned is over without an answer, unless it was settled before', () => {
  let answers = 0;
  const exchange = () => {
    const request = { headers: {}, socket: {} } as unknown as IncomingMessage;
    return new Exchange(request, {} as ServerResponse, { ...facts, answerExpired: () => (answers += 1) });
  };
  const [left, answered] = [exchange().deadline, exchange().deadline];
  let told = 0;
  left.onExpired(() => (told += 1));
  left.abandon();
  left.abandon();
  expect([left.expired, left.settle(), told, answers]).toEqual([true, false, 1, 0]);
  answered.settle();
  answered.abandon();
  expect(answered.expired).toBe(false);
});
