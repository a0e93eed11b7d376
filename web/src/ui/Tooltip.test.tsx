import { act, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { placeBeside, Tooltip, TooltipProvider } from './Tooltip.tsx'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const pass = (ms: number) => act(() => void vi.advanceTimersByTime(ms))
const shown = () => screen.queryByRole('tooltip')?.textContent

function twoButtons() {
  render(
    <TooltipProvider>
      <Tooltip text="Copies it">
        <button>Copy</button>
      </Tooltip>
      <Tooltip text="Deletes it">
        <button>Delete</button>
      </Tooltip>
    </TooltipProvider>,
  )
  return [screen.getByText('Copy'), screen.getByText('Delete')] as const
}

test('it opens after 700 ms of hovering, the next one at once, and it can be hovered itself', () => {
  const [copy, remove] = twoButtons()
  fireEvent.pointerMove(copy)
  pass(699)
  expect(shown()).toBeUndefined()
  pass(1)
  expect(shown()).toBe('Copies it')
  expect(copy.getAttribute('aria-describedby')).toBe(screen.getByRole('tooltip').id)
  fireEvent.pointerLeave(copy)
  fireEvent.pointerMove(screen.getByRole('tooltip'))
  pass(1_000)
  expect(shown()).toBe('Copies it')
  fireEvent.pointerLeave(screen.getByRole('tooltip'))
  pass(120)
  expect(shown()).toBeUndefined()
  expect(copy.hasAttribute('aria-describedby')).toBe(false)
  fireEvent.pointerMove(remove)
  expect(shown()).toBe('Deletes it')
})

test('the focus of the keyboard shows it, a press or a touch does not', () => {
  const [copy, remove] = twoButtons()
  act(() => copy.focus())
  expect(shown()).toBe('Copies it')
  act(() => copy.blur())
  expect(shown()).toBeUndefined()
  fireEvent.pointerDown(remove)
  act(() => remove.focus())
  fireEvent.pointerUp(remove)
  expect(shown()).toBeUndefined()
  pass(1_000)
  fireEvent.pointerMove(copy, { pointerType: 'touch' })
  pass(1_000)
  expect(shown()).toBeUndefined()
})

test('Escape closes it and nothing else; so do a press, a scroll and the end of its element', () => {
  const below = vi.fn()
  document.addEventListener('keydown', below, { once: true, capture: true })
  const [copy] = twoButtons()
  const open = () => {
    fireEvent.pointerMove(copy)
    pass(700)
    expect(shown()).toBe('Copies it')
  }
  open()
  fireEvent.keyDown(copy, { key: 'Escape' })
  expect(shown()).toBeUndefined()
  expect(below).not.toHaveBeenCalled()
  for (const end of [
    () => fireEvent.pointerDown(copy) && fireEvent.pointerUp(copy),
    () => fireEvent.scroll(document.body),
  ]) {
    open()
    end()
    expect(shown()).toBeUndefined()
  }
})

test('it stands beside its element, on the other side where there is no room, and never off the screen', () => {
  const size = (key: 'clientWidth' | 'clientHeight', value: number) =>
    Object.defineProperty(document.documentElement, key, { configurable: true, value })
  size('clientWidth', 400)
  size('clientHeight', 300)
  const box = new DOMRect(0, 0, 100, 20)
  expect(placeBeside(new DOMRect(200, 100, 20, 20), box, 'top')).toEqual({ left: 160, top: 74 })
  expect(placeBeside(new DOMRect(200, 10, 20, 20), box, 'top')).toEqual({ left: 160, top: 36 })
  expect(placeBeside(new DOMRect(390, 100, 10, 20), box, 'top')).toEqual({ left: 292, top: 74 })
  expect(placeBeside(new DOMRect(370, 100, 20, 20), box, 'right')).toEqual({ left: 264, top: 100 })
})
