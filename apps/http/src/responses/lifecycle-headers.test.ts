import { activeLifecycle, type CollectionId, type Lifecycle } from '@portico/domain';
import { expect, test } from 'vitest';
import { addLifecycleHeaders } from './lifecycle-headers.ts';
import { toJsonResponse } from './route-response.ts';

const lifecycle: Lifecycle = {
  state: 'deprecated',
  since: Date.UTC(2026, 0, 2, 3, 4, 5, 999),
  sunset: Date.UTC(2026, 6, 1),
  successor: 'c0ffee00-0000-4000-8000-000000000000' as CollectionId,
  text: 'Use the other.',
};
const successorLink = '</api/collections/c0ffee00-0000-4000-8000-000000000000>; rel="successor-version"';
const response = toJsonResponse({}, { ETag: '"x"' });

test('a response for a deprecated or retired collection says since when, until when, and names its successor', () => {
  for (const state of ['deprecated', 'retired'] as const)
    expect(addLifecycleHeaders(response, { lifecycle: { ...lifecycle, state } }).headers).toEqual({
      ETag: '"x"',
      Deprecation: '@1767323045',
      Sunset: 'Wed, 01 Jul 2026 00:00:00 GMT',
      Link: successorLink,
    });
});

test('a response has no header for unknown details, and keeps its own links', () => {
  const bare = { ...lifecycle, sunset: null, successor: null };
  expect(addLifecycleHeaders(response, { lifecycle: bare }).headers).toEqual({
    ETag: '"x"',
    Deprecation: '@1767323045',
  });
  const page = toJsonResponse([], { Link: '</next>; rel="next"' });
  expect(addLifecycleHeaders(page, { lifecycle }).headers).toMatchObject({
    Link: `</next>; rel="next", ${successorLink}`,
  });
  expect(addLifecycleHeaders(page, { lifecycle: bare }).headers).toMatchObject({ Link: '</next>; rel="next"' });
});

test('a response for an active collection, or for none, is not changed', () => {
  expect(addLifecycleHeaders(response, { lifecycle: activeLifecycle })).toBe(response);
  expect(addLifecycleHeaders(response, null)).toBe(response);
});
