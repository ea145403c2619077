/** Returns the member of a result that distinguishes an API from others with its name; nothing if there is none. */
export const toDistinctionView = (distinction: string | undefined): { readonly distinguished_by?: string } =>
  distinction === undefined ? {} : { distinguished_by: distinction };
