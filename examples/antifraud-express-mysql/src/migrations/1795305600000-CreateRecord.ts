import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateRecord1795305600000 implements MigrationInterface {
  name = 'CreateRecord1795305600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE record (id varchar(36) PRIMARY KEY, user_id varchar(128) NOT NULL, name varchar(255) NOT NULL,
       status varchar(16) NOT NULL)`,
    );
    await runner.query(
      `CREATE TABLE analysis (id varchar(36) PRIMARY KEY, record_id varchar(36) NOT NULL,
       kind varchar(32) NOT NULL, status varchar(16) NOT NULL, CONSTRAINT analysis_record
       FOREIGN KEY (record_id) REFERENCES record (id) ON DELETE NO ACTION ON UPDATE NO ACTION)`,
    );
    await runner.query(
      `CREATE TABLE audit (id int PRIMARY KEY AUTO_INCREMENT, user_id varchar(128) NOT NULL,
       webhook_id varchar(36) NOT NULL, what varchar(64) NOT NULL)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['audit', 'analysis', 'record']) await runner.query(`DROP TABLE ${table}`);
  }
}
