/** How requests can be signed. */
export const SCHEMES = [
  ['standard', 'Standard Webhooks'],
  ['standard-asymmetric', 'Standard Webhooks, with a key pair'],
  ['stripe', 'As Stripe signs'],
  ['github', 'As GitHub signs'],
] as const;
