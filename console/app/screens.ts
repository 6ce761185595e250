import { computed } from '@preact/signals';
import { isAdmin, may } from '../data/who.js';
import type { IconName } from '../parts/icon.js';
import { lazily } from './lazily.js';

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
  { path: '/overview', component: lazily(() => import('../screens/overview/overview.js')) },
  { path: '/webhooks', component: lazily(() => import('../screens/webhooks/webhooks.js')) },
  { path: '/webhooks/new', component: lazily(() => import('../screens/webhooks/new-webhook-screen.js')) },
  { path: '/deliveries', component: lazily(() => import('../screens/deliveries/deliveries.js')) },
  { path: '/deliveries/:id', component: lazily(() => import('../screens/delivery/delivery.js')) },
  {
    path: '/notifications',
    component: lazily(() => import('../screens/notifications/notifications.js')),
  },
  {
    path: '/notifications/:id',
    component: lazily(() => import('../screens/notifications/notification.js')),
  },
  { path: '/webhooks/:id', component: lazily(() => import('../screens/webhook/webhook.js')) },
  { path: '/kinds', component: lazily(() => import('../screens/kinds/kinds.js')) },
  { path: '/kinds/:kind', component: lazily(() => import('../screens/kinds/kind.js')) },
  { path: '/keys', component: lazily(() => import('../screens/keys/keys.js')) },
  { path: '/health', component: lazily(() => import('../screens/health/health.js')) },
];

/** Where one begins. */
export const START = '/overview';
