import type { CallResult } from '../../api/call.ts';
import { words } from '../../words/words.ts';
import styles from './access.module.css';

const text = words.access.grant;

export type GrantResult = CallResult<'POST /api/access/grants'>;
type Outcome = GrantResult['outcomes'][number];

/** Returns a sentence with the number of pairs for each outcome. */
export const summaryOf = (result: GrantResult): string => {
  const failedCount = result.not_found + result.ambiguous + result.retired;
  const parts = [
    ...(result.granted > 0 ? [text.granted(result.granted)] : []),
    ...(result.changed > 0 ? [text.expiryChanged(result.changed)] : []),
    ...(result.already > 0 ? [text.alreadyGranted(result.already)] : []),
    ...(failedCount > 0 ? [text.notGranted(failedCount)] : []),
  ];
  return `${parts.length > 0 ? parts.join(', ') : text.nothingGranted}.`;
};

/** Returns the reasons why pairs were not granted, each of them once. */
export const reasonsOf = ({ outcomes }: GrantResult): readonly string[] => [
  ...new Set(outcomes.flatMap((outcome) => reasonOf(outcome) ?? [])),
];

const reasonOf = (outcome: Outcome): string | null => {
  if (outcome.outcome === 'ambiguous') return text.ambiguousApi(outcome.collection_name);
  if (outcome.outcome === 'retired') return text.retiredApi(outcome.collection_name);
  if (outcome.outcome !== 'not_found') return null;
  if (outcome.email !== undefined && outcome.profile_id === null) return text.unknownPerson(outcome.email);
  if (outcome.group_name !== undefined && outcome.group_id === null) return text.unknownGroup(outcome.group_name);
  if (outcome.collection_id === null) return text.unknownApi(outcome.collection_name);
  return text.notPossible(outcome.email ?? outcome.group_name ?? '', outcome.collection_name);
};

/** The outcome of a bulk action: a sentence, and the reasons for failures. */
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
