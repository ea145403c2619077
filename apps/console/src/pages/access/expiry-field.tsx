import { Group, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { dayOf } from '../../parts/last-day.ts';
import { words } from '../../words/words.ts';

const text = words.access.until;
const dayMs = 86_400_000;

/** An expiry as it is chosen: in days from now, on a date, never, or as requested. */
export type Term = 'none' | '30' | '90' | 'date' | 'requested';

export interface ExpiryChoice {
  readonly term: Term;
  readonly date: string;
}

/** Returns the value for the service: a last day, null for no expiry, undefined to leave it to the service. */
export const expiresAtOf = ({ term, date }: ExpiryChoice): string | null | undefined => {
  if (term === 'requested') return undefined;
  if (term === 'none') return null;
  return term === 'date' ? date : dayAfter(Number(term));
};

const dayAfter = (days: number): string => dayOf(new Date(Date.now() + days * dayMs));

export const isComplete = ({ term, date }: ExpiryChoice): boolean => term !== 'date' || date !== '';

export const useExpiry = (term: Term = 'none') => useState<ExpiryChoice>({ term, date: '' });

/** Selects an expiry; `requestedLabel` is the label of the requested one. */
export const ExpiryField = ({
  value,
  change,
  requestedLabel,
  requestedDays = null,
}: {
  readonly value: ExpiryChoice;
  readonly change: (until: ExpiryChoice) => void;
  readonly requestedLabel?: string;
  /** The requested number of days, if it has an expiry. */
  readonly requestedDays?: number | null;
}) => {
  const end = value.term === 'requested' && requestedDays !== null ? dayAfter(requestedDays) : expiresAtOf(value);
  const terms: readonly (readonly [Term, string])[] = [
    ...(requestedLabel === undefined ? [] : [['requested', requestedLabel] as const]),
    ['none', text.none],
    ['30', text.days(30)],
    ['90', text.days(90)],
    ['date', text.date],
  ];
  return (
    <>
      <Group align="end" gap="sm">
        <NativeSelect
          label={text.label}
          data-autofocus={requestedLabel === undefined ? undefined : true}
          value={value.term}
          data={terms.map(([term, label]) => ({ value: term, label }))}
          onChange={({ currentTarget }) => change({ ...value, term: currentTarget.value as Term })}
        />
        {value.term === 'date' ? (
          <TextInput
            type="date"
            label={text.lastDay}
            required
            min={dayOf(new Date())}
            value={value.date}
            onChange={({ currentTarget }) => change({ ...value, date: currentTarget.value })}
          />
        ) : null}
      </Group>
      {end ? <p role="status">{text.endsOn(end)}</p> : null}
    </>
  );
};
