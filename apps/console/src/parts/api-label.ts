interface NamedApi {
  readonly id: string;
  readonly name: string;
}

/** How much of an id tells APIs of one name apart. */
const shownOfId = 8;

/** Labels APIs of a list by their names, and those of one name by the beginning of their ids too. */
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

export const apiLabelWithId = ({ id, name }: NamedApi): string => `${name} · ${id.slice(0, shownOfId)}`;
