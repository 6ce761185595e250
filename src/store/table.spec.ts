import { describe, expect, it } from '@jest/globals';
import { sqliteColumns } from './sqlite/sqlite-columns.js';
import { Column, schemaOf, Table } from './table.js';

@Table('webhook_shoe_box', { indices: [{ name: 'webhook_shoe_box_pair', columns: ['pairId'] }] })
class ShoeBoxEntity {
  @Column.ascii(36, { primary: true }) pairId: string;
  @Column.integer({ nullable: true }) size: number | null;
  // @ts-expect-error: what may be null has to say so.
  @Column.integer() number: number | null;
  // @ts-expect-error: a column of text holds no number.
  @Column.unicode(8) count: number;
}

describe('a decorated entity', () => {
  it('has a schema with the column types of a database, and names in snake case', () => {
    const { options } = schemaOf(ShoeBoxEntity, sqliteColumns);
    expect(options).toMatchObject({
      name: 'ShoeBoxEntity',
      target: ShoeBoxEntity,
      tableName: 'webhook_shoe_box',
      indices: [{ name: 'webhook_shoe_box_pair', columns: ['pairId'] }],
    });
    const { pairId, size } = options.columns;
    expect(pairId).toEqual({ type: 'varchar', length: 36, primary: true, name: 'pair_id' });
    expect(size).toEqual({ type: 'integer', nullable: true, name: 'size' });
  });

  it('is refused without its table', () => {
    expect(() => schemaOf(class Shoe {}, sqliteColumns)).toThrow('The class Shoe lacks @Table.');
  });
});
