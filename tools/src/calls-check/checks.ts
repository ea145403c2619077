import { checkBody, checkMembers, checkReadOnly } from './body-checks.ts';
import type { OperationFacts } from './document-facts.ts';
import { isObject, objectAt, stringAt, type Value } from './json-text.ts';
import { checkCredentialPlaces, checkScopes, checkSecurity } from './security-checks.ts';
import { checkAccept, headersIn, requestsOf, slicesOf, type Check, type Difference, type Views } from './views.ts';
import { argumentsOf, collectNumbers, Cuts, mentionsCuts, mentionsOtherFiles } from './view-schemas.ts';

const checkUrl: Check = ({ facts }, views) => {
  const texts: readonly (readonly [string, string | null])[] = [
    ...slicesOf(views).map(([view, slice]) => [view, stringAt(slice, 'url')] as const),
    ['tool', stringAt(objectAt(views.tool, 'request'), 'url')],
  ];
  const cutViews = slicesOf(views).flatMap(([view, slice]) => (new Cuts(slice).covers('/url') ? [view] : []));
  const differences = texts.filter(
    ([view, url]) => canonicalUrl(url ?? '') !== canonicalUrl(facts.url) && !(url === null && cutViews.includes(view)),
  );
  const pattern = patternOf(facts.url);
  return [
    ...differences.map(([view, url]) => ({ view, expected: facts.url, actual: url ?? 'none' })),
    ...requestsOf(views)
      .filter(({ url }) => !pattern.test(decode(url.split('?')[0] ?? '')))
      .map(({ view, url }) => ({ view, expected: facts.url, actual: url })),
  ];
};

/** Ignores the order of the query's parts, and percent-encoding. */
const canonicalUrl = (url: string): string => {
  const [address = '', query = ''] = url.split(/\?(.*)/s);
  return decode(`${address}?${query.split('&').sort().join('&')}`);
};

/** Matches the address of a request whose placeholders have values; a relative address may have a host. */
const patternOf = (url: string): RegExp => {
  const isRelative = !/^https?:\/\//i.test(url);
  const address = decode(url.split('?')[0] ?? '').replace(isRelative ? /^\/?/ : /^(?!)/, '');
  const pattern = address
    .split(/\{[^{}]*\}/)
    .map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    .join('.*');
  return new RegExp(isRelative ? `^(?:https?://[^/]*)?/?${pattern}$` : `^${pattern}$`, 'is');
};

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const checkMethod: Check = ({ facts }, views) =>
  [
    ...[...slicesOf(views), ['tool', objectAt(views.tool, 'request')] as const].map(
      ([view, value]) => [view, stringAt(value, 'method')] as const,
    ),
    ...requestsOf(views).map(({ view, method }) => [view, method] as const),
  ]
    .filter(([, method]) => method !== facts.method)
    .map(([view, method]) => ({ view, expected: facts.method, actual: method ?? 'none' }));

const checkParameters =
  (isRequired: boolean): Check =>
  ({ facts }, views) => {
    const parameters = facts.parameters.filter(({ required }) => required === isRequired);
    const nameOf = (parameter: { in: string | null; name: string }): string => `${parameter.in} ${parameter.name}`;
    const difference = (view: string, missing: readonly { in: string; name: string }[]): readonly Difference[] =>
      missing.length === 0 ? [] : [{ view, expected: missing.map(nameOf).join(', '), actual: 'missing' }];
    const inSlices = slicesOf(views).flatMap(([view, slice]) => {
      const entries = Array.isArray(slice['parameters']) ? (slice['parameters'] as readonly Value[]) : [];
      const names = entries
        .filter((entry) => isObject(entry) && (!isRequired || entry['required'] === true || entry['in'] === 'path'))
        .map((entry) => nameOf({ in: stringAt(entry, 'in'), name: stringAt(entry, 'name') ?? '' }));
      const missing = parameters.filter((parameter) => !names.includes(nameOf(parameter)));
      return new Cuts(slice).covers('/parameters/0') ? [] : difference(view, missing);
    });
    const args = argumentsOf(views.tool);
    const missingArguments = parameters.filter(
      (parameter) =>
        !isSetByClient(facts, parameter) &&
        !args.some((argument) => nameOf(argument) === nameOf(parameter) && (!isRequired || argument.required)),
    );
    const inTool = mentionsCuts(views.tool) ? [] : difference('tool', missingArguments);
    return [...inSlices, ...inTool, ...(isRequired ? checkSentParameters(facts, views) : [])];
  };

/** Whether the tool may leave a parameter out, because the credential or the client sets it. */
const isSetByClient = (facts: OperationFacts, parameter: { in: string; name: string }): boolean =>
  (parameter.in === 'header' &&
    /^(accept|connection|content-(length|type)|host|transfer-encoding)$/i.test(parameter.name)) ||
  (facts.security ?? []).some((alternative) =>
    alternative.some((credential) => credential.in === parameter.in && isSameName(credential.name, parameter.name)),
  );

const isSameName = (a: string | null, b: string): boolean => a?.toLowerCase() === b.toLowerCase();

/** Styles may write a parameter under other names (`filter[name]`), so a name may also be the start of one. */
const checkSentParameters = (facts: OperationFacts, views: Views): readonly Difference[] =>
  requestsOf(views).flatMap(({ view, url, headers }) => {
    const sentNames = {
      query: (url.split(/\?(.*)/s)[1] ?? '')
        .split('&')
        .map((part) => decode((part.split('=')[0] ?? '').replaceAll('+', ' '))),
      header: headers.map(([name]) => name),
      cookie: headersIn(headers, 'cookie').flatMap((value) =>
        value.split(/; */).map((part) => part.split('=')[0] ?? ''),
      ),
    };
    const missing = facts.parameters.filter(({ in: location, name, required, exploded }) => {
      if (!required || exploded || location === 'path' || isSetByClient(facts, { in: location, name })) return false;
      return !sentNames[location as keyof typeof sentNames].some(
        (sentName) => isSameName(sentName, name) || sentName.startsWith(`${name}[`),
      );
    });
    const expected = missing.map((parameter) => `${parameter.in} ${parameter.name}`).join(', ');
    return missing.length === 0 ? [] : [{ view, expected, actual: 'missing' }];
  });

const checkNumbers: Check = ({ numbers }, views) =>
  [...slicesOf(views), ['tool', views.tool] as const].flatMap(([view, value]) => {
    const changedNumbers = [...collectNumbers(value)].filter((text) => !numbers.has(text));
    const expected = 'numbers as the document writes them';
    return changedNumbers.length === 0 ? [] : [{ view, expected, actual: changedNumbers.join(', ') }];
  });

const checkExternal: Check = ({ facts }, views) => {
  const inSlices = slicesOf(views).flatMap(([view, slice]) => {
    const cuts = new Cuts(slice);
    const missing = facts.externalPlaces.filter((place) => !cuts.hasExternalIn(place) && !cuts.covers(place));
    return missing.map((place) => ({ view, expected: `external: ${place || '/'}`, actual: 'not in "truncated"' }));
  });
  const concernsTool = facts.externalPlaces.some((place) => place !== '/responses');
  const expected = 'a sentence about other files';
  return concernsTool && !mentionsOtherFiles(views.tool)
    ? [...inSlices, { view: 'tool', expected, actual: stringAt(views.tool, 'description') ?? 'none' }]
    : inSlices;
};

/** All facts by name, in the order of the report. */
export const checks = {
  method: checkMethod,
  url: checkUrl,
  security: checkSecurity,
  credentials: checkCredentialPlaces,
  scopes: checkScopes,
  'required-parameters': checkParameters(true),
  'optional-parameters': checkParameters(false),
  'required-members': checkMembers,
  'media-type': checkBody,
  accept: checkAccept,
  'read-only': checkReadOnly,
  numbers: checkNumbers,
  external: checkExternal,
} satisfies Record<string, Check>;

export type FactName = keyof typeof checks;
export const factNames = Object.keys(checks) as FactName[];

/** The facts that can be checked although the operation itself is in another file. */
export const externalFacts: readonly FactName[] = ['method', 'required-parameters', 'external'];
