import { type CallerQueue, createCallerQueue } from '../../access/caller-queue.ts';
import { isNarrow, type CallPermission, type WithPermission } from '../../access/operation-rule.ts';
import { permissionOf, type Principal, requireReadableTarget, rulesOf } from '../../access/principal.ts';
import type { Collection, CollectionHead } from '../../collections/collection.ts';
import { PorticoError } from '../../errors.ts';
import type { OperationKey } from '../../ids.ts';
import type { SliceOptions } from '../../operations/operation-slice.ts';
import type { Ports } from '../../ports/index.ts';
import type { WithUsageCounter } from '../../usage/usage-counter.ts';
import type { CallSettings } from '../../operations/call-settings.ts';
import type { Preparation, PreparedRequest } from '../../operations/prepare-request.ts';
import type {
  LocatedOperation,
  OperationForm,
  PreparationRequest,
  StoredDocument,
} from '../../ports/operation-slicer.ts';

export interface OperationRequest extends SliceOptions {
  readonly form: OperationForm;
  /** Whether the text omits `call` for an operation that the caller may call. */
  readonly omitsAllowed?: boolean;
}

/** An operation in the requested form. */
export interface DescribedOperation extends WithPermission {
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
    { omitsAllowed = false, ...request }: OperationRequest,
  ): Promise<DescribedOperation> => {
    const collection = requireReadableTarget(principal);
    const operation = await locateOperation(ports, collection, key);
    const call = permissionOf(principal, { key, method: operation.method });
    const context = { ...operation.context, ...(omitsAllowed && call === 'allowed' ? {} : { call }) };
    const { result: text, digest } = await enqueue(principal, () =>
      readFromDocument(ports, collection, (document) =>
        ports.slicer.slice(document, { ...request, ...operation, context }, principal.deadline),
      ),
    );
    ports.uses.count(principal, 'slice', collection.id, key);
    return { text, isFromAdmittedDocument: digest === collection.documentDigest, call };
  };
};

/**
 * Returns whether the caller may call an operation of the collection that the request is about. Reads the operation only
 * if that depends on it; then, throws `operation_not_found`.
 */
export const readPermission =
  ({ operations }: Pick<Ports, 'operations'>) =>
  async (principal: Principal, key: OperationKey): Promise<CallPermission> => {
    const { id } = requireReadableTarget(principal);
    if (!isNarrow(rulesOf(principal))) return 'allowed';
    const operation = await operations.find(id, key);
    if (!operation) throw new PorticoError('operation_not_found');
    return permissionOf(principal, operation);
  };

/**
 * Returns the request that calls an operation of the collection that the request is about with the arguments of its
 * tool, given as the text of a JSON object. Callers are queued (`createCallerQueue`). Throws `operation_not_found`, and
 * `invalid_arguments` with all errors.
 */
export const prepareOperation = (ports: RequiredPorts & WithUsageCounter) => {
  const prepare = createPreparation(ports, createCallerQueue());
  return async (
    principal: Principal<Collection>,
    key: OperationKey,
    argumentsText: string,
  ): Promise<PreparedRequest> => {
    const collection = requireReadableTarget(principal);
    const operation = await locateOperation(ports, collection, key);
    const preparation = await prepare(principal, collection, { ...operation, argumentsText });
    ports.uses.count(principal, 'slice', collection.id, key);
    return requireRequest(preparation);
  };
};

/** Creates a function that prepares the request of an operation. */
export const createPreparation =
  (ports: RequiredPorts, enqueue: CallerQueue) =>
  async (principal: Principal, collection: Collection, request: PreparationRequest): Promise<Preparation> => {
    const { result } = await enqueue(principal, () =>
      readFromDocument(ports, collection, (document) => ports.slicer.prepare(document, request, principal.deadline)),
    );
    return result;
  };

/** Returns the prepared request; throws `invalid_arguments` with all errors. */
export const requireRequest = (preparation: Preparation): PreparedRequest => {
  if ('request' in preparation) return preparation.request;
  const { errors } = preparation;
  const reason = errors.map(({ pointer, message }) => `${pointer || 'the arguments'} ${message}`).join('; ');
  throw new PorticoError('invalid_arguments', { reason, errors });
};

/** Returns an operation with the settings of its collection. Throws `operation_not_found`. */
export const locateOperation = async (
  ports: Pick<Ports, 'operations'>,
  collection: Collection,
  key: OperationKey,
): Promise<LocatedOperation> => {
  const operation = await ports.operations.find(collection.id, key);
  if (!operation) throw new PorticoError('operation_not_found');
  const { method, path } = operation;
  const { id: collectionId, name: collectionName } = collection;
  return {
    method,
    path,
    context: { collectionId, collectionName, operationKey: key, settings: settingsOf(collection) },
  };
};

/** Reads a result from the collection's document; if the document was replaced meanwhile, from the new one. */
const readFromDocument = async <Result>(
  ports: RequiredPorts,
  collection: Collection,
  read: (document: StoredDocument) => Promise<Result>,
): Promise<{ readonly result: Result; readonly digest: string }> => {
  let digest = collection.documentDigest;
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    try {
      return { result: await read(storedDocumentOf(ports, collection, digest)), digest };
    } catch (error) {
      if (!(error instanceof DocumentReplacedError)) throw error;
      digest = error.digest;
    }
  }
  throw new Error(`The document of collection ${collection.id} was replaced ${attemptsMax} times while it was read`);
};

/** Returns the settings that change how the collection's operations are called, without any secret. */
export const settingsOf = (collection: Collection): CallSettings => {
  const { baseUrlSetting, serverVariables, credentialSchemes, storedAuthentication } = collection;
  const settings = { baseUrl: baseUrlSetting, serverVariables, storedSchemes: credentialSchemes };
  if (!storedAuthentication) return { ...settings, authentication: null };
  const { type, name, in: place, sealedValue } = storedAuthentication;
  return { ...settings, authentication: { type, name, in: place, isStored: sealedValue !== null } };
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
