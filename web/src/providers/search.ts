import { z } from 'zod'

export const providersSearch = z.object({
  tab: z.enum(['providers', 'workers', 'statistics']).catch('providers'),
})
