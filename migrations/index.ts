import { CreateWebhook1795219200000 } from './1795219200000-CreateWebhook.js';
import { CreateWebhookNotification1795219202000 } from './1795219202000-CreateWebhookNotification.js';
import { CreateWebhookTrigger1795219203000 } from './1795219203000-CreateWebhookTrigger.js';
import { CreateWebhookAttempt1795219204000 } from './1795219204000-CreateWebhookAttempt.js';
import { CreateWebhookInstance1795219205000 } from './1795219205000-CreateWebhookInstance.js';
import { CreateWebhookApiKey1795219206000 } from './1795219206000-CreateWebhookApiKey.js';
import { CreateWebhookIdempotency1795219207000 } from './1795219207000-CreateWebhookIdempotency.js';
import { CreateWebhookRateLimit1795219211000 } from './1795219211000-CreateWebhookRateLimit.js';
import { CreateWebhookCancellation1795219222000 } from './1795219222000-CreateWebhookCancellation.js';
import { CreateWebhookEncryptionKey1795219224000 } from './1795219224000-CreateWebhookEncryptionKey.js';
import { CreateWebhookDecisionSet1795219233000 } from './1795219233000-CreateWebhookDecisionSet.js';
import { CreateWebhookStatistic1795219234000 } from './1795219234000-CreateWebhookStatistic.js';
import { CreateWebhookRecovery1795219236000 } from './1795219236000-CreateWebhookRecovery.js';
import { CreateWebhookNotice1795219237000 } from './1795219237000-CreateWebhookNotice.js';
import { CreateWebhookTask1795219238000 } from './1795219238000-CreateWebhookTask.js';
import { CreateWebhookOverdue1795219239000 } from './1795219239000-CreateWebhookOverdue.js';
import { CreateWebhookRateSlot1795219240000 } from './1795219240000-CreateWebhookRateSlot.js';
import { CreateWebhookGroupMember1795219241000 } from './1795219241000-CreateWebhookGroupMember.js';
import { CreateWebhookOrderingMark1795219242000 } from './1795219242000-CreateWebhookOrderingMark.js';
import { CreateWebhookGroupHead1795219243000 } from './1795219243000-CreateWebhookGroupHead.js';
import { CreateWebhookChange1795219250000 } from './1795219250000-CreateWebhookChange.js';
import { CreateWebhookWatch1795219251000 } from './1795219251000-CreateWebhookWatch.js';
import { CreateWebhookLock1795219260000 } from './1795219260000-CreateWebhookLock.js';
import { CreateWebhookUserMove1795219270000 } from './1795219270000-CreateWebhookUserMove.js';
import { AddWritesToWebhookGroupHead1795219280000 } from './1795219280000-AddWritesToWebhookGroupHead.js';
import { AddProcessToWebhookInstance1795219290000 } from './1795219290000-AddProcessToWebhookInstance.js';
import { CreateWebhookSession1795219293000 } from './1795219293000-CreateWebhookSession.js';
import { CreateWebhookRevokedKey1795219294000 } from './1795219294000-CreateWebhookRevokedKey.js';
import { AddNameToWebhookInstance1795219299000 } from './1795219299000-AddNameToWebhookInstance.js';
import { AddHealthToWebhook1795219300000 } from './1795219300000-AddHealthToWebhook.js';

/** Every schema change, oldest first; for a data source's `migrations`. */
export const webhookMigrations = [
  CreateWebhook1795219200000,
  CreateWebhookNotification1795219202000,
  CreateWebhookTrigger1795219203000,
  CreateWebhookAttempt1795219204000,
  CreateWebhookInstance1795219205000,
  CreateWebhookApiKey1795219206000,
  CreateWebhookIdempotency1795219207000,
  CreateWebhookRateLimit1795219211000,
  CreateWebhookCancellation1795219222000,
  CreateWebhookEncryptionKey1795219224000,
  CreateWebhookDecisionSet1795219233000,
  CreateWebhookStatistic1795219234000,
  CreateWebhookRecovery1795219236000,
  CreateWebhookNotice1795219237000,
  CreateWebhookTask1795219238000,
  CreateWebhookOverdue1795219239000,
  CreateWebhookRateSlot1795219240000,
  CreateWebhookGroupMember1795219241000,
  CreateWebhookOrderingMark1795219242000,
  CreateWebhookGroupHead1795219243000,
  CreateWebhookChange1795219250000,
  CreateWebhookWatch1795219251000,
  CreateWebhookLock1795219260000,
  CreateWebhookUserMove1795219270000,
  AddWritesToWebhookGroupHead1795219280000,
  AddProcessToWebhookInstance1795219290000,
  CreateWebhookSession1795219293000,
  CreateWebhookRevokedKey1795219294000,
  AddNameToWebhookInstance1795219299000,
  AddHealthToWebhook1795219300000,
];
