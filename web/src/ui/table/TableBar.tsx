import { ArrowDown, ArrowUp, Columns3 } from 'lucide-react'
import { useEffect, useEffectEvent } from 'react'
import { formatCount } from '../../format/money.ts'
import { Button } from '../Button.tsx'
import { Checkbox } from '../Checkbox.tsx'
import { IconButton } from '../IconButton.tsx'
import { KeyCap } from '../KeyCap.tsx'
import { Menu, type MenuItem } from '../Menu.tsx'
import type { Column, DataTableProps, Selection, TableSort } from './column.ts'
import type { useTableSettings } from './use-table-settings.ts'
import { t } from '../../language/t.ts'

interface SettingsMenuProps<Row> {
  readonly columns: readonly Column<Row>[]
  readonly choices: ReturnType<typeof useTableSettings<Row>>
  /** The head has no room for words. */
  readonly isInHead?: boolean
}

/** Chooses the columns and the density. */
export function SettingsMenu<Row>({ columns, choices, isInHead = false }: SettingsMenuProps<Row>) {
  const shown: MenuItem[] = columns
    .filter((column) => column.isHideable !== false)
    .map((column) => ({
      label: column.header,
      isChosen: choices.visibility[column.id] === true,
      isSticky: true,
      onSelect: () => choices.toggle(column),
    }))
  const isCompact = choices.density === 'compact'
  return (
    <Menu
      groups={[
        shown,
        [
          {
            label: t('Compact rows'),
            isChosen: isCompact,
            isSticky: true,
            onSelect: () => choices.setDensity(isCompact ? 'normal' : 'compact'),
          },
        ],
        [{ label: t('Reset columns'), onSelect: choices.reset }],
      ]}
      trigger={
        isInHead ? (
          <IconButton icon={Columns3} label={t('Columns')} />
        ) : (
          <Button tone="ghost" size="sm" icon={Columns3}>
            {t('Columns')}
          </Button>
        )
      }
    />
  )
}

interface SortMenuProps {
  readonly columns: readonly Pick<Column<never>, 'header' | 'sortBy'>[]
  readonly sort?: TableSort
  readonly onSort?: (sort: TableSort) => void
}

/** Sorts lists without column heads: the cards of a phone, and lists that are not tables. */
export function SortMenu({ columns, sort, onSort }: SortMenuProps) {
  if (!sort || !onSort) return null
  const sortable = columns.flatMap(({ header, sortBy: by }) => (by === undefined ? [] : [{ header, by }]))
  const words = { desc: t('Descending'), asc: t('Ascending') } as const
  const order = (name: 'asc' | 'desc'): MenuItem => ({
    label: words[name],
    isChosen: sort.order === name,
    onSelect: () => onSort({ by: sort.by, order: name }),
  })
  return (
    <Menu
      align="start"
      groups={[
        sortable.map(({ header, by }) => ({
          label: header,
          isChosen: sort.by === by,
          onSelect: () => onSort({ by, order: sort.order }),
        })),
        [order('desc'), order('asc')],
      ]}
      trigger={
        <Button tone="ghost" size="sm" icon={sort.order === 'asc' ? ArrowUp : ArrowDown}>
          {t('Sorted by {header}', { header: sortable.find(({ by }) => by === sort.by)?.header ?? sort.by })}
          <span className="sr-only">, {words[sort.order].toLowerCase()}</span>
        </Button>
      }
    />
  )
}

interface TableBarProps<Row> extends Pick<
  DataTableProps<Row>,
  'title' | 'actions' | 'storageName' | 'columns'
> {
  readonly choices: ReturnType<typeof useTableSettings<Row>>
}

/** The line above the table: title, actions, column settings. */
export function TableBar<Row>({ title, actions, storageName, columns, choices }: TableBarProps<Row>) {
  return (
    <div className="flex min-h-11 flex-wrap items-center justify-between gap-x-3 gap-y-1 border-b border-line px-4 py-1.5">
      <div className="min-w-0 text-md font-semibold">{title}</div>
      <div className="flex flex-wrap items-center gap-2">
        {actions}
        {storageName !== undefined && <SettingsMenu columns={columns} choices={choices} />}
      </div>
    </div>
  )
}

interface SelectionBarProps {
  readonly selection: Selection
  /** Ids of the rows on screen, for the checkbox that selects all. */
  readonly shownIds: readonly string[]
  /** In the bar, over the head of a table without one, or at the bottom of a phone. */
  readonly place?: 'bar' | 'head' | 'bottom'
}

const places = {
  bar: 'min-h-11 rounded-t-lg border-b py-1.5',
  // When it needs more lines it moves the head down.
  head: 'relative z-12 -mb-8.5 min-h-8.5 rounded-t-lg border-b py-0.5',
  bottom: 'min-h-11 border-t py-1.5',
} as const

/** Replaces the bar or the head while rows are selected. It has the same height, so nothing moves. Esc clears the selection. */
export function SelectionBar({ selection, shownIds, place = 'bar' }: SelectionBarProps) {
  const isStuck = place === 'bottom'
  const { ids, onChange, summary, actions, matching } = selection
  const clear = useEffectEvent(() => onChange(new Set()))
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      // A dialog, menu or drawer that has handled the key has prevented its default.
      if (event.key === 'Escape' && !event.defaultPrevented) clear()
    }
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  }, [])
  const shownCount = shownIds.filter((id) => ids.has(id)).length
  const elsewhere = ids.size - shownCount
  return (
    <div
      role="toolbar"
      aria-label={t('Selection')}
      className={`flex flex-wrap items-center gap-x-3 gap-y-1 border-accent-line bg-accent-soft px-4 ${places[place]}`}
    >
      {!isStuck && (
        <Checkbox
          label={t('Select all rows')}
          isLabelHidden
          checked={shownCount === shownIds.length}
          isMixed={shownCount < shownIds.length}
          onChange={(event) => onChange(event.target.checked ? new Set([...ids, ...shownIds]) : new Set())}
        />
      )}
      <SelectedCount ids={ids} matching={matching} isAllShown={shownCount === shownIds.length} />
      {summary}
      {elsewhere > 0 && (
        <>
          <span className="text-ink-3">{t('{elsewhere} of them not in this list', { elsewhere })}</span>
          <Button
            tone="ghost"
            size="sm"
            onClick={() => onChange(new Set(shownIds.filter((id) => ids.has(id))))}
          >
            {t('Leave them out')}
          </Button>
        </>
      )}
      {/* On a phone the actions fill the second line, without icons so that they fit. */}
      <span className={isStuck ? 'contents' : 'ms-auto flex flex-wrap items-center justify-end gap-2'}>
        <Button tone="ghost" size="sm" className="ms-auto" onClick={() => onChange(new Set())}>
          {t('Clear')}
          {!isStuck && <KeyCap>{t('Esc')}</KeyCap>}
        </Button>
        {isStuck ? (
          <span className="flex w-full flex-wrap items-center justify-end gap-1.5 [&_button>svg]:hidden">
            {actions}
          </span>
        ) : (
          actions
        )}
      </span>
    </div>
  )
}

interface SelectedCountProps {
  readonly ids: Selection['ids']
  readonly matching: Selection['matching']
  readonly isAllShown: boolean
}

/** How many rows are selected. Once all on screen are, the others that match can be selected too. */
function SelectedCount({ ids, matching, isAllShown }: SelectedCountProps) {
  if (matching?.isChosen === true)
    return (
      <span role="status" className="font-semibold">
        {t('All {count} that match selected', { count: formatCount(matching.count ?? 0) })}
      </span>
    )
  const count = matching?.count ?? 0
  return (
    <>
      <span className="font-semibold">{t('{count} selected', { count: formatCount(ids.size) })}</span>
      {matching && isAllShown && count > ids.size && (
        <Button tone="ghost" size="sm" onClick={matching.onChoose}>
          {t('Select all {count} that match', { count: formatCount(count) })}
        </Button>
      )}
    </>
  )
}
