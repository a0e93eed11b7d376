// The second click of a double click counts for nothing, but where each click is one step.
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Button } from './Button.tsx'
import { Dialog } from './Dialog.tsx'
import { IconButton } from './IconButton.tsx'
import { TooltipProvider } from './Tooltip.tsx'

const shown = (children: ReactNode) => render(<TooltipProvider>{children}</TooltipProvider>)

test('a button, also one that sends a form, takes the first click of a double click', async () => {
  const [onClick, onSubmit, onIcon] = [vi.fn<() => void>(), vi.fn<() => void>(), vi.fn<() => void>()]
  shown(
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
    >
      <Button onClick={onClick}>Test</Button>
      <Button type="submit">Save</Button>
      <IconButton icon={ChevronRight} label="Restart" onClick={onIcon} />
    </form>,
  )
  for (const name of ['Test', 'Save', 'Restart'])
    await userEvent.dblClick(screen.getByRole('button', { name }))
  expect([onClick, onSubmit, onIcon].map((each) => each.mock.calls.length)).toEqual([1, 1, 1])
})

test('quick clicks on a step go on', async () => {
  const onNext = vi.fn<() => void>()
  shown(<IconButton icon={ChevronRight} label="Next" isStep onClick={onNext} />)
  await userEvent.tripleClick(screen.getByRole('button', { name: 'Next' }))
  expect(onNext).toHaveBeenCalledTimes(3)
})

test('the second click does not close the dialog that the first one opened; a later click beside it does', async () => {
  const onClose = vi.fn<() => void>()
  const now = vi.spyOn(performance, 'now')
  onTestFinished(() => now.mockRestore())
  now.mockReturnValue(1_000)
  shown(
    <Dialog isOpen title="Restart" onClose={onClose}>
      Restart it?
    </Dialog>,
  )
  await screen.findByRole('dialog')
  // Radix listens a moment after it has opened.
  await new Promise((settle) => {
    setTimeout(settle, 0)
  })
  const user = userEvent.setup({ pointerEventsCheck: 0 })
  now.mockReturnValue(1_499)
  await user.click(document.body)
  expect(onClose).not.toHaveBeenCalled()
  now.mockReturnValue(1_501)
  await user.click(document.body)
  expect(onClose).toHaveBeenCalledOnce()
})
