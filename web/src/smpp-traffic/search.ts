import { z } from 'zod'

export const smppTrafficSearch = z.object({
  /** Over how many hours figures are shown. */
  hours: z.enum(['24', '168']).catch('24'),
  /** The message_id that is looked for. */
  id: z.string().max(64).catch(''),
})
export type SmppTrafficSearch = z.infer<typeof smppTrafficSearch>
