import { Group, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { dayOf } from '../../parts/last-day.ts';
import { words } from '../../words/words.ts';

const text = words.access.until;
const dayMs = 86_400_000;

/** When a right ends, as it is chosen: in days from now, on a date, never, or as whoever asked wishes. */
export type Term = 'none' | '30' | '90' | 'date' | 'wished';

export interface Until {
  readonly term: Term;
  readonly date: string;
}

/** What the service takes: a last day, null for no end, undefined to leave it to the service. */
export const endOf = ({ term, date }: Until): string | null | undefined => {
  if (term === 'wished') return undefined;
  if (term === 'none') return null;
  return term === 'date' ? date : dayAfter(Number(term));
};

const dayAfter = (days: number): string => dayOf(new Date(Date.now() + days * dayMs));

export const isWhole = ({ term, date }: Until): boolean => term !== 'date' || date !== '';

export const useUntil = (term: Term = 'none') => useState<Until>({ term, date: '' });

/** Asks until when; `wished` names what was asked for. */
export const UntilField = ({
  value,
  change,
  wished,
  wishedDays = null,
}: {
  readonly value: Until;
  readonly change: (until: Until) => void;
  readonly wished?: string;
  /** How many days that is, if it has an end. */
  readonly wishedDays?: number | null;
}) => {
  const end = value.term === 'wished' && wishedDays !== null ? dayAfter(wishedDays) : endOf(value);
  const terms: readonly (readonly [Term, string])[] = [
    ...(wished === undefined ? [] : [['wished', wished] as const]),
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
          data-autofocus={wished === undefined ? undefined : true}
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
