import { CreateWebhook1795219200000 } from './1795219200000-CreateWebhook.js';
import { CreateWebhookEvent1795219201000 } from './1795219201000-CreateWebhookEvent.js';
import { CreateWebhookNotification1795219202000 } from './1795219202000-CreateWebhookNotification.js';
import { CreateWebhookTrigger1795219203000 } from './1795219203000-CreateWebhookTrigger.js';
import { CreateWebhookAttempt1795219204000 } from './1795219204000-CreateWebhookAttempt.js';
import { CreateWebhookInstance1795219205000 } from './1795219205000-CreateWebhookInstance.js';
import { CreateWebhookApiKey1795219206000 } from './1795219206000-CreateWebhookApiKey.js';
import { CreateWebhookIdempotency1795219207000 } from './1795219207000-CreateWebhookIdempotency.js';
import { CreateWebhookRateLimit1795219211000 } from './1795219211000-CreateWebhookRateLimit.js';
import { CreateWebhookRequestHead1795219213000 } from './1795219213000-CreateWebhookRequestHead.js';
import { CreateWebhookUrgentTrigger1795219220000 } from './1795219220000-CreateWebhookUrgentTrigger.js';
import { CreateWebhookCancellation1795219222000 } from './1795219222000-CreateWebhookCancellation.js';
import { CreateWebhookEncryptionKey1795219224000 } from './1795219224000-CreateWebhookEncryptionKey.js';

/** Every schema change, oldest first; for a data source's `migrations`. */
export const webhookMigrations = [
  CreateWebhook1795219200000,
  CreateWebhookEvent1795219201000,
  CreateWebhookNotification1795219202000,
  CreateWebhookTrigger1795219203000,
  CreateWebhookAttempt1795219204000,
  CreateWebhookInstance1795219205000,
  CreateWebhookApiKey1795219206000,
  CreateWebhookIdempotency1795219207000,
  CreateWebhookRateLimit1795219211000,
  CreateWebhookRequestHead1795219213000,
  CreateWebhookUrgentTrigger1795219220000,
  CreateWebhookCancellation1795219222000,
  CreateWebhookEncryptionKey1795219224000,
];
