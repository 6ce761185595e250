import { computed } from '@preact/signals';
import { isAdmin, may } from '../data/who.js';
import type { IconName } from '../parts/icon.js';
import Deliveries from '../screens/deliveries/deliveries.js';
import Delivery from '../screens/delivery/delivery.js';
import Health from '../screens/health/health.js';
import Keys from '../screens/keys/keys.js';
import Kind from '../screens/kinds/kind.js';
import Kinds from '../screens/kinds/kinds.js';
import Notification from '../screens/notifications/notification.js';
import Notifications from '../screens/notifications/notifications.js';
import Overview from '../screens/overview/overview.js';
import Webhook from '../screens/webhook/webhook.js';
import NewWebhookScreen from '../screens/webhooks/new-webhook-screen.js';
import Webhooks from '../screens/webhooks/webhooks.js';

/** A place in the navigation. */
export interface Place {
  path: string;
  title: string;
  icon: IconName;
  /** Only for who may manage everything. */
  admin?: boolean;
}

const PLACES: readonly Place[] = [
  { path: '/overview', title: 'Overview', icon: 'overview' },
  { path: '/webhooks', title: 'Webhooks', icon: 'webhook' },
  { path: '/deliveries', title: 'Deliveries', icon: 'delivery' },
  { path: '/notifications', title: 'Notifications', icon: 'notification' },
  { path: '/kinds', title: 'Kinds of event', icon: 'kind' },
  { path: '/keys', title: 'API keys', icon: 'key', admin: true },
  { path: '/health', title: 'Health', icon: 'health', admin: true },
];

/** Where this caller can go. */
export const placesNow = computed(() =>
  PLACES.filter(({ admin = false }) => (admin ? isAdmin.value : may('webhooks:read'))),
);

/** What is shown at each path. */
export const SCREENS = [
  { path: '/overview', component: Overview },
  { path: '/webhooks', component: Webhooks },
  { path: '/webhooks/new', component: NewWebhookScreen },
  { path: '/deliveries', component: Deliveries },
  { path: '/deliveries/:id', component: Delivery },
  { path: '/notifications', component: Notifications },
  { path: '/notifications/:id', component: Notification },
  { path: '/webhooks/:id', component: Webhook },
  { path: '/kinds', component: Kinds },
  { path: '/kinds/:kind', component: Kind },
  { path: '/keys', component: Keys },
  { path: '/health', component: Health },
];

/** Where one begins. */
export const START = '/overview';
