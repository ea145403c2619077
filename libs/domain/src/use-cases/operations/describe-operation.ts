import { createCallerTurns } from '../../access/caller-turns.ts';
import { type Principal, readableTarget } from '../../access/principal.ts';
import type { AuthenticationScheme, Collection, CollectionHead } from '../../collections/collection.ts';
import type { Deadline } from '../../deadline.ts';
import { PorticoError } from '../../errors.ts';
import type { OperationKey } from '../../ids.ts';
import type { SliceOptions } from '../../operations/operation-slice.ts';
import type { Ports } from '../../ports/index.ts';
import type { Counting } from '../../usage/usage-counter.ts';
import type { OperationForm, SliceRequest, StoredDocument } from '../../ports/operation-slicer.ts';

export interface OperationRequest extends SliceOptions {
  readonly form: OperationForm;
}

/** An operation as it was asked for. */
export interface DescribedOperation {
  /** JSON in UTF-8. */
  readonly text: Uint8Array;
  /** Whether it is of the document that the request was admitted with, and not of one that replaced it since. */
  readonly isOfRequest: boolean;
}

type Needs = Pick<Ports, 'collections' | 'operations' | 'slicer'>;

/** How often in a row a document may be replaced while an operation is cut out of it. */
const attemptsMax = 5;

/**
 * Returns all that is needed to call an operation of the collection that the request is about. If the document changed
 * since the request was admitted, the operation is cut out of the new one. Callers take turns (`createCallerTurns`).
 * Throws `operation_not_found`.
 */
export const describeOperation = (ports: Needs & Counting) => {
  const inTurn = createCallerTurns();
  return async (
    principal: Principal<Collection>,
    key: OperationKey,
    request: OperationRequest,
  ): Promise<DescribedOperation> => {
    const collection = readableTarget(principal);
    const operation = await ports.operations.find(collection.id, key);
    if (!operation) throw new PorticoError('operation_not_found');
    const { method, path } = operation;
    const { id: collectionId, name: collectionName, baseUrl } = collection;
    const authentication = schemeInForce(collection);
    const facts = { collectionId, collectionName, operationKey: key, baseUrl, authentication };
    const asked = { ...request, method, path, facts };
    const described = await inTurn(principal, () => sliceOf(ports, collection, asked, principal.deadline));
    ports.uses.count(principal, 'slice', collectionId);
    return described;
  };
};

const sliceOf = async (
  ports: Needs,
  collection: Collection,
  asked: SliceRequest,
  deadline: Deadline | null,
): Promise<DescribedOperation> => {
  let digest = collection.documentDigest;
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    try {
      const text = await ports.slicer.slice(storedDocument(ports, collection, digest), asked, deadline);
      return { text, isOfRequest: digest === collection.documentDigest };
    } catch (error) {
      if (!(error instanceof DocumentReplaced)) throw error;
      digest = error.digest;
    }
  }
  throw new Error(`The document of collection ${collection.id} was replaced ${attemptsMax} times while it was read`);
};

/** How calls authenticate, without the credential: what an admin set, else what the document says. */
export const schemeInForce = ({ storedAuthentication, derivedAuthentication }: Collection): AuthenticationScheme => {
  const { type, name, in: place } = storedAuthentication ?? derivedAuthentication;
  return { type, name, in: place };
};

/** The document of that digest; reading it throws `DocumentReplaced` if there is another by now. */
const storedDocument = ({ collections }: Needs, { id }: CollectionHead, digest: string): StoredDocument => ({
  digest,
  async load() {
    const found = await collections.document(id);
    if (!found) throw new PorticoError('collection_not_found');
    if (found.digest !== digest) throw new DocumentReplaced(found.digest);
    return found.packed;
  },
});

class DocumentReplaced extends Error {
  readonly digest: string;

  constructor(digest: string) {
    super('The document was replaced by another');
    this.digest = digest;
  }
}
