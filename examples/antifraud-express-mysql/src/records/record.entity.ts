import { Column, Entity, JoinColumn, ManyToOne, OneToMany, PrimaryColumn } from 'typeorm';

export const PENDING = 'PENDING';

/** A person or company under analysis. */
@Entity('record')
export class RecordEntity {
  @PrimaryColumn('varchar', { length: 36 }) id!: string;
  @Column('varchar', { name: 'user_id', length: 128 }) userId!: string;
  @Column('varchar') name!: string;
  @Column('varchar', { length: 16 }) status!: string;
  @OneToMany('AnalysisEntity', 'record', { cascade: true }) analyses!: AnalysisEntity[];
}

/** One check of a record; its status is PENDING until it has finished. */
@Entity('analysis')
export class AnalysisEntity {
  @PrimaryColumn('varchar', { length: 36 }) id!: string;
  @Column('varchar', { length: 32 }) kind!: string;
  @Column('varchar', { length: 16 }) status!: string;

  @ManyToOne(() => RecordEntity, 'analyses', { nullable: false })
  @JoinColumn({ name: 'record_id', foreignKeyConstraintName: 'analysis_record' })
  record!: RecordEntity;
}
