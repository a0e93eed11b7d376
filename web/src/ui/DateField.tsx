// Fields of a day or a time: a line of text as dates are written everywhere, with the browser's picker beside it.
import { CalendarDays } from 'lucide-react'
import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState, type KeyboardEvent } from 'react'
import { readTypedDay, readTypedTime, writeTyped } from '../format/typed-dates.ts'
import { t } from '../language/t.ts'
import { classNames } from './class-names.ts'
import { Field, splitFrame, type TextFieldProps } from './Field.tsx'

interface DateFieldProps extends TextFieldProps {
  /** The time zone in which the day begins and ends; shown by its city. Not for days without times, such as of an invoice. */
  readonly zone?: string
}

/** A calendar day, `yyyy-mm-dd`. */
export function DateField({ zone, ...props }: DateFieldProps) {
  const city = zone?.split('/').at(-1)?.replaceAll('_', ' ')
  return <PickedField title={zone} {...props} labelNote={city} type="date" />
}

/** A day with a time, `yyyy-mm-ddThh:mm`. */
export function DateTimeField(props: TextFieldProps) {
  return <PickedField {...props} type="datetime-local" />
}

const forms = {
  date: {
    read: readTypedDay,
    placeholder: t('dd/mm/yyyy'),
    fault: t('Enter a day as dd/mm/yyyy'),
    lengthMax: 10,
  },
  'datetime-local': {
    read: readTypedTime,
    placeholder: t('dd/mm/yyyy hh:mm'),
    fault: t('Enter a day and time as dd/mm/yyyy hh:mm'),
    lengthMax: 24,
  },
} as const

/** Sets the value as a person would, so that whoever listens to the input hears of it. */
function give(input: HTMLInputElement, value: string): void {
  if (input.value === value) return
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, value)
  input.dispatchEvent(new Event('input', { bubbles: true }))
}

/**
 * The browser's own input has the value and the picker, and is what forms know. It is out of sight, because it writes dates
 * in the browser's order. On a touch screen it lies over the text, so that a tap opens the picker.
 */
function PickedField({ type, ...props }: TextFieldProps & { readonly type: keyof typeof forms }) {
  const [frame, { ref, name, value, defaultValue, onChange, onBlur, className, isMono: _, ...rest }] =
    splitFrame(props)
  const { read, placeholder, fault, lengthMax } = forms[type]
  const native = useRef<HTMLInputElement>(null)
  const text = useRef<HTMLInputElement>(null)
  const isPicking = useRef(false)
  // What is being written. Without it the value is shown.
  const [typed, setTyped] = useState<string>()
  const [kept, setKept] = useState('')
  const [isWrong, setWrong] = useState(false)
  const keep = () => {
    const now = native.current?.value ?? ''
    if (now === kept) return
    setKept(now)
    if (typed !== undefined && (read(typed) ?? '') !== now) setTyped(undefined)
  }
  // After each drawing: the form may have set the value without telling.
  useLayoutEffect(keep)
  const isUnread = typed !== undefined && read(typed) === undefined
  const refuse = useEffectEvent((event: Event) => {
    if (!isUnread) return
    event.preventDefault()
    event.stopPropagation()
    setWrong(true)
    text.current?.focus()
  })
  // What cannot be read is not sent as nothing.
  useEffect(() => {
    const form = text.current?.form
    form?.addEventListener('submit', refuse, { capture: true })
    return () => form?.removeEventListener('submit', refuse, { capture: true })
  }, [])
  const pick = () => {
    isPicking.current = true
    try {
      native.current?.showPicker()
    } catch {
      native.current?.focus()
    }
  }
  const openByKey = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowDown' || !event.altKey) return
    event.preventDefault()
    pick()
  }
  const error = frame.error ?? (isWrong && isUnread ? fault : undefined)
  return (
    <Field {...frame} error={error}>
      {(ids) => (
        <span className="relative block">
          <input
            type="text"
            autoComplete="off"
            placeholder={placeholder}
            maxLength={lengthMax}
            dir="ltr"
            {...rest}
            {...ids}
            ref={text}
            value={typed ?? writeTyped(kept)}
            onKeyDown={openByKey}
            onChange={({ target }) => {
              setTyped(target.value)
              setWrong(false)
              if (native.current) give(native.current, read(target.value) ?? '')
            }}
            onBlur={({ relatedTarget }) => {
              if (isUnread) setWrong(true)
              else setTyped(undefined)
              native.current?.dispatchEvent(new FocusEvent('focusout', { bubbles: true, relatedTarget }))
            }}
            className={classNames('control pe-9 rtl:text-end', className)}
          />
          <button
            type="button"
            tabIndex={-1}
            aria-label={t('Calendar')}
            disabled={rest.disabled}
            onClick={pick}
            className="absolute inset-y-0 end-0 grid w-9 place-items-center rounded-md text-ink-3 hover:text-ink disabled:text-ink-mute"
          >
            <CalendarDays size={15} strokeWidth={1.6} aria-hidden="true" />
          </button>
          <input
            type={type}
            tabIndex={-1}
            aria-hidden="true"
            disabled={rest.disabled}
            name={name}
            {...(value === undefined ? { defaultValue } : { value })}
            ref={(input) => {
              native.current = input
              if (typeof ref === 'function') return ref(input)
              if (ref) ref.current = input
              return undefined
            }}
            onChange={onChange}
            onBlur={(event) => {
              isPicking.current = false
              onBlur?.(event)
            }}
            onPointerDown={() => {
              isPicking.current = true
            }}
            // A form that points at its fault comes here.
            onFocus={() => {
              if (!isPicking.current) text.current?.focus()
            }}
            className="pointer-events-none absolute inset-y-0 end-0 w-9 opacity-0 pointer-coarse:pointer-events-auto pointer-coarse:w-full"
          />
        </span>
      )}
    </Field>
  )
}
