import { Anchor, Button } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { call, type CallResult } from '../../api/call.ts';
import { useChange, usePages } from '../../api/use-call.ts';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { notifyUndo } from '../../parts/notify-undo.tsx';
import { notify } from '../../parts/notify.ts';
import { PeoplePicker, type Picked } from '../../parts/pickers.tsx';
import { words } from '../../words/words.ts';
import { oneByOne, useBatches, type BulkAction } from '../people/use-batches.ts';
import { Outcomes } from '../people/outcomes.tsx';
import { Section } from '../people/section.tsx';
import styles from './limits.module.css';
import { RuleFields, ruleFrom } from './rule-fields.tsx';
import { ActiveState } from './tiers.tsx';

const text = words.limits;
const affectedReads = [
  'GET /api/rate-limits/overrides',
  'GET /api/rate-limits/effective/:client_id',
  'GET /api/rate-limits/standing',
] as const;

type Override = CallResult<'GET /api/rate-limits/overrides'>[number];
type Asking = { readonly kind: 'edit' | 'delete'; readonly override: Override } | { readonly kind: 'create' } | null;

const nameOf = ({ full_name: name }: Override): string => name ?? '';

/** The limit overrides for individual people. */
export const Overrides = () => {
  const pages = usePages('GET /api/rate-limits/overrides', { query: { include: 'client', include_total: true } });
  const toggle = useChange('PUT /api/rate-limits/overrides/:id', { invalidates: affectedReads });
  const { progress, run, dismiss } = useBatches(affectedReads);
  const [asking, setAsking] = useState<Asking>(null);
  const close = () => setAsking(null);
  // The new state is shown immediately, because it is just as easy to switch back.
  const isActive = ({ id, is_active: stored }: Override): boolean =>
    toggle.isPending && toggle.variables.params.id === String(id) ? !stored : stored;
  const set = (override: Override, active: boolean): void =>
    toggle.mutate(
      { params: { id: String(override.id) }, body: { is_active: active } },
      {
        onSuccess: () => notifyUndo(text.overrideSwitched(nameOf(override), active), () => set(override, !active)),
      },
    );
  const columns: readonly Column<Override>[] = [
    { header: text.person, cell: (row) => <Who override={row} /> },
    { header: text.limit, cell: (row) => text.rule(row.allowed_limit, row.window_seconds) },
    { header: text.state, cell: (row) => <ActiveState isActive={isActive(row)} /> },
    {
      header: words.frame.actions,
      headerHidden: true,
      cell: (row) => (
        <RowActs override={row} isActive={isActive(row)} ask={setAsking} toggle={(active) => set(row, active)} />
      ),
    },
  ];
  return (
    <Section
      title={text.overrides}
      actions={<Button onClick={() => setAsking({ kind: 'create' })}>{text.newOverride}</Button>}
    >
      {pages.total ? <p>{text.overridesCount(pages.total)}</p> : null}
      <Outcomes progress={progress} dismiss={dismiss} />
      <ErrorNote error={toggle.error} />
      <DataTable
        label={text.overrides}
        columns={columns}
        pages={pages}
        keyOf={({ id }) => String(id)}
        empty={text.noOverrides}
      />
      {asking?.kind === 'create' ? (
        <CreateDialog
          close={close}
          act={(people, action) => {
            close();
            void run(people, action);
          }}
        />
      ) : null}
      {asking?.kind === 'edit' ? <EditDialog override={asking.override} close={close} /> : null}
      {asking?.kind === 'delete' ? <DeleteDialog override={asking.override} close={close} /> : null}
    </Section>
  );
};

const Who = ({ override }: { readonly override: Override }) => (
  <Anchor component={Link} to={`/people/${encodeURIComponent(override.email ?? '')}`}>
    {nameOf(override)}
  </Anchor>
);

const RowActs = ({
  override,
  isActive,
  ask,
  toggle,
}: {
  readonly override: Override;
  readonly isActive: boolean;
  readonly ask: (asking: Asking) => void;
  readonly toggle: (active: boolean) => void;
}) => {
  const name = nameOf(override);
  return (
    <div className={styles.buttons}>
      <Button
        variant="default"
        size="xs"
        aria-label={isActive ? text.deactivateOf(name) : text.activateOf(name)}
        onClick={() => toggle(!isActive)}
      >
        {isActive ? text.deactivate : text.activate}
      </Button>
      <Button
        variant="default"
        size="xs"
        aria-label={text.editOf(text.overrideFor(name))}
        onClick={() => ask({ kind: 'edit', override })}
      >
        {text.edit}
      </Button>
      <Button
        variant="default"
        size="xs"
        aria-label={text.deleteOf(text.overrideFor(name))}
        onClick={() => ask({ kind: 'delete', override })}
      >
        {text.delete}
      </Button>
    </div>
  );
};

const CreateDialog = ({
  close,
  act,
}: {
  readonly close: () => void;
  readonly act: (people: readonly Picked[], action: BulkAction<Picked>) => void;
}) => {
  const [people, setPeople] = useState<readonly Picked[]>([]);
  const send = (fields: FormData): void => {
    const rule = ruleFrom(fields);
    const create = ({ id }: Picked) => call('POST /api/rate-limits/overrides', { body: { client_id: id, ...rule } });
    act(people, { ...oneByOne(({ name }) => name, text.hasOverride, create), done: text.overridesCreated });
  };
  return (
    <Dialog
      open
      title={text.newOverride}
      close={close}
      act={send}
      actLabel={words.frame.save}
      disabled={people.length === 0}
    >
      <p>{text.overrideHint}</p>
      <PeoplePicker label={text.people} description={text.peopleHint} value={people} change={setPeople} pastes />
      <RuleFields />
    </Dialog>
  );
};

const EditDialog = ({ override, close }: { readonly override: Override; readonly close: () => void }) => {
  const update = useChange('PUT /api/rate-limits/overrides/:id', { invalidates: affectedReads });
  const act = (fields: FormData): void =>
    update.mutate(
      { params: { id: String(override.id) }, body: ruleFrom(fields) },
      {
        onSuccess: () => {
          notify(text.overrideSaved(nameOf(override)));
          close();
        },
      },
    );
  return (
    <Dialog
      open
      title={text.editOverride(nameOf(override))}
      close={close}
      act={act}
      busy={update.isPending}
      error={update.error}
    >
      <RuleFields rule={override} />
    </Dialog>
  );
};

const DeleteDialog = ({ override, close }: { readonly override: Override; readonly close: () => void }) => {
  const remove = useChange('DELETE /api/rate-limits/overrides/:id', { invalidates: affectedReads });
  const name = nameOf(override);
  const act = (): void =>
    remove.mutate(
      { params: { id: String(override.id) } },
      {
        onSuccess: () => {
          notify(text.overrideDeleted(name));
          close();
        },
      },
    );
  return (
    <Dialog
      open
      destructive
      title={text.deleteOverride(name)}
      close={close}
      act={act}
      actLabel={text.delete}
      busy={remove.isPending}
      error={remove.error}
    >
      <p>{text.deleteOverrideHint}</p>
    </Dialog>
  );
};
