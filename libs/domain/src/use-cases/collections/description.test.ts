import { expect, test } from 'vitest';
import { describedBy, nextDescription } from './description.ts';

const described = { description: 'Its own.', derivedDescription: '' };
const undescribed = { description: null, derivedDescription: 'Of its words.' };
const derived = { description: 'Of older words.', descriptionDerived: true };
const written = { description: 'Written.', descriptionDerived: false };
const nothing = { description: '', descriptionDerived: false };

test('the own description of a document goes before one of its words; an empty one is none', () => {
  expect(describedBy(described)).toEqual({ description: 'Its own.', descriptionDerived: false });
  expect(describedBy(undescribed)).toEqual({ description: 'Of its words.', descriptionDerived: true });
  expect(describedBy({ ...undescribed, description: '' }).descriptionDerived).toBe(true);
});

test('a derived description follows the document, also to the own description of that', () => {
  expect(nextDescription(derived, undefined, undescribed)).toEqual(describedBy(undescribed));
  expect(nextDescription(derived, undefined, described)).toEqual(describedBy(described));
});

test('one that was written stays, whatever the document says, and an empty one too', () => {
  for (const current of [written, nothing])
    for (const document of [described, undescribed])
      expect(nextDescription(current, undefined, document)).toEqual(current);
});

test('writing ends the derivation, even with nothing', () => {
  for (const text of ['New.', ''])
    expect(nextDescription(derived, text, undescribed)).toEqual({ description: text, descriptionDerived: false });
});

test('what is sent back as it was read is not written', () => {
  expect(nextDescription(derived, derived.description, undefined)).toEqual(derived);
  expect(nextDescription(derived, derived.description, undescribed)).toEqual(describedBy(undescribed));
  expect(nextDescription(written, written.description, undescribed)).toEqual(written);
});
