import type { fieldOf } from '../../api/use-api-form.ts'
import { TextField } from '../../ui/Field.tsx'
import { t } from '../../language/t.ts'

const hashLength = 64

interface HashFieldProps extends ReturnType<typeof fieldOf> {
  /** The current text. */
  readonly value: string
  readonly isOptional?: boolean
}

/** The field of a transaction hash. Its hint judges the text while it is typed. */
export function HashField({ value, isOptional = false, ...field }: HashFieldProps) {
  return (
    <TextField
      label={t('Transaction Hash')}
      isMono
      autoComplete="off"
      spellCheck={false}
      autoCapitalize="off"
      maxLength={80}
      hint={verdictOn(value.trim(), isOptional)}
      {...field}
    />
  )
}

function verdictOn(text: string, isOptional: boolean): string {
  if (text === '')
    return isOptional
      ? t('Optional. 64 hexadecimal digits, from the wallet')
      : t('64 hexadecimal digits, from the wallet')
  if (/[^0-9a-fA-F]/.test(text)) return t('Only the digits 0 to 9 and a to f')
  if (text.length !== hashLength)
    return t('{count} of {hashLength} digits', { count: text.length, hashLength })
  return t('The format is valid')
}
