import type { INestApplication } from '@nestjs/common';
import * as swagger from '@nestjs/swagger';
import { describeApi } from '../../rest/docs.js';
import { addExamples } from './examples.js';
import { addWebhookDocs } from './webhook-docs.js';

const DESCRIPTION = `Register webhooks, report lifecycle events, and see the deliveries.

Authorise with an API key (\`whk_…\`), then try the calls from here. Errors are RFC 9457 problem details with a
stable \`code\`. The requests that webhooks receive are described under *Webhooks*; verify them with any
[Standard Webhooks](https://www.standardwebhooks.com) library.`;

/** The OpenAPI 3.1 document of the API, with the outgoing requests under `webhooks`. */
export function createDocument(app: INestApplication): swagger.OpenAPIObject {
  describeApi(swagger);
  const config = new swagger.DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Webhook notification service')
    .setDescription(DESCRIPTION)
    .setVersion('1')
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addSecurity('bearer', { type: 'http', scheme: 'bearer', description: 'An API key: whk_…' })
    .addTag('Webhook', 'Where notifications are sent')
    .addTag('Event', 'Which kinds of event a webhook receives')
    .addTag('Trigger', 'Deliveries and their attempts')
    .addTag('Notification', 'Reporting lifecycle events, and what became of them')
    .addTag('Caller', 'Who is calling')
    .addTag('API key', 'Who may call the API')
    .build();
  const document = swagger.SwaggerModule.createDocument(app, config);
  addExamples(document);
  return addWebhookDocs(app, document);
}
