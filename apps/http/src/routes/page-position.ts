import type { Instant } from '@portico/domain';
import { z } from 'zod';

/** The last entry of a page, in a list sorted by time and then by id. */
export interface PagePosition {
  readonly time: Instant;
  readonly id: string;
}

const shape = /^(\d{1,15})\.([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/;

/** The schema of a cursor that `toCursor` returned. */
export const pagePosition = z
  .string()
  .regex(shape, { error: 'was not issued by this service' })
  .transform((cursorText): PagePosition => {
    const [, time = '', id = ''] = shape.exec(cursorText) ?? [];
    return { time: Number(time), id };
  });

export const toCursor = ({ time, id }: PagePosition): string => `${time}.${id}`;
