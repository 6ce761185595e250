import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateInvoice1795305600000 implements MigrationInterface {
  name = 'CreateInvoice1795305600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "invoice" ("id" varchar PRIMARY KEY NOT NULL, "userId" varchar NOT NULL,
       "analyses" integer NOT NULL, "totalCents" integer NOT NULL, "paidAt" varchar)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "invoice"');
  }
}
