import { useState } from 'react';
import { useChange } from '../../api/use-call.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { notify } from '../../parts/notify.ts';
import { ApisPicker, GroupsPicker, PeoplePicker, type Picked } from '../../parts/pickers.tsx';
import { words } from '../../words/words.ts';
import styles from './access.module.css';
import { OutcomeNote, reasonsOf, sentenceOf, type GrantAnswer } from './outcomes.tsx';
import { touchedByAccess } from './touched.ts';
import { endOf, isWhole, UntilField, useUntil } from './until.tsx';

const text = words.access.grant;

/** What is picked already when it opens. */
export interface Prefilled {
  readonly people?: readonly Picked[];
  readonly groups?: readonly Picked[];
  readonly apis?: readonly Picked[];
}

/** Many people and groups get many APIs in one act. Mounted when it opens. */
export const GrantDialog = ({
  close,
  prefilled = {},
}: {
  readonly close: () => void;
  readonly prefilled?: Prefilled;
}) => {
  const grant = useChange('POST /api/access/grants', { touches: touchedByAccess });
  const [people, setPeople] = useState(prefilled.people ?? []);
  const [groups, setGroups] = useState(prefilled.groups ?? []);
  const [apis, setApis] = useState(prefilled.apis ?? []);
  const [until, setUntil] = useUntil();
  const [answer, setAnswer] = useState<GrantAnswer | null>(null);
  if (answer)
    return (
      <Dialog title={text.title} open close={close}>
        <OutcomeNote sentence={sentenceOf(answer)} reasons={reasonsOf(answer)} />
      </Dialog>
    );
  const grantees = people.length + groups.length;
  const act = (): void =>
    grant.mutate(
      { body: { profiles: idsOf(people), groups: idsOf(groups), collections: idsOf(apis), ...ending(endOf(until)) } },
      {
        onSuccess: (answered) => {
          if (answered.not_found + answered.ambiguous > 0) return setAnswer(answered);
          notify(sentenceOf(answered));
          close();
        },
      },
    );
  return (
    <Dialog
      title={text.title}
      open
      close={close}
      act={act}
      actLabel={grantees * apis.length > 0 ? text.actMany(grantees * apis.length) : text.act}
      busy={grant.isPending}
      disabled={grantees * apis.length === 0 || !isWhole(until)}
      error={grant.error}
    >
      <PeoplePicker label={text.people} description={text.peopleHint} value={people} change={setPeople} pastes />
      <GroupsPicker label={text.groups} value={groups} change={setGroups} />
      <ApisPicker
        label={text.apis}
        description={text.apisHint}
        value={apis}
        change={setApis}
        pastes
        autofocus={Boolean(prefilled.people?.length)}
      />
      <UntilField value={until} change={setUntil} />
      <p className={styles.quiet}>{endOf(until) ? text.changesEnds : text.keepsEnds}</p>
      <p role="status">{grantees * apis.length === 0 ? text.chooseBoth : text.pairs(grantees, apis.length)}</p>
    </Dialog>
  );
};

const idsOf = (picked: readonly Picked[]): string[] => picked.map(({ id }) => id);

/** Without an end nothing is sent, so that nobody's temporary access is made lasting by the way. */
const ending = (end: string | null | undefined) => (end ? { expires_at: end } : {});
