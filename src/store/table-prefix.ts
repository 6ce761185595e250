import { LRUCache } from 'lru-cache';
import { type DataSource, EntitySchema, type EntitySchemaColumnOptions } from 'typeorm';

/** Matches the names of tables, indexes and keys: all begin with `webhook`. So does one column, `webhook_id`. */
const NAME = /\bwebhook(?!_id\b)(?:_\w+)?\b/g;
/** How many prefixed statements are kept. */
const MAX_KNOWN = 200;
const PREFIX = /^[a-z][a-z0-9_]{0,19}$/;

/** The name of the webhook entity's schema, and of its table without a prefix. */
const WEBHOOK_ENTITY = 'WebhookEntity';
const WEBHOOK_TABLE = 'webhook';

/** @throws Error unless it is empty or 1 to 20 lower case letters, digits and _, starting with a letter. */
export function checkTablePrefix(prefix: string): void {
  if (prefix !== '' && !PREFIX.test(prefix)) {
    throw new Error(`The table prefix "${prefix}" must be up to 20 of a-z, 0-9 and _, a letter first.`);
  }
}

/** The prefix of a data source's tables; empty in a data source without the webhook entities. */
export function tablePrefixOf(dataSource: DataSource): string {
  if (!dataSource.hasMetadata(WEBHOOK_ENTITY)) return '';
  return dataSource.getMetadata(WEBHOOK_ENTITY).tableName.slice(0, -WEBHOOK_TABLE.length);
}

/** Adds the prefix to every table and index name in a statement, or to a single name. */
export function withTablePrefix(prefix: string): (sql: string) => string {
  if (prefix === '') return (sql) => sql;
  const known = new LRUCache<string, string>({ max: MAX_KNOWN });
  return (sql) => {
    let prefixed = known.get(sql);
    if (prefixed === undefined) {
      prefixed = sql.replace(NAME, `${prefix}$&`);
      known.set(sql, prefixed);
    }
    return prefixed;
  };
}

/** A copy of an index or key under its prefixed name. */
const renamed = <T extends { name?: string }>(named: (name: string) => string, one: T): T => ({
  ...one,
  name: named(one.name ?? ''),
});

/** A copy of the entity whose table, indexes and keys have prefixed names. */
export function prefixedSchema<T>(schema: EntitySchema<T>, prefix: string): EntitySchema<T> {
  if (prefix === '') return schema;
  const named = withTablePrefix(prefix);
  const { options } = schema;
  const columns = Object.entries(options.columns as Record<string, EntitySchemaColumnOptions>).map(
    ([property, { foreignKey, ...column }]) => [
      property,
      {
        ...column,
        ...(foreignKey ? { foreignKey: renamed(named, foreignKey) } : {}),
      },
    ],
  );
  return new EntitySchema<T>({
    ...options,
    tableName: named(options.tableName ?? ''),
    columns: Object.fromEntries(columns),
    indices: options.indices?.map((index) => renamed(named, index)),
  });
}
