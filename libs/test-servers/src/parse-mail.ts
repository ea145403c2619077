interface Part {
  /** The headers in order, with names in lower case. A name may occur twice. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

export interface ParsedMail {
  /** The message id, including its angle brackets. */
  readonly messageId: string;
  /** The recipients in the headers To, Cc and Bcc. */
  readonly recipients: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The names of all headers of the email, in lower case. */
  readonly headerNames: readonly string[];
  readonly headers: Part['headers'];
}

/** Parses an email as far as tests need it, independently of the code that composed it (RFC 5322, 2045 to 2047). */
export const parseMail = (bytes: Buffer): ParsedMail => {
  const mail = parsePart(bytes.toString('latin1'));
  const parts = alternativesOf(mail);
  const textOf = (type: string): string => {
    const part = parts.find((candidate) => headerOf(candidate, 'content-type').startsWith(type));
    if (!part) throw new Error(`the email has no part of the type ${type}`);
    return bodyOf(part);
  };
  return {
    messageId: headerOf(mail, 'message-id'),
    recipients: headersOf(mail, 'to', 'cc', 'bcc').flatMap((value) =>
      value.split(',').map((address) => address.trim()),
    ),
    subject: decodeWords(headerOf(mail, 'subject')),
    text: textOf('text/plain'),
    html: textOf('text/html'),
    headerNames: mail.headers.map(([name]) => name),
    headers: mail.headers,
  };
};

const parsePart = (text: string): Part => {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) throw new Error('the headers of a part are not terminated');
  const lines = text
    .slice(0, end)
    .replaceAll(/\r\n(?=[ \t])/g, '')
    .split('\r\n');
  const headers = lines.map((line) => {
    const match = /^([!-9;-~]+):[ \t]?(.*)$/.exec(line);
    if (!match) throw new Error(`not a header: ${JSON.stringify(line)}`);
    return [(match[1] ?? '').toLowerCase(), match[2] ?? ''] as const;
  });
  return { headers, body: text.slice(end + 4) };
};

const headersOf = ({ headers }: Part, ...names: readonly string[]): readonly string[] =>
  headers.filter(([name]) => names.includes(name)).map(([, value]) => value);

const headerOf = (part: Part, name: string): string => {
  const values = headersOf(part, name);
  if (values.length !== 1) throw new Error(`expected one header ${name}, got ${values.length}`);
  return values[0] ?? '';
};

const alternativesOf = (mail: Part): readonly Part[] => {
  const boundary = /^multipart\/alternative;.*boundary="([^"]+)"/.exec(headerOf(mail, 'content-type'))?.[1];
  if (boundary === undefined) throw new Error('the email is not multipart/alternative');
  const [, ...segments] = `\r\n${mail.body}`.split(`\r\n--${boundary}`);
  if (!segments.at(-1)?.startsWith('--')) throw new Error('the email has no closing boundary');
  return segments.slice(0, -1).map((segment) => parsePart(segment.slice(2)));
};

const bodyOf = (part: Part): string => {
  const encoding = headerOf(part, 'content-transfer-encoding').toLowerCase();
  if (encoding === 'base64') return Buffer.from(part.body, 'base64').toString('utf8');
  if (encoding === 'quoted-printable') return decodeQuotedPrintable(part.body.replaceAll(/=[ \t]*\r\n/g, ''));
  if (encoding !== '7bit') throw new Error(`unexpected encoding ${encoding}`);
  return part.body;
};

const decodeQuotedPrintable = (text: string): string =>
  Buffer.from(
    text.replaceAll(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    'latin1',
  ).toString('utf8');

const decodeWords = (value: string): string =>
  value
    .replaceAll(/(=\?[^?]+\?[BQ]\?[^?]*\?=)\s+(?==\?)/gi, '$1')
    .replaceAll(/=\?utf-8\?([BQ])\?([^?]*)\?=/gi, (_, kind: string, text: string) =>
      kind.toUpperCase() === 'B'
        ? Buffer.from(text, 'base64').toString('utf8')
        : decodeQuotedPrintable(text.replaceAll('_', ' ')),
    );
