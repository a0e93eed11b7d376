// Form fields: label above, hint or error below. They take a ref and native props, so that form libraries can register
// them.
import { ChevronsUpDown, Eye, EyeOff } from 'lucide-react'
import { useId, useState, type ComponentProps, type ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { StatusIcon } from './StatusIcon.tsx'
import { t } from '../language/t.ts'

interface FieldFrame {
  readonly label: string
  /** What stands beside the label and is read after it: the zone of a day. */
  readonly labelNote?: string | undefined
  readonly hint?: ReactNode
  /** The specification's text for the error. */
  readonly error?: string | undefined
  /** The label is only for screen readers, because the place makes it clear. */
  readonly isLabelHidden?: boolean
  readonly fieldClassName?: string
}

interface FieldIds {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': true | undefined
}

interface FieldProps extends FieldFrame {
  readonly isRequired?: boolean | undefined
  readonly children: (ids: FieldIds) => ReactNode
}

/** The frame of a control: label, hint, error, and the ids that connect them. */
export function Field({
  label,
  labelNote,
  hint,
  error,
  isLabelHidden = false,
  fieldClassName,
  children,
}: FieldProps) {
  const id = useId()
  const noteId = `${id}-note`
  const hasNote = error !== undefined || hint !== undefined
  const besideId = `${id}-beside`
  const described = [labelNote === undefined ? '' : besideId, hasNote ? noteId : ''].filter(
    (each) => each !== '',
  )
  return (
    <div className={classNames('min-w-0 space-y-1', fieldClassName)}>
      <span className="flex items-baseline gap-1.5">
        <label htmlFor={id} className={isLabelHidden ? 'sr-only' : 'text-xs font-medium text-ink-2'}>
          {label}
        </label>
        {labelNote !== undefined && (
          <span id={besideId} className="truncate text-xs text-ink-3">
            {labelNote}
          </span>
        )}
      </span>
      {children({
        id,
        'aria-describedby': described.length > 0 ? described.join(' ') : undefined,
        'aria-invalid': error === undefined ? undefined : true,
      })}
      {error === undefined ? (
        hint !== undefined && (
          <p id={noteId} className="text-xs text-ink-3">
            {hint}
          </p>
        )
      ) : (
        <p id={noteId} className="flex items-start gap-1.5 text-xs text-bad-ink">
          <StatusIcon shape="x" tone="bad" className="mt-0.5" />
          {error}
        </p>
      )}
    </div>
  )
}

/** What is the frame's, and what is the control's. */
export function splitFrame<P extends FieldFrame>(props: P): [FieldFrame, Omit<P, keyof FieldFrame>] {
  const { label, labelNote, hint, error, isLabelHidden, fieldClassName, ...rest } = props
  const frame: FieldFrame = {
    label,
    labelNote,
    error,
    ...(hint !== undefined && { hint }),
    ...(isLabelHidden !== undefined && { isLabelHidden }),
    ...(fieldClassName !== undefined && { fieldClassName }),
  }
  return [frame, rest]
}

export interface TextFieldProps extends FieldFrame, ComponentProps<'input'> {
  readonly isMono?: boolean
}

/** A line of text; also number, email and search, by `type`. */
export function TextField(props: TextFieldProps) {
  const [frame, { isMono = false, className, ...rest }] = splitFrame(props)
  return (
    <Field {...frame}>
      {(ids) => (
        <input
          type="text"
          {...rest}
          {...ids}
          className={classNames('control', isMono && 'font-mono', className)}
        />
      )}
    </Field>
  )
}

/** A telephone number. The server accepts it with or without plus, spaces and dashes. */
export function PhoneField(props: TextFieldProps) {
  return <TextField isMono inputMode="tel" autoComplete="off" {...props} />
}

/** A number. Rates and prices set `step`. */
export function NumberField(props: TextFieldProps) {
  return <TextField inputMode="decimal" {...props} type="number" />
}

/** A password, with a button to show it. */
export function PasswordField(props: TextFieldProps) {
  const [frame, { isMono: _, className, ...rest }] = splitFrame(props)
  const [isShown, setShown] = useState(false)
  const Icon = isShown ? EyeOff : Eye
  return (
    <Field {...frame}>
      {(ids) => (
        <span className="relative block">
          <input
            {...rest}
            {...ids}
            type={isShown ? 'text' : 'password'}
            className={classNames('control pe-10', className)}
          />
          <button
            type="button"
            aria-label={isShown ? t('Hide password') : t('Show password')}
            aria-pressed={isShown}
            onClick={() => setShown(!isShown)}
            className="absolute inset-y-0 end-0 grid w-10 place-items-center rounded-md text-ink-3 hover:text-ink"
          >
            <Icon size={16} strokeWidth={1.6} aria-hidden="true" />
          </button>
        </span>
      )}
    </Field>
  )
}

export interface TextAreaFieldProps extends FieldFrame, ComponentProps<'textarea'> {
  readonly isMono?: boolean
}

/** Several lines of text. */
export function TextAreaField(props: TextAreaFieldProps) {
  const [frame, { isMono = false, className, ...rest }] = splitFrame(props)
  return (
    <Field {...frame}>
      {(ids) => (
        <textarea
          rows={4}
          {...rest}
          {...ids}
          className={classNames('control h-auto resize-y py-1.5', isMono && 'font-mono text-xs', className)}
        />
      )}
    </Field>
  )
}

/** Why somebody does it. */
export function ReasonField(props: Omit<TextAreaFieldProps, 'label'>) {
  return <TextAreaField rows={3} maxLength={500} {...props} label={t('Reason')} />
}

export interface Option {
  readonly value: string
  readonly label: string
}

export interface SelectFieldProps
  extends FieldFrame, Omit<ComponentProps<'select'>, 'onFocus' | 'onPointerDown'> {
  readonly options: readonly Option[]
}

// With 10,000 clients the options take the browser a third of a second.
const eagerOptionsMax = 200

/**
 * A select field. It is the browser's own, so it works by keyboard, on phones and for screen readers. A long list is drawn
 * once somebody goes to the field; until then it has the chosen option and the one for all.
 */
export function SelectField(props: SelectFieldProps) {
  const [frame, { options, className, ...rest }] = splitFrame(props)
  const [isVisited, setVisited] = useState(false)
  const visit = isVisited ? undefined : () => setVisited(true)
  const { value } = rest
  const isShort = isVisited || value === undefined || options.length <= eagerOptionsMax
  const drawn = isShort ? options : options.filter((option) => option.value === '' || option.value === value)
  return (
    <Field {...frame}>
      {(ids) => (
        <span className="relative block">
          <select
            {...rest}
            {...ids}
            onPointerDown={visit}
            onFocus={visit}
            className={classNames('control appearance-none truncate pe-8', className)}
          >
            {drawn.map((option) => (
              <option key={option.value} value={option.value}>
                {option.label}
              </option>
            ))}
          </select>
          <ChevronsUpDown
            size={14}
            strokeWidth={1.6}
            aria-hidden="true"
            className="pointer-events-none absolute inset-y-0 end-2.5 my-auto text-ink-3"
          />
        </span>
      )}
    </Field>
  )
}
