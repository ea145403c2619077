/**
 * A name as the real server lists it: the scheme is dropped, and so are its own registry and the namespace `library`; without a tag
 * `latest` is meant.
 */
export const listedName = (name: string): string => {
  const path = name.replace(/^[a-z]+:\/\//i, '').replace(/^registry\.ollama\.ai\//i, '');
  const short = path.replace(/^library\//i, '');
  return short.slice(short.lastIndexOf('/') + 1).includes(':') ? short : `${short}:latest`;
};

export const isValidName = (name: string): boolean =>
  /^([a-z]+:\/\/)?[a-z0-9_][a-z0-9_.\-/]*(:\d+\/[a-z0-9_.\-/]+)?(:[a-z0-9_.-]+)?$/i.test(name);
