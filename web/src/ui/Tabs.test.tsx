import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { Tabs } from './Tabs.tsx'

test('a tab that may have a count keeps the place of it, so that nothing moves when it comes in', () => {
  const tabs = (count: number) => (
    <Tabs
      label="Money"
      value="bills"
      onChange={() => undefined}
      tabs={[
        { value: 'bills', label: 'Bills', count, content: null },
        { value: 'aging', label: 'Aging', content: null },
      ]}
    />
  )
  const placeIn = (name: RegExp) => screen.getByRole('tab', { name }).querySelector('span')
  const { rerender } = render(tabs(0))
  const [before, text] = [placeIn(/^Bills/)?.className, placeIn(/^Bills/)?.textContent]
  expect(before).toContain('w-')
  expect(text).toBe('')
  expect(placeIn(/^Aging/)).toBeNull()
  rerender(tabs(12))
  expect(placeIn(/^Bills/)?.className).toBe(before)
  expect(placeIn(/^Bills/)?.textContent).toBe('12')
})
