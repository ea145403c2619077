import { expect, test } from 'vitest';
import { descriptionFrom, updateDescription } from './description.ts';

const describedDocument = { description: 'Its own.', derivedDescription: '' };
const undescribedDocument = { description: null, derivedDescription: 'Of its words.' };
const derivedFields = { description: 'Of older words.', descriptionDerived: true };
const writtenFields = { description: 'Written.', descriptionDerived: false };
const emptyFields = { description: '', descriptionDerived: false };

test('the description of a document takes precedence over a derived one; an empty one counts as missing', () => {
  expect(descriptionFrom(describedDocument)).toEqual({ description: 'Its own.', descriptionDerived: false });
  expect(descriptionFrom(undescribedDocument)).toEqual({ description: 'Of its words.', descriptionDerived: true });
  expect(descriptionFrom({ ...undescribedDocument, description: '' }).descriptionDerived).toBe(true);
});

test('a derived description is updated with the document, even if the document gets a description', () => {
  expect(updateDescription(derivedFields, undefined, undescribedDocument)).toEqual(
    descriptionFrom(undescribedDocument),
  );
  expect(updateDescription(derivedFields, undefined, describedDocument)).toEqual(descriptionFrom(describedDocument));
});

test('a written description is kept, even if it is empty or the document has a different one', () => {
  for (const current of [writtenFields, emptyFields])
    for (const document of [describedDocument, undescribedDocument])
      expect(updateDescription(current, undefined, document)).toEqual(current);
});

test('a written description replaces a derived one, even if it is empty', () => {
  for (const text of ['New.', ''])
    expect(updateDescription(derivedFields, text, undescribedDocument)).toEqual({
      description: text,
      descriptionDerived: false,
    });
});

test('a description that is sent back unchanged does not count as written', () => {
  expect(updateDescription(derivedFields, derivedFields.description, undefined)).toEqual(derivedFields);
  expect(updateDescription(derivedFields, derivedFields.description, undescribedDocument)).toEqual(
    descriptionFrom(undescribedDocument),
  );
  expect(updateDescription(writtenFields, writtenFields.description, undescribedDocument)).toEqual(writtenFields);
});
