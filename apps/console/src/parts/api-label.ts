interface NamedApi {
  readonly id: string;
  readonly name: string;
}

/** The number of characters of an id that distinguish APIs with the same name. */
const idPrefixLength = 8;

/**
 * Returns a function that labels each API in a list by its name, and adds the beginning of its id if several have that
 * name.
 */
export const createApiLabeler = (apis: readonly NamedApi[]): ((api: NamedApi) => string) => {
  const idByName = new Map<string, string>();
  const sharedNames = new Set<string>();
  for (const { id, name } of apis) {
    const key = name.toLowerCase();
    if ((idByName.get(key) ?? id) !== id) sharedNames.add(key);
    idByName.set(key, id);
  }
  return ({ id, name }) => (sharedNames.has(name.toLowerCase()) ? formatApiLabelWithId({ id, name }) : name);
};

export const formatApiLabelWithId = ({ id, name }: NamedApi): string => `${name} · ${id.slice(0, idPrefixLength)}`;
