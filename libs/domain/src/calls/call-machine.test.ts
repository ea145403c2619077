import { expect, test } from 'vitest';
import type { CallId, CollectionId, OperationKey, ProfileId } from '../ids.ts';
import { applyCallEvent, type CallEvent, statusAt } from './call-machine.ts';
import { callLifetimeMs, type CallStatus, type SealedCall } from './pending-call.ts';

const call: SealedCall = {
  id: 'k' as CallId,
  profileId: 'p' as ProfileId,
  collectionId: 'c' as CollectionId,
  operationKey: 'o' as OperationKey,
  method: 'DELETE',
  path: '/',
  status: 'waiting',
  requestedAt: 1,
  expiresAt: 10,
  decidedAt: null,
  decidedBy: null,
  reason: null,
  sealed: 'sealed',
};
const events: readonly CallEvent[] = ['approve', 'deny', 'redeem', 'expire'];
const statuses: readonly CallStatus[] = ['waiting', 'approved', 'denied', 'expired', 'done'];

const resultOf = (status: CallStatus, event: CallEvent, now: number): string => {
  try {
    return applyCallEvent({ ...call, status }, event, now).status;
  } catch (error) {
    return (error as Error).message.replace('Call already decided: ', 'is ');
  }
};
const tableAt = (now: number) =>
  Object.fromEntries(statuses.map((status) => [status, events.map((event) => resultOf(status, event, now))]));

test('the states of a call and their events', () => {
  expect(tableAt(9)).toEqual({
    waiting: ['approved', 'denied', 'is waiting', 'expired'],
    approved: ['is approved', 'is approved', 'done', 'expired'],
    denied: events.map(() => 'is denied'),
    expired: events.map(() => 'is expired'),
    done: events.map(() => 'is done'),
  });
});

test('a waiting or approved call is expired from its expiry on, without an event', () => {
  expect(statuses.map((status) => statusAt({ ...call, status }, 9))).toEqual(statuses);
  expect(statuses.map((status) => statusAt({ ...call, status }, 10))).toEqual([
    ...['expired', 'expired', 'denied', 'expired', 'done'],
  ]);
  expect(tableAt(10)).toMatchObject({
    waiting: events.map(() => 'is expired'),
    approved: events.map(() => 'is expired'),
  });
});

test('an approval keeps the arguments for an hour, and every other event deletes them', () => {
  expect(applyCallEvent(call, 'approve', 5)).toEqual({ ...call, status: 'approved', expiresAt: 5 + callLifetimeMs });
  expect(applyCallEvent(call, 'deny', 5)).toEqual({ ...call, status: 'denied', sealed: null });
  expect(applyCallEvent(call, 'expire', 5).sealed).toBeNull();
  expect(applyCallEvent({ ...call, status: 'approved' }, 'redeem', 5).sealed).toBeNull();
});
