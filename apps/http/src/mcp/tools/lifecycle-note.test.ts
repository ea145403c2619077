import { activeLifecycle, type CollectionId, type Lifecycle } from '@portico/domain';
import { expect, test } from 'vitest';
import { describeLifecycle } from './lifecycle-note.ts';

const deprecated: Lifecycle = { ...activeLifecycle, state: 'deprecated', since: 0 };

test('an active API needs no note', () => {
  expect(describeLifecycle(activeLifecycle)).toBeNull();
});

test('the note says until when a deprecated API works, and what to use instead', () => {
  expect(describeLifecycle(deprecated)).toBe('This API is deprecated: it works, but use another one for anything new.');
  const full = { ...deprecated, sunset: Date.UTC(2027, 0, 31), successor: 'x' as CollectionId, text: 'One\nmore.' };
  expect(describeLifecycle(full)).toBe(
    'This API is deprecated: it works, but use another one for anything new. It stops working on 2027-01-31. ' +
      'Its successor has the collection_id x. Note: One more.',
  );
});

test('the note says that a retired API cannot be called', () => {
  const retired = { ...deprecated, state: 'retired', sunset: 5, successor: 'x' as CollectionId } as const;
  expect(describeLifecycle(retired)).toBe(
    'This API is retired: it cannot be called. Its successor has the collection_id x.',
  );
});
