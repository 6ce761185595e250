import { EntitySchema, type EntitySchemaColumnOptions, type EntitySchemaOptions } from 'typeorm';
import type { Columns } from './columns.js';

type Entity = new () => object;
type TableOptions = Pick<EntitySchemaOptions<unknown>, 'indices' | 'withoutRowid'>;
/** What a column has beside its type. Its name is that of the property, in snake case. */
type ColumnOptions = Pick<
  EntitySchemaColumnOptions,
  'primary' | 'nullable' | 'default' | 'generated' | 'foreignKey'
>;
type ColumnOf = (types: Columns) => EntitySchemaColumnOptions;

const tables = new WeakMap<Entity, TableOptions & { tableName: string }>();
const columnsOf = new WeakMap<Entity, Record<string, ColumnOf>>();

/** Decorates the class of a table's rows, as TypeORM's `Entity` does. Its columns differ from database to database. */
export const Table =
  (tableName: string, options: TableOptions = {}) =>
  (entity: Entity): void => {
    tables.set(entity, { tableName, ...options });
  };

/** Decorates a property that holds a `T` at least. */
type Decorator<T> = <Property extends string>(row: Record<Property, T>, property: Property) => void;
interface PlainColumn<T> {
  (options: ColumnOptions & { nullable: true }): Decorator<T | null>;
  (options?: ColumnOptions): Decorator<T>;
}
interface SizedColumn {
  (length: number, options: ColumnOptions & { nullable: true }): Decorator<string | null>;
  (length: number, options?: ColumnOptions): Decorator<string>;
}

const decorator = (column: ColumnOf) => (row: object, property: string) => {
  const entity = row.constructor as Entity;
  columnsOf.set(entity, { ...columnsOf.get(entity), [property]: column });
};
const plain = <T>(
  type: 'text' | 'longText' | 'bytes' | 'time' | 'timeToCome' | 'integer' | 'serial' | 'boolean',
) => ((options) => decorator((types) => ({ ...types[type](), ...options }))) as PlainColumn<T>;
const sized = (type: 'ascii' | 'fixedAscii' | 'unicode' | 'exact') =>
  ((length, options) => decorator((types) => ({ ...types[type](length), ...options }))) as SizedColumn;

/** Decorates a property of a row with the type of its column, which {@link Columns} explains. */
export const Column = {
  ascii: sized('ascii'),
  fixedAscii: sized('fixedAscii'),
  unicode: sized('unicode'),
  exact: sized('exact'),
  text: plain<string>('text'),
  longText: plain<string>('longText'),
  bytes: plain<Uint8Array>('bytes'),
  time: plain<number>('time'),
  timeToCome: plain<number | null>('timeToCome'),
  integer: plain<number>('integer'),
  serial: plain<number>('serial'),
  boolean: plain<boolean>('boolean'),
} satisfies Record<keyof Columns, unknown>;

/** The name of a property's column. */
export const columnName = (property: string): string =>
  property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** @param types those of a database. @throws Error for a class that is not decorated. */
export function schemaOf(entity: Entity, types: Columns): EntitySchema {
  const table = tables.get(entity);
  if (table === undefined) throw new Error(`The class ${entity.name} lacks @Table.`);
  const columns = Object.entries(columnsOf.get(entity) ?? {}).map(([property, column]) => [
    property,
    { ...column(types), name: columnName(property) },
  ]);
  return new EntitySchema({
    ...table,
    name: entityName(table.tableName),
    target: entity,
    columns: Object.fromEntries(columns),
  });
}

/** `EventEntity` for `webhook_event`. An application's bundler may shorten the names of classes. */
function entityName(tableName: string): string {
  const words = tableName.replace(/^webhook_/, '').split('_');
  return `${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}Entity`;
}
