import { readFileSync } from 'node:fs';

/** The version of Portico, such as `0.1.0`, from the repository's manifest. */
export const version = (
  JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as { readonly version: string }
).version;
