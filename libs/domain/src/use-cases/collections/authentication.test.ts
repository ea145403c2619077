import { expect, test } from 'vitest';
import type { Collection } from '../../collections/collection.ts';
import type { CollectionId } from '../../ids.ts';
import { type AuthenticationInput, effectiveAuthentication, nextAuthentication } from './authentication.ts';

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

const apiKey = (change: { readonly name?: string; readonly value?: string }): AuthenticationInput => ({
  type: 'apiKey',
  name: 'X-Key',
  in: null,
  value: undefined,
  ...change,
});

const stored = nextAuthentication(cipher, id, null, apiKey({ value: 's3cret' }));

const valueOf = (authentication: typeof stored) =>
  effectiveAuthentication(cipher, { id, storedAuthentication: authentication } as Collection).value;

test('a credential is sealed for this collection and opened again', () => {
  expect(stored).toMatchObject({ type: 'apiKey', name: 'X-Key', in: 'header' });
  expect(valueOf(stored)).toBe('s3cret');
  expect(() =>
    effectiveAuthentication(cipher, { id: 'other', storedAuthentication: stored } as unknown as Collection),
  ).toThrow();
});

test('input without a value keeps the stored one, null removes it, undefined changes nothing', () => {
  expect(valueOf(nextAuthentication(cipher, id, stored, apiKey({ name: 'X-Other' })))).toBe('s3cret');
  expect(nextAuthentication(cipher, id, stored, null)).toBeNull();
  expect(nextAuthentication(cipher, id, stored, undefined)).toBe(stored);
});

test('the same input again changes nothing', () => {
  expect(nextAuthentication(cipher, id, stored, apiKey({ value: 's3cret' }))).toBe(stored);
});

test('the type none drops a stored credential', () => {
  expect(nextAuthentication(cipher, id, stored, { type: 'none' })).toEqual({
    type: 'none',
    name: null,
    in: null,
    sealedValue: null,
  });
});

test('bearer and basic are sent as Authorization unless another name is given', () => {
  const basic = { type: 'basic', name: null, value: 'x' } as const;
  expect(nextAuthentication(cipher, id, null, basic)).toMatchObject({ name: 'Authorization', in: null });
  expect(nextAuthentication(cipher, id, null, { ...basic, name: 'X-Basic' })).toMatchObject({ name: 'X-Basic' });
});
