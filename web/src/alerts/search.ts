import { z } from 'zod'

export const alertSearch = z.object({ tab: z.enum(['now', 'rules']).catch('now') })
