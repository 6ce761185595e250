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
