import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('invoice')
export class Invoice {
  @PrimaryColumn('varchar')
  id!: string;

  /** The user whose records were analysed. */
  @Column('varchar')
  userId!: string;

  @Column('integer')
  analyses!: number;

  @Column('integer')
  totalCents!: number;

  @Column('varchar', { nullable: true })
  paidAt!: string | null;
}
