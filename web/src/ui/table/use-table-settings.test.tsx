import { act, renderHook } from '@testing-library/react'
import { expect, test } from 'vitest'
import { keepChoices, readChoices } from '../../language/choices.ts'
import type { Column } from './column.ts'
import { useTableSettings } from './use-table-settings.ts'

const bill: Column<object> = { id: 'bill', header: 'Bill', cell: () => null }

test("a hidden column leaves the density to the reader's own choice", () => {
  const settings = () => renderHook(() => useTableSettings('things', [bill])).result
  const first = settings()
  expect(first.current.density).toBe('normal')
  act(() => first.current.toggle(bill))
  expect(first.current.visibility).toEqual({ bill: false })
  keepChoices({ ...readChoices(), density: 'compact' })
  const later = settings()
  expect(later.current).toMatchObject({ density: 'compact', visibility: { bill: false } })
  // What is chosen for this table holds there.
  act(() => later.current.setDensity('normal'))
  expect(later.current.density).toBe('normal')
  act(() => later.current.reset())
  expect(later.current).toMatchObject({ density: 'compact', visibility: { bill: true } })
})
