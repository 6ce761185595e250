/** A name in camelCase: `userId` for `user_id`. */
export type Camel<Name> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;

/** An object's fields under their names in camelCase. The values stay as they are. */
export type CamelKeys<T> = { [Name in keyof T as Camel<Name>]: T[Name] };

export const camelCase = (name: string) =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** The fields of a body or a query, as the services take them. */
export const camelKeys = <T extends object>(fields: T): CamelKeys<T> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [camelCase(name), value])) as CamelKeys<T>;

/** A name on the wire: `user_id` for `userId`. */
export type Snake<Name> = Name extends `${infer Letter}${infer Tail}`
  ? `${Letter extends Lowercase<Letter> ? Letter : `_${Lowercase<Letter>}`}${Snake<Tail>}`
  : Name;

/** An object's fields under their names on the wire. The values stay as they are. */
export type SnakeKeys<T> = { [Name in keyof T as Snake<Name>]: T[Name] };

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export const snakeKeys = <T extends object>(fields: T): SnakeKeys<T> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [snakeCase(name), value])) as SnakeKeys<T>;
