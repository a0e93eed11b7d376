// The form of a legal entity: addresses are typed as lines of one field.
import { legalEntityInputSchema, type LegalEntity } from '@tollgate/contract/invoices/invoices.ts'
import { z } from 'zod'
import { t } from '../language/t.ts'

const { addressLines, latinAddressLines, ...shape } = legalEntityInputSchema.shape

/** The lines of a field, without empty ones, checked by the contract's schema. */
const linesField = (schema: z.ZodType<string[] | undefined>) =>
  z
    .string()
    .transform((text) =>
      text
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== ''),
    )
    .superRefine((lines, context) => {
      const result = schema.safeParse(lines)
      if (!result.success)
        context.addIssue({ code: 'custom', message: result.error.issues[0]?.message ?? t('Not valid') })
    })

export const entityFormSchema = z.object({
  ...shape,
  addressLines: linesField(addressLines),
  latinAddressLines: linesField(latinAddressLines),
})

/** What the form shows of a saved entity. */
export function entityFormValues(entity: LegalEntity): z.input<typeof entityFormSchema> {
  const { legalName, country, taxNumber, latinName, version } = entity
  return {
    legalName,
    country,
    taxNumber,
    latinName,
    version,
    addressLines: entity.addressLines.join('\n'),
    latinAddressLines: entity.latinAddressLines.join('\n'),
  }
}
