// Networks of addresses, edited in one field: one on each line.
import { allowedCidrsSchema } from '@tollgate/contract/users/smpp-profile.ts'
import { z } from 'zod'

export const networksTextSchema = z
  .string()
  .transform((text) => text.split(/[\s,]+/).filter((cidr) => cidr !== ''))
  .pipe(allowedCidrsSchema)

/** The text of these networks. */
export const networksText = (cidrs: readonly string[]) => cidrs.join('\n')
