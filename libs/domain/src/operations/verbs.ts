/** How well a method matches a verb, 0 to 1; omitted methods do not match at all. */
type Suitability = Readonly<Record<string, number>>;

/** Groups of verbs, and the methods that APIs use for them. */
const verbGroups: readonly (readonly [methods: Suitability, verbs: string])[] = [
  [
    { GET: 1 },
    'get list show find search fetch retrieve read view lookup look see check which where who when how count ' +
      'download is has are did what',
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
  const methodsByVerb = new Map<string, Suitability[]>();
  for (const [methods, verbs] of verbGroups) {
    for (const verb of verbs.split(' ')) methodsByVerb.set(verb, [...(methodsByVerb.get(verb) ?? []), methods]);
  }
  return methodsByVerb;
})();

/**
 * Returns how well each method (in upper case) matches the words of a query, 0 to 1: `delete a webhook` is DELETE. All
 * words are considered, because verbs and nouns cannot be distinguished; a query without a known verb implies no
 * method.
 */
export const inferMethods = (words: readonly string[]): Suitability => {
  const result: Record<string, number> = {};
  for (const methods of words.flatMap((word) => methodsOf.get(word) ?? [])) {
    for (const [method, suitability] of Object.entries(methods))
      result[method] = Math.max(suitability, result[method] ?? 0);
  }
  return result;
};

/** Verbs of operations that change something, although some APIs offer them as GET. */
const changeVerbs: ReadonlySet<string> = new Set(
  (
    'create add insert make send generate start stop upload register submit publish invite set update change edit modify ' +
    'rename move replace delete remove cancel erase drop clear purge unlink revoke detach reset restart run execute ' +
    'approve reject deny trigger enable disable activate deactivate confirm accept pay refund transfer'
  ).split(' '),
);

/** Whether a word of the path (without parameters) or of the operation id suggests that the operation changes something. */
export const soundsLikeChange = ({
  path,
  operationId,
}: {
  readonly path: string;
  readonly operationId: string | null;
}): boolean => wordsIn(`${path.replace(/\{[^}]*\}/g, ' ')} ${operationId ?? ''}`).some((word) => changeVerbs.has(word));

/** Splits names in any case convention, such as `resetPassword` and `reset-password`. */
const wordsIn = (names: string): readonly string[] =>
  (names.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? []).map((word) => word.toLowerCase());
