/** Returns the name of an API, with its distinction if another one has the same name. */
export const distinctNameOf = ({ name, distinguished_by }: NamedApi): string =>
  distinguished_by === undefined ? name : `${name} [${distinguished_by}]`;

interface NamedApi {
  readonly name: string;
  readonly distinguished_by?: string;
}

/** Returns the member of a structured result that distinguishes an API; nothing if no other one has its name. */
export const toDistinctionView = (distinction: string | undefined): { readonly distinguished_by?: string } =>
  distinction === undefined ? {} : { distinguished_by: distinction };
