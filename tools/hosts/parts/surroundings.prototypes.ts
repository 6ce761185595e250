import { plain, type Surroundings } from './around.js';

const patch = (prototype: object, toJSON: (this: never) => unknown) =>
  Object.defineProperty(prototype, 'toJSON', { value: toJSON, configurable: true, writable: true });

patch(BigInt.prototype, function (this: bigint) {
  return this.toString();
});
patch(Date.prototype, function (this: Date) {
  return this.getTime();
});
patch(Buffer.prototype, function (this: Buffer) {
  return this.toString('base64');
});
patch(Map.prototype, function (this: Map<unknown, unknown>) {
  return [...this];
});

/** Prototypes that the application changes, and one that nobody can change any more. */
export const surroundings: Surroundings = {
  ...plain,
  prepare: () => void Object.freeze(Object.prototype),
};
