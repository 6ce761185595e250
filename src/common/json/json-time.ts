import { Transform } from 'class-transformer';

/** RFC 3339, UTC, milliseconds. */
export const toDateTime = (time: number) => new Date(time).toISOString();

/** Answers a property that holds epoch milliseconds as a DateTime, null as null. */
export const AsDateTime = () =>
  Transform(({ value }: { value: number | null | undefined }) => (value == null ? null : toDateTime(value)));
