import { expect, test } from 'vitest';
import type { ProfileId, CollectionId, RequestId } from '../ids.ts';
import type { AccessRequest, RequestStatus } from './access-request.ts';
import { applyRequestEvent, type RequestEvent } from './request-machine.ts';

const request: AccessRequest = {
  id: 'r' as RequestId,
  profileId: 'p' as ProfileId,
  collectionId: 'c' as CollectionId,
  reason: 'For the bridge',
  durationDays: null,
  status: 'pending',
  createdAt: 1,
  decidedAt: null,
  answer: null,
};
const events: readonly RequestEvent[] = ['approve', 'deny', 'withdraw', 'grant'];

test('each event moves a pending request to its own status, once', () => {
  const statuses = events.map((event) => applyRequestEvent(request, event, 7).status);
  expect(statuses).toEqual(['approved', 'denied', 'withdrawn', 'granted']);
  expect(applyRequestEvent(request, 'deny', 7, 'Not yet')).toEqual({
    ...request,
    status: 'denied',
    decidedAt: 7,
    answer: 'Not yet',
  });
});

test.each<RequestStatus>(['approved', 'denied', 'withdrawn', 'granted'])(
  'a request that is %s rejects every event with its status',
  (status) => {
    for (const event of events) {
      expect(() => applyRequestEvent({ ...request, status }, event, 7)).toThrow(`Request already decided: ${status}`);
    }
  },
);
