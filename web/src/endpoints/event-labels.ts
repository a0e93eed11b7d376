import type { EndpointEventName } from '@tollgate/contract/endpoints/deliveries.ts'
import { t } from '../language/t.ts'

/** What an endpoint can be told, in words. */
export const eventLabels: Record<EndpointEventName, string> = {
  message: t('Messages as they come'),
  completed: t('Long messages once whole'),
  receipt: t('Delivery reports'),
  bill: t('Bills and payouts'),
  payment: t('Payments'),
  request: t('Number requests'),
  alert: t('Alerts of the rules that call it'),
}
