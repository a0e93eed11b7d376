import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, test, vi } from 'vitest'
import { Button } from './Button.tsx'
import { ConfirmDialog } from './ConfirmDialog.tsx'
import { Dialog } from './Dialog.tsx'
import { TextField } from './Field.tsx'
import { Segmented } from './Segmented.tsx'

function openDialog(isDirty: boolean) {
  const onClose = vi.fn()
  render(
    <Dialog
      isOpen
      onClose={onClose}
      title="Add User"
      isDirty={isDirty}
      action={<Button type="submit">Add</Button>}
    >
      fields
    </Dialog>,
  )
  return onClose
}

test('Esc closes a dialog in which nothing was typed', async () => {
  const onClose = openDialog(false)
  await userEvent.keyboard('{Escape}')
  expect(onClose).toHaveBeenCalledOnce()
})

test('Esc asks first when something was typed', async () => {
  const onClose = openDialog(true)
  await userEvent.keyboard('{Escape}')
  expect(onClose).not.toHaveBeenCalled()
  await userEvent.click(screen.getByRole('button', { name: 'Stay' }))
  expect(screen.queryByText('Leave without saving?')).toBeNull()
  await userEvent.keyboard('{Escape}{Escape}')
  expect(screen.queryByText('Leave without saving?')).toBeNull()
  expect(onClose).not.toHaveBeenCalled()
  await userEvent.click(screen.getByRole('button', { name: 'Cancel' }))
  await userEvent.click(screen.getByRole('button', { name: 'Discard' }))
  expect(onClose).toHaveBeenCalledOnce()
})

test('a form asks by itself when something is typed, not for what was put back, filled in or searched for', async () => {
  const onClose = vi.fn()
  function Form({ filled }: { filled: string }) {
    const [isOn, setOn] = useState(false)
    return (
      <Dialog
        isOpen
        onClose={onClose}
        title="Add User"
        onSubmit={(event) => event.preventDefault()}
        action={<Button type="submit">Add</Button>}
      >
        <TextField label="Name" defaultValue="Ada" />
        <TextField label="Filled" value={filled} onChange={() => {}} />
        <input type="search" aria-label="Search" />
        <label>
          <input type="checkbox" checked={isOn} onChange={(event) => setOn(event.target.checked)} /> On
        </label>
      </Dialog>
    )
  }
  const { rerender } = render(<Form filled="" />)
  rerender(<Form filled="by the program" />)
  await userEvent.type(screen.getByLabelText('Search'), 'somebody')
  await userEvent.type(screen.getByLabelText('Name'), 'm{Backspace}')
  await userEvent.keyboard('{Escape}')
  expect(onClose).toHaveBeenCalledOnce()
  await userEvent.click(screen.getByLabelText('On'))
  await userEvent.keyboard('{Escape}')
  expect(screen.getByText('Leave without saving?')).toBeDefined()
  await userEvent.click(screen.getByRole('button', { name: 'Stay' }))
  await userEvent.click(screen.getByLabelText('On'))
  await userEvent.type(screen.getByLabelText('Name'), '!')
  await userEvent.click(screen.getByRole('button', { name: 'Cancel' }))
  expect(onClose).toHaveBeenCalledOnce()
  await userEvent.click(screen.getByRole('button', { name: 'Discard' }))
  expect(onClose).toHaveBeenCalledTimes(2)
})

test('a typed confirmation waits for the whole text; spaces do not count', async () => {
  const onConfirm = vi.fn()
  render(
    <ConfirmDialog
      isOpen
      onClose={() => {}}
      title="Delete?"
      typed={{ word: '+44 909 879', label: 'Type the number to confirm' }}
      confirmLabel="Delete"
      onConfirm={onConfirm}
    >
      Its records stay.
    </ConfirmDialog>,
  )
  const box = screen.getByLabelText('Type the number to confirm')
  await userEvent.type(box, '+4490987{Enter}')
  await userEvent.click(screen.getByRole('button', { name: 'Delete' }))
  expect(onConfirm).not.toHaveBeenCalled()
  await userEvent.type(box, '9')
  await userEvent.click(screen.getByRole('button', { name: 'Delete' }))
  expect(onConfirm).toHaveBeenCalledOnce()
})

test('a busy or disabled button does nothing, not even for Enter in its form', async () => {
  const submit = vi.fn((event: { preventDefault: () => void }) => event.preventDefault())
  const { rerender } = render(
    <form onSubmit={submit}>
      <input aria-label="Name" />
      <Button type="submit" isBusy busyLabel="Saving...">
        Save
      </Button>
    </form>,
  )
  await userEvent.type(screen.getByLabelText('Name'), 'x{Enter}')
  expect(submit).not.toHaveBeenCalled()
  rerender(
    <form onSubmit={submit}>
      <input aria-label="Name" />
      <Button type="submit">Save</Button>
    </form>,
  )
  await userEvent.type(screen.getByLabelText('Name'), '{Enter}')
  expect(submit).toHaveBeenCalledOnce()
})

function Opening({ kind }: { kind: 'dialog' | 'confirm' }) {
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>Open it</Button>
      {isOpen && kind === 'dialog' && (
        <Dialog isOpen onClose={close} title="Add User">
          fields
        </Dialog>
      )}
      {isOpen && kind === 'confirm' && (
        <ConfirmDialog isOpen onClose={close} title="Delete it?" confirmLabel="Delete" onConfirm={close}>
          It is gone then.
        </ConfirmDialog>
      )}
    </>
  )
}

test.each(['dialog', 'confirm'] as const)('Esc gives the focus back to what opened a %s', async (kind) => {
  render(<Opening kind={kind} />)
  const button = screen.getByRole('button', { name: 'Open it' })
  await userEvent.click(button)
  expect(document.activeElement).not.toBe(button)
  await userEvent.keyboard('{Escape}')
  await waitFor(() => expect(document.activeElement).toBe(button))
})

test('a dialog starts at its first field, not at its Close button', () => {
  render(
    <Dialog isOpen onClose={() => {}} title="Add User" action={<Button type="submit">Add</Button>}>
      <input type="hidden" name="username" />
      <TextField label="Role" disabled />
      <TextField label="Username" />
      <TextField label="Email" />
    </Dialog>,
  )
  expect(document.activeElement).toBe(screen.getByLabelText('Username'))
})

test('a dialog that opens with faults starts at the first of them', () => {
  render(
    <Dialog isOpen onClose={() => {}} title="Add User">
      <TextField label="Username" />
      <TextField label="Email" error="Enter an address" />
      <TextField label="Password" error="At least 8 characters" />
    </Dialog>,
  )
  expect(document.activeElement).toBe(screen.getByLabelText('Email'))
})

test('a dialog starts at the chosen one of its radio buttons', () => {
  render(
    <Dialog isOpen onClose={() => {}} title="Decide">
      {['Bill', 'Reject'].map((word) => (
        <label key={word}>
          <input type="radio" name="verdict" defaultChecked={word === 'Reject'} /> {word}
        </label>
      ))}
    </Dialog>,
  )
  expect(document.activeElement).toBe(screen.getByLabelText('Reject'))
})

test('a segmented control above the fields is passed over: it only switches what is shown', () => {
  render(
    <Dialog isOpen onClose={() => {}} title="Mark as Paid">
      <Segmented
        label="QR code of"
        value="address"
        onChange={() => {}}
        options={[{ value: 'address', label: 'Address' }]}
      />
      <TextField label="Transaction Hash" />
    </Dialog>,
  )
  expect(document.activeElement).toBe(screen.getByLabelText('Transaction Hash'))
})

test('a dialog without a field starts at Cancel', () => {
  openDialog(false)
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Cancel' }))
})

test('a dialog whose first field is out of sight starts at its top', () => {
  const place = vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockImplementation(function (
    this: HTMLElement,
  ) {
    return new DOMRect(0, this.tagName === 'INPUT' ? 900 : 0, 300, this.tagName === 'INPUT' ? 32 : 600)
  })
  render(
    <Dialog isOpen onClose={() => {}} title="Mark as Paid">
      <TextField label="Transaction Hash" />
    </Dialog>,
  )
  expect(document.activeElement).toBe(screen.getByRole('dialog'))
  place.mockRestore()
})

test('on a touch screen no field opens the keyboard over its dialog', () => {
  const media = vi
    .spyOn(window, 'matchMedia')
    .mockImplementation((query) => ({ matches: query === '(pointer: coarse)' }) as MediaQueryList)
  render(
    <Dialog isOpen onClose={() => {}} title="Add User">
      <TextField label="Username" />
    </Dialog>,
  )
  expect(document.activeElement).toBe(screen.getByRole('dialog'))
  media.mockRestore()
})

test.each([undefined, { word: '+44 909', label: 'Type the number' }])(
  'what destroys starts at Cancel, typed word or not',
  (typed) => {
    render(
      <ConfirmDialog
        isOpen
        onClose={() => {}}
        title="Delete?"
        confirmLabel="Delete"
        onConfirm={() => {}}
        {...(typed && { typed })}
      >
        Its records stay.
      </ConfirmDialog>,
    )
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Cancel' }))
  },
)

test('the question about what was typed starts at Stay, which leads back to the field', async () => {
  render(
    <Dialog isOpen onClose={() => {}} title="Add User" isDirty>
      <TextField label="Username" />
    </Dialog>,
  )
  await userEvent.keyboard('{Escape}')
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Stay' }))
  await userEvent.keyboard('{Enter}')
  expect(document.activeElement).toBe(screen.getByLabelText('Username'))
})
