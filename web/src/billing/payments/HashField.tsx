import type { fieldOf } from '../../api/use-api-form.ts'
import { TextField } from '../../ui/Field.tsx'

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
      label="Transaction Hash"
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
      ? 'Optional. 64 hexadecimal digits, from the wallet'
      : '64 hexadecimal digits, from the wallet'
  if (/[^0-9a-fA-F]/.test(text)) return 'Only the digits 0 to 9 and a to f'
  if (text.length !== hashLength) return `${text.length} of ${hashLength} digits`
  return 'The form is right'
}
