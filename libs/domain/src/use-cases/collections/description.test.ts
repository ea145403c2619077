import { expect, test } from 'vitest';
import { descriptionFrom, nextDescription } from './description.ts';

const described = { description: 'Its own.', derivedDescription: '' };
const undescribed = { description: null, derivedDescription: 'Of its words.' };
const derived = { description: 'Of older words.', descriptionDerived: true };
const written = { description: 'Written.', descriptionDerived: false };
const nothing = { description: '', descriptionDerived: false };

test('the description of a document takes precedence over a derived one; an empty one counts as missing', () => {
  expect(descriptionFrom(described)).toEqual({ description: 'Its own.', descriptionDerived: false });
  expect(descriptionFrom(undescribed)).toEqual({ description: 'Of its words.', descriptionDerived: true });
  expect(descriptionFrom({ ...undescribed, description: '' }).descriptionDerived).toBe(true);
});

test('a derived description follows the document, also if the document gets a description', () => {
  expect(nextDescription(derived, undefined, undescribed)).toEqual(descriptionFrom(undescribed));
  expect(nextDescription(derived, undefined, described)).toEqual(descriptionFrom(described));
});

test('a written description stays, even if it is empty or the document has another', () => {
  for (const current of [written, nothing])
    for (const document of [described, undescribed])
      expect(nextDescription(current, undefined, document)).toEqual(current);
});

test('a written description ends the derivation, even if it is empty', () => {
  for (const text of ['New.', ''])
    expect(nextDescription(derived, text, undescribed)).toEqual({ description: text, descriptionDerived: false });
});

test('a description that is sent back unchanged does not count as written', () => {
  expect(nextDescription(derived, derived.description, undefined)).toEqual(derived);
  expect(nextDescription(derived, derived.description, undescribed)).toEqual(descriptionFrom(undescribed));
  expect(nextDescription(written, written.description, undescribed)).toEqual(written);
});
