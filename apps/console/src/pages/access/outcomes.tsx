import type { Answered } from '../../api/call.ts';
import { words } from '../../words/words.ts';
import styles from './access.module.css';

const text = words.access.grant;

export type GrantAnswer = Answered<'POST /api/access/grants'>;
type Outcome = GrantAnswer['outcomes'][number];

/** How many pairs had which outcome, in one sentence. */
export const sentenceOf = (answer: GrantAnswer): string => {
  const refused = answer.not_found + answer.ambiguous;
  const parts = [
    ...(answer.granted > 0 ? [text.granted(answer.granted)] : []),
    ...(answer.changed > 0 ? [text.changed(answer.changed)] : []),
    ...(answer.already > 0 ? [text.already(answer.already)] : []),
    ...(refused > 0 ? [text.refused(refused)] : []),
  ];
  return `${parts.length > 0 ? parts.join(', ') : text.nothing}.`;
};

/** Why pairs were refused, each reason once. */
export const reasonsOf = ({ outcomes }: GrantAnswer): readonly string[] => [
  ...new Set(outcomes.flatMap((outcome) => reasonOf(outcome) ?? [])),
];

const reasonOf = (of: Outcome): string | null => {
  if (of.outcome === 'ambiguous') return text.ambiguousApi(of.collection_name);
  if (of.outcome !== 'not_found') return null;
  if (of.email !== undefined && of.profile_id === null) return text.unknownPerson(of.email);
  if (of.group_name !== undefined && of.group_id === null) return text.unknownGroup(of.group_name);
  if (of.collection_id === null) return text.unknownApi(of.collection_name);
  return text.notPossible(of.email ?? of.group_name ?? '', of.collection_name);
};

/** What came of an act on many: a sentence, and what it left undone. */
export const OutcomeNote = ({
  sentence,
  reasons,
}: {
  readonly sentence: string;
  readonly reasons: readonly string[];
}) => (
  <div role="alert" className={styles.outcome}>
    <p>{sentence}</p>
    {reasons.length > 0 ? (
      <ul>
        {reasons.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
    ) : null}
  </div>
);
