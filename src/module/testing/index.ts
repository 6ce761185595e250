export { type Delivered, FakeTransport, type Payload } from './fake-transport.js';
export { type LocalReceiver, type Received, startLocalReceiver } from './local-receiver.js';
export { type ExpectedDelivery, type MockedWebhooks, mockWebhooks } from './mock-webhooks.js';
export { TestClock } from './test-clock.js';
export { createTestDatabase, type TestDatabase } from './test-database.js';
