import { z } from 'zod'

export const troubleSearch = z.object({ tab: z.enum(['now', 'rules']).catch('now') })
