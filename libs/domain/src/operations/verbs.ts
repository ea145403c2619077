/** How well a method suits a verb, 0 to 1; a method that is not named does not suit it at all. */
type Suitability = Readonly<Record<string, number>>;

/** What verbs ask for, and the methods that APIs do it with. */
const acts: readonly (readonly [methods: Suitability, verbs: string])[] = [
  [
    { GET: 1 },
    'get list show find search fetch retrieve read view lookup look see check which what where who when how count ' +
      'download is has are did',
  ],
  [
    { POST: 1, PUT: 0.3 },
    'create add make new post send generate start upload register submit order place book buy open issue launch ' +
      'publish invite set',
  ],
  [{ PUT: 1, PATCH: 1, POST: 0.5 }, 'update change edit modify set rename move replace mark put turn adjust correct'],
  [{ DELETE: 1 }, 'delete remove cancel erase drop clear purge unlink revoke detach'],
];

const methodsOf: ReadonlyMap<string, readonly Suitability[]> = (() => {
  const byVerb = new Map<string, Suitability[]>();
  for (const [methods, verbs] of acts) {
    for (const verb of verbs.split(' ')) byVerb.set(verb, [...(byVerb.get(verb) ?? []), methods]);
  }
  return byVerb;
})();

/**
 * How well each method (in capitals) suits what the words of a query ask for, 0 to 1: `delete a webhook` is DELETE.
 * Words are taken wherever they stand, because what is a verb and what a noun is not known; a query without a known verb
 * asks for no method.
 */
export const methodsMeant = (words: readonly string[]): Suitability => {
  const meant: Record<string, number> = {};
  for (const methods of words.flatMap((word) => methodsOf.get(word) ?? [])) {
    for (const [method, suits] of Object.entries(methods)) meant[method] = Math.max(suits, meant[method] ?? 0);
  }
  return meant;
};
