import { Column, Entity, type MigrationInterface, PrimaryColumn, type QueryRunner } from 'typeorm';

/** An entity of the application. */
@Entity('customer_order')
export class CustomerOrder {
  @PrimaryColumn({ type: 'varchar', length: 40 })
  id!: string;

  @Column({ type: 'varchar', length: 20 })
  status!: string;
}

export class CreateCustomerOrder1795305600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'CREATE TABLE customer_order (id varchar(40) PRIMARY KEY, status varchar(20) NOT NULL)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE customer_order');
  }
}
