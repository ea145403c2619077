const subjectLengthMax = 72;

/**
 * The verbs that a subject may start with. If a verb is missing, add it: without the list, "Sketches go" would pass.
 */
const verbs = new Set(
  `accept adapt add adjust align allow announce answer apply approve ask assert assign avoid batch block bound break bring build
  bump cache call cancel catch change check clarify clean clear close collect combine compare complete compress compute
  configure confirm connect convert copy correct count cover create cut decide declare decline decouple dedupe default
  defer define delete deny deprecate describe detect disable disconnect distinguish divide document drop embed enable
  encrypt end enforce ensure exclude exit expect expire explain export expose extend extract fail fill filter find finish
  fix flush fold follow format forward generate give grant group guard handle hash hide highlight honor honour ignore
  implement import improve include increase index inform inline insert install introduce invalidate isolate issue join
  keep label lay leave let license limit link list load localize lock log look lower make mark match measure merge migrate
  mock mount move name narrow normalize note notify offer omit open optimize order pack paginate parse pass patch pause
  pin place point prefer prepare prevent preview print probe process promote propagate protect prove provide publish put
  query quote raise rank read rebuild record recover redact reduce refactor refresh refuse register regenerate reject
  relax release reload remember remove rename render renew reorder repair repeat replace reply report request require
  reserve reset resolve respect respond restart restore restrict retry return reuse revert review revoke reword rewrite rotate
  round route run sample sanitize save say scale scan schedule seal search see select send separate serve set share
  shorten show sign simplify skip sort specify speed split stage start state stop store stream strip summarize support
  suspend swap switch sync tag take test throw tidy tighten time trace track train translate treat trim truncate try turn
  tune type undo unify unlock unpin unseal update upgrade use validate verify wait warn widen wrap write yield`.split(
    /\s+/,
  ),
);

/** Returns the faults of a commit's subject, worded for its author; empty if it has none. */
export const subjectFaults = (subject: string): readonly string[] => {
  const [firstWord = ''] = subject.split(' ');
  return [
    ...(subject.length > subjectLengthMax
      ? [`has ${subject.length} characters, but at most ${subjectLengthMax} are allowed`]
      : []),
    ...(/^[A-Z]/.test(subject) ? [] : ['does not start with a capital letter']),
    ...(/[.!]$/.test(subject) ? ['ends with a period or an exclamation mark'] : []),
    ...(verbs.has(firstWord.toLowerCase())
      ? []
      : [
          `does not start with a verb in the imperative; if "${firstWord}" is one, add it to the list in subject-faults.ts`,
        ]),
  ];
};
