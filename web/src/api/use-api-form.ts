// A form over a contract schema: checked here before it is sent, and the server's faults shown at their fields.
import { zodResolver } from '@hookform/resolvers/zod'
import { useForm, type DefaultValues, type FieldValues, type Path, type UseFormReturn } from 'react-hook-form'
import type { z } from 'zod'
import { ApiError } from './api-error.ts'

/** Puts the server's field faults at their fields and focuses the first; gives whether there were any the form has. */
export function showFieldErrors<Values extends FieldValues>(
  form: Pick<UseFormReturn<Values>, 'setError' | 'getValues'>,
  error: unknown,
): boolean {
  if (!(error instanceof ApiError)) return false
  const names = Object.keys(error.fields).filter((name) => name in form.getValues())
  for (const [index, name] of names.entries())
    form.setError(name as Path<Values>, { message: error.fields[name] ?? '' }, { shouldFocus: index === 0 })
  return names.length > 0
}

/** react-hook-form over a zod schema; the first fault is focused on submit. */
export function useApiForm<Schema extends z.ZodType<FieldValues, FieldValues>>(
  schema: Schema,
  defaultValues: DefaultValues<z.input<Schema>>,
) {
  return useForm<z.input<Schema>, unknown, z.output<Schema>>({
    resolver: zodResolver(schema),
    defaultValues,
    mode: 'onTouched',
  })
}
