import { fireEvent, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState, type ComponentProps } from 'react'
import { useForm } from 'react-hook-form'
import { expect, test, vi } from 'vitest'
import { DateField, DateTimeField } from './DateField.tsx'
import { TooltipProvider } from './Tooltip.tsx'

const heard = vi.fn<(value: string) => void>()
const field = () => screen.getByLabelText<HTMLInputElement>('Last day')
/** The browser's own input, which has the value and the picker. */
const native = () => document.querySelector<HTMLInputElement>('input[aria-hidden]')!

function Day({ start = '2026-11-09', ...props }: { start?: string } & ComponentProps<typeof DateField>) {
  const [value, setValue] = useState(start)
  return (
    <TooltipProvider>
      <DateField
        {...props}
        label="Last day"
        value={value}
        onChange={({ target }) => {
          heard(target.value)
          setValue(target.value)
        }}
      />
      <button onClick={() => setValue('')}>Reset</button>
    </TooltipProvider>
  )
}

test('a day is shown and typed as dates are written everywhere, and told as the API writes it', async () => {
  heard.mockClear()
  render(<Day label="" />)
  expect(field().value).toBe('09/11/2026')
  await userEvent.clear(field())
  await userEvent.type(field(), '9.3.2027')
  expect(field().value).toBe('9.3.2027')
  expect(heard.mock.calls).toEqual([[''], ['2027-03-09']])
  await userEvent.tab()
  expect(field().value).toBe('09/03/2027')
})

test('a day from the picker and one from elsewhere replace what was typed', async () => {
  render(<Day label="" />)
  await userEvent.clear(field())
  await userEvent.type(field(), '1/1')
  fireEvent.change(native(), { target: { value: '2026-12-24' } })
  expect(field().value).toBe('24/12/2026')
  await userEvent.click(screen.getByRole('button', { name: 'Reset' }))
  expect(field().value).toBe('')
})

test('the picker opens by its button and by Alt and the arrow', async () => {
  const showPicker = vi.fn()
  HTMLInputElement.prototype.showPicker = showPicker
  render(<Day label="" />)
  await userEvent.click(screen.getByRole('button', { name: 'Calendar' }))
  field().focus()
  await userEvent.keyboard('{Alt>}{ArrowDown}{/Alt}')
  expect(showPicker).toHaveBeenCalledTimes(2)
})

test('what is no day is said at the field once it is left, and is never sent as nothing', async () => {
  const send = vi.fn()
  render(
    <form
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <Day label="" start="" />
      <button type="submit">Save</button>
    </form>,
  )
  await userEvent.type(field(), '31/02/2026')
  expect(field().getAttribute('aria-invalid')).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: 'Save' }))
  expect(send).not.toHaveBeenCalled()
  expect(screen.getByText('Enter a day as dd/mm/yyyy')).toBeDefined()
  expect(document.activeElement).toBe(field())
  await userEvent.clear(field())
  await userEvent.type(field(), '28/02/2026{Enter}')
  expect(send).toHaveBeenCalledOnce()
  expect(field().getAttribute('aria-invalid')).toBeNull()
})

function TimeForm({ onSend }: { onSend: (values: { at: string }) => void }) {
  const { register, handleSubmit, reset, setError, formState } = useForm({ defaultValues: { at: '' } })
  return (
    <form onSubmit={(event) => void handleSubmit(onSend)(event)}>
      <DateTimeField label="Starts" error={formState.errors.at?.message} {...register('at')} />
      <button type="button" onClick={() => reset({ at: '2027-01-02T08:30' })}>
        Fill
      </button>
      <button type="button" onClick={() => setError('at', { message: 'Too early' }, { shouldFocus: true })}>
        Fault
      </button>
      <button type="submit">Save</button>
    </form>
  )
}

test('a form registers it like any field: filled, read, and focused at its fault', async () => {
  const onSend = vi.fn<(values: { at: string }) => void>()
  render(<TimeForm onSend={onSend} />)
  const starts = () => screen.getByLabelText<HTMLInputElement>('Starts')
  await userEvent.click(screen.getByRole('button', { name: 'Fill' }))
  expect(starts().value).toBe('02/01/2027 08:30')
  await userEvent.clear(starts())
  await userEvent.type(starts(), '30/11/2026 | 14:31 Mon')
  await userEvent.click(screen.getByRole('button', { name: 'Save' }))
  expect(onSend.mock.calls[0]?.[0]).toEqual({ at: '2026-11-30T14:31' })
  await userEvent.click(screen.getByRole('button', { name: 'Fault' }))
  expect(screen.getByText('Too early')).toBeDefined()
  expect(document.activeElement).toBe(starts())
})
