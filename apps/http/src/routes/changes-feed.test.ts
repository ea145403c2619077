import type { CollectionId, Revision } from '@portico/domain';
import { expect, test } from 'vitest';
import { createChangesFeed, escapeXml } from './changes-feed.ts';

const id = '7c9a4f8e-1d2b-4c3a-8e5f-6a7b8c9d0e1f' as CollectionId;
const source = { name: 'Portico', baseUrl: 'https://catalog.example' };
const aRevision = (fields: Partial<Revision>): Revision => ({
  ...{ number: 1, digest: 'ab', createdAt: 0, actorId: null, actorName: null, origin: null, counts: null },
  breakingTexts: [],
  ...fields,
});
const feedOf = (...revisions: Revision[]) =>
  createChangesFeed({ id, name: '<b>&"Roads"</b>', updatedAt: 1 }, revisions, source);

test('a feed has the title, the time of its newest entry, and a link to itself', () => {
  const feed = feedOf(aRevision({ number: 2, createdAt: 5 }), aRevision({}));
  expect(feed).toContain('<title>&lt;b&gt;&amp;&quot;Roads&quot;&lt;/b&gt;</title>\n<updated>1970-01-01T00:00:00.005Z');
  expect(feed).toContain(`<link rel="self" href="https://catalog.example/api/collections/${id}/changes.atom"/>`);
  expect(feed.match(/<id>[^<]*<\/id>/g)).toEqual([
    `<id>urn:uuid:${id}</id>`,
    `<id>urn:uuid:${id}#2</id>`,
    `<id>urn:uuid:${id}#1</id>`,
  ]);
});

test('a feed without revisions has the time of its collection', () => {
  expect(feedOf()).toContain('<updated>1970-01-01T00:00:00.001Z</updated>');
});

test('an entry lists breaking changes, and how many more there are', () => {
  const counts = { breaking: 3, warning: 1, info: 4 };
  const feed = feedOf(aRevision({ number: 2, counts, breakingTexts: ['GET /a?b&c: <removed>', 'b'] }));
  expect(feed).toContain('<title>Revision 2: 3 breaking, 1 to check, 4 other changes</title>');
  expect(feed).toContain('>GET /a?b&amp;c: &lt;removed&gt;\nb\nand 1 more breaking changes</content>');
});

test('an entry says whether its changes are unknown', () => {
  expect(feedOf(aRevision({ number: 1 }))).toContain('<title>Revision 1: the first document</title>');
  expect(feedOf(aRevision({ number: 2 }))).toContain('<title>Revision 2: unknown changes</title>');
  expect(feedOf(aRevision({ number: 2, counts: { breaking: 0, warning: 0, info: 1 } }))).toContain(
    '>No breaking changes.<',
  );
});

test('characters that XML cannot contain are replaced', () => {
  expect(escapeXml('a\u0000\u001b\ufffe\ud800b\t\u{1f600}')).toBe('a\ufffd\ufffd\ufffd\ufffdb\t\u{1f600}');
});
