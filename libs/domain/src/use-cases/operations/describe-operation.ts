import { createCallerQueue } from '../../access/caller-queue.ts';
import { type Principal, requireReadableTarget } from '../../access/principal.ts';
import type { AuthenticationScheme, Collection, CollectionHead } from '../../collections/collection.ts';
import type { Deadline } from '../../deadline.ts';
import { PorticoError } from '../../errors.ts';
import type { OperationKey } from '../../ids.ts';
import type { SliceOptions } from '../../operations/operation-slice.ts';
import type { Ports } from '../../ports/index.ts';
import type { WithUsageCounter } from '../../usage/usage-counter.ts';
import type { OperationForm, SliceRequest, StoredDocument } from '../../ports/operation-slicer.ts';

export interface OperationRequest extends SliceOptions {
  readonly form: OperationForm;
}

/** An operation in the requested form. */
export interface DescribedOperation {
  /** The JSON text in UTF-8. */
  readonly text: Uint8Array;
  /**
   * Whether the operation comes from the document that the request was admitted with, rather than from one that
   * replaced it since.
   */
  readonly isFromAdmittedDocument: boolean;
}

type RequiredPorts = Pick<Ports, 'collections' | 'operations' | 'slicer'>;

/** How many times in a row a document may be replaced while an operation is being extracted from it. */
const attemptsMax = 5;

/**
 * Returns everything that is needed to call an operation of the collection that the request is about. If the document
 * changed since the request was admitted, the operation is extracted from the new one. Callers are queued
 * (`createCallerQueue`). Throws `operation_not_found`.
 */
export const describeOperation = (ports: RequiredPorts & WithUsageCounter) => {
  const enqueue = createCallerQueue();
  return async (
    principal: Principal<Collection>,
    key: OperationKey,
    request: OperationRequest,
  ): Promise<DescribedOperation> => {
    const collection = requireReadableTarget(principal);
    const operation = await ports.operations.find(collection.id, key);
    if (!operation) throw new PorticoError('operation_not_found');
    const { method, path } = operation;
    const { id: collectionId, name: collectionName, baseUrl } = collection;
    const authentication = effectiveSchemeOf(collection);
    const context = { collectionId, collectionName, operationKey: key, baseUrl, authentication };
    const sliceRequest = { ...request, method, path, context };
    const result = await enqueue(principal, () => sliceOf(ports, collection, sliceRequest, principal.deadline));
    ports.uses.count(principal, 'slice', collectionId);
    return result;
  };
};

const sliceOf = async (
  ports: RequiredPorts,
  collection: Collection,
  request: SliceRequest,
  deadline: Deadline | null,
): Promise<DescribedOperation> => {
  let digest = collection.documentDigest;
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    try {
      const text = await ports.slicer.slice(storedDocumentOf(ports, collection, digest), request, deadline);
      return { text, isFromAdmittedDocument: digest === collection.documentDigest };
    } catch (error) {
      if (!(error instanceof DocumentReplacedError)) throw error;
      digest = error.digest;
    }
  }
  throw new Error(`The document of collection ${collection.id} was replaced ${attemptsMax} times while it was read`);
};

/** Returns how calls authenticate, without the credential: the scheme set by an admin, or else the document's. */
export const effectiveSchemeOf = ({
  storedAuthentication,
  derivedAuthentication,
}: Collection): AuthenticationScheme => {
  const { type, name, in: place } = storedAuthentication ?? derivedAuthentication;
  return { type, name, in: place };
};

/** Returns the document with that digest; reading it throws `DocumentReplacedError` if it has been replaced. */
const storedDocumentOf = ({ collections }: RequiredPorts, { id }: CollectionHead, digest: string): StoredDocument => ({
  digest,
  async load() {
    const document = await collections.findDocument(id);
    if (!document) throw new PorticoError('collection_not_found');
    if (document.digest !== digest) throw new DocumentReplacedError(document.digest);
    return document.packed;
  },
});

class DocumentReplacedError extends Error {
  readonly digest: string;

  constructor(digest: string) {
    super('The document was replaced by a different one');
    this.digest = digest;
  }
}
