/**
 * Returns the prose in a text, without HTML tags and entities, code blocks, link targets, URLs, email addresses and
 * boilerplate sentences. The result may be empty.
 */
export const proseOf = (text: string): string => removeBoilerplate(removeMarkup(text));

const removeMarkup = (text: string): string =>
  markup.reduce(
    (rest, [sign, pattern, replacement]) => (rest.includes(sign) ? rest.replace(pattern, replacement) : rest),
    text,
  );

/** A cheap search for `sign` precedes each pattern, because most texts do not contain the sign. */
const markup: readonly (readonly [sign: string, pattern: RegExp, replacement: string])[] = [
  ['<', /<(script|style|svg)\b[^>]{0,300}>[^]*?<\/\1>/gi, ' '],
  ['<', /<[!/a-z][^<>]{0,1000}>/gi, ' '],
  ['```', /```[^]*?(?:```|$)/g, ' '],
  ['](', /\]\([^()\s]*(?:\s+"[^"]*")?\)/g, '] '],
  ['://', /\b[a-z][a-z0-9+.-]{1,10}:\/\/[^\s)"'<>\]]+/gi, ' '],
  ['www.', /\bwww\.[^\s)"'<>\]]+/gi, ' '],
  ['data:', /\bdata:[a-z]+\/[^\s)"'<>]+/gi, ' '],
  ['@', /[\w.+-]+@[\w-]+\.[\w.-]+/g, ' '],
  ['&', /&(?:[a-z]{2,10}|#\d{1,7}|#x[\da-f]{1,6});/gi, ' '],
];

const removeBoilerplate = (text: string): string => text.replace(boilerplate, '$1 ');

/** Sentences that refer to other documents, or that are about terms and contacts. */
const boilerplate = new RegExp(
  String.raw`(^|[.!?\n])[-*#>\s]{0,8}(?:${[
    'for (?:more|further|additional|full|complete|detailed) (?:information|info|details|documentation|help)',
    'to (?:learn|find out|read) more',
    '(?:learn|read|find out) more (?:about|at|here|in|on)',
    '(?:please )?(?:see|refer to|check out|visit|consult) (?:the|our|this|these)',
    'please (?:see|refer|contact|visit|read|note that)',
    'click here',
    '(?:our )?terms of (?:service|use)',
    'by using this',
    'copyright',
    'all rights reserved',
    'licen[cs]ed under',
    '(?:auto-?generated|generated|powered|provided) by',
    'if you (?:have|need) (?:any )?(?:questions|help|assistance|problems|feedback)',
    'contact (?:us|support)',
    'this (?:document|page|documentation|section) (?:describes|contains|lists|covers|provides|is)',
  ].join('|')})\b[^.!?\n]*[.!?]?`,
  'gi',
);
