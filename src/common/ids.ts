import { v7 } from 'uuid';

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** A UUIDv7 (RFC 9562, 5.7), lower case. Ids of one process sort, as text, in the order of their making. */
export function newId(): string {
  return v7();
}

/** Whether `value` is a UUIDv7 in its canonical spelling: 36 characters, lower case. */
export function isId(value: unknown): value is string {
  return typeof value === 'string' && ID.test(value);
}
