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
export const apiLabels = (apis: readonly NamedApi[]): ((api: NamedApi) => string) => {
  const idOf = new Map<string, string>();
  const shared = new Set<string>();
  for (const { id, name } of apis) {
    const key = name.toLowerCase();
    if ((idOf.get(key) ?? id) !== id) shared.add(key);
    idOf.set(key, id);
  }
  return ({ id, name }) => (shared.has(name.toLowerCase()) ? apiLabelWithId({ id, name }) : name);
};

export const apiLabelWithId = ({ id, name }: NamedApi): string => `${name} · ${id.slice(0, idPrefixLength)}`;
