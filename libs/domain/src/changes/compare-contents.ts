import { memberOf } from '../documents/document-value.ts';
import type { Json, JsonObject } from '../json.ts';
import type { ChangedOperation } from './change.ts';
import type { ChangeList, NewChange } from './change-list.ts';
import { policyTable } from './change-policy-table.ts';
import { findRange, isInRange, mediaTypesOf } from './contents.ts';
import { describeDifference, type SchemaLocation } from './describe-difference.ts';
import type { LocatedDifference, SchemaComparison } from './schemas/compare-schemas.ts';

/** Two documents that are compared, and their schemas in both directions. */
export interface ComparedDocuments {
  readonly before: Json;
  readonly after: Json;
  readonly requests: SchemaComparison;
  readonly responses: SchemaComparison;
}

/** Compares the bodies of an operation, or of the document if it is null, and reports their changes. */
export class ContentComparison {
  readonly #documents: ComparedDocuments;
  readonly #operation: ChangedOperation | null;
  readonly #list: ChangeList;

  constructor(documents: ComparedDocuments, operation: ChangedOperation | null, list: ChangeList) {
    this.#documents = documents;
    this.#operation = operation;
    this.#list = list;
  }

  /** Compares the bodies of all media types. */
  compare(location: 'request-body' | 'response-body', place: string, before: JsonObject, after: JsonObject): void {
    const [contents, newContents] = [before, after].map(mediaTypesOf);
    const prefix = location === 'request-body' ? 'request-body' : 'response';
    for (const [mediaType, media] of contents ?? []) {
      const newMedia = newContents?.get(mediaType) ?? findRange(newContents, mediaType);
      if (newMedia === undefined) {
        // A response may be of fewer types than before.
        const isNarrowed =
          location === 'response-body' && [...(newContents?.keys() ?? [])].some((name) => isInRange(name, mediaType));
        if (isNarrowed) continue;
        this.#add({
          rule: `${prefix}-media-type-removed`,
          level: 'breaking',
          place,
          text: `the media type ${mediaType} was removed`,
        });
        continue;
      }
      this.compareSchemas(location, `${place} ${mediaType}`, memberOf(media, 'schema'), memberOf(newMedia, 'schema'));
    }
    for (const [mediaType, newMedia] of newContents ?? []) {
      if (contents?.has(mediaType)) continue;
      this.#add({
        rule: `${prefix}-media-type-added`,
        level: 'info',
        place,
        text: `the media type ${mediaType} was added`,
      });
      const media = findRange(contents, mediaType);
      if (media)
        this.compareSchemas(location, `${place} ${mediaType}`, memberOf(media, 'schema'), memberOf(newMedia, 'schema'));
    }
  }

  /** Compares schemas; `isText` for values that are sent as text, of which a string accepts any. */
  compareSchemas(
    location: SchemaLocation,
    place: string,
    before: Json | undefined,
    after: Json | undefined,
    isText = false,
  ): void {
    const comparison = location.startsWith('request') ? this.#documents.requests : this.#documents.responses;
    const differences = comparison.compare(before, after);
    if (differences.length === 0) return;
    if (isText && comparison.becameText(before, after)) {
      this.#add({ rule: `${location}-type-generalized`, level: 'info', place, text: 'any text is allowed now' });
      return;
    }
    for (const located of differences) this.#addDifference(located, location, place);
    const isDecided = differences.some(({ effect }) => effect !== 'none') || comparison.isContained(before, after);
    if (!isDecided)
      this.#add({
        rule: `${location}-schema-changed`,
        level: 'warning',
        place,
        text: `the schema changed. ${undecided}`,
      });
  }

  #addDifference(located: LocatedDifference, location: SchemaLocation, place: string): void {
    const { rule, text } = describeDifference(located, location);
    const position = located.place === '' ? place : `${place} ${located.place}`;
    const policy = Object.hasOwn(policyTable, rule) ? policyTable[rule] : undefined;
    const affects = located.difference.effect !== 'loosened' && !located.difference.isExcepted;
    this.#add({
      rule,
      level:
        policy && affects && !(policy.yieldsToExample && located.effect === 'breaking')
          ? policy.level
          : levels[located.effect],
      place: position,
      text: located.effect === 'unknown' ? `${text}. ${undecided}` : text,
      example: located.example,
    });
  }

  #add(change: NewChange): void {
    this.#list.add(this.#operation, change);
  }
}

const levels = { breaking: 'breaking', none: 'info', unknown: 'warning' } as const;

const undecided = 'Whether callers are affected could not be determined';
