import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

@Entity('webhook')
@Index(['userId', 'eventKind'])
export class WebhookEntity {
  @PrimaryColumn('varchar', { length: 36 })
  id: string;

  @Column('varchar', { length: 128 })
  userId: string;

  @Column('varchar', { length: 64 })
  eventKind: string;

  @Column('varchar', { length: 2048 })
  url: string;

  @Column('varchar', { length: 128 })
  secret: string;

  @Column('boolean')
  enabled: boolean;
}

@Entity('attempt')
export class AttemptEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column('varchar', { length: 36 })
  notificationId: string;

  @Column('varchar', { length: 36 })
  webhookId: string;

  @Column('int')
  number: number;

  @Column('bigint')
  beginAt: number;

  @Column('bigint')
  endAt: number;

  @Column('int')
  responseStatus: number;

  @Column('text')
  responseBody: string;
}
