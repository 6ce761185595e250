import { getDataSourceToken } from '@nestjs/typeorm';
import { ClsPluginTransactional, TransactionHost } from '@nestjs-cls/transactional';
import { TransactionalAdapterTypeOrm } from '@nestjs-cls/transactional-adapter-typeorm';
import { ClsModule } from 'nestjs-cls';
import { plain, type Surroundings } from './around.js';

const adapter = new TransactionalAdapterTypeOrm({ dataSourceToken: getDataSourceToken() });

/** Transactions in the store of a request. */
export const surroundings: Surroundings = {
  ...plain,
  imports: [
    ClsModule.forRoot({
      global: true,
      middleware: { mount: true },
      plugins: [new ClsPluginTransactional({ adapter })],
    }),
  ],
  inTransaction: (_, work) => {
    const host = TransactionHost.getInstance<TransactionalAdapterTypeOrm>();
    return host.withTransaction(() => work(host.tx));
  },
};
