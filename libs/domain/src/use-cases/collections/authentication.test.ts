import { expect, test } from 'vitest';
import type { Collection } from '../../collections/collection.ts';
import type { CollectionId } from '../../ids.ts';
import { type AuthenticationInput, openAuthentication, updateAuthentication as update } from './authentication.ts';

let sealCount = 0;

/** A readable fake whose result differs on every call, like a real one. */
const cipher = {
  seal: (text: string, context: string) => `${context}|${text}|${sealCount++}`,
  open: (sealed: string, context: string) => {
    const [sealedContext, text] = sealed.split('|');
    if (sealedContext !== context || text === undefined) throw new Error('sealed for another context');
    return text;
  },
  isCurrent: () => true,
};

const id = 'c' as CollectionId;
const origins = ['https://a.example'];

const updateAuthentication = (
  usedCipher: typeof cipher,
  collectionId: CollectionId,
  current: Parameters<typeof update>[2],
  input: Parameters<typeof update>[3],
  newOrigins = origins,
) => update(usedCipher, collectionId, current, input, newOrigins);

const apiKey = (changes: { readonly name?: string; readonly value?: string }): AuthenticationInput => ({
  type: 'apiKey',
  name: 'X-Key',
  in: null,
  value: undefined,
  ...changes,
});

const currentAuthentication = updateAuthentication(cipher, id, null, apiKey({ value: 's3cret' }));

const valueOf = (authentication: typeof currentAuthentication) =>
  openAuthentication(cipher, { id, storedAuthentication: authentication } as Collection).value;

test('a credential is sealed for this collection and opened again', () => {
  expect(currentAuthentication).toMatchObject({ type: 'apiKey', name: 'X-Key', in: 'header' });
  expect(valueOf(currentAuthentication)).toBe('s3cret');
  expect(() =>
    openAuthentication(cipher, {
      id: 'other',
      storedAuthentication: currentAuthentication,
    } as unknown as Collection),
  ).toThrow();
});

test('input without a value keeps the stored one, null removes it, undefined changes nothing', () => {
  expect(valueOf(updateAuthentication(cipher, id, currentAuthentication, apiKey({ name: 'X-Other' })))).toBe('s3cret');
  expect(updateAuthentication(cipher, id, currentAuthentication, null)).toBeNull();
  expect(updateAuthentication(cipher, id, currentAuthentication, undefined)).toBe(currentAuthentication);
});

test('the same input again changes nothing', () => {
  expect(updateAuthentication(cipher, id, currentAuthentication, apiKey({ value: 's3cret' }))).toBe(
    currentAuthentication,
  );
});

test('the type none removes a stored credential', () => {
  expect(updateAuthentication(cipher, id, currentAuthentication, { type: 'none' })).toEqual({
    type: 'none',
    name: null,
    in: null,
    sealedValue: null,
    origins: null,
  });
});

test('bearer and basic are sent as Authorization unless a different name is given', () => {
  const basic = { type: 'basic', name: null, value: 'x' } as const;
  expect(updateAuthentication(cipher, id, null, basic)).toMatchObject({ name: 'Authorization', in: null });
  expect(updateAuthentication(cipher, id, null, { ...basic, name: 'X-Basic' })).toMatchObject({ name: 'X-Basic' });
});

test('a new value is bound to the origins, even if it is the stored one; without a value, the stored one keeps its own', () => {
  expect(currentAuthentication?.origins).toEqual(origins);
  const change = (input: AuthenticationInput) =>
    updateAuthentication(cipher, id, currentAuthentication, input, ['https://b.example']);
  expect(change(apiKey({ name: 'X-Other' }))?.origins).toEqual(origins);
  expect(change(apiKey({ value: 's3cret' }))?.origins).toEqual(['https://b.example']);
  expect(change({ type: 'none' })?.origins).toBeNull();
});
