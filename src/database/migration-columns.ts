import type { EntitySchemaColumnOptions, QueryRunner, TableColumnOptions } from 'typeorm';
import { columnsOf, dialectOf } from './columns.js';

/** Builds a migration's columns from the same shapes as the entities', so that the two cannot drift apart. */
export function migrationColumns(runner: QueryRunner) {
  const shapes = columnsOf(dialectOf(runner.dataSource));
  const column =
    (shape: EntitySchemaColumnOptions) =>
    (name: string, more: Partial<TableColumnOptions> = {}): TableColumnOptions => ({
      name,
      type: shape.type as string,
      ...(shape.length ? { length: String(shape.length) } : {}),
      ...(shape.default === undefined ? {} : { default: shape.default }),
      ...(shape.charset ? { charset: shape.charset, collation: shape.collation as string } : {}),
      ...more,
    });
  return {
    id: column(shapes.ascii(36)),
    ascii: (name: string, length: number, more?: Partial<TableColumnOptions>) =>
      column(shapes.ascii(length))(name, more),
    fixedAscii: (name: string, length: number, more?: Partial<TableColumnOptions>) =>
      column(shapes.fixedAscii(length))(name, more),
    unicode: (name: string, length: number, more?: Partial<TableColumnOptions>) =>
      column(shapes.unicode(length))(name, more),
    text: column(shapes.text()),
    bytes: column(shapes.bytes()),
    time: column(shapes.time()),
    timeToCome: column(shapes.timeToCome()),
    integer: column(shapes.integer()),
    boolean: column(shapes.boolean()),
  };
}
