import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { Tabs } from './Tabs.tsx'

test('a tab keeps the place of its count while that loads, and has none for 0', () => {
  const tabs = (count: number | undefined) => (
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
  const { rerender } = render(tabs(undefined))
  expect(placeIn(/^Bills/)?.className).toContain('w-')
  expect(placeIn(/^Bills/)?.textContent).toBe('')
  expect(placeIn(/^Aging/)).toBeNull()
  rerender(tabs(0))
  expect(placeIn(/^Bills/)).toBeNull()
  rerender(tabs(12))
  expect(placeIn(/^Bills/)?.textContent).toBe('12')
})
