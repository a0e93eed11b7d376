import { act, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Column } from './column.ts'
import { DataTable } from './DataTable.tsx'

interface Message {
  readonly id: string
  readonly range: string
  readonly client: string
}

const columns: readonly Column<Message>[] = [
  { id: 'id', header: 'Number', isSubject: true, sortBy: 'id', cell: ({ id }) => id },
  { id: 'client', header: 'Client', stackUnder: 'id', sortBy: 'client', cell: ({ client }) => client },
  { id: 'range', header: 'Range', stackUnder: 'client', cell: ({ range }) => range },
]
const rows: readonly Message[] = [{ id: '+44 909', range: '0909', client: 'client1' }]

let placePx = 0
let columnPx = 100
let resize = () => {}
let observed: Element[] = []

beforeEach(() => {
  columnPx = 100
  observed = []
  vi.stubGlobal(
    'ResizeObserver',
    class {
      readonly #notify: () => void
      constructor(notify: () => void) {
        this.#notify = notify
      }
      observe(element: Element) {
        observed.push(element)
        resize = this.#notify
      }
      disconnect() {}
    },
  )
  vi.spyOn(Element.prototype, 'scrollWidth', 'get').mockImplementation(function measured(this: Element) {
    return Math.max(placePx, this.querySelectorAll('th').length * columnPx)
  })
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockImplementation(() => placePx)
})

afterEach(() => vi.restoreAllMocks())

function show(px: number, sort: 'id' | 'client' = 'id') {
  placePx = px
  return render(
    <DataTable
      label="Messages"
      columns={columns}
      rows={rows}
      rowId={({ id }) => id}
      rowLabel={({ id }) => id}
      empty="None"
      sort={{ by: sort, order: 'asc' }}
      onSort={() => {}}
    />,
  )
}

const heads = () => screen.getAllByRole('columnheader').map(({ textContent }) => textContent)
const cells = () => screen.getAllByRole('cell').map(({ textContent }) => textContent)

test('a table with room shows every column', () => {
  show(300)
  expect(heads()).toEqual(['Number', 'Client', 'Range'])
})

test('columns go below others, the last one first, and come back with the room', () => {
  show(250)
  expect(heads()).toEqual(['Number', 'Client'])
  expect(cells()).toEqual(['+44 909', 'client1Range: 0909'])
  placePx = 150
  act(() => resize())
  expect(heads()).toEqual(['Number'])
  expect(cells()).toEqual(['+44 909Client: client1·Range: 0909'])
  placePx = 300
  act(() => resize())
  expect(heads()).toEqual(['Number', 'Client', 'Range'])
})

test('a table that grows by itself is measured again', () => {
  show(300)
  expect(observed).toContain(screen.getByRole('table'))
  columnPx = 140
  act(() => resize())
  expect(heads()).toEqual(['Number', 'Client'])
})

test('a stacked column that sorts the table keeps its head', () => {
  show(150, 'client')
  expect(heads()).toEqual(['Number, Client'])
  expect(screen.getByRole('columnheader').getAttribute('aria-sort')).toBe('ascending')
})
