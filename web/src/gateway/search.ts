import { z } from 'zod'

export const smppControlSearch = z.object({
  tab: z.enum(['server', 'connections', 'monitoring']).catch('server'),
  /** The link that the flight recorder shows. */
  flight: z
    .string()
    .regex(/^(bind|connection)-\d{1,10}$/)
    .catch(''),
})
