import { descriptionFrom, nameFrom } from '../collections/collection-texts.ts';
import type { Json } from '../json.ts';
import { authenticationOf } from './document-authentication.ts';
import { deriveDescription } from './derive-description.ts';
import { baseUrlOf } from './document-base-url.ts';
import { memberOf } from './document-value.ts';
import type { DocumentMetadata, FirstMemberName } from './document.ts';
import { findOperationsViolation } from './read-operations.ts';

/**
 * Returns the metadata of a document that `findDocumentError` accepts (specification, section 4). Calls `findFirstMemberName` only if
 * the value is ambiguous: a parsed object does not preserve the position of names that look like numbers.
 */
export function extractDocumentMetadata(document: Json, findFirstMemberName: FirstMemberName): DocumentMetadata {
  const info = memberOf(document, 'info');
  const title = memberOf(info, 'title');
  const rawDescription = memberOf(info, 'description');
  const description = typeof rawDescription === 'string' ? descriptionFrom(rawDescription) : null;
  const baseUrl = baseUrlOf(document);
  const authentication = authenticationOf(document, findFirstMemberName);
  return {
    title: typeof title === 'string' ? nameFrom(title) : null,
    description,
    derivedDescription: description ? '' : deriveDescription(document),
    baseUrl: baseUrl.value,
    authentication: authentication.value,
    violations: [baseUrl.violation, authentication.violation, findOperationsViolation(document)].filter(
      (violation) => violation !== undefined,
    ),
  };
}
