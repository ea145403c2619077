/**
 * Returns a name as the real server lists it: without the scheme, the server's own registry and the namespace
 * `library`, and with the tag `latest` if the name has no tag.
 */
export const toListedName = (name: string): string => {
  const path = name.replace(/^[a-z]+:\/\//i, '').replace(/^registry\.ollama\.ai\//i, '');
  const shortName = path.replace(/^library\//i, '');
  return shortName.slice(shortName.lastIndexOf('/') + 1).includes(':') ? shortName : `${shortName}:latest`;
};

export const isValidName = (name: string): boolean =>
  /^([a-z]+:\/\/)?[a-z0-9_][a-z0-9_.\-/]*(:\d+\/[a-z0-9_.\-/]+)?(:[a-z0-9_.-]+)?$/i.test(name);
