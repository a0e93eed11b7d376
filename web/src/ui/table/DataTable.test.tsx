import { fireEvent, render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { beforeEach, expect, test, vi } from 'vitest'
import { TooltipProvider } from '../Tooltip.tsx'
import type { Column, DataTableProps } from './column.ts'
import { DataTable } from './DataTable.tsx'

interface Thing {
  readonly id: string
  readonly name: string
  readonly bill: string
}

const things: readonly Thing[] = [
  { id: '1', name: 'one', bill: '1.50' },
  { id: '2', name: 'two', bill: '2.90' },
]
const columns: readonly Column<Thing>[] = [
  {
    id: 'name',
    header: 'Name',
    sortBy: 'name',
    isHideable: false,
    card: 'title',
    cell: (thing) => thing.name,
  },
  { id: 'bill', header: 'Bill', align: 'right', cell: (thing) => thing.bill },
]

function Table(props: Partial<DataTableProps<Thing>>) {
  return (
    <TooltipProvider>
      <DataTable
        label="Things"
        columns={columns}
        rows={things}
        rowId={(thing) => thing.id}
        rowLabel={(thing) => thing.name}
        empty="Nothing"
        {...props}
      />
    </TooltipProvider>
  )
}

function Selecting() {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  return <Table selection={{ ids, onChange: setIds, actions: <button>Copy Selected ({ids.size})</button> }} />
}

function setPhone(isPhone: boolean) {
  vi.stubGlobal('matchMedia', (media: string) => ({
    matches: isPhone && media.includes('<'),
    media,
    addEventListener: () => {},
    removeEventListener: () => {},
  }))
}

beforeEach(() => setPhone(false))

test('a click on a head sorts, and the sorted column says so', async () => {
  const onSort = vi.fn()
  render(<Table sort={{ by: 'name', order: 'desc' }} onSort={onSort} />)
  expect(screen.getByRole('columnheader', { name: 'Name' }).getAttribute('aria-sort')).toBe('descending')
  expect(screen.getByRole('columnheader', { name: 'Bill' }).querySelector('button')).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: 'Name' }))
  expect(onSort).toHaveBeenCalledWith({ by: 'name', order: 'asc' })
})

test('selecting turns the bar into the selection bar; Esc clears', async () => {
  render(<Selecting />)
  expect(screen.queryByText(/selected/)).toBeNull()
  await userEvent.click(screen.getByLabelText('Select one'))
  expect(screen.getByText('1 selected')).toBeDefined()
  await userEvent.click(screen.getByLabelText('Select all rows'))
  expect(screen.getByRole('button', { name: 'Copy Selected (2)' })).toBeDefined()
  await userEvent.keyboard('{Escape}')
  expect(screen.queryByText(/selected/)).toBeNull()
})

test('a selection that is not all in the list says so, and leaves out the others on a click', async () => {
  const onChange = vi.fn()
  render(<Table selection={{ ids: new Set(['1', '77']), onChange }} />)
  expect(screen.getByText('1 of them not in this list')).toBeDefined()
  await userEvent.click(screen.getByRole('button', { name: 'Leave them out' }))
  expect(onChange).toHaveBeenCalledWith(new Set(['1']))
})

test('Show more results is the last line while there is more', async () => {
  const loadMore = vi.fn()
  const { rerender } = render(<Table more={{ hasMore: true, isLoadingMore: false, loadMore }} />)
  await userEvent.click(screen.getByRole('button', { name: 'Show more results' }))
  expect(loadMore).toHaveBeenCalledOnce()
  rerender(<Table more={{ hasMore: false, isLoadingMore: false, loadMore }} />)
  expect(screen.queryByRole('button', { name: 'Show more results' })).toBeNull()
})

test('loading, empty and failed each have their own words', () => {
  const { rerender } = render(<Table rows={undefined} loadingLabel="Loading SMS records..." />)
  expect(screen.getByText('Loading SMS records...')).toBeDefined()
  rerender(<Table rows={[]} />)
  expect(screen.getByText('Nothing')).toBeDefined()
  rerender(<Table rows={undefined} failure="Failed to fetch" />)
  expect(screen.getByText('Failed to fetch')).toBeDefined()
  rerender(<Table failure="Failed to fetch" />)
  expect(screen.getByRole('alert').textContent).toBe('Failed to fetch')
  expect(screen.getByText('one')).toBeDefined()
})

test('a click on a row opens it, a click on a control in it does not', async () => {
  const onOpen = vi.fn()
  render(<Table onOpen={onOpen} selection={{ ids: new Set(), onChange: () => {} }} />)
  await userEvent.click(screen.getByLabelText('Select one'))
  expect(onOpen).not.toHaveBeenCalled()
  await userEvent.click(screen.getByText('two'))
  expect(onOpen).toHaveBeenCalledWith(things[1])
})

test('a row that opens is opened by the keyboard, from a button with the name of its subject', async () => {
  const onOpen = vi.fn()
  render(<Table onOpen={onOpen} />)
  screen.getByRole('button', { name: 'two' }).focus()
  await userEvent.keyboard('{Enter}')
  expect(onOpen.mock.calls).toEqual([[things[1]]])
  await userEvent.keyboard(' ')
  await userEvent.click(screen.getByRole('button', { name: 'one' }))
  expect(onOpen.mock.calls).toEqual([[things[1]], [things[1]], [things[0]]])
})

test.each([
  { device: 'a screen', isPhone: false },
  { device: 'a phone', isPhone: true },
])('on $device a subject that is a link stands in no button', ({ isPhone }) => {
  setPhone(isPhone)
  const linked = { ...columns[0]!, isControl: true, cell: ({ name }: Thing) => <a href="/">{name}</a> }
  render(<Table onOpen={vi.fn()} columns={[linked]} />)
  expect(screen.getByRole('link', { name: 'one' }).closest('button')).toBeNull()
  expect(screen.queryByRole('button', { name: 'one' })).toBeNull()
})

test('on a phone a card without its usual title opens by its first value', async () => {
  setPhone(true)
  const onOpen = vi.fn()
  render(<Table onOpen={onOpen} columns={columns.slice(1)} />)
  await userEvent.click(screen.getByRole('button', { name: '2.90' }))
  expect(onOpen).toHaveBeenCalledWith(things[1])
  expect(screen.getAllByText('2.90')).toHaveLength(1)
})

test('a hidden column stays hidden at the next visit', async () => {
  const { unmount } = render(<Table storageName="things" />)
  await userEvent.click(screen.getByRole('button', { name: 'Columns' }))
  await userEvent.click(screen.getByRole('menuitemcheckbox', { name: 'Bill' }))
  unmount()
  render(<Table storageName="things" />)
  expect(screen.queryByRole('columnheader', { name: 'Bill' })).toBeNull()
  expect(screen.getByRole('columnheader', { name: 'Name' })).toBeDefined()
})

test('the column settings stand in the bar in words, and without a bar in the head', () => {
  const { rerender } = render(<Table storageName="things" title="All things" />)
  expect(screen.getByRole('button', { name: 'Columns' }).textContent).toBe('Columns')
  rerender(<Table storageName="things" />)
  const button = screen.getByRole('button', { name: 'Columns' })
  expect(button.textContent).toBe('')
  // It lies in the place of the table, whose head keeps room for it.
  expect(button.closest('div.relative')?.contains(screen.getByRole('table'))).toBe(true)
  expect(screen.getByRole('columnheader', { name: 'Bill' }).className).toContain('last:pe-11')
})

test('a head below the selection bar has no button that nobody sees', async () => {
  const sorted = { sort: { by: 'name', order: 'desc' }, onSort: vi.fn() } as const
  const { rerender } = render(<Table {...sorted} label="Others" />)
  const head = () =>
    within(screen.getByRole('region', { name: 'Others' })).queryByRole('button', { name: 'Name' })
  expect(head()).not.toBeNull()
  rerender(<Table {...sorted} label="Others" selection={{ ids: new Set(['1']), onChange: vi.fn() }} />)
  expect(head()).toBeNull()
  rerender(
    <Table {...sorted} label="Others" title="All" selection={{ ids: new Set(['1']), onChange: vi.fn() }} />,
  )
  expect(head()).not.toBeNull()
})

test('on a phone each row is a card and no value is lost', () => {
  setPhone(true)
  render(<Table />)
  const cards = screen.getAllByRole('listitem')
  expect(cards).toHaveLength(2)
  expect(within(cards[0]!).getByText('one')).toBeDefined()
  expect(within(cards[0]!).getByText('Bill')).toBeDefined()
  expect(within(cards[0]!).getByText('1.50')).toBeDefined()
})

test('on a phone a menu sorts, since there are no heads', async () => {
  setPhone(true)
  const onSort = vi.fn()
  render(<Table sort={{ by: 'name', order: 'desc' }} onSort={onSort} />)
  await userEvent.click(screen.getByRole('button', { name: /^Sorted by Name ?, descending$/ }))
  expect(screen.queryByRole('menuitemcheckbox', { name: 'Bill' })).toBeNull()
  await userEvent.click(await screen.findByRole('menuitemcheckbox', { name: 'Ascending' }))
  expect(onSort).toHaveBeenCalledWith({ by: 'name', order: 'asc' })
})

test('of a long page the rows in sight are drawn, and what was drawn stays', () => {
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(640)
  const rows = Array.from({ length: 100 }, (_, index) => ({
    id: `${index}`,
    name: `thing ${index}`,
    bill: '1',
  }))
  render(<Table rows={rows} />)
  const scroller = screen.getByRole('region', { name: 'Things' })
  const lastDrawn = () => Number(screen.getAllByRole('row').at(-1)?.getAttribute('aria-rowindex'))
  expect(screen.getByRole('table').getAttribute('aria-rowcount')).toBe('101')
  expect(screen.getByText('thing 0').closest('tr')?.getAttribute('aria-rowindex')).toBe('2')
  expect(lastDrawn()).toBeLessThan(45)
  fireEvent.scroll(scroller, { target: { scrollTop: 2_000 } })
  const afterScrolling = lastDrawn()
  expect(afterScrolling).toBeGreaterThan(65)
  expect(afterScrolling).toBeLessThan(101)
  expect(screen.getByText('thing 0')).toBeDefined()
  fireEvent.scroll(scroller, { target: { scrollTop: 0 } })
  expect(lastDrawn()).toBe(afterScrolling)
})
