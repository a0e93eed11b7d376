import type { EndpointEventName } from '@tollgate/contract/endpoint-deliveries.ts'

/** What an endpoint can be told, in words. */
export const eventLabels: Record<EndpointEventName, string> = {
  message: 'Messages as they come',
  completed: 'Long messages once whole',
  receipt: 'Delivery reports',
  bill: 'Bills and payouts',
  payment: 'Payments',
  request: 'Number requests',
  alert: 'Alerts of the rules that call it',
}
