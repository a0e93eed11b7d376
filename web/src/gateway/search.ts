import { z } from 'zod'

export const smppControlSearch = z.object({
  tab: z.enum(['server', 'connections', 'monitoring']).catch('server'),
})
