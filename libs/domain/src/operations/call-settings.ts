import type { AuthenticationScheme } from '../collections/collection.ts';

/** The settings of a collection that change where its operations are called. */
export interface ServerSettings {
  /** Replaces the servers of the document, but not those of a path or an operation; null if it is not set. */
  readonly baseUrl: string | null;
  /** The values of server variables, by name. */
  readonly serverVariables: Readonly<Record<string, string>>;
}

/** The settings of a collection that change how its operations are called. */
export interface CallSettings extends ServerSettings {
  /** How calls authenticate, as set by an admin instead of the document; null if it is not set. */
  readonly authentication: (AuthenticationScheme & { readonly isStored: boolean }) | null;
  /** The names of the document's security schemes for which a credential is stored. */
  readonly storedSchemes: readonly string[];
}

export const defaultCallSettings: CallSettings = {
  baseUrl: null,
  serverVariables: {},
  authentication: null,
  storedSchemes: [],
};
