import { descriptionFrom, nameFrom } from '../collections/collection-texts.ts';
import type { Json } from '../json.ts';
import { authenticationOf } from './document-authentication.ts';
import { derivedDescription } from './derived-description.ts';
import { baseUrlOf } from './document-base-url.ts';
import { memberOf } from './document-value.ts';
import type { DocumentFacts, FirstMemberName } from './document.ts';
import { operationsViolation } from './read-operations.ts';

/**
 * Returns the facts of a document that `documentError` accepts (specification, section 4). Calls `firstName` only if
 * the value is ambiguous: a parsed object does not preserve the position of names that look like numbers.
 */
export function documentFacts(document: Json, firstName: FirstMemberName): DocumentFacts {
  const info = memberOf(document, 'info');
  const title = memberOf(info, 'title');
  const rawDescription = memberOf(info, 'description');
  const description = typeof rawDescription === 'string' ? descriptionFrom(rawDescription) : null;
  const baseUrl = baseUrlOf(document);
  const authentication = authenticationOf(document, firstName);
  return {
    title: typeof title === 'string' ? nameFrom(title) : null,
    description,
    derivedDescription: description ? '' : derivedDescription(document),
    baseUrl: baseUrl.value,
    authentication: authentication.value,
    violations: [baseUrl.violation, authentication.violation, operationsViolation(document)].filter(
      (one) => one !== undefined,
    ),
  };
}
