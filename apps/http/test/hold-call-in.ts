import type { CollectionId, OperationKey, PendingCall, UseCases } from '@portico/domain';
import type { ApiKey } from './client.ts';

/** The arguments of a held call. */
export const heldArguments = '{"station":"north","depth":1.0,"note":"secret-of-the-call"}';

/** Holds a call of an operation until it is decided. Its caller needs access to the collection. */
export const holdCallIn =
  ({ admit, holdCall }: Pick<UseCases, 'admit' | 'holdCall'>) =>
  async (
    { clientId, secret }: ApiKey,
    collectionId: string,
    argumentsText: string = heldArguments,
    operationKey = 'mfrggzdfmztwq2lk',
  ): Promise<PendingCall> => {
    const { principal } = await admit({
      credential: { kind: 'key', clientId: clientId, secret },
      auth: 'token or key',
      target: { id: collectionId as CollectionId, detail: 'full' },
      sender: { address: '192.0.2.1' },
      deadline: null,
    });
    const operation = { key: operationKey as OperationKey, method: 'DELETE', path: '/stations/{station}' };
    return holdCall(principal, operation, argumentsText, null);
  };
