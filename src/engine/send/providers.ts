import { LazyModuleLoader } from '@nestjs/core';
import { Connector } from '../../network/connector.js';
import { TRANSPORT, type Transport } from '../../network/transport/transport.js';
import { UndiciTransport } from '../../network/transport/undici.transport.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { LimitSource } from '../queue/limit-source.js';
import { AccessTokens } from './access-tokens.js';
import { ErasedNotifications } from './erased-notifications.js';
import { RequestHeadRepository } from './head/request-head.repository.js';
import { RequestHeadSweep } from './head/request-head-sweep.js';
import { RequestHeads } from './head/request-heads.js';
import { ReceiverRepository } from './receiver.repository.js';
import { ReceiverCalls } from './receiver-calls.js';
import { ReceiverLimits } from './receiver-limits.js';
import { Receivers } from './receivers.js';
import { Sender } from './sender.js';

const transport = {
  provide: TRANSPORT,
  inject: [SETTINGS, Connector, LazyModuleLoader],
  async useFactory(
    { delivery }: Settings,
    connector: Connector,
    modules: LazyModuleLoader,
  ): Promise<Transport> {
    const undici = new UndiciTransport(connector);
    if (delivery.transport === 'undici') return undici;
    // Loaded here, as few use it.
    const { hostAxios } = await import('../../network/transport/host-axios.js');
    return hostAxios(modules, undici);
  },
};

export const SEND = {
  providers: [
    RequestHeads,
    RequestHeadRepository,
    transport,
    Sender,
    Receivers,
    ReceiverRepository,
    ReceiverCalls,
    { provide: LimitSource, useClass: ReceiverLimits },
    AccessTokens,
    ErasedNotifications,
    RequestHeadSweep,
  ],
  exports: [RequestHeads, RequestHeadRepository],
};
