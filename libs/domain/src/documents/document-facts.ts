import { descriptionIn, nameIn } from '../collections/collection-texts.ts';
import type { Json } from '../json.ts';
import { authenticationOf } from './document-authentication.ts';
import { derivedDescription } from './derived-description.ts';
import { baseUrlOf } from './document-base-url.ts';
import { memberOf } from './document-value.ts';
import type { DocumentFacts, FirstName } from './document.ts';
import { operationsViolation } from './read-operations.ts';

/**
 * Returns the facts of a document that `documentError` accepts (specification, section 4). Asks `firstName` only if the
 * value cannot tell: a parsed object loses the position of names that look like numbers.
 */
export function documentFacts(document: Json, firstName: FirstName): DocumentFacts {
  const info = memberOf(document, 'info');
  const title = memberOf(info, 'title');
  const described = memberOf(info, 'description');
  const description = typeof described === 'string' ? descriptionIn(described) : null;
  const baseUrl = baseUrlOf(document);
  const authentication = authenticationOf(document, firstName);
  return {
    title: typeof title === 'string' ? nameIn(title) : null,
    description,
    derivedDescription: description ? '' : derivedDescription(document),
    baseUrl: baseUrl.value,
    authentication: authentication.value,
    violations: [baseUrl.violation, authentication.violation, operationsViolation(document)].filter(
      (one) => one !== undefined,
    ),
  };
}
