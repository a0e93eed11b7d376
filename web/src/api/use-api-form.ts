// Forms over a contract schema: values are checked here before they are sent, and the server's errors show at their
// fields.
import { zodResolver } from '@hookform/resolvers/zod'
import { faultOf } from '@tollgate/contract/schema-messages.ts'
import {
  get,
  useForm,
  type DefaultValues,
  type FieldError,
  type FieldValues,
  type Path,
  type UseFormReturn,
} from 'react-hook-form'
import type { z } from 'zod'
import { formatWords } from '../format/sentences.ts'
import { t } from '../language/t.ts'
import { ApiError } from './api-error.ts'

/**
 * Shows the server's errors at their fields and focuses the first one. Returns whether the form has any of these
 * fields.
 */
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

/** A text without its last stop, and without the marks that set a value apart from right to left. */
const bare = (text: string): string => text.replaceAll(/[\u2066-\u2069]|\.$/g, '')

/**
 * Whether a refusal says no more than its fields do: the fault of one as a sentence, or after the name of what is faulty,
 * `startsAt: Enter a time`. Words of its own, such as what to do, are more.
 */
export function saysNoMoreThanFields({ reason, fields }: ApiError): boolean {
  const said = bare(reason)
  return (
    reason === t('Some fields are not valid. Correct them and try again.') ||
    Object.values(fields)
      .map(bare)
      .some((fault) => fault !== '' && [said, said.replace(/^[^:]*: /, '')].includes(fault))
  )
}

/** Whether all that a refusal says stands at fields of the form, as {@link showFieldErrors} puts it. */
export function isToldAtFields<Values extends FieldValues>(
  form: Pick<UseFormReturn<Values>, 'getValues'>,
  error: unknown,
): boolean {
  if (!(error instanceof ApiError) || !saysNoMoreThanFields(error)) return false
  const names = Object.keys(error.fields)
  return names.length > 0 && names.every((name) => name in form.getValues())
}

/** What the contract's schemas say is English. */
function translated(errors: object): object {
  const entries = Object.entries(errors).map(([name, value]: [string, unknown]) => {
    if (name === 'message' && typeof value === 'string')
      return [name, formatWords(faultOf({ message: value }))]
    const isNested = typeof value === 'object' && value !== null && name !== 'ref'
    return [name, isNested ? translated(value) : value]
  })
  return Object.fromEntries(entries) as object
}

/** react-hook-form over a zod schema. On submit the first field with an error gets the focus. */
export function useApiForm<Schema extends z.ZodType<FieldValues, FieldValues>>(
  schema: Schema,
  defaultValues: DefaultValues<z.input<Schema>>,
) {
  const check = zodResolver(schema)
  return useForm<z.input<Schema>, unknown, z.output<Schema>>({
    async resolver(...of) {
      const result = await check(...of)
      return { ...result, errors: translated(result.errors) } as typeof result
    },
    defaultValues,
    mode: 'onTouched',
  })
}

interface Leaving {
  readonly target: { readonly value?: string; readonly form?: HTMLFormElement | null }
  readonly relatedTarget?: EventTarget | null
}

/** Whether an empty field lost the focus to something outside its form, such as the menu that closes while the form opens. */
function isOnlyLeft({ target, relatedTarget = null }: Leaving): boolean {
  const isWithin = relatedTarget instanceof Node && target.form?.contains(relatedTarget) === true
  return target.value === '' && !isWithin
}

/**
 * What a control of `ui/Field.tsx` needs to be a field of the form: its registration and its error. An empty field is
 * judged when somebody goes on to the next one, and when the form is sent.
 */
export function fieldOf<Values extends FieldValues, Name extends Path<Values>>(
  { register, formState }: Pick<UseFormReturn<Values>, 'register' | 'formState'>,
  name: Name,
) {
  const error = get(formState.errors, name) as FieldError | undefined
  const registration = register(name)
  return {
    ...registration,
    onBlur: async (event: Leaving) => (isOnlyLeft(event) ? undefined : registration.onBlur(event)),
    error: error?.message,
  }
}
