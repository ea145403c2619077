/**
 * Returns a name as the real server lists it: without the scheme, the server's own registry and the namespace
 * `library`, and with the tag `latest` if the name has no tag.
 */
export const listedName = (name: string): string => {
  const path = name.replace(/^[a-z]+:\/\//i, '').replace(/^registry\.ollama\.ai\//i, '');
  const short = path.replace(/^library\//i, '');
  return short.slice(short.lastIndexOf('/') + 1).includes(':') ? short : `${short}:latest`;
};

export const isValidName = (name: string): boolean =>
  /^([a-z]+:\/\/)?[a-z0-9_][a-z0-9_.\-/]*(:\d+\/[a-z0-9_.\-/]+)?(:[a-z0-9_.-]+)?$/i.test(name);
