import { toIso, type CollectionHead, type Revision } from '@portico/domain';

interface FeedSource {
  /** The name of the service, which is the author. */
  readonly name: string;
  /** Without a trailing slash. */
  readonly baseUrl: string;
}

/** Returns an Atom feed (RFC 4287) of revisions, newest first. */
export const createChangesFeed = (
  { id, name, updatedAt }: Pick<CollectionHead, 'id' | 'name' | 'updatedAt'>,
  revisions: readonly Revision[],
  source: FeedSource,
): string => {
  const url = `${source.baseUrl}/api/collections/${id}`;
  const lines = [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    `<id>urn:uuid:${id}</id>`,
    `<title>${escapeXml(name)}</title>`,
    `<updated>${toIso(revisions[0]?.createdAt ?? updatedAt)}</updated>`,
    `<author><name>${escapeXml(source.name)}</name></author>`,
    `<link rel="self" href="${escapeXml(`${url}/changes.atom`)}"/>`,
    ...revisions.flatMap((revision) => createEntry(id, url, revision)),
    '</feed>',
  ];
  return `${lines.join('\n')}\n`;
};

const createEntry = (id: string, url: string, revision: Revision): readonly string[] => [
  '<entry>',
  `<id>urn:uuid:${id}#${revision.number}</id>`,
  `<title>${escapeXml(titleOf(revision))}</title>`,
  `<updated>${toIso(revision.createdAt)}</updated>`,
  `<link rel="alternate" type="application/json" href="${escapeXml(`${url}/revisions/${revision.number}/openapi.json`)}"/>`,
  `<content type="text">${escapeXml(contentOf(revision))}</content>`,
  '</entry>',
];

const titleOf = ({ number, counts }: Revision): string => {
  if (!counts) return number === 1 ? 'Revision 1: the first document' : `Revision ${number}: unknown changes`;
  const { breaking, warning, info } = counts;
  return `Revision ${number}: ${breaking} breaking, ${warning} to check, ${info} other changes`;
};

const contentOf = ({ number, counts, breakingTexts }: Revision): string => {
  if (number === 1) return 'The first document.';
  const remaining = (counts?.breaking ?? 0) - breakingTexts.length;
  if (breakingTexts.length === 0) return counts ? 'No breaking changes.' : 'The changes are not known.';
  return [...breakingTexts, ...(remaining > 0 ? [`and ${remaining} more breaking changes`] : [])].join('\n');
};

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Everything that is not a character of XML 1.0 (section 2.2). */
const notXml = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** Escapes a text for the content and the attributes of XML 1.0, and replaces characters that it cannot contain. */
export const escapeXml = (text: string): string =>
  text.replace(notXml, '\ufffd').replace(/[&<>"]/g, (character) => entities[character] ?? character);
