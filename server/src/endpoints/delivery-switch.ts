// Whether any endpoint is delivered to: one switch for all, beside each endpoint's own status `maintenance`.
import { chooseOneOf } from '@tollgate/contract/schema-messages.ts'
import { endpointDeliveryStates } from '@tollgate/contract/vocabulary.ts'
import { z } from 'zod'
import type { Db } from '../platform/db.ts'
import type { Settings } from '../settings/index.ts'

/** `on` or `paused`. */
export const deliverySettingKey = 'endpoint_deliveries'

/** Reads the switch. */
export type IsDelivering = (db: Db) => Promise<boolean>

/** Declares the setting and returns its reader. Call it once. */
export function defineDeliverySwitch(settings: Pick<Settings, 'define'>): IsDelivering {
  const setting = settings.define<(typeof endpointDeliveryStates)[number]>({
    key: deliverySettingKey,
    description: 'Whether endpoints are delivered to: on or paused. What arrives meanwhile waits.',
    fallback: 'on',
    schema: z.enum(endpointDeliveryStates, chooseOneOf(endpointDeliveryStates)),
  })
  return async (db) => (await setting.get(db)) === 'on'
}
