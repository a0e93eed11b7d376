// Fields that several slices' forms share.
import { SelectField, TextField, type SelectFieldProps, type TextFieldProps } from '../ui/Field.tsx'
import { accountStatusOptions } from './list-parts.tsx'

/** A telephone number; the server takes it with or without plus, spaces and dashes. */
export function PhoneField(props: TextFieldProps) {
  return <TextField isMono inputMode="tel" autoComplete="off" {...props} />
}

const statusOptions = accountStatusOptions.filter(({ value }) => value !== 'all')

/** The status of an account, a number or a range. */
export function AccountStatusField(props: Omit<SelectFieldProps, 'label' | 'options'>) {
  return <SelectField label="Status" options={statusOptions} {...props} />
}
