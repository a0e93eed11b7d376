import { z } from 'zod'

export const smppControlSearch = z.object({
  tab: z.enum(['server', 'connections', 'monitoring']).catch('server'),
  /** The link that the flight recorder shows, or the refused binds of a system_id or address. */
  flight: z
    .string()
    .regex(/^((bind|connection)-\d{1,10}|refused-[\x20-\x7e]{0,20}|address-[0-9a-fA-F.:]{2,45})$/)
    .catch(''),
})
