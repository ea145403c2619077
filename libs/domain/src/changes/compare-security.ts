import type { DocumentOperation } from '../documents/document-operations.ts';
import { memberOf } from '../documents/document-value.ts';
import { isJsonArray, isJsonObject, type Json } from '../json.ts';
import { resolveObject } from '../operations/references.ts';
import type { ChangedOperation } from './change.ts';
import type { ChangeList } from './change-list.ts';

/** The schemes that a request must satisfy together, with their scopes. */
type Requirement = ReadonlyMap<string, readonly string[]>;

/** Compares how the callers of one operation authenticate: each way of before must suffice. */
export const compareSecurity = (
  [document, newDocument]: readonly [Json, Json],
  [before, after]: readonly [DocumentOperation, DocumentOperation],
  operation: ChangedOperation,
  list: ChangeList,
): void => {
  const requirements = requirementsOf(document, before);
  const newRequirements = requirementsOf(newDocument, after);
  const isOpen = (alternatives: readonly Requirement[]) => alternatives.some(({ size }) => size === 0);
  const place = 'security';
  const listUnsatisfied = (
    alternatives: readonly Requirement[],
    others: readonly Requirement[],
  ): readonly Requirement[] => {
    const descriptions = new Set(others.map(describe));
    return alternatives.filter(
      (alternative) =>
        !descriptions.has(describe(alternative)) && !others.some((other) => isSatisfied(other, alternative)),
    );
  };
  const lost = listUnsatisfied(requirements, newRequirements);
  const gained = listUnsatisfied(newRequirements, requirements);
  const text = (alternatives: readonly Requirement[]) => alternatives.map(describe).join(' or ');
  if (isOpen(requirements) && !isOpen(newRequirements)) {
    list.add(operation, {
      rule: 'api-security-added',
      level: 'breaking',
      place,
      text: `authentication is now required: ${text(newRequirements)}`,
    });
    return;
  }
  if (!isOpen(requirements) && isOpen(newRequirements)) {
    list.add(operation, {
      rule: 'api-security-removed',
      level: 'info',
      place,
      text: 'authentication is no longer required',
    });
    return;
  }
  for (const alternative of lost) {
    const sameSchemes = newRequirements.find((other) => isSatisfied(withoutScopes(other), alternative));
    list.add(
      operation,
      sameSchemes
        ? {
            rule: 'api-security-scope-added',
            level: 'breaking',
            place,
            text: `more scopes are required: ${describe(sameSchemes)} instead of ${describe(alternative)}`,
          }
        : {
            rule: 'api-security-alternative-removed',
            level: 'breaking',
            place,
            text: `the authentication ${describe(alternative)} no longer suffices`,
          },
    );
  }
  if (lost.length === 0 && gained.length > 0)
    list.add(operation, {
      rule: 'api-security-alternative-added',
      level: 'info',
      place,
      text: `the authentication ${text(gained)} was added`,
    });
};

/** Compares the security schemes that both documents have. */
export const compareSchemes = (document: Json, newDocument: Json, list: ChangeList): void => {
  const [schemes, newSchemes] = [schemesOf(document), schemesOf(newDocument)];
  for (const [name, scheme] of schemes) {
    const newScheme = newSchemes.get(name);
    if (newScheme === undefined || newScheme === scheme) continue;
    const text = `the security scheme ${name} changed from ${scheme} to ${newScheme}`;
    list.add(null, {
      rule: 'api-security-component-type-changed',
      level: 'breaking',
      place: `security scheme ${name}`,
      text,
    });
  }
};

const schemesOf = (document: Json): ReadonlyMap<string, string> => {
  const schemes = memberOf(memberOf(document, 'components'), 'securitySchemes');
  const entries = isJsonObject(schemes) ? Object.entries(schemes) : [];
  return new Map(
    entries.map(([name, value]) => {
      const scheme = resolveObject(document, value);
      const parts = ['type', 'scheme', 'in', 'name'].map((member) => memberOf(scheme, member));
      const words = parts.filter((part) => typeof part === 'string');
      const isHeader = memberOf(scheme, 'in') === 'header';
      const text = words.map((word) => (word === memberOf(scheme, 'name') && !isHeader ? word : word.toLowerCase()));
      return [name, text.join(' ')];
    }),
  );
};

const requirementsOf = (document: Json, { operation }: DocumentOperation): readonly Requirement[] => {
  const security = memberOf(operation, 'security') ?? memberOf(document, 'security');
  const alternatives = isJsonArray(security) ? security.filter((item) => isJsonObject(item)) : [];
  if (alternatives.length === 0) return [new Map()];
  return alternatives.map(
    (alternative) =>
      new Map(
        Object.entries(alternative).map(([name, scopes]) => [
          name,
          isJsonArray(scopes) ? scopes.filter((scope) => typeof scope === 'string') : [],
        ]),
      ),
  );
};

/** Whether callers who satisfy the other requirement also satisfy this one. */
const isSatisfied = (requirement: Requirement, other: Requirement): boolean =>
  [...requirement].every(([name, scopes]) => {
    const otherScopes = other.get(name);
    return otherScopes !== undefined && scopes.every((scope) => otherScopes.includes(scope));
  });

const withoutScopes = (requirement: Requirement): Requirement =>
  new Map([...requirement.keys()].map((name) => [name, []]));

const describe = (requirement: Requirement): string =>
  [...requirement]
    .map(([name, scopes]) => (scopes.length > 0 ? `${name} (${scopes.join(', ')})` : name))
    .join(' with ') || 'none';
